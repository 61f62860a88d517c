"""Work that a store does not take: the part of the page where it was asked for says why."""

import pytest
from streamlit_pages import app, ran, turn

from explorer.pages.design.page import REPRESENTATION
from explorer.runs import jobs
from explorer.runs.quota import LimitError, Quota
from explorer.ui import registry
from explorer.ui.awaited import REFUSAL

WHY = "this server trains no more today"
SWEEP = {"sweep": '{"m_h":[1],"rank":[2],"steps":7}'}
ASKED = {
    "race": ("order", {"spec": '{"target":"linear"}'}, "Race at every size"),
    "heads": ("design", {}, "Fit heads to the same H"),
    "optimum": ("rates", SWEEP, "Compute the rank-optimal error"),
    "sweep": ("rates", SWEEP, "Train this sweep: 1 model"),
    "fetch": ("real", {}, "Fetch 92 MB"),
}
"""Page, link and button, by the kind of work."""
OPEN = ("unfolded Which architecture remembers it?", REPRESENTATION, "real models")


def refuse(*_):
    raise LimitError(WHY)


def test_a_refusal_that_no_part_of_its_page_could_say_is_said_on_no_other(monkeypatch):
    at = ran(app("order"))
    at.session_state[REFUSAL] = WHY  # asked for by a picture, whose answer is folded
    ran(at)
    assert WHY not in [each.value for each in ran(turn(at, "runs")).error]
    assert REFUSAL not in at.session_state


@pytest.mark.parametrize("kind", ASKED)
def test_a_refusal_stands_where_it_was_asked_for_until_the_next_press(monkeypatch, kind):
    page, link, label = ASKED[kind]
    at = app(page, **link)
    for name in OPEN:
        at.session_state[name] = True
    ran(at)
    with monkeypatch.context() as patch:
        patch.setattr(Quota, "job", refuse)
        next(each for each in at.button if each.label == label).click()
        ran(at)
    assert [each.value for each in at.error] == [WHY[:1].upper() + WHY[1:]]
    assert not jobs.waiting(registry.store())
    next(each for each in at.button if each.label == label).click()
    ran(at)
    assert not at.error and jobs.waiting(registry.store())
