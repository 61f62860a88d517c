"""Whose turn it is: the fair queue of a server that is open to the public.

`python -m explorer.hosting.turns LIMITS` is a worker for the spaces of visitors, in turn.
"""

from __future__ import annotations

import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from explorer.hosting.queue import DAY, FIRST_SECONDS, TURN_SECONDS, Queue, number, waiting_in
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, opened, owners, seen, visitors
from explorer.hosting.visitors import Words
from explorer.runs import jobs
from explorer.runs.database import Busy, StoreError, readable_errors, transaction
from explorer.runs.store import Store
from explorer.runs.worker import main

LOOK_SECONDS = 0.25
GONE = "gone-"
"""How the name of a space begins whose files are being removed."""


class Turns(Queue):
    """The queue of all spaces in a store, and what is made of it: who is served, comes and goes."""

    def __init__(self, commons: Store, limits: Limits | None = None):
        self.commons, self.limits = commons, limits or Limits()
        super().__init__(visitors(commons))
        self.words = Words(visitors(commons))
        self.megabytes, self.seconds = self.limits.memory_megabytes, float(self.limits.seconds)

    def worker(self) -> list[str]:
        """The module of a worker that serves these spaces, and its argument."""
        return ["explorer.hosting.turns", self.limits.model_dump_json()]

    def take(self) -> Space | None:
        """The space of who is served next; its turn is counted."""
        with self.writing() as db:
            served = [one for one in waiting_in(db) if one.running < self.limits.at_once]
            if not served:
                return None
            mine = (served[0].owner, served[0].item)
            db.execute("UPDATE work SET running = 1 WHERE owner = ? AND item = ?", mine)
            number(db, served[0].owner, "served")
        try:
            space = self._opened(served[0].owner)
        except StoreError:  # busy, or damaged: it waits again
            with self.writing() as db:
                db.execute("UPDATE work SET running = 0 WHERE owner = ? AND item = ?", mine)
            raise
        return space or self.take()

    def _opened(self, owner: str) -> Space | None:
        """A space that has work here; who has none any more has no work either."""
        space = opened(self.commons, owner, self.limits)
        if space is None:
            self._forget(owner)
        return space

    def _forget(self, owner: str) -> None:
        with self.writing() as db:
            db.execute("DELETE FROM work WHERE owner = ?", (owner,))

    @contextmanager
    def time_slot(self, space: Space) -> Iterator[Callable[[], bool]]:
        """A time slot of a space that begins now: whether what is at work has to give way."""
        slot = TimeSlot(self, space)
        try:
            yield slot.over
        finally:
            try:
                self.charge(space.owner, time.monotonic() - slot.began)
            finally:
                space.sync()

    def recheck(self, why: str = "") -> None:
        """Copy anew what is said to be at work, as a worker has died; its run says why."""
        with transaction(self.path) as db:
            rows = db.execute("SELECT owner, item FROM work WHERE running").fetchall()
        for row in rows:
            space = self._opened(row["owner"])
            if space is None:
                continue
            space.sync()
            run = space.get(row["item"])
            if run and run.status == "interrupted" and not run.message:
                space.save(run.run, message=why)

    def remove_idle(self) -> list[str]:
        """Remove the spaces in which nothing waits or works and that nobody has visited for as many
        days as the limits say, or for a day where nothing is kept; returns whose they were.

        A space goes at once, by another name, while nobody comes (`welcome`), and then its files; a
        damaged one stays, which its visitor is told.
        """
        yesterday = time.time() - DAY  # before which nothing goes: those are not opened
        old = [each for each in owners(self.commons) if seen(self.commons, each) < yesterday]
        gone = [owner for owner in old if self._remove_idle(owner)]
        self.words.tidy(owners(self.commons))
        for folder in visitors(self.commons).glob(f"{GONE}*"):
            shutil.rmtree(folder, ignore_errors=True)
        return gone

    def _remove_idle(self, owner: str) -> bool:
        with suppress(StoreError):
            space = opened(self.commons, owner)
            return space is not None and self._move_away(space)
        return False

    def _move_away(self, space: Space) -> bool:
        with self.writing() as db:
            days = (time.time() - space.visited()) / DAY
            work = db.execute("SELECT count(*) FROM work WHERE owner = ?", (space.owner,))
            is_idle = days > self.limits.idle_days or (days > 1 and space.is_empty())
            if work.fetchone()[0] or not is_idle:
                return False
            self._rename(space.owner, db)
        self.words.free(space.owner)
        return True

    def _rename(self, owner: str, db: sqlite3.Connection) -> None:
        home = visitors(self.commons) / owner
        with readable_errors(home):
            home.rename(home.with_name(f"{GONE}{owner}-{time.time_ns()}"))
        db.execute("DELETE FROM visitors WHERE owner = ?", (owner,))

    def remove(self, owner: str) -> None:
        """Remove a visitor's space with all that is in it, damaged or not, and the visitor's place.
        Raises StoreError while something is at work there."""
        if (visitors(self.commons) / owner).exists():
            with self.writing() as db:
                query = "SELECT count(*) FROM work WHERE owner = ? AND running"
                if db.execute(query, (owner,)).fetchone()[0]:
                    raise StoreError(f"{owner} is training: block the visitor, and try again")
                db.execute("DELETE FROM work WHERE owner = ?", (owner,))
                self._rename(owner, db)
        self.words.free(owner)
        for folder in visitors(self.commons).glob(f"{GONE}{owner}-*"):
            shutil.rmtree(folder, ignore_errors=True)

    def block(self, owner: str) -> None:
        """Shut a visitor out; what waits or works of theirs stops."""
        self.words.block(owner)
        if space := opened(self.commons, owner):
            for item, *_ in space.active():
                jobs.stop(space, item)
            space.sync()

    def recover(self) -> None:
        """Revive what a dead server has left in the spaces of which something waits or works, and
        bring it into the queue anew; each other space when its visitor comes (`revive`). Raises the
        StoreError of one that is damaged, for which the others do not wait."""
        with transaction(self.path) as db:
            rows = db.execute("SELECT DISTINCT owner FROM work ORDER BY owner").fetchall()
        failed = None
        for row in rows:
            try:
                if space := self._opened(row["owner"]):
                    space.recover()
            except StoreError as error:
                failed = error
                if not isinstance(error, Busy):  # else a worker would try it again and again
                    self._forget(row["owner"])
        if failed:
            raise failed


class TimeSlot:
    """One visitor's time slot at work."""

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


if __name__ == "__main__":
    main(Turns(Store(), Limits.model_validate_json(sys.argv[1])))
