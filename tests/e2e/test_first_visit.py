"""Design as a browser sees it that has never been here."""

import pytest
from driving import AGAIN, still, until
from playwright.sync_api import expect
from screens import LOWEST, SIZES

from explorer.ui.opening import VISITS


@pytest.fixture
def never_here(context, reader):
    """A tab of a browser that has never been here."""
    context.clear_cookies(name=VISITS)
    tab = reader.open("talk")
    context.clear_cookies(name=VISITS)
    yield tab
    tab.page.evaluate("localStorage.removeItem('explorer tour')")
    context.add_cookies([AGAIN])


@pytest.mark.parametrize("size", LOWEST)
def test_a_first_visit_has_five_pictures_a_field_and_the_tour_and_keeps_all_controls(
    never_here, size
):
    width, height = SIZES[size]
    page = never_here.page
    page.set_viewport_size({"width": width, "height": height})
    never_here.go()
    few, gallery = page.locator(".few a"), page.get_by_role("combobox", name="gallery")
    expect(few).to_have_count(5)
    expect(gallery).to_have_count(0)
    assert few.last.bounding_box()["y"] < 2 * height
    page.reload()
    never_here.settle()
    expect(few).to_have_count(5)
    page.get_by_role("button", name="All controls").click()
    expect(gallery).to_have_count(1)
    expect(few).to_have_count(0)
    page.reload()
    never_here.settle()
    expect(gallery).to_have_count(1)


def test_on_a_phone_on_its_side_a_first_visit_sees_both_maps_and_the_handle(never_here):
    page = never_here.page
    page.set_viewport_size({"width": 844, "height": 390})
    never_here.go()
    squares = never_here.places("Design", "r.squares")["squares"]
    still(page)
    top = page.locator("canvas[data-panel=maps]").bounding_box()["y"]
    assert len(squares) == 2
    assert all(top + each["y"] + each["side"] < 390 and each["side"] > 100 for each in squares)
    expect(never_here.slider("Width m of the head")).to_be_in_viewport(ratio=1)


def test_who_comes_by_a_link_sees_what_it_says_with_all_controls(never_here):
    never_here.go(spec={"rank": 3})
    expect(never_here.page.get_by_role("combobox", name="gallery")).to_have_count(1)
    assert never_here.page.locator(".few").count() == 0


def test_what_is_tried_on_a_first_visit_is_shown_and_the_tour_begins(never_here):
    never_here.go()
    never_here.page.locator(".few a").nth(1).click()
    until(lambda: "formula" in never_here.spec)
    never_here.page.get_by_role("button", name="Show me").click()
    expect(never_here.page.locator("[data-tour=touch]")).to_be_in_viewport()
