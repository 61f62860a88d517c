"""The stage of the app: the reader's talk, which needs the server no more once it is there."""

import json
import re

import pytest
from driving import Server, until
from playwright.sync_api import expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

TALK = {
    "version": 1,
    "title": "Mine",
    "scenes": [
        {
            "title": "First",
            "address": 'design?spec={"rank":2}',
            "steps": [{"words": "One."}] * 2,
            "formula": ["H", "=", "F"],
            "opens": ['design?spec={"rank":3}', "", "train?run=asset-train"],
        },
        {"title": "Second", "address": "train", "steps": [{"words": "Two."}], "notes": "slowly"},
    ],
}

BAD = (
    "scene 1, step 1, run moon: this is not the id of a run",
    "scene 2, step 1, spec: the grid 000000000000… is not in this store",
    "scene 3, address: there is no page 'moon'",
)


def socket(server, origin):
    """Streamlit's own socket, opened by a page of this origin."""
    address = server.address.replace("http", "ws")
    return connect(f"{address}/_stcore/stream", origin=origin, proxy=None)


def test_a_talk_below_a_path_is_shown_and_goes_on_without_its_server(open_reader, tmp_path):
    bad_talk = tmp_path / "bad.json"
    addresses = ("train?run=moon", f'design?spec={{"grid":"{"0" * 64}"}}', "moon")
    scenes = [{**TALK["scenes"][0], "address": address} for address in addresses]
    bad_talk.write_text(json.dumps({**TALK, "scenes": scenes}), "utf-8")
    server = Server(tmp_path, base="tools/explorer")
    server.start()
    try:
        with pytest.raises(InvalidStatus), socket(server, "http://localhost:3000"):
            pass
        with socket(server, server.address.removesuffix("/tools/explorer")):
            pass
        (tmp_path / "talk.json").write_text(json.dumps(TALK), "utf-8")
        reader = open_reader(server)
        tab = reader.open("talk")
        page = tab.page
        expect(tab.verdict).to_contain_text("2 scenes with 3 steps")
        page.get_by_role("button", name="Import").click()
        page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(bad_talk)
        page.get_by_role("button", name="Take it instead of this talk").click()
        for place in BAD:
            expect(tab.warning).to_contain_text(place)
        expect(tab.verdict).to_contain_text("2 scenes with 3 steps")
        assert json.loads((tmp_path / "talk.json").read_text("utf-8")) == TALK
        tab.go("train", run="asset-train")
        until(lambda: page.evaluate("window.__explorerLive?.frames ?? 0") > 0)  # its own socket
        tab.go("talk")
        stage = page.get_by_role("link", name="Open the stage", exact=True)
        expect(stage).to_have_attribute("href", "stage")
        page.goto(f"{server.address}/stage?talk=mine&scene=1&step=2")
        page.wait_for_selector("script[data-deck]", state="attached")  # it is prepared at first
        until(lambda: page.evaluate("window.__explorerStage?.probe.shown ?? 0") > 0)
        assert page.evaluate("__explorerStage.talk.scenes[1].steps[0].notes") == "slowly"
        expect(page.get_by_role("heading")).to_have_text("First")
        for part, there, parameter in (
            ("H", "/tools/explorer/?spec=", "rank"),
            ("F", "/train?", "run"),
        ):
            with page.expect_popup() as opened:
                page.get_by_role("link", name=part, exact=True).click()
            opened.value.locator("canvas").first.wait_for()
            assert there in opened.value.url and parameter in opened.value.url
            opened.value.close()
        (tmp_path / "talk.json").write_text('{"version": 7}', "utf-8")
        other = page.context.new_page()
        assert other.goto(f"{server.address}/stage").status == 422
        expect(other.get_by_text("version = 7: this explorer reads 1")).to_be_visible()
        other.close()
        server.kill()
        page.keyboard.press("PageDown")
        expect(page.get_by_role("heading")).to_have_text("Second")
        expect(page).to_have_url(re.compile("talk=mine&scene=2&step=1"))
        page.locator("canvas.on").first.wait_for()
        page.keyboard.press("PageUp")
        expect(page).to_have_url(re.compile("scene=1&step=2"))
        reader.forgive("favicon.ico")  # a browser asks for it above the path
    finally:
        server.stop()
