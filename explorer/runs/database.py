"""The SQLite file of a store: opening it, its schema, and its failures in plain words."""

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

from explorer.runs.locks import hold

SCHEMA_VERSION = 5
BUSY_SECONDS = 5.0  # how long a call waits for another writer
PASSING_SECONDS = 0.1  # one whose news is worth nothing a moment later
KEEPING_SECONDS = 300.0  # one that would lose work

SCHEMA = """
CREATE TABLE ids (spec_id TEXT PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE runs (
    run TEXT PRIMARY KEY, spec_id TEXT NOT NULL, n INTEGER NOT NULL, spec TEXT NOT NULL,
    name TEXT NOT NULL DEFAULT '', status TEXT NOT NULL,
    step INTEGER NOT NULL DEFAULT 0, steps INTEGER NOT NULL, pause_at INTEGER, command TEXT,
    created REAL NOT NULL, queued REAL, started REAL, ended REAL, seconds REAL NOT NULL DEFAULT 0,
    device TEXT NOT NULL DEFAULT '', versions TEXT NOT NULL DEFAULT '{}',
    message TEXT NOT NULL DEFAULT '', metrics TEXT, checkpoint TEXT,
    watched REAL NOT NULL DEFAULT 0);
CREATE INDEX runs_by_status ON runs (status, queued);
CREATE INDEX runs_by_age ON runs (created);
CREATE TABLE history (
    run TEXT NOT NULL, step INTEGER NOT NULL, loss REAL NOT NULL,
    PRIMARY KEY (run, step)) WITHOUT ROWID;
CREATE TABLE snapshots (
    run TEXT NOT NULL, step INTEGER NOT NULL, nmse REAL, mse REAL, mae REAL, frame BLOB NOT NULL,
    PRIMARY KEY (run, step));
CREATE TABLE live (run TEXT PRIMARY KEY, seq INTEGER NOT NULL, frame BLOB NOT NULL);
"""
SWEEPS = """
CREATE TABLE sweeps (sweep TEXT PRIMARY KEY, spec TEXT NOT NULL, created REAL NOT NULL);
CREATE TABLE sweep_rows (
    sweep TEXT NOT NULL, spec_id TEXT NOT NULL, row TEXT NOT NULL, created REAL NOT NULL,
    PRIMARY KEY (sweep, spec_id)) WITHOUT ROWID;
"""
JOBS = """
CREATE TABLE jobs (
    job TEXT PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, status TEXT NOT NULL,
    done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0, command TEXT,
    queued REAL NOT NULL, began REAL, began_with INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '', result TEXT);
"""
REVIVED = """
ALTER TABLE runs ADD COLUMN revived INTEGER;
ALTER TABLE jobs ADD COLUMN revived INTEGER;
CREATE INDEX runs_by_turn ON runs (queued);
UPDATE runs SET queued = NULL WHERE status = 'interrupted';
UPDATE jobs SET queued = 0 WHERE status = 'interrupted';
"""
"""What an older version left interrupted waits for a hand, as it did there."""
WORK = """
ALTER TABLE runs RENAME TO work;
ALTER TABLE work ADD COLUMN kind TEXT NOT NULL DEFAULT 'train';
ALTER TABLE work ADD COLUMN began REAL;
ALTER TABLE work ADD COLUMN began_with INTEGER NOT NULL DEFAULT 0;
INSERT INTO work (run, kind, spec_id, n, spec, status, step, steps, command, created, queued,
        began, began_with, message, metrics, revived)
    SELECT job, kind, '', 0, subject, status, done, total, command, 0, nullif(queued, 0),
        began, began_with, message, result, revived FROM jobs ORDER BY rowid;
DROP TABLE jobs;
"""
"""Runs and jobs are one table: a job has its name in `run`, its subject in `spec`, what is done of
it in `step` and `steps`, its result in `metrics`."""
MIGRATIONS = {1: SWEEPS, 2: JOBS, 3: REVIVED, 4: WORK}
"""What takes a store from each version to the next."""

