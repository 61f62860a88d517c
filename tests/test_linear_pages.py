"""Runs on linear targets and altered couplings on the other pages: listed, compared, sent on."""

import numpy as np
import pytest
import stores
from stores import SMALL, filled
from streamlit_pages import opened, sentences

from explorer.pages.design.view import trained_runs
from explorer.pages.order.view import run_verdict
from explorer.pages.runs import view
from explorer.pages.train import view as train
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, LinearSpec, SpecError, amended, compact
from explorer.targets import PRESETS
from explorer.theory.design import Design
from explorer.ui import live

pytestmark = pytest.mark.usefixtures("one_thread")


SPECS = {
    "transformer": LinearSpec(**SMALL, permutation="block", conv=3, filter=(0.5, 0.5)),
    "rnn": LinearSpec(**SMALL, model="rnn", hidden=4, kernel="random"),
    "coupling": CouplingSpec(**SMALL, rank=2, positions=2, permutation="reverse"),
}


@pytest.fixture
def trained():
    """A store with a finished run of each kind, by its name."""
    return {name: stores.trained(spec) for name, spec in SPECS.items()}


@pytest.mark.parametrize("name", SPECS)
def test_the_train_page_says_where_such_a_run_belongs(trained, name):
    at = opened("train", run=trained[name].run)
    assert "belongs to the Order page" in at.info[0].value
    assert not at.warning and at.session_state["spec"] == PRESETS["train"][1]
    at = opened("train", pin=trained[name].run)
    assert "is not in this store" in sentences(at)


@pytest.mark.parametrize("page", ["train", "design"])
@pytest.mark.parametrize("name", SPECS)
def test_a_link_of_another_page_opens_the_default(page, name):
    """Of an altered coupling the coupling is left."""
    at = opened(page, spec=compact(SPECS[name]))
    plain = amended(SPECS["coupling"], permutation=None, positions=0)
    assert at.session_state["spec"] == (plain if name == "coupling" else PRESETS[page][1])
    lost = [box.value for box in at.warning]
    assert bool(lost) == (name == "coupling") and all("Order page" in each for each in lost)


def test_the_runs_page_lists_and_compares_them(trained):
    coupling = filled(Store())
    listed = view.listing(Store().list())
    assert listed.table["design"][1:].tolist() == [
        "σ_k = k^−1, r = 2, sine × shifted-sine, reverse, 2 positions",
        "random ρ 0, τ = 6, RNN of 4",
        "ρ = e^(−s), τ = 6, block, filter 2 taps, Transformer, conv 3",
    ]
    assert view.listing(Store().list(), "rnn of").runs == (trained["rnn"].run,)
    for name in SPECS:
        at = opened("runs", runs=trained[name].run)
        assert len(at.dataframe[0].value) == 4
        assert "(one seed) is at MSE" in sentences(at)
    opened("runs", runs=",".join([*(row.run for row in trained.values()), coupling]))
    table = view.differences(list(trained.values())).set_index("field")
    assert list(table.loc["model"]) == ["Transformer", "RNN", "–"]
    assert list(table.loc["permutation"]) == ["block", "–", "reverse"]


def test_verdicts_name_the_floors(trained):
    text = run_verdict(trained["rnn"])
    assert "RNN of 4 units" in text and "time-invariant RNN leaves 0, any causal model 0" in text
    assert "leaves" not in run_verdict(trained["coupling"])
    with Store().start(SPECS["rnn"], "cpu") as lease:
        assert run_verdict(lease.row).startswith("This RNN of 4 units is")


def test_an_altered_coupling_is_no_run_of_its_design(trained):
    design = CouplingSpec(tau=6, rank=2)
    assert SPECS["coupling"].topic == "order" and design.topic == "coupling"
    assert trained_runs(design, trained.values()) == []
    with pytest.raises(SpecError, match="Order page"):
        train.drawing(Design(SPECS["coupling"]))


def test_the_feed_has_their_history_and_their_frame(trained):
    for row in trained.values():
        feed = live.open_stream(row.run)
        assert feed.history() and feed.frame()


@pytest.mark.parametrize("page", ["rates", "design", "train", "runs"])
def test_the_pages_open_beside_them(trained, page):
    opened(page)
    assert all(np.isfinite(row.metrics["mse"]) for row in trained.values())
