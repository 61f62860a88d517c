"""Real attention with a model here, a small one: a worker answers for each k that is kept."""

import json

from driving import until
from pretrained import fetched_tiny_smollm2


def test_each_k_is_answered_also_when_keys_are_quick(reader, server):
    fetched_tiny_smollm2(server.home / "models")
    own = {"text": "abba cad, a cab; what else?", "layer": 1, "head": 2, "k": 6, "cut": "layer"}
    tab = reader.open("real", real=json.dumps(own))
    says = tab.page.locator(".st-key-head-says")
    until(lambda: "With k = 6 terms of its layer the perplexity" in says.inner_text())
    slider = tab.page.get_by_role("slider", name="k, the terms")
    for key, k in (("Home", 1), ("End", 27), ("Home", 1), *(("ArrowRight", k) for k in (2, 3, 4))):
        slider.press(key)
        until(lambda k=k: f"With k = {k} terms of its layer" in says.inner_text())
    for _ in range(8):  # the newest wish alone
        slider.press("ArrowRight")
    until(lambda: "With k = 12 terms of its layer" in says.inner_text())
    tab.page.get_by_role("radio", name="this head").click()
    until(lambda: "With k = 12 terms of this head alone" in says.inner_text())
    tab.page.go_back()
    until(lambda: "With k = 12 terms of its layer" in says.inner_text())
    tab.page.reload()
    until(lambda: "With k = 12 terms of its layer" in says.inner_text())


def test_an_order_is_chosen_typed_and_found_again(reader, server):
    """A text in an order by its name and as a list; what the browser still says of the list before
    is not taken for typing."""
    if not (server.home / "models").exists():
        fetched_tiny_smollm2(server.home / "models")
    text, seeded = "abba cad, a cab", {"order": "random", "order_seed": 4}
    tab = reader.open("real", real=json.dumps({"text": text, "layer": 1, "head": 2} | seeded))
    page = tab.page
    unfold = page.get_by_text("Table 1: the tokens in another order")
    positions = page.get_by_role("textbox", name="positions: at place t")
    said = page.get_by_text("The text of 15 tokens has a perplexity")
    unfold.click()
    until(lambda: "4." in said.inner_text() and positions.input_value().count(" ") == 14)
    for name in ("reverse", "block", "roll", "reverse"):
        page.get_by_role("radio", name=name).click()
    until(lambda: said.inner_text().startswith("Order: reverse."))
    listed = [*range(14, -1, -1)]
    until(lambda: positions.input_value() == " ".join(map(str, listed)))
    tab.settle()  # the first press may have been answered so far, and not the last
    until(lambda: positions.input_value() == " ".join(map(str, listed)))
    positions.fill("3 3 1")
    positions.press("Control+Enter")
    page.get_by_text("Each position from 0 to 2 is needed once").wait_for()
    listed[:2] = listed[1::-1]
    positions.fill(", ".join(map(str, listed)))
    positions.press("Control+Enter")
    until(lambda: said.inner_text().startswith("Order: your order."))
    page.get_by_text(text[::-1][1] + text[::-1][0] + text[::-1][2:], exact=True).wait_for()
    page.reload()
    unfold.click()
    until(lambda: said.inner_text().startswith("Order: your order."))
    assert positions.input_value() == " ".join(map(str, listed))
