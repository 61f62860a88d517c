"""The Talk page and the talk it keeps: nothing of a reader is lost."""

import json
from pathlib import Path

import pytest
from streamlit_pages import opened

from explorer.runs.home import home
from explorer.ui.talk import kept
from explorer.ui.talk.scenes import dump_talk, parse_talk

pytestmark = pytest.mark.usefixtures("one_thread")
SHIPPED = parse_talk((Path(__file__).parents[1] / "assets" / "talk.json").read_text("utf-8"))


def titles():
    return [scene.title for scene in kept.load().scenes]


def press(at, label):
    next(button for button in at.button if button.label == label).click().run()
    assert not at.exception
    return at


def test_the_shipped_talk_is_shown_until_it_is_changed():
    at = opened("talk")
    assert "8 scenes" in at.info[0].value and not at.warning
    assert [each.label.split(" · ")[0] for each in at.expander] == [str(i) for i in range(1, 9)]
    before = titles()
    press(at, "Down")
    assert titles() == [before[1], before[0], *before[2:]]
    press(at, "Duplicate")
    assert titles()[:2] == [before[1]] * 2 and len(titles()) == 9
    press(at, "Delete")
    press(at, "The shipped talk again")
    assert kept.load() == SHIPPED
    assert json.loads((home() / "talk-before.json").read_text("utf-8"))["scenes"]


def test_words_are_lines_and_a_line_more_is_a_step_more():
    at = opened("talk")
    words = next(area for area in at.text_area if area.label.startswith("Words"))
    words.set_value("One.\nTwo.\n\nThree $m_h$.")
    press(at, "Save")
    steps = kept.load().scenes[0].steps
    assert [step.words for step in steps] == ["One.", "Two.", "Three $m_h$."]
    assert steps[1].lit == SHIPPED.scenes[0].steps[1].lit, "what is shown stays"


def test_what_cannot_be_is_said_and_nothing_is_lost():
    at = opened("talk")
    next(field for field in at.text_input if field.label.startswith("Address")).set_value("moon")
    press(at, "Save")
    assert "scene 1, address: there is no page" in at.warning[0].value
    assert len(titles()) == 8, "it may be mended"
    next(field for field in at.text_input if field.label == "Title").set_value("")
    press(at, "Save")
    assert any("scene 1, title" in each.value for each in at.warning)
    assert titles()[0] == SHIPPED.scenes[0].title


def test_a_file_changed_by_another_hand_is_handed_back():
    kept.keep(SHIPPED)
    (home() / "talk.json").write_text('{"version": 7}', "utf-8")
    at = opened("talk")
    assert "version = 7" in at.warning[0].value
    press(at, "Begin with the shipped talk again")
    assert "8 scenes" in at.info[0].value
    assert json.loads((home() / "talk-before.json").read_text("utf-8")) == {"version": 7}


@pytest.mark.parametrize("page", ["design", "train", "rates", "attention", "order"])
def test_a_view_is_added_as_the_last_scene_and_can_be_shown(page):
    kept.keep(SHIPPED)
    at = opened(page, **({"spec": '{"m_h":3}'} if page == "design" else {}))
    at.session_state["share elsewhere"] = True  # the arrow beside Copy link is pressed
    press(at.run(), "Add this view to the talk")
    talk = kept.load()
    assert len(talk.scenes) == 9 and talk.scenes[-1].view(0).page == page
    parse_talk(dump_talk(talk))
    if page == "design":
        assert json.loads(talk.scenes[-1].view(0).params["spec"])["m_h"] == 3
