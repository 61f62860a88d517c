"""A run as one zip, and the careful way back.

    manifest.json            format version, sha256 of every other member
    spec.json  run.json      the specification; what the store's row says beside it
    history.csv              step,loss
    snapshots/<step>.frame   kept pictures, see `frames`
    checkpoint.safetensors   what the run goes on from (absent when it has none), or its step and
                             parameters alone: enough to look at the trained model, not to resume
                             (`layout` has names, types and shapes)
    grid.npy                 the uploaded samples, if the specification names some

The same run gives the same bytes. An archive is data of unknown origin: names are looked up in this
list, never used as paths; sizes are bounded before anything is inflated; nothing is unpickled; and
what contradicts itself, or what the pages could not show, is refused as a whole. Errors cannot be
told from right ones without training: those of an imported run are kept as claimed.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from explorer.coupling.grid import GridError, parse_grid
from explorer.folder import public
from explorer.models.named import weights_sha256
from explorer.runs import files, layout, run_file, zips
from explorer.runs.record import CLAIMED, Record, RunRow
from explorer.runs.run_file import MAX_TEXT, STRICT, RunFile, read_run_file
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.runs.zips import FRAME, ArchiveError
from explorer.spec import AnySpec, SpecError, full_json, spec_id
from explorer.targets import TaskError, checked_target, parse
from explorer.targets.labelled.pictures import DataError

MAX_ROWS = 10_000
LEFT = ("queued", "running")  # nobody works on the run any more where it arrives


def export(
    store: Store,
    run: str,
    checkpoint: bool = True,
    *,
    weights_only: bool = False,
    pictures: int | None = None,
) -> bytes:
    """The archive of a run, with its checkpoint or only the parameters of it, and all of its
    pictures or at most so many (≥ 2); raises RunError while a process works on it."""
    record = store.read(run)
    if record.row.status == "running":
        raise RunError(f"cannot export {run}: it is running; pause or stop it first")
    saved, row = None, record.row
    if row.checkpoint:
        with files.readable_errors(store.folder(run)):
            saved = (store.folder(run) / row.checkpoint).read_bytes()
    if saved is not None and weights_only:
        saved = parameters(saved)
    grid = store.grid(record.spec.grid) if record.spec.grid else None
    if pictures is not None:  # the first and the last included
        count = len(record.snapshot_steps)
        indices = np.unique(np.linspace(0, count - 1, min(pictures, count)).round().astype(int))
        names = ("snapshot_steps", "nmse", "mse", "mae")
        record = replace(record, **{name: getattr(record, name)[indices] for name in names})
    return dump(record, saved if checkpoint else None, grid)


def parameters(checkpoint: bytes) -> bytes:
    """The step and the parameters of a checkpoint, without optimiser and generators."""
    tensors = load_tensors(checkpoint)
    names = sorted(name for name in tensors if name == "step" or name.startswith("weights."))
    return save_tensors({name: tensors[name] for name in names})


def dump(record: Record, checkpoint: bytes | None, grid: np.ndarray | None) -> bytes:
    """A record as an archive; without a checkpoint it can be looked at but not resumed."""
    status = "stopped" if record.row.status in LEFT else record.row.status
    values = {name: getattr(record.row, name) for name in RunFile.model_fields}
    values |= {"status": status, "message": public(record.row.message)[:MAX_TEXT]}
    pairs = zip(record.steps.tolist(), record.losses.tolist(), strict=True)
    rows = ["step,loss\n", *(f"{step},{loss!r}\n" for step, loss in pairs)]
    members = {
        "spec.json": full_json(record.spec).encode(),
        "run.json": json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False).encode(),
        "history.csv": "".join(rows).encode(),
    }
    for step in record.snapshot_steps.tolist():
        members[f"snapshots/{step:09d}.frame"] = record.frame(step)
    if checkpoint is not None:
        members["checkpoint.safetensors"] = checkpoint
    if grid is not None:
        members["grid.npy"] = files.npy_bytes(grid)
    return zips.pack(members)


def read(source: bytes | Path) -> Record:
    """The run in an archive, without a store; raises ArchiveError."""
    record, _, _ = _load(source)
    return record


def import_(store: Store, source: bytes | Path) -> str:
    """Put the run of an archive into a store under a fresh id, which is returned.

    Raises ArchiveError, and StoreError where the store cannot take it.
    """
    return put(store, *opened(source, store.quota.brought))


class Brought(BaseModel):
    """A checked run in plain values; beside it go its grid as .npy, its checkpoint (b"" for none)
    and its pictures, a part for each row of `errors`: step, nmse, mse, mae."""

    model_config = STRICT

    spec: str
    run: RunFile
    checkpoint: str | None
    history: list[tuple[int, float]]
    errors: list[tuple[int, float, float, float]]


def opened(source: bytes | Path, allowed: Callable[[AnySpec], None]) -> tuple[Brought, list[bytes]]:
    """What an archive holds, with its parts, for `put`; `allowed` raises where its run may not be
    kept. Raises ArchiveError."""
    record, checkpoint, grid = _load(source, allowed)
    row = {name: getattr(record.row, name) for name in RunFile.model_fields}
    steps, errors = record.snapshot_steps.tolist(), (record.nmse, record.mse, record.mae)
    brought = Brought(
        spec=full_json(record.spec),
        run=RunFile.model_validate(row),
        checkpoint=record.row.checkpoint,
        history=[*zip(record.steps.tolist(), record.losses.tolist(), strict=True)],
        errors=[*zip(steps, *(each.tolist() for each in errors), strict=True)],
    )
    held = [b"" if grid is None else files.npy_bytes(grid), checkpoint or b""]
    return brought, [*held, *map(record.frame, steps)]


def put(store: Store, brought: Brought, parts: Sequence[bytes]) -> str:
    """Keep what `opened` has found under a fresh id, which is returned. Raises StoreError."""
    grid, checkpoint, *pictures = parts
    spec = parse(brought.spec)
    store.quota.brought(spec)
    if grid:
        store.put_grid(parse_grid(grid, "grid.npy"))
    columns = brought.run.model_dump(exclude={"run", "versions", "metrics"})
    metrics = brought.run.metrics and brought.run.metrics.model_dump(exclude_none=True)
    columns |= {"versions": json.dumps(brought.run.versions)}
    columns |= {"metrics": json.dumps({**metrics, CLAIMED: True}) if metrics else None}
    snapshots = [(*row, picture) for row, picture in zip(brought.errors, pictures, strict=True)]
    named = (brought.checkpoint, checkpoint) if brought.checkpoint and checkpoint else None
    return store.add(spec, columns, brought.history, snapshots, named)


def _load(
    source: bytes | Path, allowed: Callable[[AnySpec], None] = lambda _: None
) -> tuple[Record, bytes | None, np.ndarray | None]:
    """What an archive holds; `allowed` raises where its run may not be kept, before all of it is in
    memory."""

    def room_of(data: bytes) -> zips.Room:
        spec = _spec(data)
        allowed(spec)
        return zips.Room(layout.largest(spec), *run_file.largest(spec))

    members = zips.unpack(source, room_of)
    spec, row = _spec(members["spec.json"]), read_run_file(members["run.json"])
    metrics = row.metrics and row.metrics.model_dump(exclude_none=True)
    if metrics and (missing := set(spec.extra_metrics) - metrics.keys()):
        raise ArchiveError(f"run.json: metrics: {', '.join(sorted(missing))} missing")
    if row.step > spec.steps or (row.status == "finished" and row.step != spec.steps):
        raise ArchiveError(
            f"run.json: {row.status} at step {row.step} does not fit the {spec.steps} steps of "
            "spec.json"
        )
    steps, losses = _history(members["history.csv"], row.step)
    pictures = _pictures(members, spec, row.step)
    checkpoint = members.get("checkpoint.safetensors")
    step = None if checkpoint is None else _checkpoint_step(checkpoint, spec, row)
    grid = _grid(members.get("grid.npy"), spec.grid)
    _check_target(spec, grid)
    record = _record(_row(spec, row, step), (steps, losses), pictures)
    return record, checkpoint, grid


def _spec(data: bytes) -> AnySpec:
    try:
        return parse(data.decode())
    except (SpecError, UnicodeDecodeError) as error:
        raise ArchiveError(f"spec.json: {error}"[:MAX_TEXT]) from error


def _check_target(spec: AnySpec, grid: np.ndarray | None) -> None:
    """What the run has learned must be such that it can be drawn. Pictures that are not on this
    machine say nothing against it."""
    try:
        checked_target(spec, None if grid is None else lambda _: grid)
    except DataError:
        return
    except (SpecError, TaskError) as error:
        raise ArchiveError(f"spec.json: {error}"[:MAX_TEXT]) from error


def _history(data: bytes, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Steps, rising from 1 to at most `last`, and finite losses, none below 0."""
    try:
        rows = csv.reader(io.StringIO(data.decode("ascii")))
        lines = list(islice(rows, MAX_ROWS + 1))
        if not lines or lines[0] != ["step", "loss"] or len(lines) > MAX_ROWS:
            raise ValueError(f"a line step,loss and at most {MAX_ROWS} rows are expected")
        pairs = [(int(step), float(loss)) for step, loss in lines[1:]]
    except (ValueError, csv.Error) as error:
        raise ArchiveError(f"history.csv cannot be read ({error})") from error
    _check_steps([step for step, _ in pairs], last, "history.csv")
    if not all(0 <= loss < math.inf for _, loss in pairs):
        raise ArchiveError("history.csv holds a loss that is not finite, or below 0")
    return np.array([p[0] for p in pairs], np.int64), np.array([p[1] for p in pairs], np.float64)


