"""The coupling of a session follows the reader from page to page, and what is shown says whose it
is."""

import random

import pytest
from stores import TINY
from streamlit_pages import button, drawing_in, opened, ran, says, sentences, turned

from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended, compact
from explorer.targets import PRESETS, parse, parse_sweep
from explorer.ui import shortened
from explorer.ui.words import told
from explorer.views.settings import called, differing_fields, words_of
from explorer.views.sweeps import own_target, shipped, sweep_of

pytestmark = pytest.mark.usefixtures("one_thread")

MINE = amended(TINY, rank=3, alpha=1.5)


def param(at, name):
    return "".join(at.query_params[name]) if name in at.query_params else None


def badge(at):
    return next(each.value for each in at.markdown if "-badge[" in each.value)


def pills(at, key="run to see"):
    return next(each for each in at.get("button_group") if each.key == key)


def stream_and_drawing(at):
    header = drawing_in(at)[0]
    return header["stream"], header["drawing"]


def test_train_shows_this_coupling_before_it_is_trained():
    at = opened("design", spec=compact(MINE))
    at = turned(at, "train")
    stream, drawing = stream_and_drawing(at)
    assert (stream["push"], stream["run"], drawing["m_h"], drawing["rank"]) == (None, None, 2, 3)
    assert drawing["floor"] > 0 and "not trained yet" in badge(at)
    assert "With m_h = 2 below the centred rank 3, truncation leaves nMSE" in says(at)
    at.slider(key="field m_h").set_value(3)
    stream, drawing = stream_and_drawing(ran(at))
    assert drawing["floor"] == 0 and "≥ centred rank 3 the error can vanish" in says(at)
    assert button(at, "Train").label == "Train at $m_h$ = 3 ▸"


def test_an_example_is_one_chip_away_and_says_in_what_it_is_another():
    at = opened("train", spec=compact(MINE))
    pills(at).set_value("asset-train")
    at = ran(at)
    stream, drawing = stream_and_drawing(at)
    assert (param(at, "run"), stream["run"], drawing) == ("asset-train", "asset-train", None)
    assert "Shown: **m\\_h = 7, r = 6, α = 2" in sentences(at)
    assert "your settings: **m\\_h = 2, r = 3, α = 1.5" in sentences(at)
    assert button(at, "Train").label == "Train at $m_h$ = 2 ▸"
    button(at, "Show mine").click()
    assert stream_and_drawing(ran(at))[0]["run"] is None and param(at, "run") is None


def test_a_fresh_reader_sees_the_example():
    at = opened("train")
    assert stream_and_drawing(at)[0]["run"] == "asset-train" and "your settings" not in sentences(
        at
    )
    assert pills(at).value == "asset-train" and not at.query_params
    at = turned(opened("design"), "train")
    assert stream_and_drawing(at)[0]["run"] == "asset-design", "of this very coupling"


def test_another_coupling_leaves_the_run_and_another_width_does_not():
    store = Store()
    run = store.create(MINE, "paused")
    at = opened("train", run=run)
    at.slider(key="field m_h").set_value(4)
    at = ran(at)
    assert param(at, "run") == run
    assert "Shown: **m\\_h = 2** · your settings: **m\\_h = 4**" in sentences(at)
    at = turned(at, "design")
    at.slider(key="field alpha").set_value(2.0)
    at = turned(ran(at), "train")
    stream, drawing = stream_and_drawing(at)
    assert stream["run"] is None and drawing["m_h"] == 4 and param(at, "run") is None


def test_rates_shows_this_coupling_or_the_shipped_figure_that_holds_it():
    at = turned(opened("design", spec=compact(MINE)), "rates")
    drawing = drawing_in(at)[0]
    ((series,),) = (panel["series"] for panel in drawing["panels"])
    assert (drawing["own"], series["rank"], series["points"]) == ({"alpha": 1.5, "rank": 3}, 3, [])
    assert series["floor"] and series["sigma"] and series["theory"] is None
    assert at.button(key="train sweep").label.startswith("Train this sweep: ")
    assert param(at, "sweep") is None, "to open a page writes nothing"
    pills(at, "sweep to see").set_value("fig1")
    at = ran(at)
    assert parse_sweep(param(at, "sweep")) == shipped("fig1").sweep
    assert pills(at, "sweep to see").value == "fig1"
    at = turned(at, "design")
    at.slider(key="field alpha").set_value(2.0)
    at = turned(ran(at), "rates")
    assert drawing_in(at)[0]["own"] == {"alpha": 2.0, "rank": 3}, "the design has gone on"
    at = turned(opened("design", spec='{"rank":6}'), "rates")
    drawing = drawing_in(at)[0]
    assert drawing["own"] == {"alpha": 1.0, "rank": 6} and len(drawing["panels"]) == 2


def test_the_target_of_a_sweep_that_is_the_readers():
    figure = shipped("fig1").sweep
    assert own_target(figure, CouplingSpec(alpha=2.0, rank=6, m_h=3, seed=9)) == (2.0, 6)
    assert own_target(figure, CouplingSpec(alpha=1.5)) is None
    spec = CouplingSpec(formula="u*v")
    assert own_target(sweep_of(spec, 1), spec) is not None


