"""Real attention in the browser: a head of the shipped example under the pointer."""

import json
from urllib.parse import parse_qs, urlsplit

from driving import still, until
from playwright.sync_api import expect

from explorer.pages.real.answers import SAID


def test_the_way_to_one_head_shows_what_it_is_and_its_text(reader):
    tab = reader.open("real", window={"width": 1280, "height": 800})
    tab.draw("Real")
    tab.button("Look into one head").click()
    expect(tab.page.get_by_text("One head opened")).to_be_in_viewport(ratio=1)
    still(tab.page)
    assert tab.page.get_by_text("One head opened").bounding_box()["y"] > 60, "below the names"
    expect(tab.page.locator("canvas[data-panel=coupling]")).to_be_in_viewport(ratio=1)


def test_a_shipped_head_is_read_and_cut(reader):
    tab = reader.open("real")
    seen = tab.places("Head", "r.squares.whole && r.count === 26")
    assert seen["k"] == 16 and seen["term"] == 1 and seen["focus"]["t"] == 9, (
        "the second “every”, which looks back"
    )
    part = tab.page.locator(".head")
    part.locator(".tokens span", has_text="keeper").nth(1).hover()
    tab.places("Head", "r.focus.t === 12 && r.focus.s === null")
    words = part.locator("[data-text=read]").inner_text
    assert words().startswith("keeper looks at climbed most: 0.7")
    square = seen["squares"]["whole"]
    x, y = (square[axis] + at * square["side"] / 26 for axis, at in (("x", 3.5), ("y", 1.5)))
    part.locator("canvas[data-panel=whole]").hover(position={"x": x, "y": y})
    tab.places("Head", "r.focus.t === 1 && r.focus.s === 3")
    assert "the causal mask hides it" in words()
    part.locator(".tokens").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.places("Head", "r.focus.t === 2 && r.focus.s === null")
    part.locator("input[type=range]").focus()
    tab.page.keyboard.press("Home")
    tab.places("Head", "r.k === 1 && r.term === 1")
    assert "keep k = 1 of 26 terms" in part.inner_text()
    tab.places("Head", "r.rev === 1 && r.answered === 1")
    until(lambda: "k" in json.loads(parse_qs(urlsplit(tab.page.url).query).get("real", ["{}"])[0]))
    tab.page.get_by_text(SAID).click()
    tab.page.get_by_text("With k = 1 term of all heads").wait_for()
