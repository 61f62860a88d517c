"""Every page in both themes: axe finds nothing serious, no text is small, Tab reaches it all,
and a picture that has the focus is marked."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from driving import GROUND, GROUNDS, NETWORK, WINDOW, readers, still, until
from playwright.sync_api import expect

SERIOUS = ("serious", "critical")
SMALLEST = 12  # pixels
STOPS, AT_ONCE = 30, 20  # in a list Tab goes from cell to cell

EVERY = """
const every = (root) => [...root.querySelectorAll('*')].flatMap((element) =>
    [element, ...(element.shadowRoot ? every(element.shadowRoot) : [])]);
const seen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && element.getBoundingClientRect().width > 1;
"""

SMALL = f"""(least) => {{
    {EVERY}
    const own = (element) => [...element.childNodes].filter((node) => node.nodeType === 3)
        .map((node) => node.data.replaceAll('\\u200b', '').trim()).join('');
    return every(document.body)
        .filter((element) => !['STYLE', 'SCRIPT'].includes(element.tagName))
        .filter((element) => own(element) && seen(element))
        .map((element) => [parseFloat(getComputedStyle(element).fontSize), own(element)])
        .filter(([size]) => size < least);
}}"""

# What canvases write, which the document does not hold; a change of the width draws them anew.
LISTEN = """() => {
    const pen = CanvasRenderingContext2D.prototype, fill = pen.fillText;
    window.__written = [];
    pen.fillText = function (text, ...where) {
        window.__written.push([parseFloat(this.font.match(/([\\d.]+)px/)[1]), text]);
        return fill.call(this, text, ...where);
    };
}"""

CONTROLS = f"""() => {{
    {EVERY}
    const wanted = 'button, a[href], input, textarea, select, [role=slider], [role=button]';
    window.__controls = every(document.body).filter((element) =>
        element.matches(wanted) && !element.disabled && seen(element));
    window.__met = new Set();
    window.__unmarked = new Set();
    addEventListener('keyup', () => {{
        let at = document.activeElement;
        while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        const {{ outlineStyle, boxShadow }} = getComputedStyle(at);
        window.__met.add(at);
        if (at.matches('canvas[data-panel]') && outlineStyle === 'none' && boxShadow === 'none')
            window.__unmarked.add(at.ariaLabel);
    }}, true);
    return window.__controls.length;
}}"""

# One of a group of radio buttons is reached by Tab, the others by the arrow keys.
MISSED = """() => {
    const met = window.__controls.filter((element) => window.__met.has(element));
    const grouped = (element) => element.role === 'radio' && met.some((other) =>
        other.role === 'radio' && other.parentElement === element.parentElement);
    return window.__controls.filter((element) => element.tabIndex >= 0)
        .filter((element) => !met.includes(element) && !grouped(element))
        .map((element) => element.outerHTML.slice(0, 300));
}"""


UNFOLD = """folds => folds.filter((fold) => !fold.open).map((fold) =>
    fold.querySelector("summary").click()).length"""


def all_sections(tab):
    """Open what is folded: what it holds is of the page too, also where it is folded itself, or
    where the page has drawn it anew under the press."""

    def unfolded():
        pressed = tab.page.get_by_test_id("stExpander").locator("details").evaluate_all(UNFOLD)
        tab.settle()
        return not pressed

    until(unfolded)
    return tab


def open_designs(reader):
    tab = reader.open()
    tab.slider("τ, sequence length").wait_for()
    tab.draw("Design")
    tab.page.get_by_text("Theorem 4.1: what it says").click()
    tab.page.locator("canvas[data-panel=losses]").wait_for()
    tab.settle()
    return tab


def open_training(reader):
    tab = reader.open("train")
    tab.wait_frame("h.status === 'finished'")
    tab.page.get_by_text("More", exact=True).click()
    tab.page.get_by_text("Coupling ρ(u, v)", exact=True).click()
    tab.slider("τ, sequence length").wait_for()
    return tab


def open_warned(reader):
    tab = reader.open("train", '{"m_h": 4000, "rank": 2}', "0123456789ab-1")
    expect(tab.warning).to_have_count(2)
    tab.slider("width of queries").wait_for()
    return tab


def open_runs(reader):
    tab = reader.open("runs", runs=",".join(row.run for row in reader.server.store.list(2)))
    tab.page.locator(".vega-embed").first.wait_for()
    return tab


def open_rates(reader):
    tab = reader.open("rates")
    tab.draw("Rates")
    return tab


def open_attention(reader):
    tab = reader.open("attention", {"target": "qsa"})
    tab.page.wait_for_function("() => window.__explorerAttention?.frames > 0")
    return tab


def open_order(reader):
    tab = reader.open("order", {"target": "linear", "filter": "signed"})
    tab.page.locator("canvas").first.wait_for()
    tab.page.get_by_text("More", exact=True).click()
    tab.page.get_by_text("RNN error against hidden units (App. D.1)").click()
    tab.page.get_by_text("MSE against units").wait_for()
    tab.settle()
    return tab


def open_real(reader):
    tab = reader.open("real", real={"layer": 3, "head": 2})
    tab.page.get_by_text("Models on this machine").click()
    tab.page.get_by_role("button", name="Fetch 92 MB").wait_for()
    tab.settle()
    return tab


PAGES = {
    "design": open_designs,
    "train": open_training,
    "warned": open_warned,
    "rates": open_rates,
    "attention": open_attention,
    "order": open_order,
    "real": open_real,
    "memory": lambda reader: reader.open("memory"),
    "memory, a formula": lambda reader: reader.open("memory", view={"fall": "formula"}),
    "runs": open_runs,
    "talk": lambda reader: reader.open("talk"),
}


@pytest.fixture(scope="module", autouse=True)
def two_runs(server):
    for seed in (1, 2):
        server.train(NETWORK | {"steps": 40, "seed": seed})


@pytest.fixture(scope="module", params=PAGES)
def tab(request, server, context, blank):
    """One tab on a page for all that is asked of it."""
    with readers(server, context, blank) as open_reader:
        yield all_sections(PAGES[request.param](open_reader()))


@pytest.mark.parametrize(("scheme", "ground"), GROUNDS.items(), ids=GROUNDS)
def test_axe_finds_nothing_serious_and_no_text_is_small(tab, scheme, ground):
    """The page turns dark, and light again, with the reader's own setting."""
    tab.page.emulate_media(color_scheme=scheme)
    until(lambda: tab.page.get_by_test_id("stApp").evaluate(GROUND) == ground)
    tab.page.mouse.move(0, 0)
    tab.page.wait_for_function("() => !document.querySelector('[data-stale=true]')")
    still(tab.page)  # what fades in has no contrast yet
    found = Axe().run(tab.page, options={"resultTypes": ["violations"]}).response["violations"]
    bad = [
        (rule["id"], node["html"][:200], node["failureSummary"])
        for rule in found
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]
    assert not bad
    assert tab.page.evaluate(SMALL, SMALLEST) == []


