"""A talk in the app whose room takes part: phones follow, leave, come back, and draw."""

import json

import pytest
from driving import Server, stands_at, until
from playwright.sync_api import expect

TALK = {
    "version": 1,
    "title": "Mine",
    "scenes": [
        {"title": "First", "address": 'design?spec={"rank":2}', "steps": [{"words": "One."}] * 2},
        {
            "title": "How fast",
            "address": "rates",
            "steps": [
                {"words": "Draw.", "panels": ["figure"], "press": "predict"},
                {"words": "It falls.", "panels": ["figure"]},
            ],
            "what_if": "predict",
            "notes": "slowly",
        },
    ],
}
PHONE = {"width": 390, "height": 844}
AT = "[__explorerStage.at.scene + 1, __explorerStage.at.step + 1]"
OTHERS = "__explorerStage.listeners.isLaid ? __explorerStage.listeners.curves : []"
INK = """() => {
  const canvas = __explorerStage.picture.canvases()[0];
  const { width, height } = canvas;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  let ink = 0;
  for (let i = 0; i < data.length; i += 4) ink += data[i + 3] > 30;
  return ink;
}"""


@pytest.fixture
def server(context, tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_HOSTS", "localhost,127.0.0.1,lecture.test")
    (tmp_path / "talk.json").write_text(json.dumps(TALK), "utf-8")
    server = Server(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def phones(context, server):
    """A function that opens a phone of somebody else at an address of the server."""
    opened = []

    def open_(address):
        other = context.new_page()
        other.set_viewport_size(PHONE)
        other.goto(address.replace("lecture.test", "localhost"))
        other.wait_for_selector("script[data-deck]", state="attached")
        until(lambda: other.evaluate("window.__explorerStage?.probe.shown ?? 0") > 0)
        opened.append(other)
        return other

    yield open_
    for each in opened:
        each.close()


def at(page):
    return tuple(page.evaluate(AT))


def draw(phone, height):
    """A stroke across the first panel, once it stands: a tab that was behind has drawn little."""
    box = stands_at(phone.locator("canvas.on[data-panel=figure]").last)
    first = "__explorerStage.picture.root.probe.places().boxes?.[0]"  # not of the scene before
    plan = until(lambda: phone.evaluate(first))
    left, top = box["x"] + plan["x"], box["y"] + plan["y"] + height * plan["h"]
    phone.mouse.move(left + 2, top)
    phone.mouse.down()
    phone.mouse.move(left + plan["w"] - 2, top + 0.3 * plan["h"], steps=8)
    phone.mouse.up()


def test_two_phones_follow_leave_return_and_draw_what_the_stage_lays_over_each_other(
    context, server, phones
):
    stage = context.new_page()
    stage.set_viewport_size({"width": 1280, "height": 720})
    stage.goto(f"{server.address}/stage")
    stage.wait_for_selector("script[data-deck]", state="attached")
    until(lambda: stage.evaluate("window.__explorerStage?.probe.shown ?? 0") > 0)
    assert stage.request.get(f"{server.address}/stage?room=AAAAAA").status == 403
    stage.keyboard.press("c")
    link = stage.get_by_role("dialog", name="Link to this scene")
    link.get_by_role("button", name="Let phones follow").click()
    address = link.locator(".address")
    expect(address).to_contain_text("lecture.test")
    expect(link.get_by_role("img", name="QR code of http://lecture.test")).to_be_visible()
    where = f"http://{address.inner_text()}"
    first, second = phones(where), phones(where)
    expect(link).to_contain_text("2 phones follow")
    stage.keyboard.press("Escape")
    assert "slowly" not in first.content()
    said = first.locator("[data-text=room]")
    expect(said).to_have_text("You follow the speaker.")

    stage.keyboard.press("PageDown")
    until(lambda: at(first) == at(second) == (1, 2))
    first.keyboard.press("PageUp")  # one leaves
    until(lambda: at(first) == (1, 1))
    stage.keyboard.press("PageDown")
    until(lambda: at(second) == (2, 1))
    assert at(first) == (1, 1)
    first.get_by_role("button", name="Follow the speaker").click()
    until(lambda: at(first) == (2, 1))
    stage.reload()  # the room is found again
    expect(stage.locator("[data-text=room]")).to_have_text("2 phones follow")

    until(lambda: stage.evaluate("__explorerStage.picture.root.probe.draws") > 0)
    blank = stage.evaluate(INK)
    for phone, height in ((first, 0.2), (second, 0.5)):
        until(lambda phone=phone: phone.evaluate("__explorerStage.picture.root.probe.draws") > 0)
        phone.bring_to_front()
        draw(phone, height)
    stage.bring_to_front()
    expect(stage.locator("[data-text=room]")).to_have_text("2 phones follow, 2 have drawn")
    assert stage.evaluate(INK) == blank, "until the speaker shows them"
    stage.keyboard.press("d")
    until(lambda: stage.evaluate(INK) != blank)
    curves = stage.evaluate(OTHERS)
    assert len(curves) == 2 and all(len(each["pairs"]) > 5 for each in curves)
    assert {*curves[0]} == {"line", "pairs"}, "without names"
    stage.keyboard.press("PageDown")  # they lie below what training has found
    until(lambda: at(first) == (2, 2))
    assert stage.evaluate(OTHERS) == curves

    second.close()
    expect(stage.locator("[data-text=room]")).to_contain_text("1 phone follows")
    stage.keyboard.press("c")
    link.get_by_role("button", name="Let no phones follow").click()
    expect(said).to_contain_text("The speaker has ended this")
    assert stage.request.get(f"{server.address}/stage?room=AAAAAA").status == 403
    first.keyboard.press("PageUp")  # the deck stays
    until(lambda: at(first) == (2, 1))
    stage.close()
