"""A step of a talk that trains live: whatever dies, pictures of it go on and say which."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from driving import Server, until
from playwright.sync_api import expect

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc")

TALK = {
    "version": 1,
    "title": "Mine",
    "scenes": [
        {"title": "First", "address": 'design?spec={"rank":2}', "steps": [{"words": "One."}]},
        {
            "title": "Second",
            "address": "train?run=asset-cliff-6",
            "steps": [{"words": "Two.", "live": True, "panels": ["coupling", "error"]}],
            "what_if": "step",
        },
    ],
}


class Stage:
    """The deck in the app, at the step before the one that trains."""

    def __init__(self, server, page):
        self.server, self.page, self.errors = server, page, []
        self.badge = page.locator("[data-text=badge]")
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(f"{server.address}/stage")
        page.wait_for_selector("script[data-deck]", state="attached")
        self.wait_shown(0)

    def wait_shown(self, more_than):
        until(lambda: self.page.evaluate("window.__explorerStage?.probe.shown ?? 0") > more_than)

    def press(self, key):
        shown = self.page.evaluate("__explorerStage.probe.shown")
        self.page.keyboard.press(key)
        self.wait_shown(shown)

    @property
    def step(self):
        """Of the training, as the picture shows it."""
        return self.page.evaluate("window.__explorerLive?.shown ?? 0")

    def goes_on(self, source):
        """Pictures come, their badge says from where, and nothing else is said."""
        expect(self.badge).to_have_attribute("data-source", source)
        expect(self.badge).to_have_text(re.compile("^● live:" if source == "live" else "^kept:"))
        before = self.step
        until(lambda: self.step > before or self.step == 1200)
        assert not re.search("error|connect|interrupt|wait|fail", self.page.inner_text("main"))

    def back_and_forth(self):
        self.press("PageUp")
        expect(self.page.get_by_role("heading")).to_have_text("First")
        self.press("PageDown")

    @property
    def runs(self):
        return {row.run: row.status for row in self.server.store.list()}


@pytest.fixture
def stage(context, tmp_path):
    server = Server(tmp_path)
    (tmp_path / "talk.json").write_text(json.dumps(TALK), "utf-8")
    server.start()
    page = context.new_page()
    try:
        stage = Stage(server, page)
        until(server.workers)
        yield stage
        assert stage.errors == []
    finally:
        page.close()
        server.stop()


def test_a_live_scene_goes_on_whatever_dies(stage):
    page, server = stage.page, stage.server
    page.route("**/*", lambda route: route.abort())  # offline, and this tab alone
    stage.press("PageDown")
    stage.goes_on("kept")
    assert not stage.runs
    page.unroute_all()
    stage.back_and_forth()
    stage.goes_on("live")
    (first,) = stage.runs

    page.reload()  # finds the run again
    stage.wait_shown(0)
    stage.goes_on("live")
    stage.back_and_forth()
    assert set(stage.runs) == {first}, "coming back goes on"

    os.kill(server.process.pid, signal.SIGSTOP)  # silent, as a network may be
    stage.goes_on("kept")
    os.kill(server.process.pid, signal.SIGCONT)
    stage.goes_on("live")

    stage.press("F5")
    stage.press("PageDown")
    stage.goes_on("live")
    second = until(lambda: set(stage.runs) - {first}).pop()
    until(lambda: stage.runs[first] in ("stopped", "finished"))
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    stage.goes_on("kept")
    assert stage.runs[second] in ("interrupted", "finished")

    server.kill()
    page.locator("[data-scrub]").last.focus()
    stage.goes_on("kept")
    assert page.evaluate("__explorerStage.picture.root.activeElement.dataset.scrub") is not None
    stage.back_and_forth()
    stage.goes_on("kept")
