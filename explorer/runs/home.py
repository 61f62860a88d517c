"""The folder of a store: its database, files and locks.

    home/store.sqlite3   home/runs/<run>/checkpoint-<step>.safetensors   home/grids/<sha256>.npy
    home/locks/<run>.lock   home/locks/slot-<device>-<i>.lock            home/logs/
    home/models/<name>-<version>/

One that cannot be written is read as it is, and one that is not there is made, unless who opens it
says not to.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from filelock import FileLock

from explorer.coupling.grid import GridError, check_grid, parse_grid
from explorer.folder import home
from explorer.runs import files
from explorer.runs.database import (
    BUSY_SECONDS,
    NOT_WRITABLE,
    Busy,
    StoreError,
    is_read_only,
    open_database,
    readable_errors,
)
from explorer.runs.locks import hold
from explorer.runs.quota import Quota
from explorer.runs.transitions import RunError

LONGEST_NAME = 120  # characters of the name of an uploaded file
RUN_ID = re.compile(r"[0-9a-f]{12}-[1-9][0-9]{0,8}")
WORK_ID = re.compile(r"[a-z0-9][\w.+-]*")
LOOSE = (".", "grids", "looks", "talks", "visitors")
"""Folders of a store with files that belong to no run: who writes there holds the folder's lock."""


def models() -> Path:
    """Where fetched models lie."""
    return home() / "models"


class Home:
    """What lies in the folder of a store, and who has it in hand. Its `quota` is asked before
    anything is taken on."""

    def __init__(
        self, folder: Path | str | None = None, make: bool = True, quota: Quota | None = None
    ):
        self.home = home() if folder is None else Path(folder).expanduser().absolute()
        self.quota = quota or Quota()
        self.path = self.home / "store.sqlite3"
        self.read_only = is_read_only(self.path)
        with readable_errors(self.home):
            for name in () if self.read_only else ("runs", "locks", "grids", "logs"):
                (self.home / name).mkdir(parents=make, exist_ok=True)
            open_database(self.path)

    @property
    def models(self) -> Path:
        """Where fetched models lie."""
        return self.home / "models"

    def flush(self) -> None:
        """Let all that was kept so far survive a power cut too (SQLite itself flushes its log only
        when it folds it back); what it replaces may go then. Nobody waits for the disk meanwhile.
        """
        log = self.path.with_name(f"{self.path.name}-wal")
        try:
            files.flush(log)
        except StoreError:
            if log.exists():  # else it has just been folded back
                raise

    def slot(self, device: str, capacity: int) -> tuple[int, FileLock] | None:
        """A free one of a device kind's slots, counted across all servers on this store."""
        for index in range(capacity):
            path = self.home / "locks" / f"slot-{device}-{index}.lock"
            with readable_errors(path):
                lock = hold(path)
            if lock:
                return index, lock
        return None

    def folder(self, run: str) -> Path:
        """Where the files of a run lie; raises RunError for what is no run id."""
        if not RUN_ID.fullmatch(run):
            raise RunError(f"{run!r} is not the id of a run")
        return self.home / "runs" / run

    def hold(self, run: str, seconds: float = 0.0) -> FileLock | None:
        """The lock of a run or job, unless another process keeps it."""
        path = self.lock_path(run)
        if self.read_only:
            raise StoreError(NOT_WRITABLE.format(path=self.home, error="it is read-only"))
        with readable_errors(path):
            return hold(path, seconds)

    def lock_path(self, run: str) -> Path:
        """The file whose lock the owner of a run or job holds."""
        if not WORK_ID.fullmatch(run):
            raise RunError(f"{run!r} is not the id of a run or job")
        return self.home / "locks" / f"{run}.lock"

    def log_path(self, run: str) -> Path:
        """Where the traceback of a failed run goes."""
        return self.home / "logs" / f"{self.folder(run).name}.log"

    def remove_files(self, run: str) -> None:
        """What its owner has written beside the store."""
        shutil.rmtree(self.folder(run), ignore_errors=True)
        with suppress(OSError):  # a log more does no harm
            self.log_path(run).unlink(missing_ok=True)

    def remove_lock(self, run: str) -> None:
        """Of a run that is no longer in the store."""
        with suppress(OSError):  # an empty file more does no harm
            self.lock_path(run).unlink(missing_ok=True)

    def put_grid(self, values: np.ndarray, name: str = "") -> str:
        """Keep an uploaded grid under its hash, and the name of its file beside it; returns the
        sha256, which a specification holds. Raises GridError for what is no grid."""
        self.quota.room(np.asarray(values).nbytes)
        values = check_grid(values)
        sha = files.grid_sha256(values)
        with self.writing("grids") as folder:
            try:
                self.grid(sha)
            except StoreError:  # not here, or damaged
                files.write_durably(folder / f"{sha}.npy", files.npy_bytes(values))
            if name:
                files.write_durably(folder / f"{sha}.name", name[:LONGEST_NAME].encode())
        return sha

    def grid_name(self, sha: str) -> str:
        """The name of the file that a grid last came in; empty where nobody told it."""
        try:
            path = self.home / "grids" / f"{sha}.name"
            return path.read_text("utf-8", errors="replace")
        except OSError:
            return ""

    @contextmanager
    def writing(self, folder: str, seconds: float = BUSY_SECONDS) -> Iterator[Path]:
        """The folder of that name, in which nobody else writes meanwhile; raises Busy when somebody
        does for so long."""
        path = self.folder_lock_path(folder)
        with readable_errors(path):
            lock = hold(path, seconds)
        if lock is None:
            raise Busy(f"another process is writing to {self.home / folder}. Try again.")
        try:
            yield self.home / folder
        finally:
            lock.release()

    def folder_lock_path(self, folder: str) -> Path:
        """The file whose lock is held by who writes what belongs to no run."""
        name = "home" if folder == "." else folder.replace("/", "-")
        return self.home / "locks" / f"{name}.lock"

    def write(self, folder: str, name: str, data: bytes, mode: int = 0o666) -> None:
        """Keep a file that belongs to no run, whole or not at all (see `files.write_durably`)."""
        path = self.home / folder / name
        more = len(data) - (path.stat().st_size if path.exists() else 0)
        if more > 0:  # a shorter one is kept where nothing else is
            self.quota.room(more)
        with self.writing(folder) as place:
            files.write_durably(place / name, data, mode)

    def grid(self, sha: str) -> np.ndarray:
        """The uploaded grid with this sha256; raises StoreError when it is not here, or was
        changed."""
        if not files.SHA256.fullmatch(sha):
            raise StoreError(f"{sha[:80]!r} is not the sha256 of a grid (64 hex digits)")
        path = self.home / "grids" / f"{sha}.npy"
        if not path.exists():
            raise StoreError(f"the grid {sha[:12]}… is not in this store: upload its file here")
        with readable_errors(path):
            data = path.read_bytes()
        try:
            values = parse_grid(data, path.name)
        except GridError as error:
            raise StoreError(f"{path} is damaged ({error}): upload the grid again") from error
        if files.grid_sha256(values) != sha:
            raise StoreError(f"{path} was changed: upload the grid again")
        return values
