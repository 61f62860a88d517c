"""Each page as it opens, in each window, once: the picture that its document has drawn, what the
page makes of it, and what is seen first; nothing jumps, and it is not long."""

from typing import NamedTuple

import pytest
from arriving import DRAWN, GONE, arrive, silence, wait
from driving import AGAIN, GROUND, GROUNDS, Tab, readers, still, unfold_mathematics, until
from playwright.sync_api import expect
from screens import FIRST_SCREEN, LOWEST, SIZES, TOP
from shifts import stands

from explorer.ui import mathematics
from explorer.ui.opening import VISITS
from explorer.ui.pages import FIRST, PAGES

SCREENS = 3
"""Of a window that a page is high at most before anything is unfolded."""
MAIN = {
    "design": ["maps"],
    "train": ["error", "coupling"],
    "rates": ["figure"],
    "attention": ["plane", "graph", "matrix"],
    "order": ["tokens", "errors"],
    "real": ["heads", "spectrum", "cut"],
    "memory": ["error", "path"],
}
"""The pictures that answer a page's question."""
ON_ITS_SIDE = MAIN | {"train": ["error"], "order": ["tokens"]}
"""Those that a phone on its side shows whole."""
MOST, ELSEWHERE = {"design": (45, 20)}, (80, 25)
"""Of words, and of things to press, on the first screen."""
NEW = "a first visit"

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
HAS_DRAWN = """() => Object.entries(window).some(([name, probe]) =>
    name.startsWith('__explorer') && probe?.texts?.{})"""
ROWS = """() => [...document.querySelectorAll("[data-testid=stAlert]")]
    .map((part) => part.getBoundingClientRect().bottom)"""
HEIGHT = """() => document.querySelector("[data-testid=stMainBlockContainer]").scrollHeight"""
FILLED = "[data-testid=stBaseButton-primary], [data-act=predict][aria-pressed=false][data-first]"
"""Of Rates it is in the picture."""
CONTRAST = """(button) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((each) => each / 255)
      .map((each) => (each > 0.04 ? ((each + 0.055) / 1.055) ** 2.4 : each / 12.92));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const { color, backgroundColor } = getComputedStyle(button);
  const [one, two] = [light(color), light(backgroundColor)];
  return Math.max(one, two) / Math.min(one, two);
}"""


@pytest.fixture(scope="module")
def silent(context):
    """A tab in which no session begins."""
    page = context.new_page()
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    silence(page)
    yield page
    page.close()


def drawn_by_the_document(page, server, name, window):
    """Where the question and the pictures are before any session, and which pictures."""
    page.bring_to_front()
    page.set_viewport_size(window)
    arrive(page, server, name)
    wait(page, DRAWN)
    assert not page.locator("[data-testid=stMain] h3").count(), "nothing of a session is here"
    first = page.evaluate("() => __explorerFirst.boxes()")
    return first, page.evaluate("() => Object.keys(__explorerFirst.picture().texts)")


WORDS = ("desk", "narrow", "phone")
"""Windows in which pages without a picture are looked at."""
OPENED = [
    *((name, size) for name in PAGES for size in SIZES if PAGES[name].picture or size in WORDS),
    *((NEW, size) for size in SIZES),
]


def main_pictures(name, size):
    """Those that a window of this size has unfolded."""
    if size == "side":
        return ON_ITS_SIDE.get(name, [])
    return MAIN.get(name, [])[: 1 if size == "phone" else None]


class Opened(NamedTuple):
    """A page in a window, and where question and pictures are, by its document and its own."""

    name: str
    size: str
    tab: Tab
    is_new: bool
    first: list
    own: list

    @property
    def window(self):
        return SIZES[self.size]

    @property
    def is_pictured(self):
        return bool(PAGES[self.name].picture)


@pytest.fixture
def newcomers(context):
    """Nobody has opened the mathematics; a test may let them forget that they were here, too."""
    context.clear_cookies(name=mathematics.COOKIE["name"])
    yield
    unfold_mathematics(context)
    context.add_cookies([AGAIN])


