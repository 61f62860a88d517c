"""The film of a scene's steps: carried by hand and by keys, worded, doubled and deleted."""

import json

import pytest
from driving import Server, stands_at, until
from playwright.sync_api import expect

STEPS = [
    {"words": "One.", "panels": ["maps"]},
    {"words": "Two."},
    {"words": "Three.", "panels": ["row"], "change": {"spec": {"m_h": 1}}},
]
SCENE = {"title": "Mine", "address": "design", "steps": STEPS}
TALK = {"version": 1, "title": "Mine", "scenes": [SCENE]}


@pytest.fixture
def server(tmp_path):
    (tmp_path / "talk.json").write_text(json.dumps(TALK), "utf-8")
    server = Server(tmp_path)
    server.start()
    yield server
    server.stop()


def test_steps_are_carried_worded_doubled_and_deleted(server, open_reader, tmp_path):
    page = open_reader(server).open("talk").page
    page.locator("summary", has_text="1 · Mine").click()
    film = page.get_by_role("slider", name="Steps of the scene")
    frames = film.locator("figure")
    expect(frames).to_have_count(3)

    def kept(name="words"):
        (scene,) = json.loads((tmp_path / "talk.json").read_text("utf-8"))["scenes"]
        return [step.get(name) for step in scene["steps"]]

    stands_at(film)
    one, three = (frames.nth(i).bounding_box() for i in (0, 2))
    page.mouse.move(three["x"] + 30, three["y"] + 30)
    page.mouse.down()
    page.mouse.move(one["x"] + 30, one["y"] + 30, steps=5)
    page.mouse.up()
    until(lambda: kept() == ["Three.", "One.", "Two."])
    assert kept("panels") == [["row"], ["maps"], None], "each shows what it showed"
    page.keyboard.press("Shift+End")
    until(lambda: kept() == ["One.", "Two.", "Three."])
    page.keyboard.press("Control+z")
    until(lambda: kept() == ["Three.", "One.", "Two."])
    page.keyboard.press("Control+Shift+z")
    until(lambda: kept() == ["One.", "Two.", "Three."])
    page.keyboard.press("End")
    words = page.get_by_role("textbox", name="Words", exact=True)
    expect(words).to_have_value("Three.")
    words.fill("The third.")
    words.press("Enter")
    page.keyboard.type("A fourth.")
    page.keyboard.press("Tab")
    page.keyboard.type("slowly")
    page.keyboard.press("Tab")
    until(lambda: kept() == ["One.", "Two.", "The third.", "A fourth."])
    until(lambda: kept("notes") == [None, None, None, "slowly"])
    assert kept("panels")[3] is None, "the pictures of the step before"
    delete = page.get_by_role("button", name="Delete step")
    for left in (3, 2, 1):
        delete.click()
        until(lambda left=left: len(kept()) == left)
    expect(delete).to_be_disabled()
