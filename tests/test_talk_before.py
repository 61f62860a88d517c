"""A deck made beside one of before: the same file, and what did not change is not drawn again."""

import json
import os
import re
import time

import pytest

from explorer.pages.talk import decks
from explorer.pages.talk.before import Before
from explorer.pages.talk.deck import build
from explorer.pages.talk.scenes import read_talk
from explorer.runs.database import open_database
from explorer.spec import CouplingSpec
from explorer.ui import page_file

pytestmark = pytest.mark.usefixtures("one_thread")
TRAIN = {"title": "Live", "address": "train?run=asset-cliff-6", "steps": [{"words": "Kept."}]}
CHOICES = {str(m_h): {"spec": {"m_h": m_h}} for m_h in (3, 2)}
STEEPER = {"spec": {"alpha": 2}}
"""It has the first step as its ghost, and the scene axes that hold both."""
DESIGN = {
    "title": "A coupling",
    "address": 'design?spec={"rank":6,"m_h":6}',
    "steps": [{"words": "All.", "panels": ["maps"]}, {"words": "Steeper.", "change": STEEPER}],
    "ready": {"words": "turn", "letter": "m_h", "choices": CHOICES},
}
TEXT = {"title": "Words", "kind": "text", "steps": [{"words": "None."}]}
SCENES = [DESIGN, TRAIN, TEXT]


def talk(*scenes):
    return read_talk(json.dumps({"version": 1, "title": "T", "scenes": scenes}))


@pytest.fixture
def before(tmp_path):
    """What a deck of these scenes holds, and the addresses that are drawn from then on."""
    (tmp_path / "deck.html").write_bytes(build(talk(*SCENES), before=Before([], "now")))
    return Before([tmp_path], "now")


@pytest.fixture
def drawn(monkeypatch):
    pages, draw = [], page_file.drawn
    monkeypatch.setattr(page_file, "drawn", lambda *view: (pages.append(view[0]), draw(*view))[1])
    return pages


def with_step(scene, **fields):
    first, *others = scene["steps"]
    return {**scene, "steps": [{**first, **fields}, *others]}


@pytest.mark.parametrize(
    ("scenes", "pages"),
    [
        (SCENES, []),
        ([TEXT, TRAIN, DESIGN], []),
        ([with_step(DESIGN, words="Other words.", notes="slowly"), TRAIN], []),
        ([with_step(DESIGN, panels=["row"]), TRAIN, TEXT], ["design"] * 2),
        ([{**DESIGN, "address": 'design?spec={"rank":3}'}, TRAIN], ["design"] * 4),
        ([DESIGN, with_step(TRAIN, live=True)], ["train"]),
    ],
    ids=["same", "moved", "worded", "another picture", "another scene", "live"],
)
def test_a_deck_is_the_same_whatever_is_taken_from_one_of_before(before, drawn, scenes, pages):
    made = build(talk(*scenes), before=before)
    assert drawn == pages
    assert made == build(talk(*scenes), before=Before([], "now"))


def test_what_trains_live_and_cannot_in_a_browser_is_not_drawn_again(tmp_path, drawn):
    live = {"title": "T", "address": "memory?run=asset-memory-jumps", "steps": TRAIN["steps"]}
    live = talk(with_step(live, live=True))
    (tmp_path / "deck.html").write_bytes(build(live, before=Before([], "now")))
    drawn.clear()
    build(live, before=Before([tmp_path], "now"))
    assert drawn == []


def test_of_another_state_nothing_is_taken(before, tmp_path, drawn):
    build(talk(*SCENES), before=Before([tmp_path], "later"))
    assert sorted(set(drawn)) == ["design", "train"]


def test_the_state_is_another_once_the_store_or_the_code_is(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    decks.registry.store()
    states = [decks.state()]
    decks.keep(talk(TEXT))
    assert decks.state() == states[0], "no talk that is kept changes what pages show"
    open_database(tmp_path / "store.sqlite3")
    assert decks.state() == states[0], "nor who reads"
    decks.registry.store().create(CouplingSpec(steps=20))
    states.append(decks.state())
    monkeypatch.setattr(decks, "_age_of_the_code", lambda interval: 0)
    states.append(decks.state())
    assert len(set(states)) == 3


def test_what_python_compiles_makes_the_code_no_newer(monkeypatch, tmp_path):
    monkeypatch.setattr(decks, "PACKAGE", tmp_path)
    compiled = tmp_path / "__pycache__" / "deck.cpython-311.pyc"
    compiled.parent.mkdir()
    for file, newest in ((compiled, False), (tmp_path / "deck.py", True)):
        file.touch()
        os.utime(file, ns=(later := time.time_ns() + 10**12, later))
        assert (decks._age_of_the_code.__wrapped__(0) == later) is newest


def test_what_was_edited_is_made_beside_the_decks_that_are_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    deck = build(talk(DESIGN), before=Before([], decks.state())).decode()
    badge = re.search('"badge":"([^"]+)"', deck)[1]
    (tmp_path / "talks").mkdir()
    marked = deck.replace(f'"badge":"{badge}"', '"badge":"of before"')
    (tmp_path / "talks" / "deck.html").write_text(marked, "utf-8")
    decks.keep(talk(with_step(DESIGN, words="Other words.")))
    while (file := decks.deck(decks.MINE)) is None:
        time.sleep(0.02)
    made = file.read_text("utf-8")
    assert "Other words." in made and made.count("of before") == marked.count("of before") > 0
