"""What every page owes its reader: keyboard, both themes. That nothing leaves the machine and
nothing is complained of on the console is checked at the end of every test of this folder."""

import re

from driving import NETWORK, until
from playwright.sync_api import expect

FOCUSED = """() => {
    let at = document.activeElement;
    while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const style = getComputedStyle(at);
    const ring = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
    return [at.getAttribute('aria-label') || at.innerText || '', ring];
}"""

COLOURS = """canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
}"""


def walk(tab, last, stops=60):
    """What Tab reaches from the top of the page, once its `last` control is there: name and
    whether the focus is marked on it."""
    expect(last).to_be_visible()
    found = {}
    for _ in range(stops):
        tab.page.keyboard.press("Tab")
        name, ring = tab.page.evaluate(FOCUSED)
        found[name.splitlines()[-1] if name else ""] = ring
    return found


def test_keyboard_reaches_every_control_of_the_design_page(reader):
    tab = reader.open()
    tab.page.wait_for_function("() => window.__explorerDesign?.draws > 1")
    tab.settle()
    reached = walk(tab, tab.slider("τ, sequence length"))
    wanted = {
        "Design ρ",
        "Train",
        "spectrum sigma_k",
        "α, decay exponent",
        "c, first singular value",
        "r, rank",
        "phi_k(u)",
        "psi_k(v)",
        "τ, sequence length",
    }
    assert wanted <= set(reached)
    for picture in ("Spectrum", "Floor", "Heatmaps of ρ"):
        assert any(name.startswith(picture) and ring for name, ring in reached.items()), picture


def test_keyboard_reaches_and_works_the_training_page(reader):
    tab = reader.open("train")
    tab.wait_frame("h.status === 'finished'")
    reached = walk(tab, tab.button("Pin"), 50)
    for name in ("width of queries and keys", "steps", "seed", "Pin"):
        assert any(each.endswith(name) for each in reached), name
    assert any(name.startswith("Attention of token") and ring for name, ring in reached.items())

    attention = tab.attention
    expect(attention).to_have_attribute("aria-valuenow", "8")
    attention.focus()
    for key, t in {"ArrowRight": "9", "Home": "0", "ArrowLeft": "0", "End": "15"}.items():
        tab.page.keyboard.press(key)
        expect(attention).to_have_attribute("aria-valuenow", t)
    expect(attention).to_have_attribute("aria-label", re.compile("^Attention of token 15 of 16"))


def test_shortcuts_start_and_pause(reader):
    tab = reader.open("train", NETWORK | {"steps": 20_000})
    expect(tab.button("Train")).to_be_enabled()
    tab.page.keyboard.press("t")
    tab.wait_frame("h.status === 'running' && h.step > 0")
    tab.page.keyboard.press("p")
    tab.wait_status("paused")
    tab.button("Stop").click()
    tab.wait_status("stopped")


def test_both_themes_draw_every_picture(reader):
    tab = reader.open("train")
    tab.wait_frame("h.status === 'finished'")
    drawn_in_both_themes(tab, 5)
    tab.go()
    tab.page.wait_for_function("() => window.__explorerDesign?.draws > 1")
    drawn_in_both_themes(tab, 4)


GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}


def drawn_in_both_themes(tab, least):
    """At least so many pictures, each in many colours, and in others than in the theme before."""
    panels, before = tab.page.locator("canvas[data-panel]"), set()
    assert panels.count() >= least
    for scheme, ground in GROUNDS.items():
        tab.page.emulate_media(color_scheme=scheme)
        expect(tab.page.get_by_test_id("stApp")).to_have_css("background-color", ground)
        until(lambda seen=before: not seen & pictures(panels))
        before = pictures(panels)
        assert len(before) == panels.count()
        for panel in panels.all():
            assert panel.evaluate(COLOURS) > 20, panel


def pictures(panels):
    return {panel.evaluate("canvas => canvas.toDataURL()") for panel in panels.all()}
