"""The first move of a page follows what the page shows, and presses what is there."""

import json
import re

import pytest
from streamlit_pages import opened, sentences

from explorer.runs.record import ACTIVE, RESUMABLE
from explorer.targets import parse
from explorer.ui.pages import PAGES
from explorer.views import first_move
from explorer.views.first_move import PRESS, Move
from explorer.views.glossary import undotted

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = {"rank": 2, "m_h": 3, "m_ff": 8, "n": 4, "d_v": 4, "warmup": 1, "steps": 3, "batch": 2}


def move_of(at):
    """The words that end the line of the page, and where they lead."""
    page = next(page for page in PAGES.values() if page.plain_line in sentences(at))
    line = next(each.value for each in at.markdown if page.plain_line in undotted(each.value))
    bold = re.search(r"\*\*([^*]+)\*\*(?:\]\(([^)]+)\))?", line)
    return bold[1], bold[2] or ""


@pytest.fixture
def store():
    from explorer.ui import registry

    return registry.store()


def with_status(store, status, **changes):
    run = store.create(parse(TINY | changes))
    if status != "queued":
        from explorer.runs.database import transaction

        with transaction(store.path) as db:
            db.execute("UPDATE work SET status = ? WHERE run = ?", (status, run))
    return run


@pytest.mark.parametrize("status", ACTIVE)
def test_what_is_at_work_is_watched(status):
    """In the store a run at work without a worker is soon taken up, or interrupted."""
    rest = Move("Rest.")
    assert first_move.at_run(status, rest) == first_move.of_pair(status, pair=True)
    assert first_move.of_training(status, shipped=False) == first_move.WATCH


@pytest.mark.parametrize("status", ["queued", *RESUMABLE, "finished"])
def test_train_says_press_train_only_where_that_is_next(store, status):
    run = with_status(store, status)
    at = opened("train", spec=json.dumps(TINY), run=run)
    words, to = move_of(at)
    if status in ACTIVE:
        assert words == "Watch it learn." and not to
    elif status in RESUMABLE:
        assert to == "#press-do-resume"
    else:
        assert words == "Change its width." and not to


def test_train_presses_train_where_nothing_of_these_settings_is():
    words, to = move_of(opened("train", spec=json.dumps(TINY | {"seed": 77})))
    assert (words, to) == ("Press Train.", "#press-do-train")


@pytest.mark.parametrize(("count", "ticked"), [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)])
def test_runs_asks_for_two_only_where_there_are_two(store, count, ticked):
    runs = [with_status(store, "finished", seed=seed) for seed in range(count)]
    at = opened("runs", runs=",".join(runs[:ticked])) if ticked else opened("runs")
    words, _ = move_of(at)
    assert (
        words
        == {
            (0, 0): "Train a first one.",
            (1, 0): "Tick it.",
            (1, 1): "Tick two runs.",
            (2, 0): "Tick two runs.",
            (2, 1): "Tick two runs.",
            (2, 2): "Compare them below.",
        }[count, ticked]
    )


def test_rates_predicts_only_what_is_trained():
    assert move_of(opened("rates"))[0] == "Press Predict first."
    own = json.dumps(TINY | {"m_h": [1, 2]})
    words, to = move_of(opened("rates", sweep=own))
    assert (words, to) == ("Press Train this sweep.", "#press-train-sweep")


def test_a_design_begins_with_its_width():
    assert move_of(opened("design", spec=json.dumps({"formula": "u*v"})))[0] == "Drag m."


def test_the_stage_is_a_link():
    assert move_of(opened("talk")) == ("Open the stage.", "stage")


MOVES = [each for each in vars(first_move).values() if isinstance(each, Move)]


@pytest.mark.parametrize("page", ["train", "memory", "rates"])
def test_what_a_move_presses_is_on_the_page(page):
    """By its key, or in the picture as a `data-act`."""
    at = opened(page)
    _, to = move_of(at)
    key = to.removeprefix(PRESS)
    assert to.startswith(PRESS)
    keys = {(each.key or "").replace(" ", "-") for each in at.button}
    assert key in keys | {"predict"}


def test_a_move_at_rest_is_what_the_page_opens_with():
    for page in PAGES.values():
        assert re.search(r"\*\*[A-Z][^*]+\.\*\*$", page.line)
    assert first_move.at_run("finished", None) is None
    assert all(move.markdown.count("**") == 2 for move in MOVES)
