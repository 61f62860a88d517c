"""The processes of a pool, whoever has started them."""

from contextlib import suppress
from pathlib import Path


def workers_of(folder):
    """Numbers of the workers whose environment names this store."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            ours = str(folder).encode() in (path / "environ").read_bytes()
            if ours and b"explorer.runs.worker" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found
