"""What keeps a store in order while servers and workers use it: what is left over, its size, and
copies of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from explorer.hosting.space import opened, owners, spaces, visitors
from explorer.hosting.visitors import words_in
from explorer.runs import files, maintenance
from explorer.runs.database import NOT_WRITABLE, Busy, StoreError, connect, readable_errors
from explorer.runs.files import PARTIAL
from explorer.runs.home import RUN_ID
from explorer.runs.locks import hold
from explorer.runs.store import Store

TREES = ("grids", "looks", "sweeps")
"""Folders of a store that go into its copy whole; those of runs have what their rows name."""
FILES = ("talk.json", "visitors/secret")
UNFINISHED = f"{PARTIAL}copy"
TRIES = 3  # snapshots, while runs are deleted under the copy's hands


def stores(store: Store) -> list[Store]:
    """A store, and those of visitors below it that can be opened."""
    return [store, *spaces(store)]


def left_over(store: Store) -> list[Path]:
    """Files and folders that a crash has left, which nobody works on: half-written ones, and what
    lies there of runs that the store does not have. `maintenance.tidy` removes them."""
    with readable_errors(store.home):
        known = _known(store)
        return sorted(path for path in _candidates(store, known) if _is_idle(store, path))


def _known(store: Store) -> set[str]:
    with closing(connect(store.path)) as db:
        return {str(run) for (run,) in db.execute("SELECT run FROM work").fetchall()}


def _candidates(store: Store, known: set[str]) -> Iterator[Path]:
    yield from maintenance.half_written(store)
    for folder in ("runs", "locks", "logs"):
        for path in (store.home / folder).iterdir():
            if RUN_ID.fullmatch(path.stem) and path.stem not in known:
                yield path


def _is_idle(store: Store, path: Path) -> bool:
    """Whether nobody holds the lock of what it belongs to; a lock that is not there is not made."""
    lock = maintenance.lock_path(store, path)
    if not lock.exists():
        return True
    held = hold(lock)
    if held:
        held.release()
    return held is not None


def sizes(store: Store) -> dict[str, int]:
    """Bytes of the database, of its write-ahead log, and those within it that nothing uses."""
    with readable_errors(store.path), closing(connect(store.path)) as db:
        page, free = (
            db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "freelist_count")
        )
    log = store.path.with_name(f"{store.path.name}-wal")
    written = log.stat().st_size if log.exists() else 0
    return {"bytes": store.path.stat().st_size, "log": written, "unused": page * free}


def compact(store: Store) -> list[str]:
    """Remove what is left over, write the database anew without the room that nothing uses, and
    fold its log back. Returns the names of what was removed.

    Others read on meanwhile; who writes waits. Raises StoreError, Busy where others write for too
    long, and then nothing is lost.
    """
    if store.read_only:
        raise StoreError(NOT_WRITABLE.format(path=store.home, error="it is read-only"))
    removed = maintenance.tidy(store)
    with readable_errors(store.path), closing(connect(store.path)) as db:
        db.execute("VACUUM")
        db.execute("PRAGMA optimize")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # as far as nobody still reads from it
    return removed


@dataclass
class Backup:
    """What a copy holds."""

    runs: int = 0
    files: int = 0
    missing: list[str] = field(default_factory=list)
    """Runs whose checkpoint is not in the store itself."""
    damaged: dict[str, str] = field(default_factory=dict)
    """Whose spaces were copied file by file, and why."""

    def add(self, other: Backup) -> None:
        self.runs += other.runs
        self.files += other.files
        self.missing += other.missing
        self.damaged |= other.damaged


def backup(store: Store, out: Path) -> Backup:
    """Copy a store into a new folder, as it is at one moment, whoever writes meanwhile: the
    database by SQLite's online copy, then every checkpoint that a row of the copy names, and what
    else was uploaded. The folder is there when all is in it, flushed to the disk, or not at all. A
    visitor's space that is damaged keeps no other from its copy.

    Raises StoreError, for a folder that exists too.
    """
    if out.exists():
        raise StoreError(f"{out} is there already: a copy goes into a new folder")
    with readable_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        beside = out.parent / UNFINISHED
        lock = None if store.read_only else hold(store.home / "locks" / "backup.lock")
        if lock is None and not store.read_only:
            raise Busy(f"another copy of {store.home} is being made. Try again.")
        shutil.rmtree(beside, ignore_errors=True)  # of one that was cut short
        try:
            made = _copied(store, beside)
            for owner in owners(store):
                made.add(_space_copied(store, owner, beside / "visitors" / owner))
            made.files += _copy_words(store, beside)
            os.replace(beside, out)
            files.flush(out / store.path.name)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
            if lock:
                lock.release()
    return made


def _space_copied(commons: Store, owner: str, to: Path) -> Backup:
    """A copy of a visitor's space; where it is damaged, of its files as they are."""
    folder = visitors(commons) / owner
    try:
        with readable_errors(folder):
            space = opened(commons, owner)
            return _copied(space, to) if space else Backup()
    except Busy:
        raise
    except StoreError as error:
        shutil.rmtree(to, ignore_errors=True)
        return Backup(files=_copy_tree(folder, to), damaged={owner: str(error)})


