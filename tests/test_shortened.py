"""A link has at most 4,095 characters; what does not fit stays in the session and is said."""

import json
import random
from urllib.parse import urlencode

import pytest
from streamlit_pages import app, opened, ran, sentences, turned

from explorer.pages.attention import view_board as board
from explorer.pages.design.view_gallery import GALLERY
from explorer.spec import AnySpec, CouplingSpec, compact
from explorer.targets import PRESETS
from explorer.ui import address, shortened
from explorer.ui.pages import PAGES

chance = random.Random(5)
SIGMA = CouplingSpec(spectrum="list", sigma=[chance.random() / k for k in range(1, 65)])
FORMULA = "+".join(["u*v"] * 250)
ALTERED = CouplingSpec(
    tau=64,
    formula=FORMULA,
    permutation=chance.sample(range(64), 64),
    filter=[chance.random() / 64 for _ in range(64)],
    positions=8,
)
MIXING = "unfolded Mix a coupling by hand, and undo it"


def length(page, params):
    """Characters of path and query, as Streamlit has the browser write them."""
    return len(f"/{page}?{urlencode(params)}")


def written(at):
    return {name: "".join(at.query_params[name]) for name in at.query_params}


def with_mixing(sent=ALTERED, **params):
    """The Order page with a coupling mixed whose formula is long."""
    at = app("order", spec=compact(sent), **params)
    at.session_state["spec"] = CouplingSpec(formula=FORMULA)
    at.session_state[MIXING] = True
    at = ran(at)
    at.segmented_control(key="mixing of").set_value("mine")
    return ran(at)


def examples() -> dict[str, AnySpec]:
    shipped = {entry.key: entry.spec for entry in GALLERY} | {k: p[1] for k, p in PRESETS.items()}
    return shipped | {"sigma": SIGMA, "formula": CouplingSpec(formula=FORMULA), "altered": ALTERED}


@pytest.mark.parametrize("name", examples())
def test_every_specification_fits_alone_with_run_and_selection(name):
    """The longest, 64 taps of 17 digits, an order of 64 and a formula of 1000 characters, has
    3,849 of the 4,095."""
    params = {"spec": compact(examples()[name]), "run": "0123456789ab-12", "at": "1200", "t": "63"}
    assert shortened.fitted(params) == params


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("task", ["nearest", "qsa", "cog"])
def test_the_board_of_the_largest_task_fits(task, d):
    spec = PRESETS[task][1].model_copy(update={"tau": 32, "d": d})
    text = board.example(spec).model_dump_json()
    params = {"spec": compact(spec), "view": text, "run": "0123456789ab-12"}
    assert shortened.fitted(params) == params


@pytest.mark.parametrize(
    ("sizes", "out"),
    [
        ({"spec": 4000}, ""),
        ({"spec": 4200}, "spec"),
        ({"spec": 3500, "view": 900}, "view"),
        ({"spec": 3900, "view": 300}, "view"),
        ({"spec": 2100, "sweep": 2200}, "spec"),
        ({"spec": 3000, "sweep": 3000, "view": 3000}, "spec sweep"),
        ({"spec": 3950, "run": 40, "view": 150}, "spec"),
    ],
)
def test_the_least_that_suffices_is_left_out(sizes, out):
    params = {name: "x" * size for name, size in sizes.items()}
    link = shortened.fitted(params)
    marks = {name for name in link if shortened.is_mark(link[name])}
    assert marks == set(out.split())
    assert all(link[name] == params[name] for name in {*link} - marks)
    assert max(length(page, link) for page in PAGES) <= shortened.LONGEST < 4096


def test_characters_are_counted_as_the_browser_sends_them():
    assert shortened.encoded("view", '{"a":1}') == len("view=%7B%22a%22%3A1%7D")
    short, long = {"spec": "é" * 600}, {"spec": "é" * 700}  # six characters each
    assert shortened.fitted(short) == short and shortened.fitted(long) != long


def test_hundreds_of_parameters_by_hand_end_the_search():
    params = {f"p{i}": "x" * 50 for i in range(200)}
    assert shortened.fitted(params) == params


def test_what_does_not_fit_is_said_and_stays_in_the_session():
    at = with_mixing()
    link = written(at)
    assert length("order", link) <= shortened.LONGEST
    assert link["spec"] == compact(ALTERED) and shortened.is_mark(link["view"])
    kept = at.session_state["view of order"].coupling
    assert json.loads(kept)["formula"] == FORMULA
    (warned,) = at.warning
    assert "`view` is not in the link: it has 2,097 " in warned.value and "4,095" in warned.value
    at = turned(turned(at, "runs"), "order")
    assert at.session_state["view of order"].coupling == kept and written(at) == link
    at.segmented_control(key="mixing of").set_value("paper")
    assert "view" not in written(ran(at)) and not at.warning


def test_back_finds_what_stayed_in_the_session(monkeypatch):
    at = with_mixing()
    marked, kept = written(at), at.session_state["view of order"]
    at.slider(key="picture a").set_value(0.5)
    assert ran(at).session_state["view of order"] != kept
    assert written(at)["view"] != marked["view"], "a step of its own in the history"
    at.query_params["view"] = marked["view"]
    monkeypatch.setattr(address, "by_history", lambda: True)
    assert ran(at).session_state["view of order"] == kept and written(at) == marked


def test_another_session_is_told_what_its_link_lacks():
    mark = shortened.mark_of(compact(ALTERED))
    at = opened("design", spec=mark)
    assert at.session_state["spec"] == PRESETS["design"][1]
    assert "spec: too long for a link" in at.warning[0].value
    at = opened("attention", view=mark)
    assert "too long for a link" in sentences(at).replace("\\", "")


def test_an_old_link_that_is_longer_is_read_and_not_written_over():
    """Else Back would never leave it."""
    mixing = {"coupling": compact(CouplingSpec(formula=FORMULA))}
    params = {"spec": compact(ALTERED), "view": json.dumps(mixing)}
    at = opened("order", **params)
    assert length("order", params) > shortened.LONGEST and written(at) == params
    assert at.session_state["view of order"].coupling == mixing["coupling"] and not at.warning
    at.slider(key="picture a").set_value(0.5)
    assert length("order", written(ran(at))) <= shortened.LONGEST and at.warning
