"""A model of the reader's own in the browser: its files are dropped, a worker reads and measures
it, and what is wrong with them is said with what to do."""

import json

import pytest
from driving import until
from own_models import BERT, CONFIGS, GPT2, saved

from explorer.pages.real.answers import SAID

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "keeper", *"abcdefghijklmnopqrstuvwxyz"]
VOCABULARY = {"vocab_txt": "\n".join([*PIECES, *map(str, range(40 - len(PIECES)))]) + "\n"}
FILES = {"bert": VOCABULARY, "gpt2": {}, "vit": {}}
HEADS = "Head 2 of layer 2 holds"


@pytest.fixture
def form(reader):
    """A function that opens the page with the place for models of the reader's own."""

    def open_():
        tab = reader.open("real")
        tab.page.get_by_text("Models on this machine").click()
        tab.page.get_by_text("A model of your own").wait_for()
        return tab

    return open_


def give(tab, files, name):
    """Files dropped on the place for them, and a name for the model."""
    place = tab.page.locator("[data-testid=stFileUploader]", has_text="its files")
    contents = {
        file.name: file.read_bytes().decode("latin-1") for file in files if file.stat().st_size
    }
    place.get_by_test_id("stFileUploaderDropzone").evaluate(DROP, contents)
    place.get_by_text(files[0].name, exact=True).first.wait_for()
    field = tab.page.get_by_role("textbox", name="its name here")
    field.fill(name)
    field.press("Enter")
    tab.settle()
    tab.page.get_by_role("button", name="Bring it").click()


DROP = """(zone, contents) => {
  const dropped = new DataTransfer();
  for (const [name, text] of Object.entries(contents)) {
    const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    dropped.items.add(new File([bytes], name));
  }
  for (const kind of ["dragenter", "dragover", "drop"])
    zone.dispatchEvent(
      new DragEvent(kind, { dataTransfer: dropped, bubbles: true, cancelable: true }),
    );
}"""
"""As a hand drops files: their names and their bytes as letters."""


@pytest.mark.parametrize("family", CONFIGS)
def test_dropped_files_become_a_model_with_spectra_and_an_opened_head(family, form, tmp_path):
    folder = saved(tmp_path / "theirs", CONFIGS[family], **FILES[family])
    (folder / "README.md").write_text("others are left alone")
    tab, name = form(), f"mine-{family}"
    page = tab.page
    give(tab, [*folder.iterdir()], name)
    page.get_by_role("button", name="Remove", exact=True).wait_for()
    tab.settle()
    model = next(each.name for each in (tab.server.home / "models" / "own").glob(f"{name}-*"))
    tab.go("real", real=json.dumps({"model": model, "layer": 2, "head": 2, "k": 2}))
    assert not tab.warning.count(), tab.warning.inner_text()
    until(lambda: HEADS in tab.verdict.inner_text())
    page.get_by_text("Layer 2, head 2.").first.wait_for()
    assert tab.places("Head", "r.squares.whole && r.k === 2")["count"] > 4
    page.get_by_text(SAID).click()
    page.get_by_text("With k = 2 terms of all heads").first.wait_for()
    tab.settle()  # the chart of the answer moves what stands below it
    page.get_by_text("Models on this machine").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="Remove", exact=True).wait_for(state="hidden")


def cut_short(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])


def pickled(folder):
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")


def of_another(folder):
    saved(folder, BERT | {"hidden_size": 15})
    (folder / "config.json").write_text(json.dumps(BERT))


WRONG = {
    "pickled": (pickled, "a pickle may run anything, so it is not opened"),
    "without weights": (
        lambda folder: (folder / "model.safetensors").unlink(),
        "here is no model.safetensors",
    ),
    "without a config": (
        lambda folder: (folder / "config.json").unlink(),
        "onfig.json is not among the files",
    ),
    "cut short": (cut_short, "model.safetensors is cut short or damaged"),
    "of another": (of_another, "and config.json says"),
    "another family": (
        lambda folder: (folder / "config.json").write_text('{"model_type": "llama"}'),
        "model_type is 'llama'; known are bert, gpt2, vit",
    ),
}


def test_wrong_files_are_refused_with_what_to_do(form, tmp_path):
    """One after the other in one session: a refusal is in nobody's way."""
    tab = form()
    for at, (how, (spoil, said)) in enumerate(WRONG.items()):
        folder = saved(tmp_path / str(at), GPT2 if how == "cut short" else BERT)
        spoil(folder)
        give(tab, sorted(folder.iterdir()), f"mine-{at}")
        tab.page.get_by_test_id("stAlertContentError").filter(has_text=said).wait_for()
        tab.page.reload()
        tab.settle()
        tab.page.get_by_text("Models on this machine").click()
        tab.page.get_by_text("A model of your own").wait_for()
    own = tab.server.home / "models" / "own"
    assert not [each.name for each in own.glob("*") if not each.name.startswith(".lock")]


def test_a_file_that_is_too_large_is_not_read_and_the_way_for_it_is_named(form, tmp_path):
    tab, huge = form(), tmp_path / "model.safetensors"
    with huge.open("wb") as file:
        file.truncate(301 * 10**6)
    place = tab.page.locator("[data-testid=stFileUploader]", has_text="its files")
    place.locator("input[type=file]").set_input_files(huge)
    place.get_by_text("File must be").wait_for()
    assert tab.page.get_by_role("button", name="Bring it").is_disabled()
    tab.page.get_by_text("Files of more than 300 MB").wait_for()
