"""Work asked of a worker that is no run: a sweep, its rank-optimal kernels, the surgery of a run,
a model that is fetched or brought, what one does with a text or picture, whole or with heads cut.

Each kind of work on each subject is one row: asked for again it is the same job, which goes on or
is there already. The subject of a surgery is a checkpoint: of a run that has gone on it is another
one. Its owner holds a lock, as that of a run does.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from explorer.runs.database import Busy, patient_write, readable_rows, transaction
from explorer.runs.locks import hold
from explorer.runs.record import RunRow
from explorer.runs.store import Store

Kind = Literal["sweep", "optimum", "surgery", "fetch", "import", "look", "cut", "order"]
AT_WORK = ("queued", "running")
Lane = Literal["training", "short", "bring"]
BESIDE: Mapping[Lane, tuple[Kind, ...]] = {
    "short": ("look", "cut", "order"),
    "bring": ("fetch", "import"),
}
"""What waits for no training, by the lane whose worker does it: what is done in seconds, while
somebody waits; and models that come."""


def lane_of(kind: str) -> Lane:
    """Whose worker does it."""
    for lane, kinds in BESIDE.items():
        if kind in kinds:
            return lane
    return "training"


@dataclass(frozen=True)
class Job:
    """One row of the table of jobs. `done` of `total` are models, widths, ranks, megabytes or
    measurements."""

    job: str
    kind: Kind
    subject: str
    """What it is about: a sweep's specification (JSON), RUN/CHECKPOINT, a model's name, files
    that were given (JSON, runs/brought.py), or what a model is asked (JSON, pretrained/seen.py)."""
    status: str
    """queued, running, stopped, interrupted, failed or finished."""
    done: int
    total: int
    command: str | None
    queued: float
    """Its number in the queue; 0 where a command line took it out of turn."""
    began: float | None
    """When it was last taken up, and with how many done."""
    began_with: int
    message: str
    result: Any
    revived: int | None
    """With how much done it went on by itself, after the death of its worker or server."""

    @property
    def at_work(self) -> bool:
        """Whether something is still to be expected of it."""
        return self.status in AT_WORK

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Job:
        """From a row of the table, columns of a newer version left out; raises StoreError."""
        values = dict(columns)
        with readable_rows(f"the job {str(values.get('job'))[:60]}"):
            values["result"] = json.loads(values["result"]) if values["result"] else None
            return cls(**{field.name: values[field.name] for field in fields(cls)})


def ask(store: Store, kind: Kind, identity: str, subject: str) -> str:
    """Queue a job, unless it is at work or finished; returns its name. Raises StoreError where it
    may not be done here."""
    job = f"{kind}-{identity}"
    before = get(store, job)  # makes an interruption durable first
    if before is None or before.status not in (*AT_WORK, "finished"):
        store.quota.job(kind, subject)
    with transaction(store.path, write=True) as db:
        db.execute(
            "INSERT INTO jobs (job, kind, subject, status, queued) "
            "SELECT ?, ?, ?, 'queued', coalesce(max(queued), 0) + 1 FROM jobs WHERE true "
            "ON CONFLICT DO UPDATE SET status = 'queued', queued = excluded.queued, "
            "command = NULL, message = '', revived = NULL "
            "WHERE status NOT IN ('queued', 'running', 'finished')",
            (job, kind, subject),
        )
    return job


def require(store: Store, job: str) -> Job:
    """`get` of a job that was asked for; raises KeyError for another."""
    found = get(store, job)
    if found is None:
        raise KeyError(job)
    return found


def surgery_of(row: RunRow) -> tuple[Kind, str, str]:
    """Kind, identity and subject of the surgery of a run as it rests now, as `ask` takes them.

    Raises ValueError where it has no checkpoint.
    """
    if row.checkpoint is None:
        raise ValueError(f"{row.run} has no trained network in this store")
    return "surgery", f"{row.run}-{Path(row.checkpoint).stem}", f"{row.run}/{row.checkpoint}"


def get(store: Store, job: str) -> Job | None:
    """A job, if it was ever asked for; "interrupted" where it says running and nobody holds it."""
    with transaction(store.path) as db:
        row = _select(db, job)
    if row is None or row.status != "running":
        return row
    lock = hold(_lock_path(store, job))
    if lock is None:
        return row
    try:
        with transaction(store.path, write=True) as db:
            db.execute(
                "UPDATE jobs SET status = 'interrupted', command = NULL "
                "WHERE job = ? AND status = 'running'",
                (job,),
            )
            return _select(db, job)
    finally:
        lock.release()


def waiting(store: Store, lane: Lane | None = None) -> list[str]:
    """The queued jobs, the next to begin first: all, or those of a lane."""
    with transaction(store.path) as db:
        queued = db.execute(
            "SELECT job, kind FROM jobs WHERE status = 'queued' ORDER BY queued, rowid"
        ).fetchall()
    return [row["job"] for row in queued if lane in (None, lane_of(row["kind"]))]


def claim(
    store: Store, only: str | None = None, lane: Lane | None = None
) -> tuple[Job, FileLock] | None:
    """Take the oldest queued job, as `waiting` has them, or `only` this one, locked; None when
    there is none, or others were quicker."""
    for job in waiting(store, lane) if only is None else [only]:
        lock = hold(_lock_path(store, job))
        if lock is None:
            continue
        taken = None
        try:
            taken = _mark_running(store, job, in_turn=only is None)
        finally:
            if taken is None:
                lock.release()
        if taken:
            return taken, lock
    return None


def _mark_running(store: Store, job: str, in_turn: bool) -> Job | None:
    with transaction(store.path, write=True) as db:
        row = db.execute(
            "UPDATE jobs SET status = 'running', command = NULL, began = ?, began_with = done, "
            "queued = queued * ? WHERE job = ? AND status = 'queued' RETURNING *",
            (time.time(), in_turn, job),
        ).fetchone()
    return Job.from_columns(row) if row else None


def revive(store: Store) -> None:
    """Let the jobs go on whose worker or server has died, as `Store.revive` does runs."""
    with transaction(store.path) as db:
        running = db.execute("SELECT job FROM jobs WHERE status = 'running'").fetchall()
    for row in running:
        get(store, row["job"])  # makes an interruption durable
    with transaction(store.path, write=True) as db:
        db.execute(
            "UPDATE jobs SET status = 'queued', revived = done WHERE status = 'interrupted' "
            "AND queued > 0 AND revived IS NULL"
        )


def stop(store: Store, job: str) -> None:
    """Let a job rest: what is done stays, and asking again goes on."""
    get(store, job)
    with transaction(store.path, write=True) as db:
        db.execute("UPDATE jobs SET status = 'stopped' WHERE job = ? AND status = 'queued'", (job,))
        db.execute("UPDATE jobs SET command = 'stop' WHERE job = ? AND status = 'running'", (job,))


def forget(store: Store, job: str) -> None:
    """A job that rests leaves no trace; one at work stays."""
    with transaction(store.path, write=True) as db:
        db.execute("DELETE FROM jobs WHERE job = ? AND status NOT IN (?, ?)", (job, *AT_WORK))


def stopped(store: Store, job: str) -> bool:
    """Whether its owner is to let it rest."""
    try:
        with transaction(store.path) as db:
            row = _select(db, job)
    except Busy:  # asked again in a moment
        return False
    return row is None or row.command == "stop"


def report_progress(store: Store, job: str, done: int, total: int, result: Any = None) -> None:
    """What its owner has done so far, and the part of the result that there is."""
    with patient_write(store.path) as db:
        db.execute(
            "UPDATE jobs SET done = ?, total = ?, result = ? WHERE job = ?",
            (done, total, _text(result), job),
        )


def end(store: Store, job: str, status: str, message: str = "", result: Any = None) -> None:
    """Let go of a job that was claimed; without a `result` that of its last advance stays."""
    with patient_write(store.path) as db:
        db.execute(
            "UPDATE jobs SET status = ?, message = ?, result = coalesce(?, result), command = NULL "
            "WHERE job = ?",
            (status, message, _text(result), job),
        )
        db.execute("DELETE FROM live WHERE run = ?", (job,))


def _text(result: Any) -> str | None:
    return None if result is None else json.dumps(result, allow_nan=False)


def _select(db: sqlite3.Connection, job: str) -> Job | None:
    row = db.execute("SELECT * FROM jobs WHERE job = ?", (job,)).fetchone()
    return Job.from_columns(row) if row else None


def _lock_path(store: Store, job: str) -> Path:
    return store.home / "locks" / f"{job}.lock"
