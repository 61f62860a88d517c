"""Files that are whole or not there: checkpoints, exports, and uploaded grids under their hash."""

import hashlib
import io
import os
import re
import secrets
from pathlib import Path

import numpy as np

from explorer.runs.database import readable_errors

PARTIAL = ".partial-"  # what a crash may leave begins with this
SHA256 = re.compile(r"[0-9a-f]{64}")


def write_durably(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Write a file under a temporary name beside it, flush it to the disk, and put it in place; who
    may read it is in `mode`, less the umask.

    After a crash or on a full disk (StoreError, which names the file) an older file is as before,
    and nothing half-written is left under its name. A link stays a link; a pipe or device is
    written to.
    """
    with readable_errors(path):
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        path = Path(os.path.realpath(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.parent / f"{PARTIAL}{secrets.token_hex(8)}"
        try:
            with open(beside, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(beside, path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        _flush_folder(path.parent)


def flush(path: Path) -> None:
    """Make the content and the name of a file survive a power cut; raises StoreError."""
    with readable_errors(path):
        _fsync(path, os.O_RDWR)
        _flush_folder(path.parent)


def _flush_folder(folder: Path) -> None:
    """Make a new name durable; Windows has no such call and needs none."""
    if os.name != "nt":
        _fsync(folder, os.O_RDONLY)


def _fsync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def grid_sha256(values: np.ndarray) -> str:
    """sha256 over "NxM\\n" and the little-endian float64 values, row by row."""
    rows, columns = values.shape
    data = np.ascontiguousarray(values, "<f8").tobytes()
    return hashlib.sha256(f"{rows}x{columns}\n".encode() + data).hexdigest()


def npy_bytes(values: np.ndarray) -> bytes:
    """A grid as a .npy file."""
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(values, "<f8"), allow_pickle=False)
    return file.getvalue()
