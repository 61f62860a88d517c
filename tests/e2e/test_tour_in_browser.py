"""The guided tour in the browser: by keyboard alone, left and gone on with, closed for ever."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import still, until
from playwright.sync_api import expect

from explorer.ui import tour

MINE = {"rank": 3}
OUTLINE = "part => getComputedStyle(part).outlineWidth"
PARTS = {"scrub": ".scrub", "temperature": ".temperature", "predict": "[data-act=predict]"}
GROUND = "app => getComputedStyle(app).backgroundColor"


@pytest.fixture
def newcomer(reader):
    """A reader with a design of their own who has not seen the tour."""
    tab = reader.open(spec=MINE)
    tab.page.evaluate("localStorage.removeItem('explorer tour')")
    tab.page.reload()
    tab.settle()
    yield tab
    tab.page.evaluate("localStorage.removeItem('explorer tour')")


def at_step(tab, step):
    """Wait until a step is shown, with its page and its mark."""
    scene = tour.stops()[step - 1].scene
    expect(tab.page.get_by_text(f"{step} of 9 · {scene.title}").first).to_be_visible()
    tab.settle()
    mark = tour.mark(scene)
    part = tab.page.locator(PARTS.get(mark, f"canvas[data-panel={mark}]")).first
    expect(part).to_be_visible()
    until(lambda: part.evaluate(OUTLINE) == "3px")
    return part


def entry(tab, name):
    return tab.page.get_by_role("button", name=name, exact=True)


def test_the_whole_tour_by_the_keyboard_which_ends_where_it_began(newcomer):
    page = newcomer.page
    entry(newcomer, "New here? Nine steps").focus()
    for step in range(1, 10):
        page.keyboard.press("Enter")
        at_step(newcomer, step)
        assert newcomer.parameter("tour") == str(step)
        expect(page.get_by_role("button", name="Done" if step == 9 else "Next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(entry(newcomer, "Nine steps")).to_be_visible()
    newcomer.settle()
    assert newcomer.spec == MINE and newcomer.parameter("tour") is None
    until(lambda: page.locator("canvas[data-panel=spectrum]").evaluate(OUTLINE) == "0px")


def test_it_is_left_gone_on_with_and_closed_for_all_sessions(newcomer):
    page = newcomer.page
    entry(newcomer, "New here? Nine steps").click()
    at_step(newcomer, 1)
    page.get_by_role("button", name="Next").click()
    at_step(newcomer, 2)
    page.get_by_role("slider", name="r, rank").press("ArrowLeft")
    until(lambda: newcomer.spec.get("rank") == 4)
    newcomer.settle()
    page.get_by_role("link", name="Rates").click()  # another page leaves it
    expect(entry(newcomer, "Nine steps: go on with 2")).to_be_visible()
    newcomer.settle()
    assert newcomer.spec == MINE
    page.go_back()
    at_step(newcomer, 2)
    assert newcomer.spec["rank"] == 4, "as it was left"
    page.reload()
    at_step(newcomer, 2)
    page.get_by_role("button", name="Close").click()
    expect(entry(newcomer, "Nine steps")).to_be_visible()
    newcomer.settle()
    assert newcomer.spec == MINE
    newcomer.go()  # another session
    expect(entry(newcomer, "Nine steps")).to_be_visible()
    entry(newcomer, "Nine steps").click()
    at_step(newcomer, 2)


@pytest.mark.parametrize("width", [1280, 390])
def test_the_card_covers_nothing_and_axe_finds_nothing_in_both_themes(reader, width):
    tab = reader.open("train", tour="4")
    tab.page.set_viewport_size({"width": width, "height": 844})
    part = at_step(tab, 4)
    for scheme, ground in (("dark", "rgb(20, 23, 28)"), ("light", "rgb(255, 255, 255)")):
        tab.page.emulate_media(color_scheme=scheme)
        until(lambda: tab.page.get_by_test_id("stApp").evaluate(GROUND) == ground)  # noqa: B023
        still(tab.page)  # what fades in has no contrast yet
        found = Axe().run(tab.page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
    card, ways = (
        tab.page.locator(f".st-key-{key}").bounding_box() for key in ("tour", "tour-ways")
    )
    words = tab.page.locator(".st-key-tour p").first.bounding_box()
    assert card["y"] + card["height"] <= part.bounding_box()["y"]
    assert card["x"] >= 0 and card["x"] + card["width"] <= width
    assert card["height"] < (130 if width == 1280 else 260)
    assert ways["x"] + ways["width"] <= card["x"] + card["width"]
    if width == 390:
        assert words["y"] + words["height"] <= ways["y"] + 1
    tab.page.evaluate("localStorage.removeItem('explorer tour')")
