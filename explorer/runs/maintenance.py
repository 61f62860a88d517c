"""Recovery at the start of a server, removal of left-over files, and a check of the whole store.

Nothing that another process has in hand is touched: who holds a lock is at work.
"""

from functools import partial
from pathlib import Path

from safetensors import SafetensorError
from safetensors.numpy import load_file

from explorer.runs import brought, jobs, sweep_rows
from explorer.runs.database import StoreError, readable_errors, readable_rows, transaction
from explorer.runs.files import PARTIAL
from explorer.runs.home import LOOSE, RUN_ID
from explorer.runs.locks import hold
from explorer.runs.record import TRAIN
from explorer.runs.store import Store
from explorer.spec import SpecError


def recover(store: Store) -> None:
    """Revive the work of a dead server, and remove left-overs. Raises StoreError."""
    store.revive()
    tidy(store)


def tidy(store: Store) -> list[str]:
    """Remove files half-written, and what lies there of runs that the store does not have, and of
    sweeps that are complete.

    Returns what was removed: ids of such runs and sweeps, and names of files.
    """
    with readable_errors(store.home):
        gone = [*_of_runs(store), *sweep_rows.tidy_units(store), *_half_written(store)]
        return [*gone, *brought.tidy(store)]


def check(store: Store) -> list[str]:
    """What is damaged in a store, a line each: its pages, rows, pictures, checkpoints, grids."""
    with transaction(store.path) as db:
        lines = [row[0] for row in db.execute("PRAGMA integrity_check").fetchall()]
        work = db.execute("SELECT run, kind FROM work").fetchall()
        swept = [row["sweep"] for row in db.execute("SELECT sweep FROM sweeps").fetchall()]
    checks = {True: _check_run, False: jobs.get}
    calls = [partial(checks[kind == TRAIN], store, str(name)) for name, kind in work]
    calls += [partial(sweep_rows.read, store, sweep) for sweep in swept]
    calls += [partial(store.grid, path.stem) for path in (store.home / "grids").glob("*.npy")]
    problems = [line for line in lines if line != "ok"]
    for call in calls:
        try:
            call()
        except (StoreError, SpecError) as error:
            problems.append(str(error))
    return problems


def _check_run(store: Store, run: str) -> None:
    record = store.read(run)
    with readable_rows(f"the specification of {run}"):
        record.spec  # noqa: B018  (parsed when asked for)
    for step in record.snapshot_steps.tolist():
        record.snapshot(step)
    if record.row.checkpoint:
        path = store.folder(run) / record.row.checkpoint
        try:
            load_file(path)
        except (OSError, SafetensorError) as error:
            raise StoreError(f"{path} is missing or damaged ({error})") from error


def half_written(store: Store) -> list[Path]:
    """Files that a crash may have left so."""
    places = ("runs/*", "sweeps/*/*", *LOOSE)
    paths = (path for place in places for path in store.home.glob(f"{place}/{PARTIAL}*"))
    return [path for path in paths if path.is_file()]


def lock_path(store: Store, path: Path) -> Path:
    """The lock of what a file or folder belongs to: a unit of a sweep, a run, or the folder."""
    if not path.name.startswith(PARTIAL):
        return store.home / "locks" / f"{path.stem}.lock"
    folder = str(path.parent.relative_to(store.home))
    if folder.startswith("sweeps"):
        return path.parent.with_suffix(".lock")
    return store.folder_lock_path(folder.removeprefix("runs/"))


def _half_written(store: Store) -> list[str]:
    gone = []
    for path in half_written(store):
        if lock := hold(lock_path(store, path)):
            path.unlink(missing_ok=True)
            gone.append(path.name)
            lock.release()
    return gone


def _of_runs(store: Store) -> list[str]:
    gone = []
    for run in sorted(_without_row(store)):
        if lock := store.hold(run):
            try:
                if store.get(run) is None:
                    store.remove_files(run)
                    gone.append(run)
            finally:
                lock.release()
        if run in gone:
            store.remove_lock(run)
    return gone


def _without_row(store: Store) -> set[str]:
    """Ids with a folder, lock or log, but no row. The files are listed first: what comes into the
    store meanwhile has its row by then, or its lock is held."""
    named = {path.name for path in (store.home / "runs").iterdir()}
    for folder in ("locks", "logs"):
        named |= {path.stem for path in (store.home / folder).iterdir()}
    with transaction(store.path) as db:
        known = {row["run"] for row in db.execute("SELECT run FROM work").fetchall()}
    return {run for run in named - known if RUN_ID.fullmatch(run)}
