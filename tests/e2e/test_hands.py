"""Fingers and mice on every page: a swipe scrolls, a handle is held, help opens and closes."""

import json
import math

import pytest
from driving import RESTLESS, still, until
from playwright.sync_api import expect

PHONE = {"width": 390, "height": 844}
PAGES = {
    "Design": "",
    "Live": "train",
    "Rates": "rates",
    "Attention": "attention",
    "Order": "order",
    "Real": "real",
}
BELOW = {"Real": ["Head"]}
"""Components that stand on the page of another."""
REST = 600  # milliseconds: longer than a press is long

TOP = "document.querySelector('[data-testid=stMain]').scrollTop"


class Finger:
    """One finger on a phone."""

    def __init__(self, tab):
        self.tab, self.page = tab, tab.page
        self.page.set_viewport_size(PHONE)
        self.session = self.page.context.new_cdp_session(self.page)
        self.session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def touch(self, kind, *place):
        points = [dict(zip("xy", place, strict=True))] if place else []
        self.session.send(
            "Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points}
        )

    def swipe(self, x, y, dx=0, dy=0, rest=0):
        """Down at a place of the window, after a rest away from it, and up."""
        self.page.evaluate(RESTLESS, not rest)
        self.touch("Start", x, y)
        self.page.wait_for_timeout(rest)
        for part in range(1, 9):
            self.touch("Move", x + dx * part / 8, y + dy * part / 8)
        self.touch("End")
        still(self.page)  # a flick rolls on

    @property
    def top(self):
        return self.page.evaluate(TOP)

    def show(self, canvas):
        """The canvas's place in the window, its foot above what stands at the window's."""
        canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'end' })")
        return canvas.bounding_box()


@pytest.fixture
def finger(reader):
    """What opens a page on a phone, and a finger on it."""
    fingers = []

    def open_(component, tab=None):
        tab = tab or reader.open(PAGES[component])
        tab.draw(component)
        fingers.append(Finger(tab))
        still(tab.page)
        return fingers[-1]

    yield open_
    for finger in fingers:
        finger.session.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
        finger.session.detach()


def free_place(box, handles):
    """The place of a canvas that is farthest from all that can be held, and how far it is."""
    grid = [(box["width"] * i / 8, box["height"] * j / 8) for i in range(1, 8) for j in range(1, 8)]
    away = {place: min([math.dist(place, at) for at in handles], default=99) for place in grid}
    return max(away.items(), key=lambda item: item[1])


@pytest.mark.parametrize("component", PAGES)
def test_help_opens_and_closes_and_a_swipe_scrolls_and_changes_nothing(component, reader, finger):
    """On one start of each page: help with the mouse, at three widths, then a finger on a phone."""
    tab = reader.open(PAGES[component])
    if component != "Live":  # its canvases are not taken hold of
        help_closes_by_its_button_by_escape_and_by_a_click_beside_it(tab)
    hand = finger(component, tab)
    for each in (component, *BELOW.get(component, [])):
        a_swipe_over_every_picture_scrolls(each, hand)


def a_swipe_over_every_picture_scrolls(component, hand):
    address = hand.tab.url
    pictures = hand.page.locator(f".{component.lower()} canvas[data-panel]")
    for canvas in pictures.locator("visible=true").all():
        box, panel = hand.show(canvas), canvas.get_attribute("data-panel")
        handles = hand.page.evaluate(f"window.__explorer{component}.handles('{panel}')")
        (x, y), away = free_place(box, handles)
        assert away > 24, panel
        down = hand.top > 100  # else the page has no way up
        before = hand.top
        hand.swipe(box["x"] + x, box["y"] + y, dy=120 if down else -120)
        assert abs(hand.top - before) > 60, panel
    assert hand.tab.url == address


def help_closes_by_its_button_by_escape_and_by_a_click_beside_it(tab):
    button, lines = tab.page.get_by_role("button", name="Mouse and keys"), tab.page.locator(".keys")
    for width in (1024, 1280, 1920):
        tab.page.set_viewport_size({"width": width, "height": 800})
        closings = {
            "button": button.click,
            "Escape": lambda: tab.page.keyboard.press("Escape"),
            "beside": lambda: tab.page.mouse.click(width - 4, 400),  # noqa: B023
        }
        for close in closings.values():
            button.click()
            lines.wait_for()
            (over, under) = lines.bounding_box(), button.bounding_box()
            assert (
                over["y"] >= under["y"] + under["height"]
                or over["y"] + over["height"] <= under["y"]
            )
            assert over["x"] >= 0 and over["x"] + over["width"] <= width
            close()
            lines.wait_for(state="hidden")


def test_a_finger_holds_a_dot_taps_the_map_and_presses_long(finger):
    hand = finger("Design")
    box = hand.show(hand.page.locator("canvas[data-panel=spectrum]"))
    before = hand.page.evaluate("window.__explorerDesign.places()")
    x, y = before["dots"][1]
    top = hand.top
    hand.swipe(box["x"] + x + 8, box["y"] + y - 6, dy=60)
    assert abs(hand.top - top) < 30, "not its 60: a sentence above may take another line"
    sigma = until(lambda: hand.tab.spec.get("sigma"))
    assert sigma[1] < before["sigma"][1] and sigma[0] == before["sigma"][0]

    box = hand.show(hand.page.locator("canvas[data-panel=maps]"))
    square, top = before["squares"][0], hand.top

    def at(u, v):
        side = square["side"]
        return box["x"] + square["x"] + v * side, box["y"] + square["y"] + u * side

    def crosshair():
        view = json.loads(hand.tab.parameter("view") or "{}")
        return view.get("u"), view.get("v")

    hand.swipe(*at(0.2, 0.9))
    until(lambda: crosshair() == (0.2, 0.9))
    hand.swipe(*at(0.8, 0.2), dy=-0.4 * square["side"], rest=REST)
    until(lambda: crosshair() == (0.4, 0.2))
    assert hand.top == top


def test_a_theme_is_remembered_for_every_page_and_paper_is_clean(reader):
    tab = reader.open("rates")
    tab.draw("Rates")
    canvas = tab.page.locator("canvas[data-panel=figure]")
    wide = canvas.bounding_box()["width"]
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.page.emulate_media(media="print")
    for control in ("stSidebar", "stHeader", "stButtonGroup", "stCode"):
        tab.page.get_by_test_id(control).first.wait_for(state="hidden")
    tab.page.get_by_role("button", name="Predict first").wait_for(state="hidden")
    tab.verdict.wait_for()
    expect(tab.page.locator(".printed-link")).to_have_text(tab.url)
    box = canvas.bounding_box()
    assert box["width"] <= 703 < wide, "A4 without its margins"
    assert canvas.evaluate("c => c.width / devicePixelRatio") == pytest.approx(box["width"], abs=1)
    tab.page.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.page.emulate_media(media="screen")
    until(lambda: canvas.bounding_box()["width"] == wide)

    tab.page.evaluate("localStorage.setItem('stActiveTheme-/rates-v2', '\"Dark\"')")
    for path in ("", "train"):
        tab.go(path)
        ground = "app => getComputedStyle(app).backgroundColor"
        assert tab.page.get_by_test_id("stApp").evaluate(ground) == "rgb(20, 23, 28)"
    tab.page.evaluate("localStorage.clear()")
