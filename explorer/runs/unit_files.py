"""Where an interrupted unit of a sweep finds what it goes on from: a folder of its own.

    home/sweeps/<sweep>/<unit>/checkpoint-<step>.safetensors   home/sweeps/<sweep>/<unit>.lock

The newest good checkpoint counts, since no row of the store depends on it. Who holds the lock
writes there; whoever trains the same unit meanwhile does without.
"""

import hashlib
import shutil
from contextlib import suppress
from pathlib import Path

from filelock import FileLock

from explorer.runs import sweep_rows
from explorer.runs.database import readable_errors
from explorer.runs.locks import hold
from explorer.runs.store import Store
from explorer.spec import SpecError, spec_id
from explorer.targets import parse_sweep


def folder_of(store: Store, sweep: str, unit: str, device: str) -> Path:
    """Of a unit's text, and of a kind of device: generators of one are nothing to another."""
    key = hashlib.sha256(f"{device.partition(':')[0]} {unit}".encode()).hexdigest()[:16]
    return store.home / "sweeps" / sweep / key


def hold_folder(folder: Path) -> FileLock | None:
    """Hold a unit's folder; None while another process does."""
    with readable_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        return hold(folder.with_suffix(".lock"))


def remove(folder: Path) -> None:
    """Remove what is no longer needed of a unit, unless another process writes there."""
    lock = hold_folder(folder)
    if lock is None:
        return
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()
    with suppress(OSError):  # an empty file more does no harm
        folder.with_suffix(".lock").unlink()
        folder.parent.rmdir()  # of the last unit


def tidy(store: Store) -> list[str]:
    """Forget the units of every sweep that is complete, or that the store does not have; returns
    the ids of those sweeps."""
    gone = []
    for folder in sorted((store.home / "sweeps").glob("*/")):
        if _unfinished(store, folder.name):
            continue
        for unit in {path.with_suffix("") for path in folder.iterdir()}:
            remove(unit)
        if not folder.exists():
            gone.append(folder.name)
    return gone


def _unfinished(store: Store, sweep: str) -> bool:
    """Whether the store has a sweep of that id some of whose rows are missing."""
    spec = {identity: text for identity, text, _ in sweep_rows.all_sweeps(store)}.get(sweep)
    if spec is None:
        return False
    try:
        members = parse_sweep(spec).members()
    except SpecError:  # another version's
        return True
    return bool({spec_id(member) for member in members} - set(sweep_rows.read(store, sweep)))
