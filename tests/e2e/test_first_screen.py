"""What a page shows first: all of it in an ordinary window, and where it is nothing moves."""

import pytest
from driving import POLL, SECONDS, still
from playwright.sync_api import expect
from shifts import stands

from explorer.ui.pages import FIRST, PAGES

WINDOW = {"width": 1280, "height": 800}
MAIN = {
    "design": ["maps"],
    "train": ["error", "coupling"],
    "rates": ["figure"],
    "attention": ["plane", "graph", "matrix"],
    "order": ["tokens", "errors"],
    "real": ["heads", "spectrum", "cut"],
    "memory": ["error", "path"],
    "runs": [],
    "talk": [],
}
"""The pictures that answer a page's question."""
SIDE = {"width": 844, "height": 390}
"""A phone on its side."""
FIRST_OF_ALL = {"train": ["error"], "order": ["tokens"]}
"""The pictures that are whole there, where it is not all of them."""
SMALL = (
    *(("design", 1024), ("design", 390), ("rates", 1024), ("attention", 390)),
    *(("talk", 1024), ("talk", 390)),
)
"""Pages in windows where a sentence, formulas and buttons have other heights."""

ROWS = """() => [...document.querySelectorAll("[data-testid=stAlert]")]
    .map((part) => part.getBoundingClientRect().bottom)"""


def drawn(tab, name):
    """The page, once its main pictures are drawn."""
    for panel in MAIN[name]:
        tab.page.wait_for_function(
            "(panel) => Object.entries(window).some(([name, probe]) =>"
            " name.startsWith('__explorer') && probe?.texts?.[panel])",
            arg=panel,
            polling=POLL,
            timeout=1000 * SECONDS,
        )
    return tab


def ends_of(page, panels):
    """Where pictures end, by their names."""
    boxes = {panel: page.locator(f"canvas[data-panel={panel}]").bounding_box() for panel in panels}
    return {panel: box["y"] + box["height"] for panel, box in boxes.items()}


@pytest.mark.parametrize("name", [name for name, panels in MAIN.items() if panels])
def test_a_phone_on_its_side_shows_the_first_picture_whole_and_what_to_press(reader, name):
    tab = drawn(reader.open("" if name == FIRST else name, window=SIDE), name)
    stands(tab.page)
    still(tab.page)
    ends = ends_of(tab.page, FIRST_OF_ALL.get(name, MAIN[name]))
    assert max(ends.values()) <= SIDE["height"], ends
    assert not tab.page.get_by_test_id("stSidebar").is_visible() or off_screen(tab.page)
    if name == FIRST:
        expect(tab.slider("Width m of the head")).to_be_in_viewport(ratio=1)


def off_screen(page):
    """Whether the controls are away."""
    box = page.get_by_test_id("stSidebar").bounding_box()
    return box is None or box["x"] + box["width"] <= 0


@pytest.mark.parametrize("name", PAGES)
def test_main_pictures_are_on_the_first_screen_and_nothing_jumps(reader, name):
    tab = drawn(reader.open("" if name == FIRST else name), name)
    stands(tab.page)
    expect(tab.warning).to_have_count(0)
    tab.page.set_viewport_size(WINDOW)
    still(tab.page)
    ends = ends_of(tab.page, MAIN[name])
    if not ends:  # where the sentence is what a page shows
        ends |= dict(enumerate(tab.page.evaluate(ROWS)))
    assert max(ends.values()) <= WINDOW["height"], ends


@pytest.mark.parametrize(("name", "width"), SMALL)
def test_nothing_jumps_in_a_small_window(reader, name, width):
    window = {"width": width, "height": 844}
    tab = drawn(reader.open("" if name == FIRST else name, window=window), name)
    stands(tab.page)
