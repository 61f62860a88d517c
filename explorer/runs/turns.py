"""Whose turn it is: the fair queue of a server that is open to the public.

A visitor's runs and jobs wait in the visitor's own space; here is a copy of who waits with what,
made anew from the space after every change (`sync`), so that a worker need not look into them all.

No visitor gets a second running job before every waiting visitor has a first; the visitor served
longest ago is next. A running job is preempted at a checkpoint if another visitor has none running:
after FIRST_SECONDS if that visitor waits for a first step, otherwise after TURN_SECONDS.
"""

from __future__ import annotations

import math
import shutil
import sqlite3
import time
from collections.abc import Iterable
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass

from explorer.runs import costs, jobs, maintenance
from explorer.runs.database import StoreError, connect, readable_errors, transaction
from explorer.runs.limits import Limits
from explorer.runs.space import Space, opened, owners, spaces, visitors
from explorer.runs.store import Store
from explorer.spec import SpecError
from explorer.targets import parse

FIRST_SECONDS = 0.5
TURN_SECONDS = 10.0
LOOK_SECONDS = 0.25
DAY = 86400
GONE = "gone-"
"""How the name of a space begins whose files are being removed."""
NO_SPACE = (
    "This server is full ({} visitors). You can explore the examples; training is not available "
    "today."
)

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


class Turns:
    """The queue of all spaces in a store."""

    def __init__(self, commons: Store, limits: Limits | None = None):
        self.commons, self.limits = commons, limits or Limits()
        self.path = visitors(commons) / "turns.sqlite3"
        with readable_errors(self.path):
            self.path.parent.mkdir(exist_ok=True)
            with closing(connect(self.path, "rwc")) as db:
                if not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                    db.execute("PRAGMA journal_mode = WAL")
                    db.executescript(SCHEMA)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path, write=True)

    def sync(self, space: Space) -> None:
        """Copy what waits and works in a space. It is read while nobody else writes here, so that
        the copy made last is of what is true last."""
        with self._writing() as db:
            waited = db.execute("DELETE FROM work WHERE owner = ?", (space.owner,)).rowcount
            found = list(_work_of(space))
            db.execute("INSERT OR IGNORE INTO visitors (owner) VALUES (?)", (space.owner,))
            db.executemany("INSERT INTO work VALUES (?, ?, ?, ?, ?, ?)", found)
            if found and not waited:
                _number(db, space.owner, "joined")

    def waiting(self) -> list[Waiting]:
        """All that waits, the next to be served first."""
        with transaction(self.path) as db:
            return _waiting(db)

    def position(self, owner: str, item: str) -> int | None:
        """1 for the next to be served; None for what does not wait."""
        place = self._place(owner, item)
        return place and place[0]

    def wait(self, owner: str, item: str) -> float | None:
        """Seconds until it is served, about: those before it each have a turn first."""
        place = self._place(owner, item)
        return place and place[1]

    def _place(self, owner: str, item: str) -> tuple[int, float] | None:
        for place, one in enumerate(waiting := self.waiting()):
            if (one.owner, one.item) == (owner, item):
                turn = FIRST_SECONDS if one.fresh else TURN_SECONDS
                before = (min(other.seconds, turn) for other in waiting[:place])
                return place + 1, sum(before, turn)  # and who is at work has one
        return None

    def take(self) -> Space | None:
        """The space of who is served next; its turn is counted."""
        with self._writing() as db:
            served = [one for one in _waiting(db) if one.running < self.limits.at_once]
            if not served:
                return None
            mine = (served[0].owner, served[0].item)
            db.execute("UPDATE work SET running = 1 WHERE owner = ? AND item = ?", mine)
            _number(db, served[0].owner, "served")
        space = self._opened(served[0].owner)
        return space or self.take()

    def _opened(self, owner: str) -> Space | None:
        """A space that has work here; who has none any more has no work either."""
        space = opened(self.commons, owner, self.limits)
        if space is None:
            with self._writing() as db:
                db.execute("DELETE FROM work WHERE owner = ?", (owner,))
        return space

    def turn(self, space: Space) -> Turn:
        """A turn that begins now."""
        return Turn(self, space)

    def recheck(self, why: str = "") -> None:
        """Copy anew what is said to be at work, as a worker has died; its run says why."""
        with transaction(self.path) as db:
            found = db.execute("SELECT owner, item FROM work WHERE running").fetchall()
        for row in found:
            space = self._opened(row["owner"])
            if space is None:
                continue
            self.sync(space)
            run = space.get(row["item"])
            if run and run.status == "interrupted" and not run.message:
                space.save(run.run, message=why)

    def welcome(self, owner: str) -> Space:
        """The space of a visitor who comes now, made where it is not there; it is not removed for
        days. Raises StoreError for one visitor too many."""
        with self._writing():
            folder = visitors(self.commons) / owner
            if not folder.is_dir() and len(owners(self.commons)) >= self.limits.spaces:
                raise StoreError(NO_SPACE.format(self.limits.spaces))
            space = Space(self.commons, owner, self.limits, make=True)
            space.visit()
        return space

    def remove_idle(self) -> list[str]:
        """Remove the spaces in which nothing waits or works and that nobody has visited for as many
        days as the limits say, or for a day where nothing is kept; returns whose they were.

        A space goes at once, by another name, while nobody comes (`welcome`), and then its files.
        """
        gone = [space.owner for space in spaces(self.commons) if self._move_away(space)]
        for folder in visitors(self.commons).glob(f"{GONE}*"):
            shutil.rmtree(folder, ignore_errors=True)
        return gone

    def _move_away(self, space: Space) -> bool:
        with self._writing() as db:
            days = (time.time() - space.visited()) / DAY
            work = db.execute("SELECT count(*) FROM work WHERE owner = ?", (space.owner,))
            is_idle = days > self.limits.idle_days or (days > 1 and space.is_empty())
            if work.fetchone()[0] or not is_idle:
                return False
            with readable_errors(space.home):
                space.home.rename(space.home.with_name(f"{GONE}{space.owner}-{time.time_ns()}"))
            db.execute("DELETE FROM visitors WHERE owner = ?", (space.owner,))
        return True

    def recover(self) -> None:
        """Revive what a dead server has left in all spaces, and bring them into the queue. Raises
        the StoreError of one that is damaged, for which the others do not wait."""
        failed = None
        for owner in owners(self.commons):
            try:
                if space := opened(self.commons, owner):
                    maintenance.recover(space)
                    self.sync(space)
            except StoreError as error:
                failed = error
        if failed:
            raise failed

    def held(self, owner: str) -> tuple[int, int]:
        """How much waits or works of an owner, and of everybody."""
        with transaction(self.path) as db:
            query = "SELECT total(owner = ?), count(*) FROM work"
            mine, everybody = db.execute(query, (owner,)).fetchone()
        return int(mine), everybody

    def spent(self, owner: str) -> float:
        """Seconds of training that an owner has had today."""
        with transaction(self.path) as db:
            query = "SELECT total(seconds) FROM visitors WHERE owner = ? AND day = ?"
            return db.execute(query, (owner, _today())).fetchone()[0]

    def charge(self, owner: str, seconds: float) -> None:
        """Count seconds of training."""
        with self._writing() as db:
            db.execute(
                "UPDATE visitors SET seconds = ? + iif(day = ?, seconds, 0), day = ? "
                "WHERE owner = ?",
                (seconds, _today(), _today(), owner),
            )

    def counts(self) -> dict[str, int]:
        """How many pieces of work are queued and running."""
        with transaction(self.path) as db:
            found = db.execute("SELECT count(*), total(running) FROM work").fetchone()
        return {"queued": found[0] - int(found[1]), "running": int(found[1])}