def _copied(store: Store, to: Path) -> Backup:
    for left in reversed(range(TRIES)):
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        with ExitStack() as held:
            named = _snapshot(store, to / store.path.name, held)
            made = Backup(runs=len(named))
            for run, file in named.items():
                made.files += (is_copied := _copy_checkpoint(store, run, file, to))
                if not is_copied:
                    made.missing.append(run)
        if not left or not set(made.missing) - _known(store):  # none was deleted meanwhile
            break
    for name in (*TREES, *FILES):
        made.files += _copy_tree(store.home / name, to / name)
    return made


def _copy_words(store: Store, to: Path) -> int:
    """Copy who may train, by SQLite's online copy; the number of files."""
    source, copied = (words_in(folder / "visitors") for folder in (store.home, to))
    if not source.exists():
        return 0
    copied.parent.mkdir(exist_ok=True)
    with closing(connect(source)) as db, closing(sqlite3.connect(copied)) as copy:
        db.backup(copy)
    files.flush(copied)
    return 1


def _snapshot(store: Store, to: Path, held: ExitStack) -> dict[str, tuple[str, BinaryIO | None]]:
    """Copy the database; returns the checkpoint that each run of the copy names, opened where a
    worker may put another in its place."""
    with closing(connect(store.path)) as db, closing(sqlite3.connect(to)) as copy:
        db.execute("BEGIN")  # what is read from here on is one state
        rows = db.execute("SELECT run, status, checkpoint FROM work").fetchall()
        named = {
            row["run"]: (row["checkpoint"], _opened(store, row, held))
            for row in rows
            if row["checkpoint"]
        }
        db.backup(copy)
        db.rollback()
        if (verdict := copy.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise StoreError(f"the database is damaged, and so would its copy be: {verdict}")
    files.flush(to)
    return named


def _opened(store: Store, row: sqlite3.Row, held: ExitStack) -> BinaryIO | None:
    if row["status"] != "running":
        return None
    with suppress(OSError):
        return held.enter_context((store.folder(row["run"]) / row["checkpoint"]).open("rb"))
    return None


def _copy_checkpoint(store: Store, run: str, file: tuple[str, BinaryIO | None], to: Path) -> bool:
    name, opened = file
    into = to / "runs" / run / name
    try:
        content = opened.read() if opened else (store.folder(run) / name).read_bytes()
    except OSError:
        return False
    files.write_durably(into, content)
    return True


def _copy_tree(source: Path, to: Path) -> int:
    """Copy a file or a folder but for what is half-written; how many files it holds. What goes away
    meanwhile was no longer needed."""
    if source.is_dir():
        return sum(_copy_tree(path, to / path.name) for path in source.iterdir())
    if source.name.startswith(PARTIAL) or source.suffix == ".lock" or not source.is_file():
        return 0
    with suppress(FileNotFoundError):
        content = source.read_bytes()
        files.write_durably(to, content, stat.S_IMODE(source.stat().st_mode))
        return 1
    return 0
