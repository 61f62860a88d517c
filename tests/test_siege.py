"""The attacks of the bench are what they are said to be."""

import json

import pytest
from stores import TINY
from websockets.frames import Opcode

from explorer.bench import siege
from explorer.bench.siege import ATTACKS, CELLS, FRAMES, OF_WORDS, Siege
from explorer.bench.visitors import queued, space_of
from explorer.coupling.grid import LARGEST, parse_grid
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import COOKIE, Recognition, kept_secret
from explorer.pages.talk.scenes import MOST_PICTURES, read_talk
from explorer.runs.store import Store
from explorer.ui import registry


def test_each_attack_of_the_audit_is_tried():
    names = " ".join(ATTACKS)
    assert all(name in names for name in ("A1", "A2", "A3", "A4", "A5", "A6", "B1", "B2"))
    assert set(OF_WORDS) < ATTACKS.keys()


@pytest.mark.parametrize(
    ("kind", "opcode", "ends"), [("fragments", Opcode.CONT, 0), ("pongs", Opcode.PONG, 1)]
)
def test_frames_are_empty_and_masked(kind, opcode, ends):
    first, second, *mask = FRAMES[kind]
    assert first == opcode | ends << 7 and second == 0x80 and mask == [0] * 4


def test_the_table_and_the_talk_are_as_large_as_may_be():
    assert parse_grid(CELLS.encode(), "a.csv").shape == (LARGEST, LARGEST)
    talk = read_talk(json.dumps(siege._talk(Siege(None, None, ""))))
    assert talk.pictures == MOST_PICTURES
    assert len({scene.address for scene in talk.scenes}) == len(talk.scenes)


def test_the_space_of_a_cookie_is_the_one_that_its_pages_have(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    cookie = Recognition(kept_secret(Store(tmp_path))).cookie({})
    assert space_of(tmp_path, f"{COOKIE}={cookie}").owner == registry.recognition().owner(
        {}, {COOKIE: cookie}
    )


def test_what_is_trained_stands_in_the_queue(tmp_path):
    cookie = Recognition(kept_secret(Store(tmp_path))).cookie({})
    space = space_of(tmp_path, f"{COOKIE}={cookie}")
    run = queued(tmp_path, space, TINY)
    assert [(one.owner, one.item) for one in Turns(Store(tmp_path)).waiting()] == [
        (space.owner, run)
    ]
