"""What is folded at first, and what opens it; the pages as a path."""

import pytest
from driving import still, unfold_mathematics, until
from playwright.sync_api import expect

from explorer.ui import mathematics


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


@pytest.fixture
def newcomer(reader):
    """Who has not opened the mathematics."""
    reader.context.clear_cookies(name=mathematics.COOKIE["name"])
    yield reader
    unfold_mathematics(reader.context)


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
