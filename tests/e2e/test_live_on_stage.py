"""A step of a talk that trains live: whatever dies, pictures of it go on and say which."""

import json
import os
import re
import signal
from pathlib import Path

import pytest
from driving import Server, until
from playwright.sync_api import expect

from explorer.pages.talk import deck
from explorer.pages.talk.scenes import read_talk
from explorer.ui.live import open_stream

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc")


def talk_of(address, panels):
    """A talk whose second scene trains live."""
    step = {"words": "Two.", "live": True, "panels": panels}
    first = {"title": "First", "address": 'design?spec={"rank":2}', "steps": [{"words": "One."}]}
    second = {"title": "Second", "address": address, "steps": [step], "what_if": "step"}
    return json.dumps({"version": 1, "title": "Mine", "scenes": [first, second]})


PUTS = """window.kept = 0;
const { put } = IDBObjectStore.prototype;
IDBObjectStore.prototype.put = function (...what) { kept++; return put.apply(this, what); }"""
SERVED = talk_of("memory?run=asset-memory-jumps-1", ["path", "error"])
IN_TAB = talk_of("train?run=asset-cliff-6", ["coupling", "error"])


class Stage:
    """The deck in the app, at the step before the one that trains."""

    def __init__(self, server, page):
        self.server, self.page, self.errors = server, page, []
        self.badge = page.locator("[data-text=badge]")
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def open(self, address):
        self.page.goto(address)
        self.page.wait_for_selector("script[data-deck]", state="attached")
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
        return self.page.evaluate("__explorerStage.picture.root.probe?.shown ?? 0")

    @property
    def last(self):
        """The step at which its training ends."""
        shown = IN_TAB if self.server is None else SERVED
        return open_stream(re.search(r"asset-[a-z0-9-]+", shown)[0]).record.spec.steps

    def goes_on(self, source):
        """Pictures come, their badge says from where, and nothing else is said."""
        expect(self.badge).to_have_attribute("data-source", source)
        expect(self.badge).to_have_text(re.compile("^● live:" if source == "live" else "^kept:"))
        before = self.step
        until(lambda: self.step > before or self.step == self.last)
        assert not re.search("error|connect|interrupt|wait|fail", self.page.inner_text("main"))

    def is_live(self):
        """Live pictures come; where kept ones have played to the end of the run before them, as on
        a busy machine, it is begun once more."""
        if self.step == self.last and self.badge.get_attribute("data-source") == "kept":
            self.press("F5")
            self.press("PageDown")
        return self.badge.get_attribute("data-source") == "live"

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
    (tmp_path / "talk.json").write_text(SERVED, "utf-8")
    server.start()
    page = context.new_page()
    try:
        stage = Stage(server, page)
        until(server.workers)
        stage.open(f"{server.address}/stage")
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
    until(stage.is_live)
    stage.goes_on("live")
    first, *before = stage.runs

    page.reload()  # finds the run again
    stage.wait_shown(0)
    stage.goes_on("live")
    stage.back_and_forth()
    assert [*stage.runs] == [first, *before], "coming back goes on"

    os.kill(server.process.pid, signal.SIGSTOP)  # silent, as a network may be
    stage.goes_on("kept")
    os.kill(server.process.pid, signal.SIGCONT)
    until(stage.is_live)
    stage.goes_on("live")
    first, *before = stage.runs

    stage.press("F5")
    stage.press("PageDown")
    until(stage.is_live)
    stage.goes_on("live")
    second = until(lambda: set(stage.runs) - {first, *before}).pop()
    until(lambda: stage.runs[first] in ("stopped", "finished"))
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    stage.goes_on("kept")
    until(lambda: stage.runs[second] in ("interrupted", "finished"))

    server.kill()
    page.locator("[data-scrub]").last.focus()
    stage.goes_on("kept")
    assert page.evaluate("__explorerStage.picture.root.activeElement.dataset.scrub") is not None
    stage.back_and_forth()
    stage.goes_on("kept")


def test_a_file_trains_a_live_scene_itself_and_anew_each_time(context, tmp_path):
    """And keeps nothing: of a rehearsal nothing is left when the talk is given."""
    file = tmp_path / "talk.html"
    file.write_bytes(deck.build(read_talk(IN_TAB)))
    page = context.new_page()
    page.add_init_script(PUTS)
    stage, asked = Stage(None, page), []
    page.on("request", lambda request: asked.append(request.url))
    stage.open(file.as_uri())
    stage.press("PageDown")
    stage.goes_on("live")
    until(lambda: stage.step == stage.last)
    expect(stage.badge).to_have_text("● live: trained in this talk")
    stage.press("F5")
    stage.press("PageDown")
    until(lambda: 0 < stage.step < stage.last)
    stage.goes_on("live")
    page.reload()
    stage.wait_shown(0)
    until(lambda: 0 < stage.step < stage.last)
    assert page.evaluate("kept") == 0
    assert not [url for url in asked if not url.startswith(("file:", "blob:", "data:"))]
    page.close()
    assert stage.errors == []


def test_who_cannot_train_shows_what_was_kept(context, tmp_path):
    file = tmp_path / "talk.html"
    file.write_bytes(deck.build(read_talk(IN_TAB)))
    page = context.new_page()
    page.add_init_script("Worker = class { constructor() { throw new Error('none') } }")
    stage = Stage(None, page)
    stage.open(file.as_uri())
    stage.press("PageDown")
    stage.goes_on("kept")
    page.close()
    assert stage.errors == []
