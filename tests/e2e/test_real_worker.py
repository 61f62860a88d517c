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
