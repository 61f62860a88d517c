"""The stage of the app: the reader's talk, which needs the server no more once it is there."""

import json
import re

from driving import Server, until
from playwright.sync_api import expect

TALK = {
    "version": 1,
    "title": "Mine",
    "scenes": [
        {"title": "First", "address": 'design?spec={"rank":2}', "steps": [{"words": "One."}] * 2},
        {"title": "Second", "address": "train", "steps": [{"words": "Two."}], "notes": "slowly"},
    ],
}


def test_a_talk_is_prepared_shown_and_goes_on_when_its_server_is_killed(open_reader, tmp_path):
    server = Server(tmp_path)
    server.start()
    try:
        (tmp_path / "talk.json").write_text(json.dumps(TALK), "utf-8")
        reader = open_reader(server)
        tab = reader.open("talk")
        page = tab.page
        expect(tab.verdict).to_contain_text("2 scenes with 3 steps")
        page.goto(f"{server.address}/stage?talk=mine&scene=1&step=2")
        page.wait_for_selector("script[data-deck]", state="attached")  # it is prepared at first
        until(lambda: page.evaluate("window.__explorerStage?.probe.shown ?? 0") > 0)
        assert page.evaluate("__explorerStage.talk.scenes[1].notes") == "slowly"
        expect(page.get_by_role("heading")).to_have_text("First")
        server.kill()
        page.keyboard.press("PageDown")
        expect(page.get_by_role("heading")).to_have_text("Second")
        expect(page).to_have_url(re.compile("talk=mine&scene=2&step=1"))
        page.locator("canvas.on").first.wait_for()
        page.keyboard.press("PageUp")
        expect(page).to_have_url(re.compile("scene=1&step=2"))
    finally:
        server.stop()
