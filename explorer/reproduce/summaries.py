"""What a sweep says, by its topic: a topic that is left out is an error at import."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

from explorer.coupling import GridLoader
from explorer.pages.rates.view import all_floors
from explorer.pages.rates.view_text import group_lines
from explorer.spec import SweepSpec, Topic
from explorer.spec.fields import of_each
from explorer.theory import labelled, linear_sweep, memory_sweep, sweep, tasks
from explorer.theory.design import Design
from explorer.theory.sweep import Norm
from explorer.views.sweeps import Finished

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Of a sweep that is done, or stopped."""

    of: Callable[[Any, Rows, GridLoader | None, Norm], dict[str, Any]]
    """`rows`, `groups` with what is known beside them, and a slope: see `theory`."""
    lines: Callable[[Sequence[Mapping[str, Any]]], list[str]]
    """Those groups for a terminal."""
    shipped: Callable[[Any, GridLoader | None], Finished[Any]]
    """A `Finished` with what its page would compute for long."""


def _of_rows(module: Any) -> Summary:
    """Where rows alone tell it, by a module of theory."""
    return Summary(
        of=lambda sweep, rows, load_grid, norm: module.summary(sweep, rows),
        lines=module.group_lines,
        shipped=lambda found, load_grid: found,
    )


def _of_couplings(
    of: SweepSpec, rows: Rows, load_grid: GridLoader | None, norm: Norm
) -> dict[str, Any]:
    members = sweep.designs(of)
    targets = {key: Design(member, load_grid).target for key, member in members.items()}
    return sweep.summary(of, rows, targets, norm)


def _with_floors(found: Finished[SweepSpec], load_grid: GridLoader | None) -> Finished[SweepSpec]:
    return replace(found, floors=tuple(all_floors(replace(found, load_grid=load_grid))))


SUMMARIES: dict[str, Summary] = of_each(
    "summaries of sweeps",
    get_args(Topic),
    {
        "coupling": Summary(of=_of_couplings, lines=group_lines, shipped=_with_floors),
        "order": _of_rows(linear_sweep),
        "attention": _of_rows(tasks),
        "real": _of_rows(labelled),
        "memory": _of_rows(memory_sweep),
    },
)
