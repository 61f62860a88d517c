"""The rows of sweeps in the store: each model of a sweep once."""

import json
import time
from collections.abc import Iterable
from typing import Any

from explorer.runs.database import patient_write, readable_rows, transaction
from explorer.runs.store import Store
from explorer.spec import AnySweep, full_json, spec_id

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
