"""The steps of a scene in another order: each shows what it showed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.pages.talk.scenes import Scene, Step, Talk, dump_talk, read_talk
from explorer.pages.talk.stage import STAGED

PAGES = [("design", None), ("attention", None), ("real", "head"), ("train", None)]


@st.composite
def scenes(draw):
    """A scene whose steps name pictures of its page, or none."""
    page, picture = draw(st.sampled_from(PAGES))
    staged = STAGED[page].more[picture] if picture else STAGED[page]
    panels = st.lists(st.sampled_from(staged.panels), max_size=3, unique=True).map(tuple)
    steps = st.builds(
        Step,
        words=st.sampled_from(["One.", "Two."]),
        notes=st.sampled_from(["", "slowly"]),
        panels=panels,
        lit=st.sampled_from([(), (0,), (0, 1)]),
        change=st.sampled_from([{}, {"spec": {"m_h": 2}}, {"at": "3"}]),
        live=st.booleans(),
    )
    return Scene(
        title="T",
        address=f'{page}?spec={{"rank":6}}',
        picture=picture,
        formula=("a", "b"),
        steps=draw(st.lists(steps, min_size=1, max_size=6).map(tuple)),
    )


@given(scenes(), st.data())
def test_steps_in_any_order_twice_or_left_out_show_what_they_showed(scene, data):
    places = st.integers(0, len(scene.steps) - 1)
    order = data.draw(st.permutations(range(len(scene.steps))) | st.lists(places, min_size=1))
    changed = scene.with_steps(scene.spelled[place] for place in order)
    for now, then in enumerate(order):
        assert changed.panels(now) == scene.panels(then)
        assert changed.view(now) == scene.view(then)
        assert changed.offered(now) == scene.offered(then)
        assert changed.shows(now) == scene.shows(then)
        (after, before) = changed.spelled[now], scene.spelled[then]
        assert after == before, "words, notes, parts lit and whether it trains"
    same = changed.with_steps(changed.spelled)
    assert same == changed, "no picture is named twice"


def test_without_naming_its_pictures_a_step_that_moved_would_show_others():
    """The control: a step shows the pictures of whichever step is before it."""
    panels = [("maps",), ("row",), ()]
    steps = tuple(Step(words="W", panels=named) for named in panels)
    scene = Scene(title="T", address="design", steps=steps)
    moved = scene.model_copy(update={"steps": (scene.steps[0], scene.steps[2], scene.steps[1])})
    assert (scene.panels(2), moved.panels(1)) == (("row",), ("maps",))
    steps = [scene.spelled[place] for place in (0, 2, 1)]
    assert scene.with_steps(steps).panels(1) == ("row",)


@pytest.mark.parametrize("page", STAGED)
def test_all_pictures_of_a_page_may_be_named(page):
    scene = Scene(title="T", address=page, steps=(Step(words="1"), Step(words="2", panels=("x",))))
    moved = scene.with_steps(reversed(scene.spelled))
    talk = Talk(title="T", scenes=(moved,))
    assert read_talk(dump_talk(talk)).scenes[0].panels(1) == scene.panels(0)
