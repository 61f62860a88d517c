"""Sweeps: units of work that any executor takes, and rows that only this process writes.

A unit is a text: the specifications of models that are trained in one batch. What `train_unit`
returns hangs on it alone, so a unit may be repeated anywhere; its rows enter the store in one
transaction as it finishes, each once. An interrupted sweep goes on with the models whose rows are
missing, on this machine from the checkpoint of each unit.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from explorer.coupling import GridLoader
from explorer.runs import devices, sweep_rows
from explorer.runs.store import Store
from explorer.slow import torch
from explorer.spec import AnySpec, AnySweep, coupling_spec, spec_id
from explorer.targets import KINDS, parse, target_of
from explorer.theory.design import Design

if TYPE_CHECKING:
    from explorer.runs.resumable import ResumableBatch
    from explorer.training import TopDown, Trained

CPU_MODELS, CUDA_MODELS = 16, 512  # trained in one batch at most; top-down needs all widths of one


OnStep = Callable[["Unit", int, int, "torch.Tensor"], None]
"""Hears of each step of a unit that runs here: the unit, the step, the steps in all, and the losses
of its members before that step in units of Var(y), NaN for one that has not begun."""


class SweepError(RuntimeError):
    """A unit failed for good; what is kept stays, and the sweep can go on from there."""


@dataclass(frozen=True)
class Unit:
    """Models trained in one batch. Its text is all a worker gets."""

    members: tuple[AnySpec, ...]
    method: str
    fine_tune: int

    def text(self) -> str:
        """As JSON."""
        members = [member.model_dump(mode="json") for member in self.members]
        return json.dumps({"members": members, "method": self.method, "fine_tune": self.fine_tune})

    @classmethod
    def from_text(cls, text: str) -> Unit:
        """Back from its text."""
        values = json.loads(text)
        return cls(tuple(map(parse, values["members"])), values["method"], values["fine_tune"])


def units(
    sweep: AnySweep, finished: Iterable[str] = (), device: str = "cpu", share: int = 1
) -> list[Unit]:
    """What is left to train, without the models whose spec ids have finished.

    On a CPU a unit has the widths of one target, m_FF and seed, or what `Specification.batched`
    says; on a GPU as many models of one m_FF as fit, since a narrow model in a wide batch costs as
    much as a wide one, in as many parts as there are GPUs that `share` the work. Models of one task
    are alike in all but width and seed. The first seed of every target comes before the second of
    any. What the kernel trains is on the CPU.
    """
    done, on_gpu = set(finished), device.startswith("cuda") and not sweep.by_kernel
    size = CUDA_MODELS if on_gpu else CPU_MODELS
    varied = {"m_h", "seed", "alpha", "rank"} if on_gpu else sweep.batched
    shared = [name for name in sweep.swept if name not in varied]
    groups: dict[tuple, list[AnySpec]] = {}
    for member in sorted(sweep.members(), key=attrgetter("seed")):
        if spec_id(member) not in done:
            groups.setdefault(tuple(getattr(member, n) for n in shared), []).append(member)
    chunks = [
        members[start : start + part]
        for members in groups.values()
        for part in [min(size, math.ceil(len(members) / share))]
        for start in range(0, len(members), part)
    ]
    whole = list(groups.values())
    chosen = whole if sweep.method == "top_down" else chunks
    return [Unit(tuple(members), sweep.method, sweep.fine_tune) for members in chosen]


def train_unit(
    text: str,
    device: str = "cpu",
    grid: np.ndarray | None = None,
    on_step: OnStep | None = None,
    folder: Path | None = None,
) -> list[sweep_rows.Row]:
    """Train a unit and return its rows; one that the device has no room for as two halves, each as
    a unit of its own.

    Raises DeviceError where not even one model has room.
    """
    try:
        return _train_whole(text, device, grid, on_step, folder)
    except torch.OutOfMemoryError:
        halves = _halves(Unit.from_text(text))
    if not halves:
        raise devices.DeviceError(devices.FULL.format(device=device))
    return [row for half in halves for row in train_unit(half.text(), device, grid, on_step, None)]


def _halves(unit: Unit) -> list[Unit]:
    """None where it cannot be cut: of one model, or of models that are cut from one."""
    if len(unit.members) == 1 or unit.method == "top_down":
        return []
    middle = len(unit.members) // 2
    return [replace(unit, members=part) for part in (unit.members[:middle], unit.members[middle:])]


def _batch_of(unit: Unit, device: str, load_grid: GridLoader | None) -> Trained | TopDown:
    """The models of a unit, as they start."""
    from explorer.training import TopDown, models_of

    if unit.method == "top_down":
        couplings = [coupling_spec(member) for member in unit.members]
        plain = [Design(spec, load_grid).target for spec in couplings]
        return TopDown(couplings, plain, device, unit.fine_tune)
    targets = [target_of(member, load_grid) for member in unit.members]
    return models_of(unit.members, targets, device)


def _train_whole(
    text: str, device: str, grid: np.ndarray | None, on_step: OnStep | None, folder: Path | None
) -> list[sweep_rows.Row]:
    """Train a unit and return its rows, the same whether it goes on from a checkpoint or not.

    `device` is a name of torch or a wish, "auto" or "cuda", that is settled where the unit runs.
    `grid` holds the samples of a coupling that is given by them; in `folder` are checkpoints, where
    the disk of the process that asks is at hand.
    """
    from explorer.runs.resumable import ResumableBatch, Stopped

    if device in ("auto", "cuda"):
        device = devices.name(devices.kind_of(device), 0)
    if device == "cpu":
        torch.set_num_threads(1)
    unit = Unit.from_text(text)
    resumable = ResumableBatch(partial(_batch_of, unit, device, _loader(grid)), folder)
    with closing(resumable.run()) as steps:  # an `on_step` that stops it lets go of the folder
        for step, losses in steps:
            if on_step is None:
                continue
            try:
                on_step(unit, step, resumable.batch.steps, losses)
            except Stopped:
                resumable.keep()
                raise
    return _rows(unit, resumable)


def _rows(unit: Unit, resumable: ResumableBatch) -> list[sweep_rows.Row]:
    batch = resumable.batch.final
    errors = batch.evaluate_all()
    learned = [
        batch.recipe.columns(batch.member(i), i) if _finite(row) else {}
        for i, row in enumerate(errors)
    ]
    seconds = resumable.seconds() / len(unit.members)
    return [
        _row(member, measured, more, seconds, str(batch.device))
        for member, measured, more in zip(unit.members, errors, learned, strict=True)
    ]


def _finite(errors: dict[str, float]) -> bool:
    return math.isfinite(errors["mse"])


def _loader(grid: np.ndarray | None) -> GridLoader | None:
    """What gives the samples that came with a unit; None where none did."""
    return None if grid is None else lambda _: grid


def _row(
    member: AnySpec, errors: dict[str, float], learned: sweep_rows.Row, seconds: float, device: str
) -> sweep_rows.Row:
    finite = _finite(errors)
    return {
        **{name: getattr(member, name) for name in KINDS[member.target].Sweep.swept},
        "spec_id": spec_id(member),
        "status": "finished" if finite else "diverged",
        **{name: value if finite else None for name, value in errors.items()},
        "sigma": None,
        "surgery": None,
        **learned,
        "seconds": seconds,
        "device": device,
    }


def run(
    store: Store,
    sweep: AnySweep,
    executor: Executor | None = None,
    device: str = "cpu",
    on_rows: Callable[[int, int], None] | None = None,
    on_step: OnStep | None = None,
) -> list[sweep_rows.Row]:
    """Train what is missing and return all rows, in the order of the members.

    Without an executor units run here one by one. `on_rows` hears how many rows there are, of how
    many, and `on_step` of the steps of units that run here. Rows kept so far survive whatever
    ends this early; after Ctrl-C they are returned. A unit of this machine that was cut short goes
    on from its last checkpoint. Raises SweepError where a unit cannot be done.
    """
    identity = sweep_rows.register(store, sweep)
    wanted = [spec_id(member) for member in sweep.members()]
    grid = store.grid(sweep.grid) if sweep.grid else None
    target_of(sweep.members()[0], _loader(grid))  # refused before any work is sent out
    trained = sweep_rows.read(store, identity)
    with suppress(KeyboardInterrupt):
        several = isinstance(executor, ProcessPoolExecutor) and device.startswith("cuda")
        share = max(1, devices.capacity("cuda")) if several else 1
        wanted_units = units(sweep, trained, device, share)
        left = _with_folders(store, identity, wanted_units, executor, device)
        for folder, rows in chain([(None, [])], _finished(left, executor, device, grid, on_step)):
            sweep_rows.insert(store, identity, rows)
            trained = sweep_rows.read(store, identity)
            if folder:
                store.flush()
                sweep_rows.remove_unit(folder)
            if on_rows:
                on_rows(len(trained), len(wanted))
    sweep_rows.tidy_units(store)  # of a process that ended between rows and files
    return [trained[key] for key in wanted if key in trained]


def _with_folders(
    store: Store, identity: str, left: list[Unit], executor: Executor | None, device: str
) -> dict[str, Path | None]:
    """The text of each unit, and where its checkpoints lie if it is trained on this machine."""
    texts = [unit.text() for unit in left]
    if not isinstance(executor, ProcessPoolExecutor | None):
        return dict.fromkeys(texts)
    return {text: sweep_rows.unit_folder(store, identity, text, device) for text in texts}


def _finished(
    left: dict[str, Path | None],
    executor: Executor | None,
    device: str,
    grid: np.ndarray | None,
    on_step: OnStep | None,
) -> Iterator[tuple[Path | None, list[sweep_rows.Row]]]:
    """The folder and the rows of each unit as it finishes."""
    if executor is None:
        for text, folder in left.items():
            yield folder, train_unit(text, device, grid, on_step, folder)
        return
    futures: dict[Future, Path | None] = {
        executor.submit(train_unit, text, device, grid, None, folder): folder
        for text, folder in left.items()
    }
    try:
        for future in as_completed(futures):
            yield futures[future], _result(future)
    finally:
        for future in futures:
            future.cancel()


def _result(future: Future) -> list[sweep_rows.Row]:
    try:
        return future.result()
    except Exception as error:
        raise SweepError(
            f"a worker could not finish its models ({type(error).__name__}: {error}); "
            "the rows kept so far stay: run the same sweep again to go on"
        ) from error
