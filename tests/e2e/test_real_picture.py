"""Real attention in the browser: a head is picked, k moved, the gauge changed; all by address."""

import json

from driving import until


def look(tab):
    return json.loads(tab.parameter("real") or "{}")


def answered(tab, condition):
    """Wait for what is drawn, and for Python's answer to it."""
    return tab.places("Real", f"r.answered === r.rev && ({condition})")


def test_a_head_is_picked_k_is_dragged_and_the_rows_are_centred(reader):
    tab = reader.open("real")
    tab.draw("Real")
    place = answered(tab, "r.map")
    heads = tab.page.locator("canvas[data-panel=heads]")
    cell = {axis: place["map"][axis] for axis in "xy"}
    wide, high = place["map"]["w"] / place["heads"], place["map"]["h"] / place["layers"]
    heads.click(position={"x": cell["x"] + 2.5 * wide, "y": cell["y"] + 4.5 * high})
    answered(tab, "r.look.one")
    assert look(tab) == {"layer": 5, "head": 3, "k": 16}
    until(lambda: "Head 3 of layer 5" in tab.verdict.text_content())
    tab.page.mouse.move(0, 0)
    hint = tab.page.locator(".real [data-text=hint]")
    until(lambda: hint.text_content().startswith("Layer 5, head 3:"))

    curve, canvas = place["curves"]["cut"], tab.page.locator("canvas[data-panel=cut]")
    box = canvas.bounding_box()
    foot = box["y"] + curve["box"]["y"] + curve["box"]["h"]
    at = dict(zip(place["measured"], curve["x"], strict=True))
    tab.page.mouse.move(box["x"] + at[16], foot)
    tab.page.mouse.down()
    tab.page.mouse.move(box["x"] + at[4], foot - 30, steps=5)
    tab.places("Real", "r.look.k === 4")
    assert look(tab)["k"] == 16, "while it is dragged Python is not asked"
    tab.page.mouse.up()
    answered(tab, "r.look.k === 4")
    assert look(tab)["k"] == 4 and "perplexity with 4 terms" in answered(tab, "true")["answer"]

    tab.button("Centred").click()
    answered(tab, "r.look.centred")
    assert tab.page.get_by_role("switch", name="centred").is_checked()
    heads.press("Escape")  # a key of a clicker
    tab.page.locator(".real [data-act=all]").click()
    answered(tab, "!r.look.one")
    assert look(tab) == {"centred": True, "k": 4}
