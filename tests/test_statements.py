"""The table of the talk's sentences: each rests on something that is there."""

import re
from functools import cache
from pathlib import Path

from explorer.claims import CLAIMS, statements
from explorer.claims.statements import ASKED, PICTURE, RESTS
from explorer.claims.texts import TALK

ROOT = Path(__file__).parents[1]
FILE = re.compile(r"\b(?:assets|tests|targets|theory)/[\w/.-]+\.\w+")


@cache
def table():
    """What takes seconds, which nobody shall wait for who only collects the tests."""
    return [*statements(CLAIMS)]


def test_every_sentence_of_the_talk_rests_on_something():
    assert len(table()) > 90
    assert [each for each in table() if not each.rests] == []


def test_nothing_is_named_of_what_is_not_said_and_every_claim_of_a_step_is_met():
    said = [each.says for each in table()]
    assert [b for b in RESTS if not any(words.startswith(b) for words in said)] == []
    met = {rests for each in table() for rests in each.rests}
    steps = " ".join(said)
    spoken = [each for each in CLAIMS if each.place == TALK and each.rendered() in steps]
    assert len(spoken) > 50
    assert {each.rests for each in spoken} <= met


def test_the_files_that_are_named_are_there():
    named = {name for each in table() for rests in each.rests for name in FILE.findall(rests)}
    assert len(named) > 10
    rooms = (ROOT, ROOT / "explorer")
    assert [name for name in named if not any((room / name).exists() for room in rooms)] == []


def test_a_sentence_of_which_nothing_is_known_is_found():
    """The control: without the register only what the picture or this table says is left."""
    alone = [each for each in statements(()) if not each.rests]
    assert 10 < len(alone) < len(table()) / 2
    assert all(
        set(each.rests) & {ASKED, PICTURE, *RESTS.values()} for each in statements(()) if each.rests
    )


def test_the_table_is_printed(explorer):
    printed = explorer("claims", "--talk", "--json").json["statements"]
    assert [row["says"] for row in printed] == [each.says for each in table()]
    lines = explorer("claims", "--talk").out.strip().split("\n")
    assert len(lines) == len(table()) and lines[0].startswith("1.1 What must a relationship")
