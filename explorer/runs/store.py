"""The store: every run of this machine, shared by pages, workers and the command line.

One SQLite file, checkpoints and uploaded grids beside it, kernel locks for who is at work (`home`).

What is to be done, and who does it, is in the table of work (work.py).
"""

from __future__ import annotations

import builtins
import sqlite3
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from filelock import FileLock

from explorer.runs import files, rows
from explorer.runs.database import Busy, StoreError, best_effort_write, patient_write
from explorer.runs.record import RESUMABLE, TRAIN, Job, Record, RunRow
from explorer.runs.transitions import RunError, at_rest, transition
from explorer.runs.work import Lease, Row, WorkTable
from explorer.spec import AnySpec

MAX_NAME = 80
CLAIM_SECONDS = 0.5  # a page that looks whether a run was interrupted holds its lock for a moment


class Store(WorkTable):
    """The runs under one home. Cheap to share: every call opens a connection of its own."""

    def create(self, spec: AnySpec, status: str = "queued", name: str = "") -> str:
        """A new run of a specification; returns its id. status is "queued" or "paused"."""
        if status not in ("queued", "paused"):
            raise RunError(f"a new run is queued or paused, not {status}")
        self.quota.run(spec)
        with self._writing() as db:
            run = rows.next_run_id(db, spec)
            rows.insert(db, run, spec, {"status": status, "name": name[:MAX_NAME]})
        return run

    def start(self, spec: AnySpec, device: str, name: str = "") -> Lease[RunRow]:
        """A new run that this process trains itself, without the queue."""
        self.quota.run(spec)
        with self._writing() as db:
            run, lock = self._reserve(db, spec)
            columns = {"status": "running", "device": device, "started": time.time()}
            rows.insert(db, run, spec, columns | {"name": name[:MAX_NAME]})
            row = rows.require(db, run)
        return Lease(row, lock)

    def _reserve(self, db: sqlite3.Connection, spec: AnySpec) -> tuple[str, FileLock]:
        """A fresh id, and its lock."""
        run = rows.next_run_id(db, spec)
        lock = self.hold(run)
        if lock is None:
            raise RunError(f"the lock of the new run {run} is taken; try again")
        return run, lock

    def add(
        self,
        spec: AnySpec,
        columns: Mapping[str, Any],
        history: Iterable[tuple],
        snapshots: Iterable[tuple],
        checkpoint: tuple[str, bytes] | None = None,
    ) -> str:
        """A run brought from elsewhere (see `archive`), under a fresh id.

        Its file is on the disk before the row names it, and nobody else waits for that.
        """
        self.quota.brought(spec)
        with self._writing() as db:
            run, lock = self._reserve(db, spec)
        try:
            if checkpoint:
                name, data = checkpoint
                files.write_durably(self.folder(run) / name, data)
                columns = {**columns, "checkpoint": name}
            with self._writing() as db:
                rows.insert(db, run, spec, columns)
                rows.add(db, run, history, snapshots)
            self.flush()
        except BaseException:
            self.remove_files(run)
            raise
        finally:
            lock.release()
        return run

    def get(self, run: str) -> RunRow | None:
        """The run, or None when this store has no such run."""
        row = self.work(run)
        return row if isinstance(row, RunRow) else None

    def list(self, limit: int = 200) -> list[RunRow]:
        """The runs that came into this store last, those first."""
        return self._newest(RunRow, [TRAIN], limit)

    def jobs(self, kinds: Sequence[str], limit: int = 200) -> list[Job]:
        """The same of the jobs of these kinds."""
        return self._newest(Job, kinds, limit)

    def _newest(self, row_type: type[Row], kinds: Sequence[str], limit: int) -> builtins.list[Row]:
        marks = ", ".join("?" * len(kinds))
        query = f"SELECT * FROM work WHERE kind IN ({marks}) ORDER BY rowid DESC LIMIT ?"
        with self._reading() as db:
            raw_rows = db.execute(query, (*kinds, limit)).fetchall()
        return [row for each in raw_rows if (row := self._checked(row_type.from_columns(each)))]

    def finished(self, fields: Mapping[str, Any]) -> list[RunRow]:
        """The finished runs whose specification has these values, the newest first."""
        with self._reading() as db:
            return rows.finished(db, fields)

    def rename(self, run: str, name: str) -> None:
        """Give a run a name of at most 80 characters."""
        with self._writing() as db:
            rows.require(db, run)
            rows.update(db, run, {"name": name[:MAX_NAME]})

    def delete(self, run: str) -> None:
        """Forget a run and its files; refused while a process works on it."""
        with self._reading() as db:
            rows.check_exists(db, run)
        lock = self.hold(run, CLAIM_SECONDS)
        if lock is None:
            raise RunError(f"cannot delete {run}: it is running; stop it first")
        try:
            self._forget(run)
        except Busy:
            raise
        except StoreError:  # a full disk has room once the files are gone
            self.remove_files(run)
            self._forget(run)
        finally:
            lock.release()
        self.remove_lock(run)

    def _forget(self, run: str) -> None:
        """The row first, for good: `maintenance.tidy` removes files that a crash leaves."""
        with self._writing() as db:
            rows.remove(db, run)
        self.flush()
        self.remove_files(run)

    def queue_place(self, run: str) -> tuple[int, float | None] | None:
        """1 for the next run to start, and the seconds until then where they are known; None when
        the run is not waiting."""
        waiting = self.waiting()
        return (waiting.index(run) + 1, None) if run in waiting else None

    def counts(self) -> dict[str, tuple[int, int]]:
        """How many runs have a status, and the steps they have made."""
        query = "SELECT status, COUNT(*), SUM(step) FROM work WHERE kind = ? GROUP BY status"
        with self._reading() as db:
            groups = db.execute(query, (TRAIN,)).fetchall()
        return {status: (runs, steps) for status, runs, steps in groups}

    def take(self, run: str, device: str) -> Lease[RunRow]:
        """Take a given run, queued or not, to train it in this process.

        Raises RunError when it cannot be resumed, or another process works on it.
        """
        row = self.get(run)
        if row is None or row.status != "queued":
            with self._reading() as db:
                transition(rows.require(db, run), "resume")
        lease = self.lease(run, device, ("queued", *RESUMABLE), CLAIM_SECONDS, queued=None)
        if lease is None:
            raise RunError(f"another process works on {run}")
        return lease

    def watch(self, run: str) -> None:
        """Say that somebody looks at a run now, about once a second, unless others are writing."""
        with suppress(Busy), best_effort_write(self.path) as db:
            rows.update(db, run, {"watched": time.time()})

    def read(self, run: str) -> Record:
        """The run with its curves; raises RunError when it is not in this store."""
        row = self.get(run)
        if row is None:
            raise rows.unknown(run)
        return self.record(row)

    def record(self, row: RunRow, since: int = 0) -> Record:
        """A run of which the row has just been read, with its curves after a step."""
        with self._reading() as db:
            steps, losses = rows.columns(db, "history", "step, loss", row.run, since)
            snapshot_steps, *errors = rows.columns(
                db, "snapshots", "step, nmse, mse, mae", row.run, since
            )
        return Record(
            row, steps, losses, snapshot_steps, *errors, frame=partial(self._frame, row.run)
        )

    def _frame(self, run: str, step: int) -> bytes:
        """A kept picture; raises RunError where the run has gone, KeyError for another step."""
        with self._reading() as db:
            rows.check_exists(db, run)
            row = db.execute(
                "SELECT frame FROM snapshots WHERE run = ? AND step = ?", (run, step)
            ).fetchone()
        if row is None:
            raise KeyError(step)
        return row["frame"]

    def latest_snapshot(self, run: str) -> tuple[int, bytes] | None:
        """The last step with a kept picture, and that picture, packed."""
        with self._reading() as db:
            row = db.execute(
                "SELECT step, frame FROM snapshots WHERE run = ? ORDER BY step DESC LIMIT 1", (run,)
            ).fetchone()
        return (row["step"], row["frame"]) if row else None

    def live(self, run: str) -> tuple[int, bytes] | None:
        """Number and packed frame of the newest live frame."""
        with self._reading() as db:
            row = db.execute("SELECT seq, frame FROM live WHERE run = ?", (run,)).fetchone()
        return (row["seq"], row["frame"]) if row else None

    def publish(self, run: str, frame: bytes) -> None:
        """Put the newest live frame in place of the one before, unless others are writing: no
        picture is worth a wait."""
        with suppress(Busy), best_effort_write(self.path) as db:
            db.execute(
                "INSERT INTO live (run, seq, frame) VALUES (?, 1, ?) "
                "ON CONFLICT DO UPDATE SET seq = seq + 1, frame = excluded.frame",
                (run, frame),
            )

    def save(
        self,
        run: str,
        history: Iterable[tuple] = (),
        snapshots: Iterable[tuple] = (),
        **columns: Any,
    ) -> RunRow:
        """Rows and columns of a run in one transaction; returns the row after it.

        history: (step, loss); snapshots: (step, nmse, mse, mae, frame). With a `status`, the owner
        lets go of the run (see `transitions.at_rest`). A busy store is waited for, for minutes.
        """
        with patient_write(self.path) as db:
            rows.add(db, run, history, snapshots)
            if "status" in columns:
                columns |= at_rest(rows.require(db, run), columns["status"])
            rows.update(db, run, columns)
            return rows.require(db, run)

    def rewind(self, run: str, step: int, **columns: Any) -> None:
        """Drop what was kept after a step, before the run goes on from there."""
        with patient_write(self.path) as db:
            for table in ("history", "snapshots"):
                db.execute(f"DELETE FROM {table} WHERE run = ? AND step > ?", (run, step))
            rows.update(db, run, {"step": step, **columns})
