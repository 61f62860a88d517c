"""The Talk page and the talk it keeps: nothing of a reader is lost."""

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from streamlit_pages import drawings_in, opened, ran, report

from explorer.pages.talk import decks, editor
from explorer.pages.talk.scenes import dump_talk, parse_talk
from explorer.runs.database import StoreError
from explorer.runs.home import home
from explorer.runs.store import Store

pytestmark = pytest.mark.usefixtures("one_thread")
SHIPPED = parse_talk((Path(__file__).parents[1] / "assets" / "talk.json").read_text("utf-8"))


PAGES = [i for i, scene in enumerate(SHIPPED.scenes) if scene.kind == "page"]
MANY = f"{len(SHIPPED.scenes)} scenes"
TRAINED = next(i for i, scene in enumerate(SHIPPED.scenes, 1) if scene.ready)
"""The number of the scene whose slider turns to prepared runs."""


def titles():
    return [scene.title for scene in decks.load().scenes]


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception
    return at


def test_the_shipped_talk_is_shown_until_it_is_changed():
    at = opened("talk")
    assert MANY in at.info[0].value and not at.warning
    numbers = [each.label.split(" · ")[0] for each in at.expander if " · " in each.label]
    assert numbers == [str(i) for i in range(1, len(SHIPPED.scenes) + 1)]
    assert at.expander[-1].label.startswith("As one file")
    before = titles()
    press(at, "Down")
    assert titles() == [before[1], before[0], *before[2:]]
    press(at, "Duplicate")
    assert titles()[:2] == [before[1]] * 2 and len(titles()) == len(before) + 1
    press(at, "Delete")
    press(at, "The shipped talk again")
    assert decks.load() == SHIPPED
    assert json.loads((home() / "talk-before.json").read_text("utf-8"))["scenes"]


def arranged(at, scene, change, number=1):
    """The page once its film of the steps of a scene, from 1, has told what `change` makes of
    them."""
    header, _ = drawings_in(at)[scene]
    steps = change([each["step"] for each in header["steps"]])
    told = {"subject": header["subject"], "steps": steps}
    at.session_state[f"steps {scene - 1}"] = report(number, told)
    return ran(at)


def test_steps_are_worded_duplicated_deleted_and_go_on_showing_what_they_showed():
    at = opened("talk")
    before = SHIPPED.scenes[TRAINED - 1]
    arranged(at, TRAINED, lambda steps: [steps[2] | {"notes": "slowly"}, steps[0], steps[2]])
    scene = decks.load().scenes[TRAINED - 1]
    for now, then in enumerate((2, 0, 2)):
        assert scene.shows(now) == before.shows(then)
    assert [step.notes for step in scene.steps] == ["slowly", "", ""]
    arranged(at, TRAINED, lambda steps: [steps[0] | {"words": "Anew."}], 2)
    assert [step.words for step in decks.load().scenes[TRAINED - 1].steps] == ["Anew."]


def test_what_a_film_tells_is_validated_and_counts_for_its_own_scene():
    at = opened("talk")
    for number, steps in enumerate(([], [{"words": ""}], [{"words": "x", "panels": ["moon"]}]), 1):
        arranged(at, TRAINED, lambda _, steps=steps: steps, number)
        assert at.warning and decks.load() == SHIPPED
    at.session_state["steps 3"] = report(1, {"subject": "another", "steps": [{"words": "x"}]})
    assert not ran(at).warning and decks.load() == SHIPPED


def test_what_was_typed_of_a_step_is_taken_before_what_is_pressed_then():
    at = opened("talk")
    scene = SHIPPED.scenes[0]
    told = {"subject": f"{scene.title} {scene.address}", "steps": [{"words": "Typed."}]}
    at.session_state["steps 0"] = report(1, told)
    press(at, "Down")
    assert [step.words for step in decks.load().scenes[1].steps] == ["Typed."]


