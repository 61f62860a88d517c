"""A sweep as the Rates page handles it: shipped or trained here, its lists as text, its cost."""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from explorer.coupling import GridLoader
from explorer.families import SPECTRA
from explorer.folder import resource
from explorer.runs.costs import duration
from explorer.runs.jobs import Job
from explorer.spec import (
    AnySweep,
    CouplingSpec,
    SpecError,
    SweepSpec,
    design_of,
    differing,
    spec_id,
)
from explorer.targets import coupling_sweep, parse_sweep
from explorer.targets.kind import Sweep_co
from explorer.theory import sweep as theory
from explorer.theory.design import Design

ASSETS = resource("assets")
SHIPPED = {
    "fig1": "Figure 1: r = 2, 6, ∞ at α = 1 and 2",
    "diagonal": "ψ = φ instead of the half shift",
    "paper": "one reading of the paper's recipe",
    "printed": "the same on a training set until its loss rests",
    "finite": "a small training set: training and fresh error",
    "budget": "both widths, feed-forward and attention",
}
"""Finished sweeps in assets/rates-NAME.json, and what they show."""
MOST_TARGETS = 24  # of a sweep that is shown: each floor is a third of a second
AnyKind = TypeVar("AnyKind", bound=AnySweep)


@dataclass(frozen=True, eq=False)
class Finished(Generic[Sweep_co]):
    """A sweep with its rows, and what was computed beside them; a task's has rows alone."""

    sweep: Sweep_co
    rows: tuple[Mapping[str, Any], ...]
    optimum: tuple[Mapping[str, Any], ...] = ()
    """alpha, rank, m_h, nmse, mae of rank-optimal kernels."""
    floors: tuple[Mapping[str, Any], ...] = ()
    """alpha, rank and, at each m_h of the sweep, nmse, mae, tail: floors that are known already."""
    made: str = ""
    """Date and device; only a shipped one has them."""
    load_grid: GridLoader | None = None
    """What fetches the samples that the sweep may name."""

    def design(self: Finished[SweepSpec], key: tuple) -> Design:
        """The design of a target of the sweep, by (α, rank)."""
        return Design(designs_of(self.sweep)[key], self.load_grid)


@lru_cache(maxsize=len(SHIPPED))
def shipped(name: str) -> Finished[SweepSpec]:
    """One of the sweeps that come with the explorer."""
    return _finished((ASSETS / f"rates-{name}.json").read_text("utf-8"), coupling_sweep)


def of_text(text: str) -> Finished[AnySweep]:
    """A sweep from what `as_text` wrote."""
    return _finished(text, parse_sweep)


def _finished(text: str, parse: Callable[[Mapping[str, Any]], AnyKind]) -> Finished[AnyKind]:
    values = json.loads(text)
    return Finished(
        parse(values["sweep"]),
        tuple(values["rows"]),
        tuple(values["optimum"]),
        tuple(values["floors"]),
        values["made"],
    )


@lru_cache(maxsize=32)
def member_ids(sweep: SweepSpec) -> tuple[str, ...]:
    """The spec ids of the models of a sweep, in the order of its members."""
    return tuple(spec_id(member) for member in sweep.members())


def check_targets(sweep: SweepSpec) -> None:
    """Raises SpecError where a sweep has more targets than a page shows."""
    targets = len(sweep.alpha) * len(sweep.rank)
    if targets > MOST_TARGETS:
        raise SpecError(
            f"alpha, rank: {targets} targets, the page shows at most {MOST_TARGETS}; "
            "`sweep` on the command line takes more"
        )


@lru_cache(maxsize=32)
def designs_of(sweep: SweepSpec) -> Mapping[tuple, CouplingSpec]:
    """The targets of a sweep by (α, rank), each with a member's settings."""
    return theory.designs(sweep)


@lru_cache(maxsize=32)
def own_target(sweep: SweepSpec, spec: CouplingSpec) -> tuple | None:
    """The target of a sweep, as (α, rank), that has the coupling of a specification."""
    design = design_of(spec)
    alike = (key for key, member in designs_of(sweep).items() if design_of(member) == design)
    return next(alike, None)


