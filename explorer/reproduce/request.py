"""What a reproduction is asked to do, the work that several of them share, and what must hold for a
figure or table to count as reproduced."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pandas as pd

from explorer.charts.export import csv, export
from explorer.coupling import GridLoader
from explorer.pages.rates.view import all_floors
from explorer.pages.rates.view_text import group_lines
from explorer.runs import devices, executors, jobs, sweeps
from explorer.runs.files import write_durably
from explorer.runs.record import RESUMABLE, Record
from explorer.runs.store import RunError, Store
from explorer.spec import (
    AnySpec,
    AnySweep,
    SpecError,
    SweepSpec,
    Topic,
    coupling_spec,
    full_json,
    spec_id,
)
from explorer.spec.fields import of_each
from explorer.theory import labelled, linear_sweep, memory_sweep, tasks
from explorer.theory import sweep as coupling_sweep
from explorer.theory.architectures.race import Race
from explorer.theory.design import Design
from explorer.theory.sweep import Norm
from explorer.views.sweeps import Finished

if TYPE_CHECKING:
    from explorer.runs.execute import Progress

ALL_RUNS = 100_000
ORDER = "roll"
"""Of Table 1: the first tokens go to the end, as in the paper (10 of them there)."""


@dataclass(frozen=True)
class Request:
    """Where the runs are kept, where the files go, how blunt it may be, on what it trains, and of
    Table 1 in which order the tokens come: a name, a random one perhaps with its seed."""

    store: Store
    out: Path
    quick: bool = False
    executor: str = "local"
    workers: int | None = None
    device: str = "cpu"
    order: str = ORDER

    def swept(self, sweep: AnySweep) -> dict[str, Any]:
        """`swept` by all of this; raises KeyboardInterrupt after Ctrl-C."""
        summary = swept(self.store, sweep, self.executor, self.workers, self.device)
        if summary["status"] == "stopped":
            raise KeyboardInterrupt
        return summary

    def written(
        self, name: str, table: pd.DataFrame, chart: Any, title: str, footer: str
    ) -> list[str]:
        """Writes NAME.csv with a table and NAME.svg with a chart; the files' names."""
        picture = export(chart, "svg", title=title, footer=footer)
        files = {f"{name}.csv": csv(table), f"{name}.svg": picture}
        for file, data in files.items():
            write_durably(self.out / file, data)
        return list(files)


Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Of a sweep that is done, or stopped."""

    summary: Callable[[Any, Rows, GridLoader | None, Norm], dict[str, Any]]
    """`rows`, `groups` with what is known beside them, and a slope: see `theory`."""
    lines: Callable[[Rows], list[str]]
    """Those groups for a terminal."""
    shipped: Callable[[Any, GridLoader | None], Finished[Any]]
    """A `Finished` with what its page would compute for long."""


def _of_rows(module: Any) -> Summary:
    """Where rows alone tell it, by a module of theory."""
    return Summary(
        summary=lambda sweep, rows, load_grid, norm: module.summary(sweep, rows),
        lines=module.group_lines,
        shipped=lambda finished, load_grid: finished,
    )


def _of_couplings(
    sweep: SweepSpec, rows: Rows, load_grid: GridLoader | None, norm: Norm
) -> dict[str, Any]:
    members = coupling_sweep.designs(sweep)
    targets = {key: Design(member, load_grid).target for key, member in members.items()}
    return coupling_sweep.summary(sweep, rows, targets, norm)


def _with_floors(
    finished: Finished[SweepSpec], load_grid: GridLoader | None
) -> Finished[SweepSpec]:
    return replace(finished, floors=tuple(all_floors(replace(finished, load_grid=load_grid))))


SUMMARIES: dict[str, Summary] = of_each(
    "summaries of sweeps",
    get_args(Topic),
    {
        "coupling": Summary(summary=_of_couplings, lines=group_lines, shipped=_with_floors),
        "order": _of_rows(linear_sweep),
        "attention": _of_rows(tasks),
        "real": _of_rows(labelled),
        "memory": _of_rows(memory_sweep),
    },
)


def swept(
    store: Store,
    sweep: AnySweep,
    executor: str,
    workers: int | None,
    device: str,
    norm: Norm = "mse",
) -> dict[str, Any]:
    """Run what is missing of a sweep; its rows, groups with floors, and slope (DESIGN §5).

    `device` is a name of torch, or for other machines' workers a wish: "auto", "cpu", "cuda". The
    status is "stopped" after Ctrl-C, with the rows there are.
    """
    kind = device.partition(":")[0]
    count = workers or max(1, 1 if kind == "auto" else devices.capacity(kind))
    with executors.executor_named(executor, count) as pool:
        rows = sweeps.run(store, sweep, pool, device, _say_rows, _say_step)
    whole = len(rows) == len(sweep.members())
    status = {"sweep": spec_id(sweep), "status": "finished" if whole else "stopped"}
    return status | SUMMARIES[sweep.topic].summary(sweep, rows, store.grid, norm)


def trained(request: Request, spec: AnySpec) -> Record:
    """The run of a specification: one that has finished in this store, or one that rested, which
    goes on, or a new one.

    Raises KeyboardInterrupt after Ctrl-C, and RunError for a run that diverged or failed.
    """
    from explorer.runs.execute import execute  # imports torch

    store, device = request.store, request.device
    if device in ("auto", "cuda"):  # the wish for other machines' workers
        device = devices.name(devices.kind_of(device), 0)
    own = {row.status: row for row in store.list(ALL_RUNS) if row.spec_id == spec_id(spec)}
    if "finished" in own:
        return store.read(own["finished"].run)
    rested = next((own[status] for status in RESUMABLE if status in own), None)
    with store.take(rested.run, device) if rested else store.start(spec, device) as lease:
        row = execute(store, lease.row, device=device, on_progress=_say_progress)
    if row.status == "stopped":
        raise KeyboardInterrupt
    if row.status != "finished":
        raise RunError(f"{row.run} {row.status} at step {row.step}: {row.message}")
    return store.read(row.run)


def rank_optimal(store: Store, sweep: AnySweep) -> list[dict[str, Any]]:
    """Errors of the rank-optimal kernels of a sweep, as the job of that kind has them; computed
    here where no worker has, and going on with what one has begun.

    Raises SpecError for a sweep that is not of couplings, and while a worker is at it.
    """
    coupling_spec(sweep)
    name = jobs.ask(store, "optimum", spec_id(sweep), full_json(sweep))
    return _worked(store, name, "rank-optimal kernels: some seconds for each width")


def raced(store: Store, race: Race) -> list[dict[str, Any]]:
    """What a race has come to, as the job of that kind has it; run here where no worker has it.

    Raises SpecError while a worker is at it.
    """
    name = jobs.ask(store, "race", race.id, race.text())
    return _worked(store, name, "a race: some seconds for each architecture")


def _worked(store: Store, name: str, says: str) -> list[dict[str, Any]]:
    """The result of a job that was asked for."""
    from explorer.runs.job_runner import run_job  # imports torch

    if (lease := jobs.claim(store, name)) is not None:
        print(says, file=sys.stderr)
        with lease:
            run_job(store, lease.row, "cpu")
    job = jobs.require(store, name)
    if job.status != "finished":
        raise SpecError(f"{name} is {job.status}: {job.message or 'try again'}")
    return job.result


def _say_progress(progress: Progress) -> None:
    """On a terminal."""
    if sys.stderr.isatty():
        text = f"\rstep {progress.step} of {progress.steps}  loss {progress.loss:.2e}"
        print(text, end="", file=sys.stderr, flush=True)


def _say_rows(done: int, total: int) -> None:
    print(f"{done} of {total} models", file=sys.stderr, flush=True)


def _say_step(unit: sweeps.Unit, step: int, steps: int, losses: Any) -> None:
    """On a terminal, and a few times a second at most."""
    if sys.stderr.isatty() and (step == steps or step % 10 == 0):
        end = "\n" if step == steps else ""
        print(f"\rstep {step} of {steps}", end=end, file=sys.stderr, flush=True)


OF = ("model", "row", "alpha", "rank")
"""What a check may name beside `what`: the part of the figure it is about."""


def check(
    what: str,
    measured: float | None,
    least: float | None = None,
    most: float | None = None,
    between: Sequence[float] | None = None,
    **part: Any,
) -> dict[str, Any]:
    """What was measured, its one bound, and whether it holds: not without a number. `part` is the
    part of the figure it is about."""
    number = math.nan if measured is None else float(measured)
    known = math.isfinite(number)
    low, high = between or (least, most)
    within = number >= (-math.inf if low is None else low)
    within &= number <= (math.inf if high is None else high)
    bounds = {"least": least, "most": most, "range": between and [*between]}
    return {
        **part,
        "what": what,
        "measured": number if known else None,
        **{name: bound for name, bound in bounds.items() if bound is not None},
        "holds": known and within,
    }


def check_line(check: Mapping[str, Any]) -> str:
    """A check with its number, its bound and whether it holds."""
    measured = check["measured"]
    shown = "not measured" if measured is None else f"{measured:.3g}"
    verdict = "holds" if check["holds"] else "DOES NOT HOLD"
    return f"{_of(check)}{check['what']}: {shown} ({_bound(check)}) {verdict}"


def _of(check: Mapping[str, Any]) -> str:
    parts = []
    for name in OF:
        if name in check:
            value = "∞" if check[name] is None else check[name]
            parts.append(value if isinstance(check[name], str) else f"{name} = {value}")
    return f"{', '.join(parts)}, " if parts else ""


def _bound(check: Mapping[str, Any]) -> str:
    if "range" in check:
        low, high = check["range"]
        return f"from {low:g} to {high:g}"
    return f"at least {check['least']:g}" if "least" in check else f"at most {check['most']:g}"


def failed(figures: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """How many of the checks of some figures do not hold, and how many there are."""
    held = [check["holds"] for figure in figures for check in figure["checks"]]
    return held.count(False), len(held)
