"""Rates in the browser: a prediction before the answer, rank surgery, a sweep that grows live."""

import json
import os
import signal
from functools import partial
from pathlib import Path

import pytest
from driving import NETWORK, stands_at, until
from playwright.sync_api import expect

from explorer.runs import jobs, sweep_rows
from explorer.spec import spec_id
from explorer.targets import parse_sweep

SWEEP = NETWORK | {"rank": [2], "m_h": [1, 2, 3], "seed": [0, 1], "steps": 1000, "batch": 8}
NAME = f"sweep-{spec_id(parse_sweep(SWEEP))}"

WATCH = """() => {
    window.trained = new Set();
    setInterval(() => trained.add(__explorerRates.places().training), 50);
}"""
"""How many models the page has shown at work."""


def opened(reader, sweep=None):
    tab = reader.open("rates", sweep=sweep)
    seen(tab, "true")
    return tab


def seen(tab, condition):
    """Wait for what is drawn: `r` are its places."""
    return tab.places("Rates", condition)


def canvas(tab, panel):
    return tab.page.locator(f".rates canvas[data-panel={panel}]")


def predict(tab):
    """Draw a curve across the first panel."""
    tab.button("Predict first").click()
    box = seen(tab, "r.predicting")["boxes"][0]
    at = canvas(tab, "figure").bounding_box()
    tab.page.mouse.move(at["x"] + box["x"] + 5, at["y"] + box["y"] + 20)
    tab.page.mouse.down()
    tab.page.mouse.move(at["x"] + box["x"] + box["w"] - 5, at["y"] + box["y"] + 120, steps=8)
    tab.page.mouse.up()


@pytest.fixture
def tab(reader):
    return opened(reader)


def test_a_curve_is_drawn_before_the_points_are_shown(tab):
    predict(tab)
    tab.button("Reveal").click()
    hint = seen(tab, "!r.predicting && r.hint")["hint"]
    assert "α = 1, r = 6: you drew a slope of −" in hint and "you drew no cliff" in hint
    expect(tab.page.locator("[data-text=hint]")).to_have_text(hint)
    tab.button("Clear my curves").click()
    seen(tab, "!r.hint")


def test_the_keys_predict_choose_and_cut(tab):
    canvas(tab, "figure").focus()
    before = seen(tab, "true")
    tab.page.keyboard.press("ArrowRight")
    assert seen(tab, f"r.chosen.m_h > {before['chosen']['m_h']}")
    tab.page.keyboard.press("ArrowUp")
    seen(tab, f"r.chosen.series !== {json.dumps(before['chosen']['series'])}")
    tab.page.keyboard.press("s")
    seen(tab, f"r.chosen.seed !== {before['chosen']['seed']}")
    tab.page.keyboard.press("]")
    seen(tab, f"r.k === {before['k'] + 1}")
    tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("ArrowUp")
    tab.page.keyboard.press("Enter")
    seen(tab, "/off by a factor|cliff|where it falls/.test(r.hint)")


def test_a_point_is_chosen_and_the_knife_is_dragged(tab):
    places = seen(tab, "r.surgery && r.points.length > 50")
    at, (x, y) = canvas(tab, "figure").bounding_box(), places["points"][0]
    tab.page.mouse.click(at["x"] + x, at["y"] + y)
    seen(tab, "r.chosen.m_h === 1 && r.chosen.series === 'r = 2'")
    at, box = stands_at(canvas(tab, "surgery")), places["surgery"]
    tab.page.mouse.move(at["x"] + box["x"] + 0.5 * box["w"], at["y"] + box["y"] + 40)
    tab.page.mouse.down()
    tab.page.mouse.move(at["x"] + box["x"] + 2, at["y"] + box["y"] + 40, steps=5)
    tab.page.mouse.up()
    seen(tab, "r.k === 1")
    expect(canvas(tab, "surgery")).to_have_attribute("aria-valuenow", "1")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc")
def test_a_sweep_grows_live_and_a_prediction_and_it_outlive_its_worker(reader, server):
    tab, second = (opened(reader, SWEEP) for _ in range(2))
    filled = tab.page.locator("[data-act=predict][data-first]")
    expect(filled).to_have_count(0)  # what is first is to train
    tab.page.bring_to_front()  # behind the second it draws once a second
    predict(tab)
    tab.page.evaluate(WATCH)
    tab.button("Train this sweep: 6 models").click()
    rows = partial(sweep_rows.read, server.store, NAME.removeprefix("sweep-"))
    until(lambda: len(rows()) == 3)  # nothing is waited for before: the others come at once
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    until(lambda: jobs.get(server.store, NAME).status == "interrupted")
    assert len(rows()) == 3
    until(lambda: tab.page.evaluate("trained.has(3)"))
    for each, drawn in ((second, "!r.predicting"), (tab, "r.predicting")):
        seen(each, f"r.points.length === 3 && {drawn}")
        each.button("Train the other 3 models").wait_for()
    tab.button("Train the other 3 models").click()
    seen(tab, "r.points.length === 6 && r.training === 0")
    expect(filled).to_have_count(1)
    seen(second, "r.points.length === 6")
    tab.button("Reveal").click()
    hint = seen(tab, "!r.predicting && r.hint")["hint"]
    assert "off by a factor" in hint or "you drew no cliff" in hint  # as deep as this machine fell
    tab.button("Compute the rank-optimal error").wait_for()
