"""What holds of one text may not of another: rises text by text, one's own text in the pictures,
and the model by its whole name wherever it is named."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pretrained import looked_at
from streamlit.testing.v1 import AppTest

from explorer.charts import DARK
from explorer.pages.real import view
from explorer.pages.real.chart import kinds_chart
from explorer.pages.real.view_drawing import real_drawing
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_words import rise, rises, shipped_kinds
from explorer.pretrained import spectra_file
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.texts import KINDS
from explorer.ui.pages import PAGES
from explorer.ui.shown import SHOWN

ROOT = Path(__file__).parents[1]
SMOLLM2 = MODELS["smollm2"]


def told(times, kinds=True):
    table = pd.DataFrame({"kind": [f"k{i}" if kinds else i for i in range(len(times))]})
    return rise(table.assign(centred=False, k=4, value=times, own=1.0), "raw", 4)


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        ([1.002, 1.131], "the perplexity of 2 kinds of text rises by 0 to 13 %"),
        ([0.97, 1.0, 1.01], "the perplexity of 3 kinds of text changes by −3 to 1 %"),
        ([1.05, 1.05], "the perplexity of 2 kinds of text rises by 5 %"),
        ([1.5, 14.6], "the perplexity of 2 kinds of text is 1.5 to 15 times its own"),
    ],
)
def test_the_least_and_the_greatest_rise_are_told(times, wanted):
    assert told(times) == wanted
    assert "2 texts is" in told([2.0, 3.0], kinds=False)


def test_shipped_kinds_are_of_the_texts_and_whole_with_all_terms():
    table = shipped_kinds()
    assert list(dict.fromkeys(table["kind"])) == list(KINDS)
    for gauge in view.GAUGES:
        np.testing.assert_allclose(rises(table, gauge, SMOLLM2.width), 1, rtol=1e-5)
    assert table.groupby("kind")["own"].nunique().eq(1).all()
    tried = {int(k) for k in view.curve_of(SMOLLM2)["k"]} - {0}
    assert tried == {int(k) for k in table["k"]}, "the page reads both at the same k"
    assert "NaN" not in json.dumps(kinds_chart(table, DARK).to_dict())


def test_one_kind_and_the_median_of_another_measurement_agree():
    """Prose is the first of the six paragraphs, of which the same was measured before."""
    table = shipped_kinds()
    before = view.shipped_cuts()
    before = before[(before["model"] == "smollm2") & (before["input"] == 0) & (before["k"] > 0)]
    both = before.merge(table[table["kind"] == "prose"], on=["centred", "k"])
    assert len(both) == len(before)
    np.testing.assert_allclose(both["value_x"], both["value_y"], rtol=1e-3)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("k", [None, 1, 3, 4, 24, 64])
def test_the_sentence_follows_k(k, centred):
    look = Look(k=k, centred=centred)
    found = view.real_view(look)
    tried = [1, 2, 4, 8, 12, 16, 24, 32, 64]
    near = min(tried, key=lambda at: abs(np.log(at / found.k)))
    times = rises(shipped_kinds(), look.gauge, near)
    assert f"With {near} term" in found.verdict
    if times.max() < 2:
        assert f"to {100 * (times.max() - 1):.0f} %" in found.verdict or k == 64
    else:
        assert "times its own" in found.verdict
    assert ("With 4" in view.real_view(Look(model="vit", k=4)).verdict) and k != 16


# One's own text


def test_the_map_is_of_ones_own_text():
    look = Look(text="some words of mine")
    found = view.real_view(look, looked_at(look, rank=5))
    assert found.inputs == "your text" and set(found.heads["rank"]) == {5.0}
    assert "5.0 of 64 terms hold 99 % of a coupling on your text" in found.verdict
    header, arrays = real_drawing(found)
    assert header["inputs"] == "your text" and "not on your text" in header["answer"]
    np.testing.assert_array_equal(arrays["raw_rank"], 5)
    assert np.isnan(arrays["raw_spread"][1:]).all()
    assert arrays["raw_spread"][0] == 0  # over the heads
    one = view.real_view(look.model_copy(update={"layer": 2, "head": 3}), looked_at(look, rank=7))
    assert "on your text in 7.0 of 64 terms" in one.verdict
    assert look.signature(one.inputs).endswith("your text")


def test_spectra_of_one_input_are_those_of_many():
    """One of the shipped inputs given as a file has the ranks that were counted of it."""
    of = view.shipped()["minilm"]
    sigma = {"raw": 7 * of.raw[2], "centred": of.centred[2]}
    one = spectra_file.of_one_input(sigma, of)
    assert np.abs(one.raw_rank[0] - of.raw_rank[2]).max() <= 3
    assert np.abs(one.raw_rank[0] - of.raw_rank[2]).mean() <= 0.3
    np.testing.assert_allclose(one.raw[0], of.raw[2] / of.raw[2][..., :1])
    np.testing.assert_array_equal(one.weights_rank, of.weights_rank)


def test_the_page_shows_ones_own_text_once_a_worker_has_looked():
    look = Look(text="some words of mine")
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.query_params["real"] = json.dumps({"text": look.text})
    at.switch_page(str(PAGES["real"].file)).run()
    assert not at.exception and "99 % of a [coupling]" in at.info[0].value
    looked_at(look, rank=6)
    at.run()
    assert not at.exception and "on your text" in at.info[0].value
    _, about = at.session_state[SHOWN].figures()["heads"]
    assert set(about.table["rank"]) == {6.0} and about.footer.endswith("your text")


# The model's name


def test_figures_and_their_tables_name_the_model_whole():
    at = AppTest.from_file("../explorer/ui/shell.py", default_timeout=60)
    at.switch_page(str(PAGES["real"].file)).run()
    figures = at.session_state[SHOWN].figures()
    for name in ("heads", "spectrum", "cut", "layers", "kinds"):
        _, about = figures[name]
        assert "Instruct (4-bit)" in about.title and "kept as float16" in about.footer
        assert all("Q4_1" in each for each in about.table["model"])


NAMED = re.compile(r"SmolLM2-135M(?!-Instruct)")


def test_no_text_has_a_shorter_name_by_hand():
    files = [*ROOT.glob("explorer/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "README.md"]
    files += [ROOT / "docs" / "pages.md", ROOT / "assets" / "talk.json"]
    models = ROOT / "explorer" / "pretrained"
    short = {
        str(file.relative_to(ROOT))
        for file in files
        if models not in file.parents and NAMED.search(file.read_text("utf-8"))
    }
    assert not short
    assert NAMED.search("SmolLM2-135M: 17 of 64") and not NAMED.search(SMOLLM2.title)