@pytest.mark.parametrize("label", ["Down", "Duplicate", "Delete", "Save"])
def test_a_press_on_scenes_that_have_changed_meanwhile_loses_none(label):
    here, elsewhere = opened("talk"), opened("talk")
    press(elsewhere, "Add a title")
    press(elsewhere, "Down")
    kept = decks.load()
    press(here, label)
    assert decks.load() == kept and "changed meanwhile" in here.warning[0].value
    press(here, label)
    assert not here.warning and (decks.load() == kept) == (label == "Save")


def test_a_second_press_of_save_before_the_answer_keeps_the_same():
    at = opened("talk")
    scene = decks.load().scenes[0]
    field(at, "Title", 1).set_value("Another title")
    press(at, "Save")
    kept = decks.load()
    values = {"title": "Another title", "notes": scene.notes, "seconds": scene.seconds}
    key = "as it was drawn"
    with patch.dict(editor.st.session_state, {f"{key} {k}": v for k, v in values.items()}):
        editor._save(0, scene, key)
    assert decks.load() == kept and kept.scenes[0].title == "Another title"
    assert editor.REFUSED not in editor.st.session_state


def field(at, label, scene):
    """A field of a scene, from 1."""
    widgets = [*at.text_area, *at.text_input, *at.multiselect]
    (found,) = [w for w in widgets if w.label == label and w.key.startswith(f"scene {scene - 1} ")]
    return found


def save(at, scene):
    [button for button in at.button if button.label == "Save"][scene - 1].click().run()
    assert not at.exception
    return at


def test_what_plays_by_itself_is_chosen_and_validated_as_in_a_file():
    at = opened("talk")
    assert field(at, "Prepared pictures, a line for each", TRAINED).value.startswith(
        "1 = asset-cliff-1\n"
    )
    field(at, "Trains live in steps", TRAINED).set_value([4])
    field(at, "Grows from left to right", TRAINED).set_value([(5, "error"), (2, "coupling")])
    field(at, "Prepared pictures, a line for each", TRAINED).set_value(
        "5 = asset-cliff-5\n6=asset-cliff-6"
    )
    save(at, TRAINED)
    trained = decks.load().scenes[TRAINED - 1]
    assert [step.live for step in trained.steps] == [False] * 4 + [True, False]
    assert [step.grows for step in trained.steps] == [None, None, "coupling", None, None, "error"]
    assert trained.ready.choices == {str(m): {"run": f"asset-cliff-{m}"} for m in (5, 6)}
    assert trained.ready.words == SHIPPED.scenes[TRAINED - 1].ready.words
    assert parse_talk(dump_talk(decks.load())).scenes[0] == SHIPPED.scenes[0]
    for lines, complaint in {
        "5 = asset-cliff-5": f"scene {TRAINED}, ready, choices: ",
        "5 = asset-cliff-5\nmoon": "ready, line 2: 'moon' is no name = run",
        "5 = asset-cliff-5\n5 = asset-cliff-6": "ready, line 2: there is a '5' above",
        "5 = asset-cliff-5\n6 = moon": f"scene {TRAINED}, ready 6, run moon: ",
        '5 = asset-cliff-5\n6 = {"spec"': "ready, line 2: ",
    }.items():
        field(at, "Prepared pictures, a line for each", TRAINED).set_value(lines)
        assert complaint in save(at, TRAINED).warning[0].value
        assert decks.load().scenes[TRAINED - 1] == trained, "nothing is lost"
    field(at, "Prepared pictures, a line for each", TRAINED).set_value("")
    field(at, "Grows from left to right", TRAINED).set_value([(3, "error"), (3, "spectrum")])
    assert "step 4, grows: one picture in a step" in save(at, TRAINED).warning[0].value
    field(at, "Grows from left to right", TRAINED).set_value([])
    save(at, TRAINED)
    assert decks.load().scenes[TRAINED - 1].ready is None and not at.warning


