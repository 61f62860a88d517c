"""The keys of a clicker, which a speaker holds, change nothing on any page."""

import pytest
from driving import at_rest, still

from explorer.ui.pages import PAGES as TABLE

PAGES = ("", *(name for name in TABLE if name != "design"))
KEYS = ("PageDown", "PageUp", "Escape", ".", "b")
"""F5 is the browser's own on these pages."""
MOST = 40
"""Of widgets on a page: the scenes of a talk, of which each has its own, are all alike."""
WIDGETS = "canvas[tabindex], input, select, summary, [role=slider], [role=tab]"
WRITTEN = "element => element.matches('[type=text], [type=number], textarea')"
VALUE = "element => [element.value, element.checked, element.ariaValueText, element.ariaValueNow]"


def take_hold(page, widget):
    """A click into it, below its middle; what is chosen from or written in only gets the focus."""
    widget.scroll_into_view_if_needed()
    if widget.evaluate("element => element.matches('input, select')"):
        widget.focus()
    else:
        box = widget.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 0.6 * box["height"])
    at_rest(page)
    still(page)  # a click on a map may open what takes the place of the next one


def settled(page):
    """Wait until what was let go stands in the address."""
    at_rest(page)
    address = None
    while address != (address := page.evaluate("location.href")):
        page.wait_for_timeout(400)
        at_rest(page)


def usable(widget):
    return widget.is_visible() and widget.is_enabled()


@pytest.mark.parametrize("path", PAGES)
def test_the_keys_of_a_clicker_change_no_address(reader, path):
    """A click on every widget first, and whatever that has changed is the address to be kept; then
    each has the focus in turn."""
    tab = reader.open(path)
    page, every = tab.page, tab.page.locator(WIDGETS)
    for index in range(min(every.count(), MOST)):
        if usable(every.nth(index)):
            take_hold(page, every.nth(index))
    settled(page)
    held = [widget for widget in every.all()[:MOST] if usable(widget)]
    before = tab.url, [widget.evaluate(VALUE) for widget in held]
    for widget in held:
        widget.focus()
        for key in KEYS[:3] if widget.evaluate(WRITTEN) else KEYS:
            page.keyboard.press(key)
    settled(page)
    assert (tab.url, [widget.evaluate(VALUE) for widget in held]) == before
    assert held or path == "runs", "an empty list of runs has no widget"
