"""A room that follows a talk: who is let in, what is heard of whom, and what is refused."""

import json
import re
from contextlib import closing, contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.hosting.doors import Doors
from explorer.hosting.settings import Limits, Settings
from explorer.pages.talk import decks, room
from explorer.pages.talk.served import stage
from explorer.ui import registry

ROUTES = [
    Route("/stage", stage),
    WebSocketRoute("/stage/room", room.speak),
    WebSocketRoute("/stage/follow", room.follow),
]
NAMED = Settings(hosts=("localhost", "127.0.0.1", "lecture.example.org"))
DECK = f'<!doctype html><p>The talk</p>{decks.NOTES}["slowly"]</script><p>the end</p>'
CURVE = {"scene": 2, "line": 1, "pairs": [[1, 0.5], [2, 0.001]]}


@pytest.fixture
def chosen(monkeypatch, tmp_path):
    """A server whose talk is ready, and what its settings are."""
    file = tmp_path / "0123.html"
    file.write_text(DECK, "utf-8")
    monkeypatch.setattr(decks, "deck", lambda name: file)
    monkeypatch.setattr(room, "_rooms", {})
    monkeypatch.setattr(room, "PAUSE_SECONDS", 0.0)
    holder = {"settings": NAMED}
    monkeypatch.setattr(registry, "settings", lambda: holder["settings"])
    return holder


@pytest.fixture
def server(chosen):
    with serving(Starlette(routes=ROUTES, middleware=[Middleware(Doors)])) as address:
        yield address


def heard(ws, kind):
    """The next thing of a kind that is said."""
    while True:
        said = json.loads(ws.recv(timeout=10))
        if said["kind"] == kind:
            return said


def spoken(address, key=""):
    ws = connect(
        f"ws://{address}/stage/room?talk=mine&key={key}", origin=f"http://{address}", proxy=None
    )
    return closing(ws)


def followed(address, code):
    ws = connect(f"ws://{address}/stage/follow?code={code}", origin=f"http://{address}", proxy=None)
    return closing(ws)


@contextmanager
def opened(server):
    with spoken(server) as speaker:
        yield speaker, heard(speaker, "room")


def at(scene, step):
    return json.dumps({"scene": scene, "step": step})


def answered(address, code, **headers):
    asked = Request(f"http://{address}/stage?room={code}", headers=headers)
    try:
        with urlopen(asked) as answer:
            return answer.status, answer.read().decode(), answer.headers
    except HTTPError as error:
        return error.code, error.read().decode(), error.headers


def test_a_phone_follows_by_the_code_and_nobody_without_it(server):
    with opened(server) as (speaker, said):
        code = said["code"]
        assert re.fullmatch(f"[{room.CODE}]{{{room.SIGNS}}}", code)
        port = server.partition(":")[2]
        assert said["address"] == f"http://lecture.example.org:{port}/stage?room={code}"
        assert said["image"].startswith("data:image/svg+xml")
        status, html, headers = answered(server, code.lower())
        assert status == 200 and "the end" in html
        assert "slowly" not in html and "data-notes" not in html
        again = {"If-None-Match": headers["ETag"]}
        assert answered(server, code, **again)[0] == 304
        for wrong in ("", "AAAAAA", said["key"]):
            status, html, _ = answered(server, wrong)
            assert (status, room.NO_ROOM in html) == (403, True)
            with followed(server, wrong) as stranger:
                assert heard(stranger, "problem")["problem"] == room.NO_ROOM
        with pytest.raises(InvalidStatus):
            connect(f"ws://{server}/stage/follow?code={code}", origin="http://a.org", proxy=None)
        with followed(server, code) as phone:
            assert heard(phone, "at") == {"kind": "at", "scene": 0, "step": 0}
            speaker.send(at(2, 1))
            assert heard(phone, "at") == {"kind": "at", "scene": 2, "step": 1}
            speaker.send("end")
            heard(phone, "over")
            assert answered(server, code)[0] == 403


def test_the_speaker_finds_the_room_again_by_its_key(server):
    with opened(server) as (speaker, said):
        speaker.send(at(3, 0))
        with followed(server, said["code"]) as phone:
            while heard(phone, "at")["scene"] != 3:
                pass
            speaker.close()
            with spoken(server, said["key"]) as again:
                found = heard(again, "room")
                assert found["code"] == said["code"]
                again.send(at(4, 0))
                assert heard(phone, "at")["scene"] == 4
    with spoken(server, "another") as other:
        assert heard(other, "room")["code"] != said["code"]