@pytest.fixture(params=OPENED, ids=", ".join)
def opened(request, server, context, silent, blank, newcomers):
    """A page for a newcomer, once it stands."""
    visit, size = request.param
    name, is_new = (FIRST, True) if visit == NEW else (visit, False)
    window = dict(zip(("width", "height"), SIZES[size], strict=True))
    if is_new:
        context.clear_cookies(name=VISITS)
    first, panels = [], []
    if PAGES[name].picture:
        first, panels = drawn_by_the_document(silent, server, name, window)
    with readers(server, context, blank) as open_reader:
        tab = open_reader().empty(window)
        arrive(tab.page, server, name)
        wait(tab.page, GONE)
        tab.page.locator(".st-key-question h3").wait_for()  # a picture may go before it
        own = tab.page.evaluate(OWN, panels)
        tab.settle()
        for panel in main_pictures(name, size):
            wait(tab.page, HAS_DRAWN.format(panel))
        still(tab.page)
        yield Opened(name, size, tab, is_new, first, own)


def places(boxes):
    """Of what is seen, in the order of the window."""
    seen = [box for box in boxes if box["width"]]
    corners = [{side: box[side] for side in ("left", "top")} for box in seen]
    return sorted(corners, key=lambda at: (round(at["top"] / 4), at["left"]))


def test_a_page_opens_with_what_its_document_drew_and_nothing_jumps(opened):
    """And where it is said of a window: whole, short, with few words and one first button."""
    stands(opened.tab.page)
    if opened.is_pictured:
        close = [pytest.approx(each, abs=1) for each in places(opened.own)]
        assert places(opened.first) == close, "the page takes over in the same place"
    if opened.size in ("desk", "side"):
        is_whole(opened)
    if opened.size in LOWEST:
        assert opened.tab.page.evaluate(HEIGHT) <= SCREENS * opened.window[1]
        if opened.is_pictured:
            says_little(opened)
        if opened.is_pictured and not opened.is_new:
            has_one_filled_button(opened.tab.page)


def is_whole(opened):
    """In a window, and on a phone on its side."""
    page, panels = opened.tab.page, main_pictures(opened.name, opened.size)
    if opened.size == "side":
        assert not page.get_by_test_id("stSidebar").is_visible() or off_screen(page)
    elif not opened.is_new:
        expect(opened.tab.warning).to_have_count(0)
    boxes = [page.locator(f"canvas[data-panel={each}]").bounding_box() for each in panels]
    # where there is none, the sentence is what a page shows
    ends = [box["y"] + box["height"] for box in boxes] or page.evaluate(ROWS)
    assert max(ends) <= opened.window[1], ends
    if opened.name == FIRST and not opened.is_new:
        expect(opened.tab.slider("Width m of the head")).to_be_in_viewport(ratio=1)


def off_screen(page):
    """Whether the controls are away."""
    box = page.get_by_test_id("stSidebar").bounding_box()
    return box is None or box["x"] + box["width"] <= 0


def says_little(opened):
    """It begins with a picture, a few words and few things to press."""
    assert opened.tab.page.evaluate(TOP) <= LOWEST[opened.size]
    seen = opened.tab.page.evaluate(FIRST_SCREEN)
    assert opened.is_new or (seen["picture"] >= 0.5 and not seen["beyond"]), seen
    words, controls = MOST.get(opened.name, ELSEWHERE)
    assert seen["words"] <= words and seen["controls"] <= controls, seen


def has_one_filled_button(page):
    """It says what is first and can be read in both themes; the last of what is asked, as it
    changes the page's."""
    filled = page.locator(FILLED).filter(visible=True)
    assert filled.count() == 1
    for scheme, ground in GROUNDS.items():
        page.emulate_media(color_scheme=scheme)
        until(lambda: page.get_by_test_id("stApp").evaluate(GROUND) == ground)  # noqa: B023
        still(page)
        assert filled.evaluate(CONTRAST) > 4.5, scheme
    expect(filled).to_be_in_viewport(ratio=1)
