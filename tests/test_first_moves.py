"""The first move of a page follows what the page shows, and presses what is there."""

import json
import re

import pytest
from streamlit_pages import opened, sentences

from explorer.runs.record import ACTIVE, RESUMABLE
from explorer.targets import parse
from explorer.ui.pages import PAGES
from explorer.views import first_move
from explorer.views.glossary import undotted

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = {"rank": 2, "m_h": 3, "m_ff": 8, "n": 4, "d_v": 4, "warmup": 1, "steps": 3, "batch": 2}


def move_of(at):
    """The words that end the line of the page, or ""."""
    page = next(page for page in PAGES.values() if page.plain_line in sentences(at))
    line = next(each.value for each in at.markdown if page.plain_line in undotted(each.value))
    return "".join(re.findall(r"\*\*([^*]+)\*\*$", line))


def filled(at):
    """The buttons that say what to do now."""
    return [undotted(each.label) for each in at.button if each.proto.type == "primary"]


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
    assert first_move.at_run(status, "Rest.") == first_move.WATCH
    assert first_move.of_training(status, shipped=False) == first_move.WATCH


@pytest.mark.parametrize("status", ["queued", *RESUMABLE, "finished"])
def test_the_filled_button_of_train_is_what_comes_next(store, status):
    run = with_status(store, status)
    at = opened("train", spec=json.dumps(TINY), run=run)
    words = {"queued": "Watch it learn.", "finished": "Change its width."}.get(status, "")
    (button,) = filled(at)
    assert move_of(at) == words
    if status == "queued":
        assert button == "Pause"
    else:
        assert button.startswith("Train at") if status == "finished" else button == "Resume"


def test_train_is_filled_where_nothing_of_these_settings_is():
    at = opened("train", spec=json.dumps(TINY | {"seed": 77}))
    assert [each.startswith("Train at") for each in filled(at)] == [True] and not move_of(at)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_at_most_one_filled_button(page):
    """Of Rates it is in the picture, of the talk a link."""
    assert len(filled(opened(page))) == (page not in ("rates", "talk"))


@pytest.mark.parametrize(("count", "ticked"), [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)])
def test_runs_asks_for_two_only_where_there_are_two(store, count, ticked):
    runs = [with_status(store, "finished", seed=seed) for seed in range(count)]
    at = opened("runs", runs=",".join(runs[:ticked])) if ticked else opened("runs")
    assert filled(at) == ([] if count else ["Train a first one"])
    assert (
        move_of(at)
        == {
            (0, 0): "",
            (1, 0): "Tick it.",
            (1, 1): "Tick two runs.",
            (2, 0): "Tick two runs.",
            (2, 1): "Tick two runs.",
            (2, 2): "Compare them below.",
        }[count, ticked]
    )


def test_what_nobody_has_trained_of_a_sweep_is_to_be_trained():
    (button,) = filled(opened("rates", sweep=json.dumps(TINY | {"m_h": [1, 2]})))
    assert button.startswith("Train this sweep")


def test_a_design_begins_with_its_width():
    assert move_of(opened("design", spec=json.dumps({"formula": "u*v"}))) == "Drag m."


def test_a_move_at_rest_is_what_the_page_opens_with():
    assert first_move.at_run("finished") is None and not first_move.of_sweep(3, at_work=True)
    assert first_move.of_sweep(0, at_work=True)
