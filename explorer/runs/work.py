"""The table of work: runs and jobs, one state machine (transitions.py) and one lease.

The owner of a run or job holds its lock for as long as it works on it; what says "running" while
its lock is free was interrupted. Killing the owner loses what it did since its last checkpoint.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar, cast

from filelock import FileLock

from explorer.runs import rows
from explorer.runs.database import StoreError, connect, readable_errors, transaction
from explorer.runs.home import Home
from explorer.runs.record import TRAIN, Control, Job, RunRow, Work
from explorer.runs.transitions import RunError, transition

Row = TypeVar("Row", bound=Work)


class Lease(NamedTuple, Generic[Row]):
    """A claimed run or job, its lock held until `release`."""

    row: Row
    lock: FileLock

    def release(self) -> None:
        """Let go of the run."""
        self.lock.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


class WorkTable(Home):
    """What is to be done under one home, and by whom it is done."""

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path)

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self.path, write=True)

    def idle_connection(self) -> AbstractContextManager[sqlite3.Connection]:
        """An idle connection. While one is open, the end of a call does not fold the whole
        write-ahead log back into the database, which would cost milliseconds each time."""
        with readable_errors(self.path):
            db = connect(self.path)
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            return closing(db)

    def work(self, run: str) -> RunRow | Job | None:
        """The run or job of this name; "interrupted" where it says running and nobody holds it."""
        with self._reading() as db:
            row = rows.select(db, run)
        return self._checked(row) if row else None

    def _checked(self, row: Row) -> Row | None:
        if row.status != "running":
            return row
        if self.read_only:  # nobody can be at work on it
            return replace(row, status="interrupted", command=None)
        lock = self.hold(row.run)
        if lock is None:
            return row
        try:
            with self._writing() as db:
                db.execute(
                    "UPDATE work SET status = 'interrupted', command = NULL, pause_at = NULL, "
                    "ended = ? WHERE run = ? AND status = 'running'",
                    (time.time(), row.run),
                )
                return cast(Row | None, rows.select(db, row.run))
        except StoreError:  # true all the same on a disk that is full or read-only
            return replace(row, status="interrupted", command=None)
        finally:
            lock.release()

    def waiting(self, kinds: Sequence[str] = (TRAIN,)) -> list[str]:
        """The queued work of these kinds, the next to begin first: runs before all others."""
        marks = ", ".join("?" * len(kinds))
        query = (
            f"SELECT run FROM work WHERE status = 'queued' AND kind IN ({marks}) "
            f"ORDER BY kind <> '{TRAIN}', queued, rowid"
        )
        with self._reading() as db:
            return [row["run"] for row in db.execute(query, kinds).fetchall()]

    def claim(self, device: str, kinds: Sequence[str] = (TRAIN,)) -> Lease | None:
        """Take what is next of these kinds, as `waiting` has them; None when there is nothing, or
        others were quicker."""
        leases = (self.lease(run, device) for run in self.waiting(kinds))
        return next(filter(None, leases), None)

    def lease(
        self,
        run: str,
        device: str,
        statuses: Sequence[str] = ("queued",),
        seconds: float = 0.0,
        **columns: Any,
    ) -> Lease | None:
        """Lock first, then one UPDATE: only who holds the lock of a run or job may make it running.
        None where it has no such status, or another process holds it for so many `seconds`."""
        lock = self.hold(run, seconds)
        if lock is None:
            return None
        row = None
        try:
            row = self._mark_running(run, device, statuses, columns)
        finally:
            if row is None:
                lock.release()
        return Lease(row, lock) if row else None

    def note_interrupted(self) -> None:
        """Makes it durable what was interrupted."""
        with self._reading() as db:
            running = db.execute("SELECT run FROM work WHERE status = 'running'").fetchall()
        for row in running:
            self.work(row["run"])

    def revive(self) -> list[str]:
        """Let the runs and jobs go on whose worker or server has died, before all that wait: each
        once by itself, and again only after a hand has resumed it. Returns their names."""
        self.note_interrupted()
        with self._writing() as db:
            revived = db.execute(
                "UPDATE work SET status = 'queued', revived = step WHERE status = 'interrupted' "
                "AND queued IS NOT NULL AND revived IS NULL RETURNING run"
            ).fetchall()
        return [row["run"] for row in revived]

    def _mark_running(
        self, run: str, device: str, statuses: Sequence[str], columns: Mapping[str, Any]
    ) -> Work | None:
        with self._writing() as db:
            try:
                row = rows.select(db, run)
            except StoreError as error:  # damaged: the others do not wait for it
                rows.update(db, run, {"status": "failed", "message": str(error)})
                return None
            if row is None or row.status not in statuses:
                return None
            now = {"device": device, "began": time.time(), "began_with": row.step, "ended": None}
            now |= {"status": "running", "command": None, "message": "", **columns}
            rows.update(db, run, now)
            db.execute("UPDATE work SET started = coalesce(started, began) WHERE run = ?", (run,))
            return rows.select(db, run)

    def request(self, run: str, command: str) -> None:
        """Leave a command for a run or job: "pause", "resume", "step" or "stop".

        Raises RunError when it makes no sense for what that is doing.
        """
        asked = self.work(run)  # makes an interruption durable before the command is judged
        if isinstance(asked, RunRow):
            self.quota.command(asked, command)
        with self._writing() as db:
            if (row := rows.select(db, run)) is None:
                raise rows.unknown(run)
            rows.update(db, run, transition(row, command))

    def control(self, run: str) -> Control:
        """What the pages want of this run or job now."""
        with self._reading() as db:
            row = db.execute("SELECT command, watched FROM work WHERE run = ?", (run,)).fetchone()
        if row is None:
            raise RunError(f"{run} is no longer in the store")
        return Control(row["command"], row["watched"])
