"""What a store keeps of sweeps: rows, each model of a sweep once; and of an interrupted unit what
it goes on from, in a folder of its own.

    home/sweeps/<sweep>/<unit>/checkpoint-<step>.safetensors   home/sweeps/<sweep>/<unit>.lock

The newest good checkpoint counts, since no row of the store depends on it. Who holds the lock
writes there; whoever trains the same unit meanwhile does without.
"""

import hashlib
import json
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

from explorer.runs import sweep_rows
from explorer.runs.database import patient_write, readable_errors, readable_rows, transaction
from explorer.runs.locks import hold
from explorer.runs.store import Store
from explorer.spec import AnySweep, SpecError, full_json, spec_id
from explorer.targets import parse_sweep

Row = dict[str, Any]
"""alpha, rank, m_ff, seed, m_h, spec_id, status, mse, nmse, mae, r2, seconds, device.

sigma: σ̂_k of the centred ρ̂, (m_h,). surgery: only of the widest model of its kind, its nmse and mae
when cut to rank 1 … m_h − 1. What a model that diverged does not have is None."""


def register(store: Store, sweep: AnySweep) -> str:
    """Enter a sweep into the store; returns its id, under which its rows are kept."""
    identity = spec_id(sweep)
    with transaction(store.path, write=True) as db:
        row = (identity, full_json(sweep), time.time())
        db.execute("INSERT OR IGNORE INTO sweeps (sweep, spec, created) VALUES (?, ?, ?)", row)
    return identity


def insert(store: Store, sweep: str, rows: Iterable[Row]) -> None:
    """Rows in one transaction; one that is there already stays as it is."""
    now = time.time()
    with patient_write(store.path) as db:
        db.executemany(
            "INSERT OR IGNORE INTO sweep_rows (sweep, spec_id, row, created) VALUES (?, ?, ?, ?)",
            [(sweep, row["spec_id"], json.dumps(row, allow_nan=False), now) for row in rows],
        )


def read(store: Store, sweep: str) -> dict[str, Row]:
    """The rows kept so far, by the spec id of their model."""
    with transaction(store.path) as db:
        texts = db.execute("SELECT row FROM sweep_rows WHERE sweep = ?", (sweep,)).fetchall()
    with readable_rows(f"a row of the sweep {sweep}"):
        rows = [json.loads(row["row"]) for row in texts]
        return {row["spec_id"]: row for row in rows}


def all_sweeps(store: Store) -> list[tuple[str, str, int]]:
    """Id, specification (JSON) and number of rows of every sweep, the newest first."""
    with transaction(store.path) as db:
        listed = db.execute(
            "SELECT s.sweep, s.spec, count(r.spec_id) AS n FROM sweeps AS s "
            "LEFT JOIN sweep_rows AS r ON r.sweep = s.sweep GROUP BY s.sweep "
            "ORDER BY s.created DESC, s.sweep"
        ).fetchall()
    return [(row["sweep"], row["spec"], row["n"]) for row in listed]


def unit_folder(store: Store, sweep: str, unit: str, device: str) -> Path:
    """Of a unit's text, and of a kind of device: generators of one are nothing to another."""
    key = hashlib.sha256(f"{device.partition(':')[0]} {unit}".encode()).hexdigest()[:16]
    return store.home / "sweeps" / sweep / key


def hold_unit(folder: Path) -> FileLock | None:
    """Hold a unit's folder; None while another process does."""
    with readable_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        return hold(folder.with_suffix(".lock"))


def remove_unit(folder: Path) -> None:
    """Remove what is no longer needed of a unit, unless another process writes there."""
    lock = hold_unit(folder)
    if lock is None:
        return
    shutil.rmtree(folder, ignore_errors=True)
    lock.release()
    with suppress(OSError):  # an empty file more does no harm
        folder.with_suffix(".lock").unlink()
        folder.parent.rmdir()  # of the last unit


def tidy_units(store: Store) -> list[str]:
    """Forget the units of every sweep that is complete, or that the store does not have; returns
    the ids of those sweeps."""
    gone = []
    for folder in sorted((store.home / "sweeps").glob("*/")):
        if _unfinished(store, folder.name):
            continue
        for unit in {path.with_suffix("") for path in folder.iterdir()}:
            remove_unit(unit)
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