NOT_OURS = (
    "{path} is not a store of this program, or it is damaged ({error}). Nothing in it was changed: "
    "move it away, or set EXPLORER_HOME to another folder."
)
NOT_WRITABLE = "{path} cannot be written ({error}). Set EXPLORER_HOME to a folder of your own."
LOST = (
    "{path} is empty or missing, but runs/ beside it holds checkpoints. Bring the file back from a "
    "copy, or move runs/ away to begin anew. Nothing was changed."
)
TOO_OLD = (
    "{path} was written by an older version of this program (store version {version}, this one "
    "reads {ours}) and cannot be brought up to date where nothing can be written: copy its folder, "
    "and set EXPLORER_HOME to the copy."
)
FULL = (
    "the disk that holds {path} is full ({error}). Nothing kept so far is lost: free some space or "
    "delete old runs, then resume."
)
EXPLANATIONS = {
    sqlite3.SQLITE_BUSY: "{path} is locked by another program ({error}). Close it, or try again.",
    sqlite3.SQLITE_READONLY: NOT_WRITABLE,
    sqlite3.SQLITE_IOERR: "{path} cannot be read or written ({error}). The disk may be full or "
    "unreachable.",
    sqlite3.SQLITE_CORRUPT: NOT_OURS,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_CANTOPEN: "{path} cannot be opened ({error}). Restart the program, or set "
    "EXPLORER_HOME to a folder you can write.",
    sqlite3.SQLITE_NOTADB: NOT_OURS,
}
NO_SPACE = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


class StoreError(RuntimeError):
    """The store cannot be used; the message names the place and says how to mend it."""


class Busy(StoreError):
    """Others are writing, and it is worth trying again."""


def open_database(path: Path) -> None:
    """Create the database if it is not there, and refuse one that this version cannot use.

    Two processes may do this at once. Raises StoreError: newer version, not a database, locked,
    no write-ahead log, lost; nothing is overwritten then.
    """
    read_only = is_read_only(path)
    if not (path.exists() and path.stat().st_size) and any(path.parent.glob("runs/*/checkpoint-*")):
        raise StoreError(LOST.format(path=path))
    with readable_errors(path), closing(connect(path, mode="rw" if read_only else "rwc")) as db:
        version = _version(db)
        if version < 0:
            raise StoreError(NOT_OURS.format(path=path, error=f"store version {version}"))
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{path} was written by a newer version of this program (store version {version}, "
                f"this one reads {SCHEMA_VERSION}). Update the program, or set EXPLORER_HOME to "
                "another folder. Nothing was changed."
            )
        if read_only and version < SCHEMA_VERSION:
            raise StoreError(TOO_OLD.format(path=path, version=version, ours=SCHEMA_VERSION))
        if version < SCHEMA_VERSION:
            _bring_up_to_date(db, path)
        if not read_only:
            _check_wal(db, path)


def create(path: Path, schema: str) -> None:
    """See to it that there is a small database without versions; `schema` is one transaction that
    leaves what is there."""
    with readable_errors(path):
        path.parent.mkdir(exist_ok=True)
        with closing(connect(path, "rwc")) as db:
            if not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(schema)


def is_read_only(path: Path) -> bool:
    """Whether there is a store that this process cannot write: an archive, a stick, a snapshot."""
    return path.exists() and not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _version(db: sqlite3.Connection) -> int:
    return db.execute("PRAGMA user_version").fetchone()[0]


def _bring_up_to_date(db: sqlite3.Connection, path: Path) -> None:
    """Schema and migrations in one transaction; a lock file keeps a second process from it."""
    lock = hold(path.with_suffix(".lock"), seconds=BUSY_SECONDS)
    if lock is None:
        raise StoreError(f"{path} is being created by another process. Try again.")
    try:
        version = _version(db)
        if version == SCHEMA_VERSION:
            return
        if version == 0 and db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            raise StoreError(NOT_OURS.format(path=path, error="it holds other tables"))
        _check_wal(db, path)
        steps = [MIGRATIONS[at] for at in range(max(version, 1), SCHEMA_VERSION)]
        script = "".join([SCHEMA] * (version == 0) + steps)
        db.executescript(f"BEGIN;{script}PRAGMA user_version = {SCHEMA_VERSION};COMMIT;")
    finally:
        lock.release()