def test_no_name_that_is_heard_holds_the_marks_of_a_formula(tab):
    session = tab.page.context.new_cdp_session(tab.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    text = ("StaticText", "InlineTextBox")  # such as words that somebody types
    heard = {
        node["name"].get("value", "")
        for node in nodes
        if "name" in node and node["role"]["value"] not in text
    }
    assert len(heard) > 10 and not [name for name in heard if re.search(r"[$\\]", name)]


def test_no_text_in_a_picture_is_small(tab):
    if not tab.page.locator("canvas").count():
        return  # the talk is words alone
    tab.page.evaluate(LISTEN)
    for width in (1024, 1280, 1920):
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.page.wait_for_function("(count) => window.__written.length > count", arg=10)
        still(tab.page)
        written = tab.page.evaluate("window.__written.splice(0)")
        assert [each for each in written if each[0] < SMALLEST] == []


def test_the_keyboard_reaches_every_control(tab):
    tab.page.set_viewport_size(WINDOW)
    still(tab.page)
    assert tab.page.evaluate(CONTROLS) > 10
    for _ in range(STOPS):
        for _ in range(AT_ONCE):
            tab.page.keyboard.press("Tab")
        missed = tab.page.evaluate(MISSED)
        if not missed:
            break
    assert missed == []
    assert tab.page.evaluate("[...window.__unmarked]") == [], "the focus is seen on a picture"
