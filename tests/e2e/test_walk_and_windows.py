"""A walk over all pages with a design of one's own; pages on a phone, on a beamer, copied."""

import re

from driving import at_rest, still, until
from playwright.sync_api import expect

TITLES = ["Train", "Rates", "Attention", "Order", "Runs"]
NAMES = ["", *map(str.lower, TITLES)]
PHONE, BEAMER = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
WIDER = """() => { const main = document.querySelector("[data-testid=stMain]");
  const whole = document.documentElement;
  return [main.scrollWidth - main.clientWidth, whole.scrollWidth - innerWidth] }"""
BELOW = """end => { const main = document.querySelector("[data-testid=stMain]");
  return main.scrollHeight - main.scrollTop - end.getBoundingClientRect().bottom }"""
FORMULA = "exp(-abs(u - v)*4)"


def unharmed(tab):
    """The page has a verdict, and nothing to complain of."""
    tab.settle()
    expect(tab.warning).to_have_count(0)
    expect(tab.page.get_by_test_id("stException")).to_have_count(0)


def test_a_design_of_ones_own_goes_over_all_pages_and_back(reader):
    """Each page is reloaded, then Back leads through all: no false warning, nothing is lost."""
    tab = reader.open("", {"formula": FORMULA, "m_h": 3})
    path = [""]
    for title in TITLES:
        tab.page.get_by_role("link", name=title, exact=True).click()
        tab.page.wait_for_url(re.compile(f"/{title.lower()}"))
        unharmed(tab)
        tab.page.reload()
        unharmed(tab)
        path.append(title.lower())
    for name in path[-2::-1]:
        tab.page.go_back()
        until(lambda at=name: tab.page.evaluate("location.pathname") == f"/{at}")
        unharmed(tab)
        if name == "train":
            assert (tab.spec["formula"], tab.spec["m_h"]) == (FORMULA, 3)
    expect(tab.page.get_by_role("textbox", name="ρ(u, v) =")).to_have_value(FORMULA)


def test_no_page_is_wider_than_its_window_and_a_phones_sidebar_goes_once_a_page_is_chosen(reader):
    tab = reader.open("runs")
    for name in NAMES:
        tab.page.set_viewport_size(BEAMER)
        tab.go(name)
        for window in (BEAMER, PHONE):
            tab.page.set_viewport_size(window)
            until(lambda: tab.page.evaluate(WIDER) == [0, 0])
    tab.go("train")
    tab.page.get_by_test_id("stExpandSidebarButton").click()
    tab.page.get_by_test_id("stSidebarNavLink").filter(has_text="Order").click()
    tab.page.wait_for_url("**/order*")
    at_rest(tab.page)
    tab.page.get_by_test_id("stExpandSidebarButton").wait_for()


# Of its first line.
MIDDLE = """word => { const [{ x, y, width, height }] = word.getClientRects();
  return [x + width / 2, y + height / 2] }"""


def explains(page, word):
    """What the card says of a dotted word by the mouse, by a finger and by the keyboard."""
    card, seen = page.locator("[data-card]"), []
    word.evaluate("word => word.scrollIntoView({ block: 'center' })")
    still(page)
    place = word.evaluate(MIDDLE)
    for comes, goes in (
        (lambda: page.mouse.move(*place), lambda: page.mouse.move(4, 4)),
        (lambda: word.dispatch_event("click"), lambda: page.mouse.click(4, 4)),
        (word.focus, lambda: page.keyboard.press("Escape")),
    ):
        comes()
        card.wait_for()
        seen.append(card.inner_text())
        assert len(card.locator("[data-text=plain]").inner_text().split()) > 4
        goes()
        card.wait_for(state="hidden")
    assert len(set(seen)) == 1
    return seen[0]


def test_menus_stay_in_the_window_words_explain_themselves_and_icons_are_not_copied(reader):
    tab = reader.open("")
    page = tab.page
    page.set_viewport_size({"width": 1280, "height": 720})
    tab.draw("Design")
    page.get_by_role("button", name="Figures").click()
    body = page.get_by_test_id("stPopoverBody")
    body.get_by_role("button", name="SVG").first.wait_for()
    # Streamlit places the menu empty, then once more when its rows have come.
    until(lambda: (box := body.bounding_box())["y"] >= 0 and box["y"] + box["height"] <= 720)
    page.keyboard.press("Escape")
    body.wait_for(state="hidden")
    tab.settle()

    word = page.get_by_test_id("stMain").locator("a[href^='#term-']").first
    where = re.search(r"Section|Eq\.|App\.|Theorem|on these pages", explains(page, word))
    assert where and "#term-" not in page.url
    word.dispatch_event("click")
    page.locator("[data-card] [data-formula]").click()
    page.get_by_role("dialog").get_by_text(re.compile(where[0])).first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")
    tab.settle()

    button = page.get_by_role("button", name="Command")
    button.hover()
    tip = page.get_by_test_id("stTooltipContent")
    tip.wait_for()
    button.click()
    expect(tip.filter(visible=True)).to_have_count(0)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Share").click()
    page.get_by_text("On another machine").click()
    page.get_by_text("export-page").wait_for()

    selected = page.evaluate(
        """() => { const all = document.createRange();
        all.selectNodeContents(document.querySelector("[data-testid=stMain]"));
        const chosen = getSelection(); chosen.removeAllRanges(); chosen.addRange(all);
        return chosen.toString() }"""
    )
    assert "Drag m." in selected
    assert not re.search("straighten|download|play_circle|expand_more", selected)
    assert button.evaluate(BELOW) < 80, "a page ends with its last line"