REFUSED = [
    CURVE | {"scene": 1},
    CURVE | {"line": -1},
    CURVE | {"name": "Ada"},
    CURVE | {"pairs": []},
    CURVE | {"pairs": [[1, 0.5]] * 65},
    CURVE | {"pairs": [[1, float("nan")]]},
    CURVE | {"pairs": [[1, float("inf")]]},
    CURVE | {"pairs": [[1, 0.0]]},
    CURVE | {"pairs": [[0, 0.5]]},
    CURVE | {"pairs": [[1.5, 0.5]]},
    CURVE | {"pairs": [[1, "a"]]},
    CURVE | {"pairs": [[1]]},
    {"scene": 2},
    [],
]


def test_what_is_no_curve_of_this_scene_is_not_heard(server):
    with opened(server) as (speaker, said), followed(server, said["code"]) as phone:
        speaker.send(at(2, 0))
        while heard(phone, "at")["scene"] != 2:
            pass
        for curve in REFUSED:
            phone.send(json.dumps(curve))
        for text in ("", "no JSON", "9" * 100_000, "[" * 3000):
            phone.send(text)
        phone.send(json.dumps(CURVE))
        drawn = heard(speaker, "curves")
        while not drawn["curves"]:
            drawn = heard(speaker, "curves")
        assert drawn == {
            "kind": "curves",
            "scene": 2,
            "curves": [{"line": 1, "pairs": [[1, 0.5], [2, 0.001]]}],
        }
        phone.send(json.dumps(CURVE | {"line": 0}))  # in the place of the one before
        assert [each["line"] for each in heard(speaker, "curves")["curves"]] == [0]
        with followed(server, said["code"]) as other:
            other.send(json.dumps(CURVE))
            assert [each["line"] for each in heard(speaker, "curves")["curves"]] == [0, 1]
        speaker.send(at(2, 1))  # another step of the scene keeps them
        speaker.send(at(3, 0))
        speaker.send(at(2, 0))
        while (heard(phone, "at")["scene"], phone.send(json.dumps(CURVE))) != (2, None):
            pass
        assert len(heard(speaker, "curves")["curves"]) == 1, "of another visit"


def test_curves_that_come_too_fast_are_dropped(server, monkeypatch):
    monkeypatch.setattr(room, "PAUSE_SECONDS", 1e9)
    one = room.Room("CODE", "key", "", None, 1)
    phone = room.Client()
    one.phones[phone] = 1
    one.draw(phone, json.dumps(CURVE | {"scene": 0}))
    one.draw(phone, json.dumps(CURVE | {"scene": 0, "line": 7}))
    assert [json.loads(text)["line"] for text in one.curves.values()] == [1]


def test_curves_of_phones_that_have_gone_are_bounded():
    one = room.Room("CODE", "key", "", None, 3)
    for number in range(10):
        phone = room.Client()
        one.phones[phone] = number
        one.draw(phone, json.dumps(CURVE | {"scene": 0, "line": number}))
        del one.phones[phone]
    assert [json.loads(text)["line"] for text in one.curves.values()] == [7, 8, 9]


def test_phones_are_bounded_and_none_where_visitors_are_not_allowed_any(
    server, chosen, monkeypatch
):
    monkeypatch.setattr(room, "PHONES", 1)
    with opened(server) as (speaker, said), followed(server, said["code"]) as phone:
        heard(phone, "at")
        assert heard(speaker, "here")["phones"] in (0, 1)
        with followed(server, said["code"]) as another:
            assert heard(another, "problem")["problem"] == room.FULL
    allowed = Limits(phones=5)
    for owner, limits in (("", allowed), ("ada", Limits())):
        chosen["settings"] = NAMED.model_copy(update={"public": True, "limits": limits})
        monkeypatch.setattr(registry, "owner", lambda owner=owner: owner)
        monkeypatch.setattr(registry, "standing", lambda owner=owner: "in" if owner else "out")
        with spoken(server) as speaker:
            assert heard(speaker, "problem")["problem"] == room.NOT_ALLOWED
    chosen["settings"] = NAMED.model_copy(update={"public": True, "limits": allowed})
    with opened(server) as (_, first), opened(server) as (_, second):
        assert answered(server, first["code"])[0] == 403, "a visitor has one"
        assert answered(server, second["code"])[0] == 200


def test_a_server_of_this_machine_alone_says_how_phones_can_reach_it(server, chosen):
    chosen["settings"] = Settings()
    with spoken(server) as speaker:
        assert heard(speaker, "problem")["problem"] == room.NO_ADDRESS
    chosen["settings"] = Settings(hosts=("*",))
    with spoken(server) as speaker:
        assert re.match(r"http://(\d+\.){3}\d+:", heard(speaker, "room")["address"])


def test_a_room_without_a_speaker_is_over_in_time(server, monkeypatch):
    with opened(server) as (_, said):
        monkeypatch.setattr(room, "AWAY_SECONDS", -1.0)
        assert room.room_of(said["code"]), "its speaker is there"
    monkeypatch.setattr(room, "ROOMS", 1)
    for _ in range(2):  # who is away makes place
        with opened(server):
            pass
    assert room.room_of(said["code"]) is None
