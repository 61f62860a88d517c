"""What is seen first: the question, a line, one filled button, and the picture at once."""

import pytest
from driving import still

from explorer.ui.pages import FIRST, PAGES

PICTURED = ("", "train", "rates", "attention", "order", "real", "memory")
TOP = """() => {
  const deep = (node) => [node, ...[...node.children].flatMap(deep),
    ...(node.shadowRoot ? [...node.shadowRoot.children].flatMap(deep) : [])];
  const main = document.querySelector("[data-testid=stMain]");
  const tops = deep(main)
    .filter((each) => each.matches("canvas, .vega-embed") && each.clientWidth > 100)
    .map((each) => each.getBoundingClientRect().top + main.scrollTop);
  return tops.length ? Math.min(...tops) : Infinity;
}"""
FILLED = "[data-testid=stBaseButton-primary]"
OWN = ("rates", "real")
"""Pages whose first action is in the picture itself."""
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


HEIGHT = """() => document.querySelector("[data-testid=stMainBlockContainer]").scrollHeight"""
SCREENS = 3
"""Of a window that a page is high at most before anything is unfolded."""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_no_page_is_longer_than_three_screens_before_something_is_unfolded(reader, width, height):
    tab = reader.open("", window={"width": width, "height": height})
    heights = {}
    for path in PAGES:
        tab.go("" if path == FIRST else path)
        if path in PICTURED:
            tab.page.wait_for_function(f"() => ({TOP})() < Infinity")
        still(tab.page)
        heights[path] = tab.page.evaluate(HEIGHT)
    assert not {path: high for path, high in heights.items() if high > SCREENS * height}


def test_a_picture_that_waits_on_a_phone_is_drawn_once_it_is_unfolded(reader):
    tab = reader.open("attention", window={"width": 390, "height": 844})
    curve = tab.page.locator("canvas[data-panel=curve]")
    assert not curve.is_visible()
    tab.page.get_by_text("Learning, values, singular values").click()
    tab.page.wait_for_function("() => window.__explorerAttention?.texts.curve?.w > 100")
    assert curve.is_visible()
    tab.page.set_viewport_size({"width": 1280, "height": 800})
    assert not tab.page.get_by_text("Learning, values, singular values").is_visible()
    assert curve.is_visible(), "at a desk nothing waits"


def test_a_phone_on_its_side_shows_a_third_of_its_window_of_picture(reader):
    tab = reader.open("", window={"width": 844, "height": 390})
    tops = {path: top_of(tab, path) for path in PICTURED}
    assert not {path: top for path, top in tops.items() if top > 390 * 2 / 3}


def top_of(tab, path):
    """Where the first picture of a page begins."""
    tab.go(path)
    tab.page.wait_for_function(f"() => ({TOP})() < Infinity")
    still(tab.page)
    return tab.page.evaluate(TOP)


SIZES = {"desk": (1280, 800, 220), "phone": (390, 844, 300)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_the_picture_comes_first_below_one_filled_button_that_can_be_read(reader, size, scheme):
    width, height, highest = SIZES[size]
    tab = reader.open("")
    tab.page.emulate_media(color_scheme=scheme)
    tab.page.set_viewport_size({"width": width, "height": height})
    tops = {}
    for path in PICTURED:
        tops[path] = top_of(tab, path)
        filled = tab.page.locator(FILLED).filter(visible=True)
        assert filled.count() == (path not in OWN), path
        if path not in OWN:
            assert filled.evaluate(CONTRAST) > 4.5
    assert not {path: top for path, top in tops.items() if top > highest}


def test_on_a_phone_the_pages_are_a_path_at_the_bottom(reader):
    """One at a time, with what was designed; on a desk all of them stand at the top."""
    tab = reader.open("", {"alpha": 2.0})
    way = tab.page.locator(".st-key-path")
    assert not way.is_visible()
    tab.page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Train ›", "Rates ›", "‹ Train", "‹ Design ρ"):
        way.get_by_role("link", name=name).click()
        way.get_by_role("link", name=name).wait_for(state="hidden")
    assert tab.spec["alpha"] == 2
    box = way.bounding_box()
    assert abs(box["y"] + box["height"] - 844) < 1
    tab.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    still(tab.page)
    last = tab.page.locator("[data-testid=stMainBlockContainer] button").filter(visible=True).last
    assert last.bounding_box()["y"] + last.bounding_box()["height"] <= box["y"]
