"""The first picture is drawn by the document, before any session, and the page takes it over."""

import json
from urllib.parse import urlencode

import pytest
from conftest import AGAIN
from driving import POLL, SECONDS, still
from shifts import stands

from explorer.ui.opening import VISITS
from explorer.ui.pages import FIRST, PAGES

PICTURED = [name for name, page in PAGES.items() if page.picture]
SIZES = {
    **{"desk": (1280, 800), "narrow": (1024, 800), "far": (1920, 1080)},
    **{"phone": (390, 844), "side": (844, 390)},
}
DRAWN = "() => document.getElementById('first')?.dataset.drawn !== undefined"
GONE = "() => !document.getElementById('first')"
HEALTH = "**/_stcore/health"
OWN = """(panels) => {
    const canvas = (root, panel) => {
        const found = root.querySelector(`canvas[data-panel="${panel}"]`);
        if (found) return found;
        for (const { shadowRoot } of root.querySelectorAll("*")) {
            const inside = shadowRoot && canvas(shadowRoot, panel);
            if (inside) return inside;
        }
    };
    return [document.querySelector(".st-key-question h3"), ...panels.map((each) =>
        canvas(document, each))].map((each) => each.getBoundingClientRect().toJSON());
}"""
TEXT = "() => __explorerFirst.picture().texts.maps.boxes.map(({ text }) => text).join(' ')"


@pytest.fixture
def open_page(context):
    """A function that opens a tab of its own, which nobody has after it."""
    opened = []

    def open_():
        page = context.new_page()
        page.emulate_media(color_scheme="light", reduced_motion="reduce")
        opened.append(page)
        return page

    yield open_
    for page in opened:
        page.close()


@pytest.fixture
def page(open_page):
    return open_page()


def arrive(page, server, name, **params):
    path = "" if name == FIRST else name
    page.goto(f"{server.address}/{path}?{urlencode(params)}".rstrip("?"), wait_until="commit")


def silence(page):
    """Streamlit's client does not hear that there is a server, so that no session begins."""
    page.route(HEALTH, lambda _: None)


def wait(page, condition):
    page.wait_for_function(condition, timeout=1000 * SECONDS, polling=POLL)


def places(boxes):
    """Of what is seen, in the order of the window."""
    seen = [box for box in boxes if box["width"]]
    corners = [{side: box[side] for side in ("left", "top")} for box in seen]
    return sorted(corners, key=lambda at: (round(at["top"] / 4), at["left"]))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PICTURED)
def test_the_page_takes_over_in_the_same_place(open_page, server, name, size):
    takes_over(open_page, server, name, size)


@pytest.mark.parametrize("size", SIZES)
def test_so_it_does_on_a_first_visit(open_page, context, server, size):
    context.clear_cookies(name=VISITS)
    try:
        takes_over(open_page, server, FIRST, size)
    finally:
        context.add_cookies([AGAIN])


def takes_over(open_page, server, name, size):
    """In another tab than the silent one: what was held back there is out of the way here."""
    width, height = SIZES[size]
    page = open_page()
    page.set_viewport_size({"width": width, "height": height})
    silence(page)
    arrive(page, server, name)
    wait(page, DRAWN)
    first = page.evaluate("() => __explorerFirst.boxes()")
    panels = page.evaluate("() => Object.keys(__explorerFirst.picture().texts)")
    assert not page.locator("[data-testid=stMain] h3").count(), "nothing of a session is here"
    page = open_page()
    page.set_viewport_size({"width": width, "height": height})
    arrive(page, server, name)
    wait(page, GONE)
    page.locator(".st-key-question h3").wait_for()  # on a busy machine the picture goes before
    own = page.evaluate(OWN, panels)
    still(page)
    stands(page)
    close = [pytest.approx(each, abs=1) for each in places(own)]
    assert places(first) == close, (first, own)


def test_it_is_of_the_design_in_the_link_and_in_the_colours_of_the_reader(page, server):
    silence(page)
    page.emulate_media(color_scheme="dark")
    arrive(page, server, "design", spec=json.dumps({"formula": "u*v", "m_h": 1}))
    wait(page, DRAWN)
    dark = page.evaluate("() => document.getElementById('first').dataset.theme")
    assert dark == "dark" and "ρ_m" in page.evaluate(TEXT)


def test_where_something_is_wrong_nothing_is_drawn_and_the_page_says_it(page, server):
    arrive(page, server, "design", spec="{")
    page.get_by_test_id("stAlert").first.wait_for()
    wait(page, GONE)
    assert page.evaluate("() => __explorerFirst.picture()") is None


def test_in_a_page_that_is_embedded_it_is_not_there(page, server):
    silence(page)
    arrive(page, server, "design", embed="true")
    wait(page, GONE)
