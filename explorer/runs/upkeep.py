"""What the start of a server does for its store: what a crash cut short goes on, what it left goes.

Nothing that another process has in hand is touched: who holds a lock is at work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from explorer.runs import jobs, unit_files
from explorer.runs.database import Busy, readable_errors, transaction
from explorer.runs.files import PARTIAL
from explorer.runs.home import RUN_ID
from explorer.runs.store import Store


def at_start(store: Store) -> None:
    """Revive the work of a dead server, and remove left-overs. Raises StoreError."""
    store.revive()
    jobs.revive(store)
    tidy(store)


def tidy(store: Store) -> list[str]:
    """Remove files half-written, and what lies there of runs that the store does not have, and of
    sweeps that are complete.

    Returns what was removed: ids of such runs and sweeps, and names of files.
    """
    with readable_errors(store.home):
        return [*_of_runs(store), *_of_grids(store), *unit_files.tidy(store)]


def _of_runs(store: Store) -> list[str]:
    gone = []
    for run in sorted(_without_row(store)):
        with _in_hand(store, run) as ours:
            if ours and store.get(run) is None:
                store.remove_files(run)
                gone.append(run)
        if run in gone:
            store.remove_lock(run)
    for run in {path.parent.name for path in (store.home / "runs").glob(f"*/{PARTIAL}*")}:
        with _in_hand(store, run) as ours:
            gone += _unlink(store.folder(run)) if ours else []
    return gone


def _of_grids(store: Store) -> list[str]:
    with suppress(Busy), store.grids(seconds=0.0):
        return _unlink(store.home / "grids")
    return []


def _without_row(store: Store) -> set[str]:
    """Ids with a folder, lock or log, but no row. The files are listed first: what comes into the
    store meanwhile has its row by then, or its lock is held."""
    found = {path.name for path in (store.home / "runs").iterdir()}
    for folder in ("locks", "logs"):
        found |= {path.stem for path in (store.home / folder).iterdir()}
    with transaction(store.path) as db:
        known = {row["run"] for row in db.execute("SELECT run FROM runs").fetchall()}
    return {run for run in found - known if RUN_ID.fullmatch(run)}


@contextmanager
def _in_hand(store: Store, run: str) -> Iterator[bool]:
    """Whether this process holds the run now, and nobody else does."""
    lock = store.hold(run)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            lock.release()


def _unlink(folder: Path) -> list[str]:
    found = list(folder.glob(f"{PARTIAL}*"))
    for path in found:
        path.unlink(missing_ok=True)
    return [path.name for path in found]