def as_text(finished: Finished[AnySweep]) -> str:
    """The file that `of_text` reads: JSON, a line for each row, numbers with six digits."""
    lines = ",\n".join(json.dumps(_rounded(row), ensure_ascii=False) for row in finished.rows)
    beside = {"optimum": _rounded(finished.optimum), "floors": _rounded(finished.floors)}
    head = {"sweep": differing(finished.sweep), "made": finished.made} | beside
    return f'{json.dumps(head, ensure_ascii=False)[:-1]},\n"rows": [\n{lines}\n]}}\n'


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(entry) for entry in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def shipped_name(sweep: SweepSpec) -> str | None:
    """The shipped sweep that this is, if it is one."""
    return next((name for name in SHIPPED if shipped(name).sweep == sweep), None)


def numbers_text(values: Sequence[Any]) -> str:
    """A list of a sweep as it is typed: "1..8, 10, 12" or "2, 6, ∞"."""
    parts: list[list[Any]] = []
    for value in values:
        if parts and isinstance(value, int) and value - 1 == parts[-1][-1]:
            parts[-1].append(value)
        else:
            parts.append([value])
    return ", ".join(_part_text(part) for part in parts)


def _part_text(part: list[Any]) -> str:
    if len(part) > 2:
        return f"{part[0]}..{part[-1]}"
    return ", ".join("∞" if value is None else f"{value:g}" for value in part)


def numbers_of(text: str) -> list[int | float | None]:
    """Back from its text; raises SpecError for what is no list of numbers."""
    numbers: list[int | float | None] = []
    for part in filter(None, re.split(r"[,;\s]+", text.strip()[:1000])):
        try:
            numbers += _of_part(part)
        except ValueError:
            raise SpecError(
                f"{part[:40]!r}: a list is written 1, 2, 4 or 1..8, and ∞ as inf"
            ) from None
    if not numbers:
        raise SpecError("an empty list: give at least one number, as in 1, 2, 4 or 1..8")
    return numbers


def _of_part(part: str) -> list[int | float | None]:
    if part.lower() in ("∞", "inf", "infinity", "null", "none"):
        return [None]
    first, dots, last = part.partition("..")
    if dots:
        low, high = int(first), int(last)
        if not low <= high <= low + 256:
            raise ValueError(part)
        return list(range(low, high + 1))
    value = float(part)
    if not math.isfinite(value):
        raise ValueError(part)
    return [int(value) if value == int(value) and "." not in part else value]


def sweep_of(spec: CouplingSpec, rank: int | None) -> SweepSpec:
    """The sweep that a design and its settings stand for at first: widths up to 16 that show a
    rate, a finite rank with both its neighbours, three seeds."""
    near = () if rank is None else range(max(1, rank - 1), min(64, rank + 1) + 1)
    widths = sorted({1, 2, 3, 4, 6, 8, 12, 16, *near})
    return coupling_sweep(spec.model_dump(mode="json") | {"m_h": widths, "seed": [0, 1, 2]})


def described(sweep: SweepSpec) -> str:
    """A sweep in a line: what is swept of what."""
    parts = [f"m_h = {numbers_text(sweep.m_h)}"]
    if len(sweep.m_ff) > 1:
        parts.append(f"m_FF = {numbers_text(sweep.m_ff)}")
    if not theory.is_power(sweep):
        form = SPECTRA[sweep.spectrum].form
        given = "formula" if sweep.formula else "samples" if sweep.grid else form
        return ", ".join([given, *parts])
    alpha, rank = numbers_text(sweep.alpha), numbers_text(sweep.rank)
    return ", ".join([f"α = {alpha}, r = {rank}", *parts])


def free_share() -> float:
    """The share of a processor core that one more process gets now, in (0, 1]; 1 where the system
    does not tell how busy it is."""
    try:
        busy = os.getloadavg()[0]
    except (AttributeError, OSError):
        return 1.0
    return min(1.0, (os.cpu_count() or 1) / (busy + 1))


def progress_text(job: Job, things: str, within: float = 0.0, unit: str = "") -> str:
    """Where a job is, and how long it will take; `within` is how many more of its models the `unit`
    at work has done, by its steps."""
    if job.status == "queued":
        return "waiting for a free worker"
    text = f"{job.done} of {job.total or '…'} {things}" + f" · {unit}" * bool(unit)
    fresh = job.done - job.began_with + within
    if job.status == "running" and job.began and fresh > 0 and job.total:
        left = (job.total - job.done - within) * (time.time() - job.began) / fresh
        text += f" · about {duration(left)} left"
    return text
