"""A page whose shipped runs are missing says so in a sentence, with the command that makes them."""

import pytest
from streamlit_pages import opened, sentences

from explorer.folder import resource
from explorer.spec import compact
from explorer.targets import PRESETS
from explorer.ui import live
from explorer.ui.pages import PAGES, trainer
from explorer.ui.site import pictures

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def assets(monkeypatch, tmp_path):
    """A folder with the shipped files, of which some may be deleted."""
    for file in resource("assets").iterdir():
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.setattr(live, "resource", lambda name: tmp_path)
    return tmp_path


def delete(assets, runs):
    files = [f"{run.removeprefix('asset-')}.zip" for run in runs]
    for file in files:
        (assets / file).unlink()
    return files


@pytest.mark.parametrize("page", [page for page in PAGES.values() if page.name != "talk"])
def test_every_page_opens_without_the_run_that_it_opens_with(page, assets):
    (file,) = delete(assets, trainer(page.topic).shipped[:1])
    at = opened(page.name)
    if page.shipped:
        assert f"`{file}` is not in `assets/`: `python -m explorer assets {file}`" in sentences(at)


@pytest.mark.parametrize("page", [page for page in PAGES.values() if page.shipped])
def test_a_page_without_any_of_its_runs_says_so_and_trains(page, assets):
    files = delete(assets, (*page.shipped, *page.ready))
    at = opened(page.name)
    assert f"are not in `assets/`: `python -m explorer assets {' '.join(files)}`" in sentences(at)
    assert any(button.key == "do train" for button in at.button)


def test_each_shipped_run_is_read_once():
    """Where fewer were kept than there are, pages of visitors read most of them anew."""
    names = [f"asset-{file.stem}" for file in sorted(resource("assets").glob("*.zip"))]
    first = [live.open_stream(name).record for name in names]
    assert len(names) > 32
    assert all(live.open_stream(n).record is record for n, record in zip(names, first, strict=True))


def test_what_aux_buys_is_left_out_without_its_heads(assets):
    delete(assets, ["asset-attention-cog-adam-plain"])
    at = opened("attention", spec=compact(PRESETS["cog"][1]))
    assert "What learning single tokens buys" not in sentences(at)


def test_the_site_leaves_out_what_is_missing(assets):
    before = {picture.file for picture in pictures.pictures()}
    delete(assets, ["asset-attention-qsa"])
    assert before - {picture.file for picture in pictures.pictures()} == {"attention-qsa.html"}
