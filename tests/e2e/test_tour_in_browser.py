"""The guided tour in the browser: by keyboard alone, left and gone on with, closed for ever."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import still, until
from playwright.sync_api import expect

from explorer.ui import tour
from explorer.ui.pages import FIRST

MINE = {"rank": 3}
TOUCH = "[data-tour=touch]"
SIZES = [(1280, 800), (390, 844), (844, 390)]
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
    part = tab.page.locator(TOUCH)
    expect(part).to_have_count(1)
    expect(part).to_be_in_viewport(ratio=0.99)
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
    expect(page.locator(TOUCH)).to_have_count(0)


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
    words = tab.page.locator(".st-key-tour-words p").first.bounding_box()
    assert part.bounding_box()["y"] + part.bounding_box()["height"] <= card["y"]
    assert card["x"] >= 0 and card["x"] + card["width"] <= width
    assert card["height"] < 260
    assert ways["y"] + ways["height"] <= words["y"] + 1
    tab.page.evaluate("localStorage.removeItem('explorer tour')")


@pytest.mark.parametrize("step", range(1, 10))
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_what_is_to_be_touched_is_in_view_and_its_touch_is_answered(reader, step, width, height):
    scene, stop = tour.stops()[step - 1]
    page, params = scene.changed(stop.change)
    path = "" if page == FIRST else page
    tab = reader.open(path, window={"width": width, "height": height}, **params, tour=str(step))
    part = at_step(tab, step)
    still(tab.page)
    seen = tab.page.get_by_text("You see:")
    expect(seen).not_to_be_visible()
    box = part.bounding_box()
    x, y = box["x"] + 0.4 * box["width"], box["y"] + 0.5 * box["height"]
    tab.page.mouse.move(x, y)
    tab.page.mouse.down()
    tab.page.mouse.move(x + 30, y + 8, steps=3)
    tab.page.mouse.up()
    if stop.press:
        expect(seen).not_to_be_visible()
        tab.page.locator("[data-act=reveal]").click()
    expect(seen).to_be_visible()
    tab.page.evaluate("localStorage.removeItem('explorer tour')")
