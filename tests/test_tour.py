"""The guided tour: its nine steps, and that a reader's own work waits for its end untouched."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from explorer.pages.talk.scenes import problems_of
from explorer.ui import address, tour
from explorer.ui.components import source
from explorer.ui.pages import PAGES, SHELL

MINE = '{"rank":3}'
TOLD = (
    "$m = 3$ leaves an error of 0.021",
    "width 8 now leaves an error of 0.021",
    "an error of 0.0011 is left",
    "by factors of 120 to 3.7·10⁴",
    "in 100.0 % of the cases",
    "with 0.53 of the error of a constant",
    "perplexity",
    "an error of 5.9·10⁻⁴; one layer, trained alike, stays at 0.78",
)
"""What is seen from the second step on: numbers of the shipped runs, and of designs."""


@pytest.fixture
def opened(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))

    def at(page="design", **params):
        script = AppTest.from_file(SHELL, default_timeout=120)
        for name, value in params.items():
            script.query_params[name] = value
        script.switch_page(str(PAGES[page].file)).run()
        assert not script.exception
        return script

    return at


def press(script, name):
    """Press a button of the card on the page that is shown: AppTest goes on with the first one."""
    here = script.session_state[address.READER]["page"]
    script.switch_page(str(PAGES[here].file))
    script.button(key=f"tour {name}").click().run()
    assert not script.exception
    return shown(script)


def shown(script):
    found = script.query_params.items()
    return {name: text if isinstance(text, str) else text[0] for name, text in found}


def seen(script):
    (found,) = (each.value for each in script.markdown if each.value.startswith("**You see:**"))
    return found


def card(script):
    """The markdown of the tour's card; None where there is none."""
    found = [each.value for each in script.markdown if re.match(r"\*\*\d of 9 · ", each.value)]
    return found[0] if found else None


def test_every_scene_of_the_shipped_talk_has_a_step_that_says_what_to_do_and_marks_it():
    talk = tour.decks.load(tour.decks.OURS)
    led = [scene for scene in talk.scenes if scene.tour]
    assert [stop.scene for stop in tour.stops()] == led and len(led) == 9
    assert not problems_of(talk)
    for stop in tour.stops():
        assert re.search(r"[.?;] \*\*[^*]+\.\*\*$", stop.step.words), stop.scene.title
        html, mark = source(stop.scene.staged.component)["html"], tour.mark(stop)
        assert f'data-panel="{mark}"' in html or re.search(rf'class="[^"]*\b{mark}\b', html)
        assert 'class="' in html and "[data-tour" in source(stop.scene.staged.component)["css"]


def test_what_is_wrong_with_a_step_of_the_tour_is_said_with_its_place():
    talk = tour.decks.load(tour.decks.OURS)
    led = tour.stops()[2].scene
    step = led.tour.model_copy(update={"change": {"spec": {"m_h": 0}}})
    wrong = led.model_copy(update={"tour": step})
    (said,) = problems_of(talk.model_copy(update={"scenes": (wrong,)}))
    assert said.startswith("scene 1, tour, spec: m_h")


def test_a_step_shows_its_page_and_the_design_waits_in_the_address(opened):
    script = opened(spec=MINE, tour="1")
    assert card(script).startswith("**1 of 9 · One row of attention**")
    assert script.button(key="tour back").disabled
    assert press(script, "next") == {"spec": '{"rank":6,"m_h":3}', "tour": "2"}
    assert card(script).startswith("**2 of 9 ·")


def test_leaving_restores_what_the_reader_had_on_page_and_session(opened, monkeypatch):
    script = opened(spec=MINE, view='{"k":3}')
    with monkeypatch.context() as pressed:
        pressed.setattr(tour, "entry", lambda: tour.number() or tour.go_to(1))
        script.run()
    assert "99.8 % of the tokens" in seen(script)
    for step, told in enumerate(TOLD, 2):
        here = press(script, "next")
        assert told in seen(script)
        assert (here["tour"], here["design"]) == (str(step), MINE)
        assert step > 2 or script.session_state["spec on tour"].rank == 6, "the step's own"
    assert "Each token points back" in card(script)
    assert press(script, "next") == {"spec": MINE, "view": '{"k":3}'}
    assert card(script) is None
    assert script.session_state["spec"].rank == 3
    assert [script.button(key=door).label for door in tour.DOORS] == [*tour.DOORS]


@pytest.mark.parametrize("door", tour.DOORS)
def test_a_door_at_its_end_opens_once(opened, door):
    script = opened("memory", tour="9")
    press(script, "next")
    script.button(key=door).click().run()
    page, params = tour.DOORS[door]
    assert script.session_state[address.READER]["page"] == page
    assert shown(script) == {name: text for name, text in params.items() if text}
    assert not [each for each in script.button if each.key in tour.DOORS]


def test_after_a_reload_the_tour_goes_on_and_its_end_finds_the_design(opened):
    script = opened("rates", tour="5", design=MINE)
    assert press(script, "back")["run"] == "asset-cliff-5"
    assert script.session_state["spec on tour"].m_h == 5, "of the run, and not of another step"
    assert press(script, "close") == {"spec": MINE}
    assert script.session_state["spec"].rank == 3
    assert script.session_state[address.READER]["page"] == "train", "it stays where it was closed"


def test_another_page_leaves_the_tour_and_shows_the_readers_own(opened):
    script = opened(spec='{"rank":6,"m_h":3}', tour="2", design=MINE)
    script.query_params.clear()  # as a link of the navigation does
    script.switch_page(str(PAGES["train"].file)).run()
    assert card(script) is None
    assert script.session_state["spec"].rank == 3


def test_what_is_passed_on_of_a_step_is_no_tour(opened):
    script = opened(tour="2", spec='{"rank":6}', design=MINE)
    shown = script.session_state["shown"].address
    assert "rank%22%3A6" in shown and "tour" not in shown and "design" not in shown


def test_the_slider_that_a_step_has_turned_says_at_its_ends_which_is_which():
    html = source("attention")["html"]
    before, after = html.split("data-temperature")
    assert before.rindex("soft</span>") > before.rindex("temperature")
    assert after.index("<span>hard</span>") < after.index('data-text="temperature"')
    assert "hard-max" in tour.stops()[5].step.words
