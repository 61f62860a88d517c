"""Runs of attention tasks on the pages of couplings: listed, compared, or sent elsewhere."""

import pytest
import stores
from stores import filled
from streamlit_pages import opened, sentences

from explorer.pages.attention.view import run_verdict
from explorer.pages.runs import view
from explorer.runs.store import Store
from explorer.spec import amended, compact
from explorer.targets import KINDS, PRESETS
from explorer.views.text import share_text

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"n": 8, "d_v": 3, "m_ff": 12, "batch": 6, "steps": 20, "warmup": 5}


@pytest.fixture
def trained():
    """A store with a finished run of each task, by its name."""
    specs = {name: amended(PRESETS[name][1], **SMALL) for name in ("nearest", "cog", "qsa")}
    return {name: stores.trained(spec) for name, spec in specs.items()}


def test_the_train_page_says_where_a_run_of_a_task_belongs(trained):
    at = opened("train", run=trained["nearest"].run)
    said = at.info[0].value
    assert "belongs to the Attention page: it learns nearest point, τ = 6, d = 2" in said
    assert not at.warning and at.session_state["spec"] == PRESETS["train"][1]
    at = opened("train", pin=trained["qsa"].run)
    assert "is not in this store" in sentences(at)


@pytest.mark.parametrize("page", ["train", "design"])
def test_a_link_of_a_task_opens_the_default(page):
    at = opened(page, spec=compact(amended(PRESETS["cog"][1], seed=3)))
    assert at.session_state["spec"] == PRESETS[page][1] and not at.warning


def test_the_runs_page_lists_and_compares_runs_of_tasks(trained):
    coupling = filled(Store())
    listed = view.listing(Store().list())
    assert listed.table["design"][1:].tolist() == [
        "q-sparse averaging, τ = 8, d = 2, k = 3",
        "centre of gravity, τ = 10, d = 2, up to 3 segments",
        "nearest point, τ = 6, d = 2",
    ]
    assert view.listing(Store().list(), "gravity").runs == (trained["cog"].run,)
    at = opened("runs", runs=trained["cog"].run)
    assert len(at.dataframe[0].value) == 4
    assert "this head (one seed) is at nMSE" in sentences(at)
    at = opened("runs", runs=f"{trained['cog'].run},{trained['qsa'].run},{coupling}")
    table = view.differences([trained["cog"], trained["qsa"]]).set_index("field")
    assert list(table.loc["segments"]) == ["3", "–"] and list(table.loc["k"]) == ["–", "3"]
    assert list(table.loc["target"]) == ["cog", "qsa"] and "alpha" not in table.index


def test_tasks_in_words(trained):
    plain = amended(PRESETS["nearest"][1], aux=False)
    assert KINDS["nearest"].words(plain).endswith("d = 2, without aux")
    text = run_verdict(trained["qsa"])
    assert f"{share_text(trained['qsa'].metrics['agreement'], 4096)} of them" in text
    with Store().start(amended(PRESETS["qsa"][1], **SMALL), "cpu") as lease:
        row = lease.row
    assert run_verdict(row).startswith("This head for q-sparse averaging, τ = 8, d = 2, k = 3 is")


def test_the_rates_page_opens_beside_runs_of_tasks(trained):
    opened("rates")
