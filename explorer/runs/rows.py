"""The rows of the store: the few statements that its calls are made of."""

import json
import sqlite3
import time
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from explorer.runs.database import readable_rows
from explorer.runs.record import TRAIN, Job, RunRow
from explorer.runs.transitions import RunError
from explorer.spec import AnySpec, CouplingSpec, full_json, spec_id


def next_run_id(db: sqlite3.Connection, spec: AnySpec) -> str:
    """The next run id of a specification; ids of deleted runs are not given again."""
    identity = spec_id(spec)
    n = db.execute(
        "INSERT INTO ids (spec_id, n) VALUES (?, 1) "
        "ON CONFLICT DO UPDATE SET n = n + 1 RETURNING n",
        (identity,),
    ).fetchone()[0]
    return f"{identity}-{n}"


def insert(db: sqlite3.Connection, run: str, spec: AnySpec, columns: Mapping[str, Any]) -> None:
    """A new run with some columns set."""
    identity, n = run.split("-")
    identifying = {"run": run, "spec_id": identity, "n": int(n), "spec": full_json(spec)}
    _insert(db, {"steps": spec.steps, **columns, **identifying})


def insert_job(db: sqlite3.Connection, job: str, kind: str, subject: str) -> None:
    """A new job, which waits."""
    no_run = {"spec_id": "", "n": 0, "steps": 0}
    _insert(db, {"run": job, "kind": kind, "spec": subject, "status": "queued", **no_run})


def _insert(db: sqlite3.Connection, columns: Mapping[str, Any]) -> None:
    columns = {"created": time.time(), **_numbered(db, columns)}
    marks = ", ".join("?" * len(columns))
    db.execute(f"INSERT INTO work ({', '.join(columns)}) VALUES ({marks})", [*columns.values()])


def update(db: sqlite3.Connection, run: str, columns: Mapping[str, Any]) -> None:
    """Set some columns of a run or job; one whose status becomes "queued" joins the end of the
    queue, unless the columns say which number it has there."""
    columns = _numbered(db, columns)
    assignments = ", ".join(f"{column} = ?" for column in columns)
    db.execute(f"UPDATE work SET {assignments} WHERE run = ?", [*columns.values(), run])


def _numbered(db: sqlite3.Connection, columns: Mapping[str, Any]) -> Mapping[str, Any]:
    """With its number in the queue, above every other's, where the columns let a row wait.

    Older stores hold times there, which count on. No clock that was set back or ahead matters.
    """
    if columns.get("status") != "queued" or "queued" in columns:
        return columns
    last = db.execute("SELECT max(queued) FROM work").fetchone()[0]
    return {**columns, "queued": (last or 0) + 1}


def select(db: sqlite3.Connection, run: str) -> RunRow | Job | None:
    """A run or job, if the store has it; raises StoreError."""
    row = db.execute("SELECT * FROM work WHERE run = ?", (run,)).fetchone()
    return (RunRow if row["kind"] == TRAIN else Job).from_columns(row) if row else None


def finished(db: sqlite3.Connection, fields: Mapping[str, Any]) -> list[RunRow]:
    """The finished runs whose specification has the values of these fields, the newest first.

    A field that a specification was written without has its default.
    """
    texts = {name: _in_json(value) for name, value in fields.items()}
    defaults = {name: _in_json(CouplingSpec.model_fields[name].default) for name in fields}
    held = "iif(json_valid(spec), json_extract(spec, '$.{}'), NULL)".format
    conditions = "".join(f" AND coalesce({held(name)}, ?) IS ?" for name in fields)
    values = [value for name in fields for value in (defaults[name], texts[name])]
    matching = db.execute(
        f"SELECT * FROM work WHERE kind = 'train' AND status = 'finished'{conditions} "
        "ORDER BY created DESC, rowid DESC",
        values,
    )
    return [RunRow.from_columns(row) for row in matching.fetchall()]


def _in_json(value: Any) -> Any:
    """What `json_extract` makes of a value in a specification."""
    return json.dumps(value, separators=(",", ":")) if isinstance(value, tuple) else value


def require(db: sqlite3.Connection, run: str) -> RunRow:
    """A run; raises RunError when the store does not have it."""
    row = select(db, run)
    if not isinstance(row, RunRow):
        raise unknown(run)
    return row


def check_exists(db: sqlite3.Connection, run: str) -> None:
    """Raises RunError when the store does not have a run, whatever state its row is in."""
    if db.execute("SELECT 1 FROM work WHERE run = ? AND kind = ?", (run, TRAIN)).fetchone() is None:
        raise unknown(run)


def unknown(run: str) -> RunError:
    """What is raised where the store does not have a run."""
    return RunError(f"there is no run {run[:80]!r} in this store")


def remove(db: sqlite3.Connection, run: str) -> None:
    """Forget a run or job."""
    for table in ("history", "snapshots", "live", "work"):
        db.execute(f"DELETE FROM {table} WHERE run = ?", (run,))


def add(
    db: sqlite3.Connection, run: str, history: Iterable[tuple], snapshots: Iterable[tuple]
) -> None:
    """history: (step, loss); snapshots: (step, nmse, mse, mae, frame)."""
    db.executemany(
        "INSERT OR REPLACE INTO history (run, step, loss) VALUES (?, ?, ?)",
        ((run, *row) for row in history),
    )
    db.executemany(
        "INSERT OR REPLACE INTO snapshots (run, step, nmse, mse, mae, frame) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ((run, *row) for row in snapshots),
    )


def columns(
    db: sqlite3.Connection, table: str, names: str, run: str, since: int = 0
) -> list[np.ndarray]:
    """Columns of a run's rows after a step, in order: `step` as int64, the others as float64."""
    query = f"SELECT {names} FROM {table} WHERE run = ? AND step > ? ORDER BY step"
    table_rows = db.execute(query, (run, since)).fetchall()
    kinds = [np.int64 if name == "step" else np.float64 for name in names.split(", ")]
    with readable_rows(f"the {table} of {run}"):
        return [np.array([row[i] for row in table_rows], kind) for i, kind in enumerate(kinds)]
