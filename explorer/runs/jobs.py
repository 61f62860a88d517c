"""Work asked of a worker that is no run: a sweep, its rank-optimal kernels, the surgery of a run,
a race of architectures, heads that learn a typed relationship, a model that is fetched or brought,
what one does with a text or picture, whole or with heads cut.

Each kind of work on each subject is one row of the table of work: asked for again it is the same
job, which goes on or is there already. The subject of a surgery is a checkpoint: of a run that has
gone on it is another one.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, get_args

from explorer.runs import rows
from explorer.runs.database import Busy, patient_write, transaction
from explorer.runs.record import RESUMABLE, TRAIN, Job, RunRow
from explorer.runs.store import Store
from explorer.runs.transitions import RunError, at_rest, queued_now
from explorer.runs.work import Lease

Kind = Literal[
    "sweep", "optimum", "surgery", "fetch", "import", "look", "cut", "order", "race", "heads"
]
KINDS: tuple[Kind, ...] = get_args(Kind)
ALL = (TRAIN, *KINDS)
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


def kinds_of(lane: Lane | None) -> Sequence[str]:
    """All work of a lane, or of all; runs are trained."""
    return [kind for kind in ALL if lane in (None, lane_of(kind))]


def ask(store: Store, kind: Kind, identity: str, subject: str) -> str:
    """Queue a job, unless it is at work or finished; returns its name. Raises StoreError where it
    may not be done here."""
    job = f"{kind}-{identity}"
    before = get(store, job)  # makes an interruption durable first
    if before is None or before.status in RESUMABLE:
        store.quota.job(kind, subject)
    with transaction(store.path, write=True) as db:
        row = rows.select(db, job)
        if row is None:
            rows.insert_job(db, job, kind, subject)
        elif row.status in RESUMABLE:
            rows.update(db, job, queued_now())
    return job


def get(store: Store, job: str) -> Job | None:
    """A job, if it was ever asked for; "interrupted" where it says running and nobody holds it."""
    row = store.work(job)
    return row if isinstance(row, Job) else None


def require(store: Store, job: str) -> Job:
    """`get` of a job that was asked for; raises KeyError for another."""
    row = get(store, job)
    if row is None:
        raise KeyError(job)
    return row


def surgery_of(row: RunRow) -> tuple[Kind, str, str]:
    """Kind, identity and subject of the surgery of a run as it rests now, as `ask` takes them.

    Raises ValueError where it has no checkpoint.
    """
    if row.checkpoint is None:
        raise ValueError(f"{row.run} has no trained network in this store")
    return "surgery", f"{row.run}-{Path(row.checkpoint).stem}", f"{row.run}/{row.checkpoint}"


def waiting(store: Store, lane: Lane | None = None) -> list[str]:
    """The queued jobs, the next to begin first: all, or those of a lane."""
    return store.waiting([kind for kind in kinds_of(lane) if kind != TRAIN])


def claim(store: Store, only: str | None = None) -> Lease[Job] | None:
    """Take the next job, or for a command line `only` this one; None when there is none, or others
    were quicker."""
    return store.claim("", KINDS) if only is None else store.lease(only, "", queued=None)


def stop(store: Store, job: str) -> None:
    """Let a job rest: what is done stays, and asking again goes on."""
    with suppress(RunError):  # it rests
        store.request(job, "stop")


def forget(store: Store, job: str) -> None:
    """A job that rests leaves no trace; one at work stays."""
    with transaction(store.path, write=True) as db:
        row = rows.select(db, job)
        if isinstance(row, Job) and not row.at_work:
            rows.remove(db, job)


def stopped(store: Store, job: str) -> bool:
    """Whether its owner is to let it rest."""
    try:
        return store.control(job).command == "stop"
    except Busy:  # asked again in a moment
        return False
    except RunError:  # it has gone
        return True


def report_progress(store: Store, job: str, done: int, total: int, result: Any = None) -> None:
    """What its owner has done so far, and the part of the result that there is."""
    with patient_write(store.path) as db:
        rows.update(db, job, {"step": done, "steps": total, "metrics": _text(result)})


def end(store: Store, job: str, status: str, message: str = "", result: Any = None) -> None:
    """Let go of a job that was claimed; without a `result` that of its last advance stays."""
    with patient_write(store.path) as db:
        if (row := rows.select(db, job)) is None:
            return
        columns = at_rest(row, status) | {"message": message}
        if result is not None:
            columns["metrics"] = _text(result)
        rows.update(db, job, columns)
        db.execute("DELETE FROM live WHERE run = ?", (job,))


def _text(result: Any) -> str | None:
    return None if result is None else json.dumps(result, allow_nan=False)