def _check_wal(db: sqlite3.Connection, path: Path) -> None:
    answer = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if answer != "wal":
        raise StoreError(
            f"{path} cannot use a write-ahead log (journal_mode answers {answer!r}). Network file "
            "systems cannot hold the store: set EXPLORER_HOME to a folder on a local disk."
        )


def connect(path: Path, mode: str = "rw", any_thread: bool = False) -> sqlite3.Connection:
    """A connection in autocommit; mode "rw" fails when the file has gone, "rwc" creates it. It is
    for the thread that opens it, or for `any_thread`, one at a time.

    What cannot be written is read as it is: SQLite is told that nobody changes it, unless there is
    a log that must be read too.
    """
    if is_read_only(path):
        log = path.with_name(f"{path.name}-wal")
        mode = "ro" if log.exists() and log.stat().st_size else "ro&immutable=1"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    options = {"timeout": BUSY_SECONDS, "isolation_level": None}
    db = sqlite3.connect(uri, uri=True, check_same_thread=not any_thread, **options)
    db.row_factory = sqlite3.Row
    db.execute("PRAGMA synchronous = NORMAL")
    return db


@contextmanager
def transaction(
    path: Path, write: bool = False, seconds: float | None = None
) -> Iterator[sqlite3.Connection]:
    """One connection and one transaction, both over at the end of the block.

    A write transaction takes the write lock at once, so what it reads cannot change under it; it
    raises Busy when others have it for so many seconds (BUSY_SECONDS).
    """
    with readable_errors(path), closing(connect(path)) as db:
        _begin(db, write, BUSY_SECONDS if seconds is None else seconds)
        try:
            yield db
        except BaseException:
            db.rollback()
            raise
        db.commit()


def _begin(db: sqlite3.Connection, write: bool, seconds: float) -> None:
    """In turns of at most BUSY_SECONDS, between which Ctrl-C is heard."""
    deadline = time.monotonic() + seconds
    db.execute(f"PRAGMA busy_timeout = {round(1000 * min(seconds, BUSY_SECONDS))}")
    while True:
        try:
            db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
            return
        except sqlite3.OperationalError as error:
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise


def best_effort_write(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """A write that is left out when others are writing."""
    return transaction(path, write=True, seconds=PASSING_SECONDS)


def patient_write(path: Path) -> AbstractContextManager[sqlite3.Connection]:
    """A write of what would be lost otherwise: it waits for minutes."""
    return transaction(path, write=True, seconds=KEEPING_SECONDS)


def _code(error: sqlite3.Error) -> int:
    """The primary result code, without what an extended one adds."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


@contextmanager
def readable_errors(path: Path) -> Iterator[None]:
    """Failures of SQLite and of the file system as StoreError, with the way to mend them."""
    try:
        yield
    except sqlite3.Error as error:
        text, reason = (
            EXPLANATIONS.get(_code(error), "{path}: {error}"),
            " ".join(str(error).split()),
        )
        kind = Busy if _code(error) == sqlite3.SQLITE_BUSY else StoreError
        raise kind(text.format(path=path, error=reason)) from error
    except UnicodeDecodeError as error:  # text, or what SQLite says of it, that is no UTF-8
        raise StoreError(NOT_OURS.format(path=path, error=error)) from error
    except OSError as error:
        text = FULL if error.errno in NO_SPACE else "{path} cannot be used: {error}"
        raise StoreError(text.format(path=path, error=error)) from error


@contextmanager
def readable_rows(what: str) -> Iterator[None]:
    """A row that does not hold what it must, as StoreError."""
    try:
        yield
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:
        raise StoreError(
            f"{what} is damaged in the store ({type(error).__name__}: {str(error)[:200]}); "
            "`runs check` says what else is"
        ) from error
