"""A turn from the pages of couplings to Order brings the reader's coupling, and Back undoes it."""

import pytest
from stores import TINY
from streamlit_pages import button, drawing_in, opened, ran, report, sentences, turn, turned

from explorer.spec import CouplingSpec, LinearSpec, amended, compact, design_of
from explorer.targets import PRESETS, parse
from explorer.ui import address

pytestmark = pytest.mark.usefixtures("one_thread")
MINE = amended(TINY, rank=3, alpha=1.5)
OTHER = amended(MINE, rank=4)
ROLLED = amended(MINE, permutation="roll", filter="difference", positions=3)


def held(at):
    return at.session_state["spec of order"]


def links(at):
    return {name: "".join(at.query_params[name]) for name in at.query_params}


def labels(at):
    return {each.label for each in at.button}


@pytest.mark.parametrize("page", ["design", "train", "rates"])
def test_a_turn_to_order_brings_the_coupling(page):
    at = turned(opened(page, spec=compact(MINE)), "order")
    assert held(at) == address.altered(MINE) and not at.warning
    assert parse(links(at)["spec"]) == held(at) and parse(links(at)["design"]) == MINE
    assert "Alter my coupling" not in labels(at) and drawing_in(at)[0]["kernel"] is None
    assert "Nobody has trained this target here" in sentences(at)
    again = opened("order", **links(at))
    assert held(again) == held(at), "its link alone shows the same"
    assert turned(at, page).session_state["spec"] == MINE
    assert held(turned(at, "order")) == address.altered(MINE)


def test_without_a_coupling_of_ones_own_it_opens_as_ever():
    at = turned(opened("design"), "order")
    assert held(at) == PRESETS["order-quick"][1] and "Alter my coupling" in labels(at)
    at = opened("order", design=compact(MINE))
    assert held(at) == PRESETS["order-quick"][1], "a cold link is shown as it stands"


def test_a_coupling_that_goes_on_is_followed_in_its_order():
    at = turned(opened("design", spec=compact(MINE)), "order")
    at.session_state["order picture"] = report(1, {"order": "roll"})
    at = turned(ran(at), "design")
    at.slider(key="field alpha").set_value(2.0)
    at = turned(ran(at), "order")
    assert held(at).permutation == "roll" and design_of(held(at)).alpha == 2.0
    assert "run" not in links(at)


def test_another_target_of_the_readers_stays():
    at = turned(opened("design", spec=compact(MINE)), "order")
    button(at, "Back to linear targets").click()
    linear = held(ran(at))
    at = turned(at, "design")
    at.slider(key="field alpha").set_value(2.0)
    at = turned(ran(at), "order")
    assert held(at) == linear and "Alter my coupling" in labels(at)
    button(at, "Alter my coupling").click()
    assert design_of(held(ran(at))).alpha == 2.0


def test_back_goes_to_the_coupling_and_forward_to_the_altered_one(monkeypatch):
    at = opened("design", spec=compact(MINE))
    before = links(at)
    at = turned(at, "order")
    after = links(at)
    monkeypatch.setattr(address, "by_history", lambda: True)
    for page, link in (("design", before), ("order", after), ("design", before)):
        at.query_params.clear()
        for name, text in link.items():
            at.query_params[name] = text
        at = ran(turn(at, page))
        shown = held(at) if page == "order" else at.session_state["spec"]
        assert shown == (address.altered(MINE) if page == "order" else MINE)
        assert not at.warning and links(at) == link


@pytest.mark.parametrize(
    ("own", "last", "now", "expected"),
    [
        (MINE, None, None, address.altered(MINE)),
        (MINE, MINE, None, None),
        (OTHER, MINE, ROLLED, amended(ROLLED, rank=4)),
        (OTHER, MINE, amended(ROLLED, rank=7), None),
        (OTHER, MINE, LinearSpec(permutation="roll"), None),
        (OTHER, None, ROLLED, None),
        (
            amended(OTHER, tau=3),
            MINE,
            amended(MINE, permutation=tuple(range(MINE.tau))[::-1]),
            address.altered(amended(OTHER, tau=3)),
        ),
    ],
)
def test_what_a_turn_brings(own, last, now, expected):
    text = address.follow(compact(own), last and compact(last), now and compact(now))
    assert (text and parse(text)) == expected


def test_what_cannot_be_read_brings_nothing():
    assert address.follow('{"rank": "many"}', None, None) is None
    assert address.follow(compact(LinearSpec()), None, None) is None
    assert isinstance(parse(address.follow("{}", None, None)), CouplingSpec)
