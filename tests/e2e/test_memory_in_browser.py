"""Memory in the browser: two depths trained beside each other, a token's way under the pointer."""

import json

from driving import at_rest, still, until
from playwright.sync_api import expect

from explorer.pages.memory.view_kernels import best
from explorer.targets.memory.falling import Kernel
from explorer.ui import controls
from explorer.views.text import number

TINY = {
    "target": "adaptive_memory",
    "jumps": 1,
    "tau": 8,
    "vocabulary": 2,
    "heads": 2,
    "m_h": 4,
    "d_v": 4,
    "n": 16,
    "m_ff": 16,
    "batch": 16,
    "steps": 120,
}


def said(tab, panel):
    return tab.page.locator(f"canvas[data-panel={panel}]").get_attribute("aria-label")


def test_both_depths_are_trained_in_one_picture(reader):
    tab = reader.open("memory", TINY)
    tab.settle()
    tab.page.get_by_role("button", name="Train 1 and 2 layers").click()
    until(lambda: tab.parameter("pin"))
    assert tab.run != tab.parameter("pin")
    until(lambda: "divided by that of L = 1" in said(tab, "error"))
    until(lambda: "After 120 steps" in tab.verdict.inner_text())
    assert "2 layers" in tab.verdict.inner_text()
    tab.page.get_by_text("1 layer of the same recipe left").wait_for()
    assert "Attention of 2 layers on an example of 8 tokens" in said(tab, "layers")


def test_a_token_is_chosen_by_keys_and_by_hand(reader):
    tab = reader.open("memory")
    until(lambda: "led to 28, then 27; looks most: layer 1 at" in said(tab, "path"))
    path = tab.page.locator("canvas[data-panel=path]")
    path.press("ArrowLeft")
    until(lambda: said(tab, "path").startswith("Token 30,"))
    path.press("Home")
    until(lambda: said(tab, "path").startswith("Token 0,") and "led" not in said(tab, "path"))
    tab.page.locator("canvas[data-panel=layers]").click(position={"x": 60, "y": 200})
    until(lambda: "row 0" not in said(tab, "layers"))
    until(lambda: tab.parameter("t") not in (None, "0"))
    tab.page.locator("[data-head]").select_option("2")
    assert tab.page.locator("[data-head]").input_value() == "2"


def test_heads_alone_show_a_kernel_and_no_layers(reader):
    kernel = {"target": "essential_memory", "model": "heads", "encoding": "lin", "tau": 1000}
    tab = reader.open("memory", kernel | {"heads": 6, "lr": 0.01, "steps": 2000})
    until(lambda: "kernel at distances 1 to 1000" in said(tab, "path"))
    assert not tab.page.locator("canvas[data-panel=layers]").is_visible()
    assert "best of 6 heads" in said(tab, "error")


def test_a_kernel_stays_in_the_link_and_back_undoes_its_steps(reader):
    tab = reader.open("memory")
    tab.page.get_by_text(controls.PAPER).click()

    def view():
        return json.loads(tab.parameter("view") or "{}")

    def shown():
        """The sentence below the charts of the kernel, of the run that wrote the address."""
        at_rest(tab.page)
        still(tab.page)
        return tab.page.get_by_text("found without training").inner_text()

    states = [(view(), shown())]
    tab.page.get_by_role("radio", name="both").click()
    until(lambda: view() == {"fall": "mixture"})
    states.append((view(), shown()))
    tab.slider("share of the power").press("ArrowRight")
    until(lambda: view() == {"fall": "mixture", "share": 0.55})
    states.append((view(), shown()))
    tab.page.get_by_role("radio", name="formula").click()
    until(lambda: view() == {"fall": "formula", "share": 0.55})
    field = tab.page.get_by_role("textbox", name="ρ(s), formula")
    field.fill("2 sin(s) / s")
    field.press("Enter")
    until(lambda: view().get("formula") == "2*sin(s)/s")
    left = number(best(Kernel("formula", formula="2*sin(s)/s"), "log")[1].error)
    until(lambda: f"the best 2 log heads leave {left}" in shown())
    last = shown()
    tab.page.reload()
    tab.settle()
    until(lambda: shown() == last)
    expect(field).to_have_value("2*sin(s)/s")
    tab.page.go_back()
    until(lambda: view() == {"fall": "formula", "share": 0.55})
    expect(field).to_have_value("cos(s / 10) * exp(-s / 50)")
    for selected, seen in states[::-1]:
        tab.page.go_back()
        until(lambda wanted=selected: view() == wanted)
        until(lambda wanted=seen: shown() == wanted)
