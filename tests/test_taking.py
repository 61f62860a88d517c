"""A view taken into a talk as its next step: what differs is kept, and it shows the view."""

import json

import pytest
from pydantic import ValidationError
from streamlit_pages import opened, turned

from explorer.pages.talk import decks
from explorer.pages.talk.address import page_and_params
from explorer.pages.talk.scenes import Scene, Step, dump_talk, parse_talk
from explorer.pages.talk.stage import STAGED
from explorer.pages.talk.taking import Taken, difference, parts_of
from explorer.targets import parse
from explorer.ui.shown import SHOWN

OWN = '{"version":1,"title":"Mine","scenes":[{"title":"T","kind":"title","steps":[{"words":"W"}]}]}'


def taken(address, **fields):
    given = {"title": "T", "words": "W", "panels": ("maps", "spectrum"), **fields}
    return Taken(address=address, **given)


def spec(address):
    return parse(page_and_params(address).params["spec"])


@pytest.mark.parametrize(
    ("before", "after", "kept_of_it"),
    [
        ('design?spec={"rank":6}', 'design?spec={"rank":6,"m_h":2}', {"spec": {"m_h": 2}}),
        ('design?spec={"m_h":2}', 'design?spec={"rank":6}', {"spec": {"m_h": 8, "rank": 6}}),
        ('design?view={"k":2,"u":0.5}', 'design?view={"k":2}', {"view": '{"k":2}'}),
        ('design?view={"k":2}', 'design?view={"k":3,"u":0.5}', {"view": {"k": 3, "u": 0.5}}),
        ("train?run=asset-cliff-5", "train?run=asset-cliff-6", {"run": "asset-cliff-6"}),
        ("train?run=asset-cliff-5&at=3", "train?run=asset-cliff-5", {"at": None}),
        ("rates", "rates", {}),
    ],
)
def test_a_step_keeps_what_differs_from_its_scene_and_shows_the_view(before, after, kept_of_it):
    old, new = page_and_params(before), page_and_params(after)
    assert difference(old.params, new.params) == kept_of_it
    panels = STAGED[new.page].best
    scene = taken(after, panels=panels).after(taken(before, panels=panels).scene())
    shown = scene.view(1)
    assert shown.page == new.page and shown.params.keys() == new.params.keys()
    for name, text in shown.params.items():
        read = parse if name == "spec" else lambda text: text
        assert read(text) == read(new.params[name])
    assert scene.view(0) == old, "the step before stays"


def test_pictures_are_named_where_they_are_others_and_parts_of_the_formula_lit():
    scene = taken("design", formula=("a =", "b")).scene()
    scene = taken("design").after(scene)
    assert (scene.steps[1].panels, scene.panels(1)) == ((), ("maps", "spectrum"))
    scene = taken("design", panels=("row",), formula=("b", "+ c")).after(scene)
    assert scene.panels(2) == ("row",)
    assert scene.formula == ("a =", "b", "+ c")
    assert [step.lit for step in scene.steps] == [(0, 1), (0, 1), (1, 2)], "as it was lit before"


def test_a_view_of_another_page_or_picture_continues_no_scene():
    scene = taken("design").scene()
    assert taken('design?spec={"m_h":2}').continues(scene)
    assert not taken("train").continues(scene)
    assert not taken("real", picture="head").continues(taken("real").scene())
    words = Scene(title="T", kind="text", steps=(Step(words="W"),))
    assert not taken("design").continues(words)


def test_a_scene_takes_twenty_steps_and_no_more():
    scene = taken("design").scene()
    for _ in range(19):
        scene = taken("design").after(scene)
    with pytest.raises(ValidationError, match="at most 20 items"):
        taken("design").after(scene)


def test_a_formula_is_cut_where_no_bracket_is_open_and_nothing_of_it_is_lost():
    latex = r"{\rho(u+1,v)=\sum_{k=1}^{a+b} c+\left(d=e\right)}"
    parts = parts_of(latex)
    assert parts == (r"\rho(u+1,v)=", r"\sum_{k=1}^{a+b} c", r"+\left(d=e\right)")
    assert "".join(parts_of("{a}+{b}")) == "{a}+{b}"


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("page", [*STAGED])
def test_a_page_is_taken_as_a_scene_of_two_pictures_and_then_as_its_next_step(page):
    decks.keep(parse_talk(OWN))
    at = opened(page)
    for number in range(1, 4):
        button = next(each for each in at.button if each.label == "Take this as the next step")
        button.click().run()
        assert not at.exception and not at.warning
        scenes = decks.load().scenes
        assert [len(scene.steps) for scene in scenes] == [1, number]
    scene = scenes[-1]
    assert scene.panels(0) == STAGED[page].best and all(not step.change for step in scene.steps)
    assert all(not step.panels for step in scene.steps[1:])


@pytest.mark.usefixtures("one_thread")
def test_five_scenes_of_ones_own_take_seventeen_presses():
    """New and Begin it; then for each of five pages its link, Share and what takes it. Each further
    step of a scene takes two."""
    at = opened("talk")
    presses = 1  # New, a popover, which AppTest has open
    next(each for each in at.button if each.label == "Begin it").click().run()
    presses += 1
    for page in ("design", "attention", "order", "rates", "real"):
        turned(at, page)
        presses += 2  # its link, and Share
        label = "Take this as the next step"
        next(each for each in at.button if each.label == label).click().run()
        presses += 1
    scenes = decks.load().scenes
    assert [scene.kind for scene in scenes] == ["title", *["page"] * 5] and presses == 17
    assert parse_talk(dump_talk(decks.load())).scenes == scenes, "all of it can be shown"


@pytest.mark.usefixtures("one_thread")
def test_what_is_ticked_is_taken_and_what_cannot_be_drawn_is_refused():
    decks.keep(parse_talk(OWN))
    at = opened("design", spec=json.dumps({"rank": 3}))

    def pills(label):
        return next(each for each in at.button_group if each.label.startswith(label))

    pills("On the stage").set_value(["floor"])
    next(each for each in at.text_input if each.label == "Words").set_value("The floor.")
    press = "Take this as the next step"
    next(each for each in at.button if each.label == press).click().run()
    assert len(decks.load().scenes) == 1
    assert "floor is only drawn beside spectrum" in at.toast[-1].value
    pills("On the stage").set_value(["spectrum", "floor"])
    first = parts_of(at.session_state[SHOWN].formulas[0])[0]
    pills("Lit in the formula").set_value([first])
    next(each for each in at.button if each.label == press).click().run()
    scene = decks.load().scenes[-1]
    assert scene.panels(0) == ("spectrum", "floor")
    assert (scene.steps[0].words, scene.formula) == ("The floor.", (first,))
    assert spec(scene.address) == parse({"rank": 3})
