"""Kernel file locks. They fall free when their process dies, however it dies.

So a held lock is the only proof of life a run needs: no heartbeats, no process ids.
"""

from pathlib import Path

from filelock import FileLock, Timeout


def hold(path: Path, seconds: float = 0.0) -> FileLock | None:
    """The lock on `path`, or None when another holder keeps it for `seconds`.

    Keep the result: the lock is released by `.release()` or when the object is collected.
    An existence lock would outlive a killed process, so a file system without kernel locks is
    an error (OSError) instead of falling back to one.
    """
    lock = FileLock(path, timeout=seconds, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        return None
    return lock