def _check_steps(steps: list[int], last: int, where: str) -> None:
    inside = not steps or (steps[0] >= 1 and steps[-1] <= last)
    if not inside or any(b <= a for a, b in pairwise(steps)):
        raise ArchiveError(f"{where}: the steps must rise within 1 … {last}")


def _pictures(
    members: Mapping[str, bytes], spec: AnySpec, last: int
) -> dict[int, tuple[dict, bytes]]:
    """Header and packed frame of every kept step."""
    names = {int(match[1]): name for name in members if (match := FRAME.fullmatch(name))}
    steps = sorted(names)
    if len(names) != sum(name.startswith("snapshots/") for name in members):
        raise ArchiveError("snapshots: two pictures of the same step")
    _check_steps(steps, last, "snapshots")
    frames_of = {step: members[names[step]] for step in steps}
    return {
        step: (run_file.checked_header(data, spec, step, names[step]), data)
        for step, data in frames_of.items()
    }


def _checkpoint_step(data: bytes, spec: AnySpec, row: RunFile) -> int:
    """The step of a checkpoint that can be read, is one of the specification, and of the run."""
    try:
        tensors = load_tensors(data)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise ArchiveError(f"checkpoint.safetensors cannot be read ({error})") from error
    if problem := layout.problem(spec, tensors):
        raise ArchiveError(f"checkpoint.safetensors is not of spec.json: {problem}")
    if not 0 < tensors["step"] <= row.step:
        raise ArchiveError("checkpoint.safetensors does not belong to the step of run.json")
    if not all(np.isfinite(values).all() for values in tensors.values()):
        raise ArchiveError("checkpoint.safetensors holds numbers that are not finite")
    _check_carry(data)
    claimed = row.metrics if row.status == "finished" and tensors["step"] == spec.steps else None
    if claimed and weights_sha256(layout.weights(tensors)) != claimed.weights_sha256:
        raise ArchiveError("run.json: weights_sha256 is not that of checkpoint.safetensors")
    return int(tensors["step"])


