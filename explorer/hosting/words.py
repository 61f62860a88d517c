"""Class words: who may train, keep and upload on a server that is open to the public.

A word is told to a class. It lets in as many visitors as it has places, until it expires or is
revoked. The database visitors/words.sqlite3 has a hash of each word, and a row for each place that
is taken: a visitor without a word is in no row.
"""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import threading
import time
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from explorer.runs.database import connect, create, readable_errors, transaction

SIGNS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Of a word: none looks like another."""
LENGTH = 10
"""Signs of a word, 50 bits: nobody guesses one, whom `page_seconds` bounds."""
LONGEST = 80
"""Characters of a word's name."""
DAY = 86400
Standing = Literal["in", "out", "blocked"]
"""With a place of a word; without one; shut out by whoever runs the server."""

SCHEMA = """
BEGIN;
CREATE TABLE IF NOT EXISTS words (
    name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, places INTEGER NOT NULL,
    expires REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS places (
    owner TEXT PRIMARY KEY, word TEXT NOT NULL, since REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS blocked (owner TEXT PRIMARY KEY) WITHOUT ROWID;
COMMIT;
"""
UNKNOWN = "No class has this word. Check it for a missing letter, or ask whoever gave it to you."
EXPIRED = "This word was valid until {:%Y-%m-%d}. Ask whoever gave it to you for a new one."
TAKEN = "All {} places of this word are taken. Ask whoever gave it to you for more."
BLOCKED = "Whoever runs this server has blocked this visitor."
NEEDED = (
    "training, keeping and uploading on this server needs the word of a class; on Train and "
    "Rates everybody can train in their browser"
)


class WordError(ValueError):
    """A word that lets nobody in, or a name that cannot be used, in a sentence."""


@dataclass(frozen=True)
class Word:
    """A word by its name: its places, those taken, and when it expires, in epoch seconds."""

    name: str
    places: int
    taken: int
    expires: float


def words_in(folder: Path) -> Path:
    """The database in the folder of all spaces."""
    return folder / "words.sqlite3"


class Words:
    """The words of a server and who has a place, in the folder of all spaces."""

    def __init__(self, folder: Path):
        self.path = words_in(folder)
        create(self.path, SCHEMA)
        self._open: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path, write=True)

    # What the operator does

    def add(self, name: str, places: int, expires: float) -> str:
        """A new word, which is told now and never again. Raises WordError for a name in use."""
        if not 0 < len(name) <= LONGEST or not name.isprintable():
            raise WordError(f"{name[:LONGEST]!r} is no name: 1 to {LONGEST} printed characters")
        word = "".join(secrets.choice(SIGNS) for _ in range(LENGTH))
        with self._writing() as db:
            if db.execute("SELECT 1 FROM words WHERE name = ?", (name,)).fetchone():
                raise WordError(f"there is a word named {name!r} already: revoke it first")
            row = name, _hash(word), places, expires
            db.execute("INSERT INTO words VALUES (?, ?, ?, ?)", row)
        return f"{word[:5]}-{word[5:]}"

    def revoke(self, name: str) -> None:
        """Nobody is let in by it any more, and who was trains no longer. Raises WordError."""
        with self._writing() as db:
            if not db.execute("DELETE FROM words WHERE name = ?", (name,)).rowcount:
                raise WordError(f"there is no word named {name[:LONGEST]!r}")
            db.execute("DELETE FROM places WHERE word = ?", (name,))

    def list(self) -> list[Word]:
        """All words, by name."""
        query = (
            "SELECT name, places, (SELECT count(*) FROM places WHERE word = name) AS taken, "
            "expires FROM words ORDER BY name"
        )
        with transaction(self.path) as db:
            return [Word(**dict(row)) for row in db.execute(query).fetchall()]

    def taken(self) -> dict[str, str]:
        """The name of the word of each visitor with a place."""
        with transaction(self.path) as db:
            return dict(map(tuple, db.execute("SELECT owner, word FROM places").fetchall()))

    def blocked(self) -> set[str]:
        """Who is shut out."""
        with transaction(self.path) as db:
            return {owner for (owner,) in db.execute("SELECT owner FROM blocked").fetchall()}

    def block(self, owner: str, is_blocked: bool = True) -> None:
        """Shut a visitor out, or no longer."""
        with self._writing() as db:
            db.execute("DELETE FROM blocked WHERE owner = ?", (owner,))
            if is_blocked:
                db.execute("INSERT INTO blocked VALUES (?)", (owner,))

    def free(self, owner: str) -> None:
        """A visitor's place is the next one's."""
        with self._writing() as db:
            db.execute("DELETE FROM places WHERE owner = ?", (owner,))

    def tidy(self, kept: Collection[str]) -> None:
        """The places of visitors who have `kept` nothing a day after they came are free again."""
        with self._writing() as db:
            old = db.execute("SELECT owner FROM places WHERE since < ?", (time.time() - DAY,))
            gone = [(owner,) for (owner,) in old.fetchall() if owner not in kept]
            db.executemany("DELETE FROM places WHERE owner = ?", gone)

    # What a visitor does

    def enter(self, owner: str, word: str) -> None:
        """Take a place by a word; who has one of it keeps it. Raises WordError."""
        now = time.time()
        with self._writing() as db:
            query = "SELECT name, places, expires FROM words WHERE hash = ?"
            found = db.execute(query, (_hash(word),)).fetchone()
            if not found:
                raise WordError(UNKNOWN)
            name, places, expires = found
            if expires <= now:
                raise WordError(EXPIRED.format(datetime.fromtimestamp(expires - 1, UTC)))
            query = "SELECT count(*), total(owner = ?) FROM places WHERE word = ?"
            taken, mine = db.execute(query, (owner, name)).fetchone()
            if not mine and taken >= places:
                raise WordError(TAKEN.format(places))
            if not mine:
                db.execute("REPLACE INTO places VALUES (?, ?, ?)", (owner, name, now))

    def standing(self, owner: str) -> Standing:
        """Whether a visitor has a place now."""
        query = (
            "SELECT (SELECT 1 FROM blocked WHERE owner = :owner) AS blocked, "
            "(SELECT 1 FROM places JOIN words ON word = name "
            "WHERE owner = :owner AND expires > :now) AS placed"
        )
        (row,) = self._read(query, {"owner": owner, "now": time.time()})
        return "blocked" if row["blocked"] else "in" if row["placed"] else "out"

    def of(self, owner: str) -> str:
        """The name of a visitor's word; "" without one."""
        found = self._read("SELECT word FROM places WHERE owner = :owner", {"owner": owner})
        return found[0]["word"] if found else ""

    def _read(self, query: str, values: Mapping[str, Any]) -> list[sqlite3.Row]:
        """By one connection that stays open: a page asks ten times who its visitor is, and opening
        one would take longer than all else."""
        with readable_errors(self.path), self._lock:
            if self._open is None:
                self._open = connect(self.path, any_thread=True)
            return self._open.execute(query, values).fetchall()

    def fellows(self, owner: str) -> tuple[str, ...]:
        """Who has a place of the same word, this visitor among them; none for who has no word."""
        query = "SELECT owner FROM places WHERE word = (SELECT word FROM places WHERE owner = ?)"
        with transaction(self.path) as db:
            return tuple(each for (each,) in db.execute(query, (owner,)).fetchall())


def _hash(word: str) -> str:
    """Of what was typed, however it is spaced."""
    signs = "".join(sign for sign in word.upper()[:LONGEST] if sign.isalnum())
    return hashlib.sha256(signs.encode()).hexdigest()