def test_settings_that_differ_in_words():
    one, other = PRESETS["train"][1], CouplingSpec(formula="exp(-abs(u-v)*4) + u*v", seed=3)
    fields = differing_fields([one, other])
    assert words_of(one, fields).startswith("m_h = 7, r = 6, α = 2, c = 1 and ")
    assert words_of(other, fields).startswith("m_h = 8, ρ = exp(-abs(u-v)*4) + u*v, seed 3")
    assert words_of(CouplingSpec(), ["rank", "m_h"]) == "m_h = 8, r = ∞"
    assert differing_fields([one, one]) == [] and words_of(one, []) == ""
    slow = amended(one, lr=1e-3, optimizer="adam", left_basis="haar")
    assert words_of(slow, differing_fields([one, slow])) == (
        "optimiser Adam, learning rate 0.001, φ_k = Haar"
    )


def test_no_field_is_called_by_its_name_in_code():
    fields = {name for _, spec in PRESETS.values() for name in type(spec).model_fields}
    assert not {name for name in fields if "_" in called(name)}
    assert not {"lr", "init", "conv", "aux", "warmup"} & {called(name) for name in fields}


def test_the_design_page_trains_this_width_and_opens_what_was_trained():
    at = opened("design", spec=compact(MINE))
    button(at, "Train").click()
    at = ran(at)
    (run,) = Store().waiting()
    assert Store().get(run).spec == MINE and param(at, "run") == run
    assert "waiting for a worker" in says(at) and parse(param(at, "spec")) == MINE
    at = opened("design", spec=compact(MINE))
    at.session_state["run to open"] = run
    at = ran(at)
    assert stream_and_drawing(at)[0]["run"] == run and param(at, "at") is None


OTHERS = "attention", "order"


@pytest.mark.parametrize("page", OTHERS)
def test_a_reload_on_a_page_of_another_kind_keeps_the_design(page):
    at = turned(opened("design", spec=compact(MINE)), page)
    assert not at.warning and param(at, "design") == compact(MINE)
    again = opened(page, **{name: param(at, name) for name in at.query_params})
    assert not again.warning and again.session_state["address"]["page"] == page
    for name in ("design", "train"):
        at = turned(again, name)
        assert at.session_state["spec"] == MINE and not at.warning


def test_a_link_with_the_specification_of_another_page_is_kept_for_it():
    at = opened("attention", spec=compact(MINE))
    assert not at.warning and at.session_state["spec of attention"] == PRESETS["nearest"][1]
    at = turned(at, "design")
    assert at.session_state["spec"] == MINE


PAGES_OF_A_WALK = "design", "train", "rates", "attention", "order", "runs"


@pytest.mark.parametrize("seed", [1, 2])
def test_a_walk_over_pages_reloads_links_and_changes_keeps_the_design(seed):
    """Whatever happens between, a page of couplings shows the coupling that was made last."""
    dice = random.Random(seed)
    spec, page = MINE, "design"
    at = opened(page, spec=compact(spec))
    for _ in range(12):
        match dice.choice(("turn", "turn", "reload", "change", "link")):
            case "turn":
                page = dice.choice(PAGES_OF_A_WALK)
                at = turned(at, page)
            case "reload":
                at = opened(page, **{name: param(at, name) for name in at.query_params})
            case "change" if page in ("design", "train"):
                spec = amended(spec, m_h=dice.randint(1, 32))
                at.slider(key="field m_h").set_value(spec.m_h)
                at = ran(at)
            case "link":
                spec = amended(spec, alpha=dice.randint(2, 30) / 10)
                page = dice.choice(("design", "train", "rates"))
                at = opened(page, spec=compact(spec))
        assert not at.warning and not at.error, (page, sentences(at))
        assert state_of(at) == spec, page
        link = {name: param(at, name) for name in at.query_params}
        assert shortened.fitted(link) == link


def state_of(at):
    """The coupling of the session, as its pages would find it."""
    page = at.session_state["address"]["page"]
    if page in (*OTHERS, "runs"):
        return parse(param(at, "design" if page in OTHERS else "spec"))
    return at.session_state["spec"]


def test_pins_are_called_by_what_differs_and_let_go_one_by_one():
    store = Store()
    runs = [store.create(amended(MINE, **c), "paused") for c in ({}, {"m_h": 4}, {"seed": 3})]
    at = opened("train", run=runs[0], pin=runs[1])
    assert [pin["label"] for pin in stream_and_drawing(at)[0]["pins"]] == ["m_h = 4"]
    at = opened("train", run=runs[0], pin=",".join(runs[1:]))
    labels = [pin["label"] for pin in stream_and_drawing(at)[0]["pins"]]
    assert labels == ["m_h = 4, seed 0", "m_h = 2, seed 3"]
    button(at, f"{told(labels[0])} ×").click()
    assert param(ran(at), "pin") == runs[2]
    button(at, "Pin").click()
    assert param(ran(at), "pin") == f"{runs[2]},{runs[0]}", "the one shown is kept, too"
    assert [pin["label"] for pin in stream_and_drawing(at)[0]["pins"]] == ["seed 3"]