def test_what_cannot_be_is_said_and_nothing_is_lost():
    at = opened("talk")
    address = next(field for field in at.text_input if field.label.startswith("Address"))
    address.set_value("moon")
    save(at, PAGES[0] + 1)
    assert f"scene {PAGES[0] + 1}, address: there is no page" in at.warning[0].value
    assert len(titles()) == len(SHIPPED.scenes), "it may be mended"
    next(field for field in at.text_input if field.label == "Title").set_value("")
    press(at, "Save")
    assert any("scene 1, title" in each.value for each in at.warning)
    assert titles()[0] == SHIPPED.scenes[0].title


def test_a_talk_of_ones_own_is_begun_named_and_given_words():
    decks.keep(SHIPPED)
    at = opened("talk")
    next(field for field in at.text_input if field.key == "new talk").set_value("Heads").run()
    press(at, "Begin it")
    assert (decks.load().title, titles()) == ("Heads", ["Heads"])
    press(at, "Add a text")
    press(at, "Add an end")
    assert [scene.kind for scene in decks.load().scenes] == ["title", "text", "end"]
    arranged(at, 2, lambda _: [{"words": "One."}, {"words": "Two."}])
    name = next(field for field in at.text_input if field.key.startswith("title "))
    name.set_value("Few heads").run()
    assert decks.load().title == "Few heads"
    assert [step.words for step in decks.load().scenes[1].steps] == ["One.", "Two."]
    assert parse_talk(dump_talk(decks.load())) == decks.load()
    assert json.loads((home() / "talk-before.json").read_text("utf-8"))["title"] == SHIPPED.title


def test_a_talk_that_cannot_be_begun_leaves_the_one_there_is(monkeypatch):
    decks.keep(SHIPPED.model_copy(update={"title": "Mine"}))
    before = {each.name: each.read_bytes() for each in home().glob("talk*")}

    def full(*_):
        raise StoreError("you use 500 of 500 MB")

    monkeypatch.setattr(Store, "write", full)
    with pytest.raises(StoreError):
        decks.begin_anew(SHIPPED)
    assert {each.name: each.read_bytes() for each in home().glob("talk*")} == before


def test_a_file_changed_by_another_hand_is_handed_back():
    decks.keep(SHIPPED)
    (home() / "talk.json").write_text('{"version": 7}', "utf-8")
    at = opened("talk")
    assert "version = 7" in at.warning[0].value
    press(at, "Begin with the shipped talk again")
    assert MANY in at.info[0].value
    assert json.loads((home() / "talk-before.json").read_text("utf-8")) == {"version": 7}


@pytest.mark.parametrize(
    "page", ["design", "train", "rates", "attention", "order", "real", "memory"]
)
def test_a_view_is_added_as_the_last_scene_and_can_be_shown(page):
    decks.keep(SHIPPED)
    at = opened(page, **({"spec": '{"m_h":3}'} if page == "design" else {}))
    press(at, "Add this view to the talk")
    talk = decks.load()
    assert len(talk.scenes) == len(SHIPPED.scenes) + 1 and talk.scenes[-1].view(0).page == page
    parse_talk(dump_talk(talk))
    if page == "design":
        assert json.loads(talk.scenes[-1].view(0).params["spec"])["m_h"] == 3


def test_each_shipped_scene_has_its_picture_and_an_altered_one_none():
    """Where this fails: python -m explorer assets talk-pictures.jsonl"""
    (header, _), *_ = drawings_in(opened("talk"))
    assert [header["scenes"][i]["id"] for i in PAGES] == [*header["pictures"]]
    assert all(image.startswith("data:image/webp;") for image in header["pictures"].values())
    first = SHIPPED.scenes[PAGES[0]]
    said = first.model_copy(update={"title": "Other words", "notes": "and notes"})
    assert said.id == first.id
    decks.keep(SHIPPED.model_copy(update={"scenes": (alter(first), *SHIPPED.scenes[2:])}))
    (header, _), *_ = drawings_in(opened("talk"))
    assert len(header["pictures"]) == len(PAGES) - 1
    assert header["scenes"][0]["id"] not in header["pictures"]


def alter(scene):
    return scene.model_copy(update={"rows": not scene.rows})
