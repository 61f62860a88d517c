"""What every page owes its reader: keys, both themes. That nothing leaves the machine and
nothing is complained of on the console is checked at the end of every test of this folder."""

import re

from driving import NETWORK, still, until
from playwright.sync_api import expect

COLOURS = """canvas => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
}"""


def test_the_keys_work_the_training_page_and_both_themes_draw_every_picture(reader):
    tab = reader.open("train")
    tab.wait_frame("h.status === 'finished'")
    attention = tab.attention
    expect(attention).to_have_attribute("aria-valuenow", "8")
    attention.focus()
    for key, t in {"ArrowRight": "9", "Home": "0", "ArrowLeft": "0", "End": "15"}.items():
        tab.page.keyboard.press(key)
        expect(attention).to_have_attribute("aria-valuenow", t)
    expect(attention).to_have_attribute("aria-label", re.compile("^Attention of token 15 of 16"))

    drawn_in_both_themes(tab, 5)
    tab.go()
    tab.draw("Design")
    drawn_in_both_themes(tab, 4)


def test_shortcuts_start_and_pause_while_a_slider_has_the_focus(reader):
    tab = reader.open("train", NETWORK | {"steps": 20_000})
    tab.slider("width of queries").press("ArrowLeft")
    until(lambda: tab.spec["m_h"] == NETWORK["m_h"] - 1)
    tab.settle()
    still(tab.page)  # the button of the new width knows its key
    tab.page.keyboard.press("t")
    tab.wait_frame("h.status === 'running' && h.step > 0")
    tab.page.keyboard.press("p")
    tab.wait_status("paused")
    tab.button("Stop").click()
    tab.wait_status("stopped")


GROUND = "app => getComputedStyle(app).backgroundColor"
GROUNDS = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"}


def drawn_in_both_themes(tab, least):
    """At least so many pictures, each in many colours, and in others than in the theme before."""
    panels, before = tab.page.locator("canvas[data-panel]"), set()
    assert panels.count() >= least
    for scheme, ground in GROUNDS.items():
        tab.page.emulate_media(color_scheme=scheme)
        app = tab.page.get_by_test_id("stApp")
        until(lambda at=ground, app=app: app.evaluate(GROUND) == at)
        until(lambda seen=before: not seen & pictures(panels))
        still(tab.page)
        before = pictures(panels)
        assert len(before) == panels.count()
        for panel in panels.all():
            assert panel.evaluate(COLOURS) > 20, panel


def pictures(panels):
    return {panel.evaluate("canvas => canvas.toDataURL()") for panel in panels.all()}