class Turn:
    """One visitor's turn at work."""

    def __init__(self, turns: Turns, space: Space):
        self.turns, self.space = turns, space
        self.began = self.looked = time.monotonic()

    def over(self) -> bool:
        """Whether what is at work has to give way now; looked up a few times a second."""
        now = time.monotonic()
        if now - self.looked < LOOK_SECONDS:
            return False
        self.looked = now
        try:
            waiting = self.turns.waiting()
        except StoreError:  # asked again in a moment
            return False
        others = [one for one in waiting if not one.ahead and one.owner != self.space.owner]
        fresh = any(one.fresh for one in others)
        return bool(others) and now - self.began >= (FIRST_SECONDS if fresh else TURN_SECONDS)

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *_: object) -> None:
        self.turns.charge(self.space.owner, time.monotonic() - self.began)
        self.turns.sync(self.space)


def _today() -> int:
    return int(time.time() // DAY)


def _waiting(db: sqlite3.Connection) -> list[Waiting]:
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


def _number(db: sqlite3.Connection, owner: str, column: str) -> None:
    """The next number, of those who join and those who are served alike."""
    db.execute(
        f"UPDATE visitors SET {column} = "
        "(SELECT 1 + max(max(joined), max(served)) FROM visitors) WHERE owner = ?",
        (owner,),
    )


def _work_of(space: Space) -> Iterable[tuple[str, str, int, bool, bool, float]]:
    """Rows of the table of work, runs before jobs, as a worker takes them."""
    with transaction(space.path) as db:
        runs = db.execute(
            "SELECT run AS item, status, step AS done, steps, spec FROM runs "
            "WHERE status IN ('queued', 'running') ORDER BY queued, rowid"
        ).fetchall()
        asked = db.execute(
            "SELECT job AS item, status, done FROM jobs "
            "WHERE status IN ('queued', 'running') ORDER BY queued, rowid"
        ).fetchall()
    for place, row in enumerate([*runs, *asked]):
        running = row["status"] == "running"
        if running:  # unless its worker has died
            now = space.get(row["item"]) if place < len(runs) else jobs.get(space, row["item"])
            if now is None or now.status != "running":
                continue
        yield space.owner, row["item"], place, running, row["done"] == 0, _left(row)


def _left(row: sqlite3.Row) -> float:
    """Seconds that a run has to go; of a job a turn is all that is known."""
    with suppress(SpecError, IndexError):
        return costs.seconds_of_step(parse(row["spec"])) * (row["steps"] - row["done"])
    return TURN_SECONDS
