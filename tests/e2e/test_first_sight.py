"""What is seen first: the question, a line, one filled button, and the picture at once."""

import pytest
from driving import still, unfold_mathematics, until
from playwright.sync_api import expect
from screens import FIRST_SCREEN, SIZES, TOP

from explorer.ui import mathematics
from explorer.ui.pages import FIRST, PAGES

PICTURED = ("", "train", "rates", "attention", "order", "real", "memory")
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


HEIGHT = """() => document.querySelector("[data-testid=stMainBlockContainer]").scrollHeight"""
SCREENS = 3
"""Of a window that a page is high at most before anything is unfolded."""


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_no_page_is_longer_than_three_screens_before_something_is_unfolded(newcomer, width, height):
    tab = newcomer.open("", window={"width": width, "height": height})
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


MOST_CONTROLS = {"": 20}
MOST_WORDS = {"": 45}
ELSEWHERE = {"controls": 25, "words": 80}


@pytest.fixture
def newcomer(reader):
    """Who has not opened the mathematics."""
    reader.context.clear_cookies(name=mathematics.COOKIE["name"])
    yield reader
    unfold_mathematics(reader.context)


def seen_first(tab, path):
    """A page as it opens, once its pictures stand."""
    tab.go(path)
    tab.page.wait_for_function(f"() => ({TOP})() < Infinity")
    still(tab.page)
    return {"top": tab.page.evaluate(TOP)} | tab.page.evaluate(FIRST_SCREEN)


@pytest.mark.parametrize("size", SIZES)
def test_the_first_screen_is_a_picture_a_few_words_and_few_things_to_press(newcomer, size):
    width, height, highest = SIZES[size]
    tab = newcomer.open("", window={"width": width, "height": height})
    found = {path: seen_first(tab, path) for path in PICTURED}
    too_many = {
        path: seen
        for path, seen in found.items()
        if seen["top"] > highest
        or seen["picture"] < 0.5
        or seen["beyond"]
        or seen["words"] > MOST_WORDS.get(path, ELSEWHERE["words"])
        or seen["controls"] > MOST_CONTROLS.get(path, ELSEWHERE["controls"])
    }
    assert not too_many


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_one_filled_button_says_what_is_first_and_can_be_read(reader, size, scheme):
    width, height, _ = SIZES[size]
    tab = reader.open("", window={"width": width, "height": height})
    tab.page.emulate_media(color_scheme=scheme)
    for path in PICTURED:
        seen_first(tab, path)
        filled = tab.page.locator(FILLED).filter(visible=True)
        assert filled.count() == 1, path
        assert filled.evaluate(CONTRAST) > 4.5
        expect(filled).to_be_in_viewport(ratio=1)


def test_the_mathematics_stays_open_for_who_has_opened_it(newcomer):
    """On other pages, after a reload, and until it is closed."""
    tab = newcomer.open("")
    fold, formulas = tab.page.locator(".st-key-mathematics"), tab.page.locator(".st-key-formulas")
    expect(formulas).to_have_count(0)
    fold.locator("summary").first.click()
    formulas.wait_for()
    tab.page.get_by_role("link", name="Memory").click()
    tab.page.locator(".st-key-steps").wait_for()
    tab.page.reload()
    tab.settle()
    tab.page.locator(".st-key-steps").wait_for()
    fold.locator("summary").first.click()
    expect(tab.page.locator(".st-key-steps")).to_have_count(0)
    until(lambda: mathematics.COOKIE["name"] not in tab.page.evaluate("document.cookie"))
    tab.go("")
    expect(formulas).to_have_count(0)


def test_what_is_asked_for_in_the_mathematics_opens_it(newcomer):
    tab = newcomer.open("")
    tab.button("Theorem 4.1 ↓").click()
    tab.page.locator("canvas[data-panel=losses]").wait_for()


def test_on_a_phone_the_pages_are_a_path_at_the_bottom(reader):
    """One at a time, with what was designed; on a desk all of them stand at the top."""
    tab = reader.open("", {"alpha": 2.0})
    way = tab.page.locator(".st-key-path")
    assert not way.is_visible()
    tab.page.set_viewport_size({"width": 390, "height": 844})
    for name in ("Train ›", "Rates ›", "‹ Train", "‹ Design ρ"):
        way.get_by_role("link", name=name).click()
        way.get_by_role("link", name=name).wait_for(state="hidden")
    until(lambda: tab.spec.get("alpha") == 2)  # a page that is turned to writes its address last
    box = way.bounding_box()
    assert abs(box["y"] + box["height"] - 844) < 1
    tab.page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    still(tab.page)
    last = tab.page.locator("[data-testid=stMainBlockContainer] button").filter(visible=True).last
    assert last.bounding_box()["y"] + last.bounding_box()["height"] <= box["y"]
