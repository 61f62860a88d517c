"""Sweeps of linear targets: errors against hidden units or m_h, beside what must remain."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from explorer.spec import LinearSpec, LinearSweep
from explorer.targets import linear_target
from explorer.theory.linear import linear_floors
from explorer.theory.states import best_state_kernels
from explorer.theory.tasks import grouped

STATES = "hidden"
"""A width that counts states, so that it has an optimum of its own."""
AXES = {"rnn": (STATES, "population_mse"), "linear": ("m_h", "mse")}
"""What errors stand against, and the column of them, exact or on fixed sequences; by the recipe."""


def summary(sweep: LinearSweep, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`rows` of a sweep, and `groups` of those alike in all but width and seed.

    A group has the fields that it shares and `axis`, its widths under that name, the best and
    median mse over seeds, and the floors causal, time_invariant and constant. Of RNNs also
    `optimum`, what the best kernel found of as many states leaves, and `lower`, a bound below it.
    Rows that diverged are left out. There is no law that all kernels share: slope None.
    """
    width, _ = AXES[sweep.recipe]
    groups = [_group(sweep, shared, group) for shared, group in grouped(sweep, rows, width)]
    return {"rows": list(rows), "groups": groups, "slope": None, "slope_ci": None}


def _group(
    sweep: LinearSweep, shared: dict[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    axis, error = AXES[sweep.recipe]
    widths = sorted({row[axis] for row in rows})
    errors = [[row[error] for row in rows if row[axis] == width] for width in widths]
    member = next(m for m in sweep.members() if all(getattr(m, k) == v for k, v in shared.items()))
    group = {
        **shared,
        "axis": axis,
        axis: widths,
        "seeds": len({row["seed"] for row in rows}),
        "best": [min(per_seed) for per_seed in errors],
        "median": [float(np.median(per_seed)) for per_seed in errors],
    }
    return group | state_floors(member, widths if axis == STATES else ())


def state_floors(spec: LinearSpec, hidden: Sequence[int]) -> dict[str, Any]:
    """Floors of a target, and what RNNs of `hidden` units, ascending, cannot do without."""
    target_floors = linear_floors(linear_target(spec).matrix)
    floors: dict[str, Any] = {
        name: getattr(target_floors, name) for name in ("causal", "time_invariant", "constant")
    }
    if hidden:
        best = best_state_kernels(target_floors.kernel, hidden)
        floors["optimum"] = (best.mse + target_floors.time_invariant).tolist()
        floors["lower"] = (best.lower + target_floors.time_invariant).tolist()
    return floors


def group_lines(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line of text for each group: its errors over the widths, beside the least possible."""
    lines: list[str] = []
    for group in groups:
        axis = group["axis"]
        lines.append(
            f"MSE; time-invariant floor {group['time_invariant']:.2e}, "
            f"constant {group['constant']:.2e}"
        )
        least = group.get("optimum") or [None] * len(group[axis])
        for width, best, floor in zip(group[axis], group["best"], least, strict=True):
            beside = "" if floor is None else f"  best kernel found {floor:.2e}"
            lines.append(f"{axis} = {width:3d}  trained {best:.2e}{beside}")
    return lines