def _check_carry(data: bytes) -> None:
    """The open row of the history, which travels in the header of a checkpoint."""
    size = int.from_bytes(data[:8], "little")
    carry = {"loss_sum": "0", "loss_count": "0"}
    carry |= json.loads(data[8 : 8 + size]).get("__metadata__", {})
    try:
        fits = len(carry) == 2 and 0 <= float(carry["loss_sum"]) < math.inf
        fits = fits and int(carry["loss_count"]) >= 0
    except ValueError:
        fits = False
    if not fits:
        raise ArchiveError("checkpoint.safetensors: its open row of history cannot be")


def _grid(data: bytes | None, sha: str | None) -> np.ndarray | None:
    if data is None and sha is None:
        return None
    if data is None or sha is None:
        raise ArchiveError("grid.npy and the grid that spec.json names must come together")
    try:
        values = parse_grid(data, "grid.npy")
    except GridError as error:
        raise ArchiveError(f"grid.npy: {error}") from error
    if files.grid_sha256(values) != sha:
        raise ArchiveError("grid.npy is not the grid that spec.json names")
    return values


def _record(
    row: RunRow, history: tuple[np.ndarray, np.ndarray], pictures: Mapping[int, tuple[dict, bytes]]
) -> Record:
    steps = np.array(list(pictures), np.int64)
    headers = [header for header, _ in pictures.values()]
    nmse, mse, mae = (
        np.array([header[key] for header in headers], np.float64) for key in ("nmse", "mse", "mae")
    )
    return Record(row, *history, steps, nmse, mse, mae, lambda step: pictures[step][1])


def _row(spec: AnySpec, row: RunFile, checkpoint_step: int | None) -> RunRow:
    """The row under the id that the specification really has."""
    identity, n = spec_id(spec), int(row.run.split("-")[1])
    metrics = row.metrics and row.metrics.model_dump(exclude_none=True)
    name = None if checkpoint_step is None else f"checkpoint-{checkpoint_step}.safetensors"
    own: dict[str, Any] = {"run": f"{identity}-{n}", "n": n, "spec_id": identity}
    own |= {"spec_json": full_json(spec), "steps": spec.steps, "metrics": metrics}
    own |= {"checkpoint": name, "watched": 0.0}
    own |= dict.fromkeys(("pause_at", "command", "queued"))
    return RunRow(**row.model_dump() | own)
