"""Who waits on a server that is open to the public, with what, and what they have had: one small
database for all visitors. Runs and jobs wait in the space of each; here is a copy, made anew from
the space after every change (`sync`), so that a worker need not look into them all.

No visitor gets a second running job before every waiting visitor has a first; the visitor served
longest ago is next. A running job is preempted at a checkpoint if another visitor has none running:
after FIRST_SECONDS if that visitor waits for a first step, otherwise after TURN_SECONDS.
"""

import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer.runs.database import create, transaction

FIRST_SECONDS = 0.5
TURN_SECONDS = 10.0
DAY = 86400

SCHEMA = """
BEGIN;
CREATE TABLE IF NOT EXISTS visitors (
    owner TEXT PRIMARY KEY, joined INTEGER NOT NULL DEFAULT 0, served INTEGER NOT NULL DEFAULT 0,
    day INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS work (
    owner TEXT NOT NULL, item TEXT NOT NULL, place INTEGER NOT NULL, running INTEGER NOT NULL,
    fresh INTEGER NOT NULL, seconds REAL NOT NULL, PRIMARY KEY (owner, item)) WITHOUT ROWID;
COMMIT;
"""


@dataclass(frozen=True)
class Waiting:
    """A piece of work that waits.

    `place` counts those of its owner before it that wait, too, `running` those at work; `joined`
    and `served` are the numbers under which its owner began to wait and had a turn last, 0 for
    none; `fresh` work has had no step; it has `seconds` to go.
    """

    owner: str
    item: str
    place: int
    running: int
    joined: int
    served: int
    fresh: bool
    seconds: float = math.inf

    @property
    def ahead(self) -> int:
        """How much of its owner's comes before it, waiting or at work."""
        return self.place + self.running


def in_order(waiting: Iterable[Waiting]) -> list[Waiting]:
    """The next to be served first: everybody's first before anybody's second, and among these
    whoever was served longest ago, then whoever came first."""
    return sorted(waiting, key=lambda one: (one.ahead, one.served, one.joined, one.owner))


class Queue:
    """The queue of all spaces, in the folder that holds them."""

    def __init__(self, folder: Path):
        self.path = folder / "turns.sqlite3"
        create(self.path, SCHEMA)

    def writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """While nobody else does."""
        return transaction(self.path, write=True)

    def waiting(self) -> list[Waiting]:
        """All that waits, the next to be served first."""
        with transaction(self.path) as db:
            return waiting_in(db)

    def place(self, owner: str, item: str) -> tuple[int, float] | None:
        """1 for the next to be served, and about how many seconds until then: those before it each
        have a turn first, and who is at work has one. None for what does not wait."""
        for place, one in enumerate(waiting := self.waiting()):
            if (one.owner, one.item) == (owner, item):
                slot_seconds = FIRST_SECONDS if one.fresh else TURN_SECONDS
                before = (min(other.seconds, slot_seconds) for other in waiting[:place])
                return place + 1, sum(before, slot_seconds)
        return None

    def sync(self, owner: str, active: Callable[[], Iterable[tuple[Any, ...]]]) -> None:
        """Copy what is `active` in a space: rows of item, running, fresh and seconds. It is read
        while nobody else writes here, so that the copy made last is of what is true last."""
        with self.writing() as db:
            waited = db.execute("DELETE FROM work WHERE owner = ?", (owner,)).rowcount
            rows = [(owner, item, at, *rest) for at, (item, *rest) in enumerate(active())]
            db.execute("INSERT OR IGNORE INTO visitors (owner) VALUES (?)", (owner,))
            db.executemany("INSERT INTO work VALUES (?, ?, ?, ?, ?, ?)", rows)
            if rows and not waited:
                number(db, owner, "joined")

    def held(self, *owners: str) -> tuple[int, int]:
        """How much waits or works of these owners, and of everybody."""
        with transaction(self.path) as db:
            query = "SELECT total(owner IN (SELECT value FROM json_each(?))), count(*) FROM work"
            theirs, everybody = db.execute(query, (json.dumps(owners),)).fetchone()
        return int(theirs), everybody

    def spent(self, *owners: str) -> float:
        """Seconds of training that these owners have had today."""
        with transaction(self.path) as db:
            query = (
                "SELECT total(seconds) FROM visitors "
                "WHERE owner IN (SELECT value FROM json_each(?)) AND day = ?"
            )
            return db.execute(query, (json.dumps(owners), _today())).fetchone()[0]

    def charge(self, owner: str, seconds: float) -> None:
        """Count seconds of training."""
        with self.writing() as db:
            db.execute(
                "UPDATE visitors SET seconds = ? + iif(day = ?, seconds, 0), day = ? "
                "WHERE owner = ?",
                (seconds, _today(), _today(), owner),
            )

    def counts(self) -> dict[str, int]:
        """How many pieces of work are queued and running."""
        with transaction(self.path) as db:
            row = db.execute("SELECT count(*), total(running) FROM work").fetchone()
        return {"queued": row[0] - int(row[1]), "running": int(row[1])}


def _today() -> int:
    return int(time.time() // DAY)


def waiting_in(db: sqlite3.Connection) -> list[Waiting]:
    """All that waits, the next to be served first."""
    rows = db.execute(
        "SELECT owner, item, fresh, work.seconds, joined, served, "
        "row_number() OVER (PARTITION BY owner ORDER BY place) - 1 AS place, "
        "(SELECT total(running) FROM work AS own WHERE own.owner = work.owner) AS running "
        "FROM work JOIN visitors USING (owner) WHERE NOT work.running"
    ).fetchall()
    return in_order(
        Waiting(**{**row, "running": int(row["running"]), "fresh": bool(row["fresh"])})
        for row in map(dict, rows)
    )


def number(db: sqlite3.Connection, owner: str, column: str) -> None:
    """The next number, of those who join and those who are served alike."""
    db.execute(
        f"UPDATE visitors SET {column} = "
        "(SELECT 1 + max(max(joined), max(served)) FROM visitors) WHERE owner = ?",
        (owner,),
    )
