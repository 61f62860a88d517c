"""What sweeps over memories say: errors against heads or layers, over seeds."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorer.slow import special
from explorer.spec import MemorySweep
from explorer.spec.fields import values_of
from explorer.theory.tasks import grouped


class Mean(NamedTuple):
    """A geometric mean over seeds, with its 95 % interval; None below three seeds."""

    mean: float
    interval: tuple[float, float] | None


def mean_of(errors: Sequence[float]) -> Mean:
    """By Student's t on the logarithms, since errors of seeds differ by factors."""
    logs = np.log(np.maximum(errors, 1e-300))
    mean, count = float(logs.mean()), len(logs)
    if count < 3:
        return Mean(float(np.exp(mean)), None)
    half = float(special.stdtrit(count - 1, 0.975) * logs.std(ddof=1) / np.sqrt(count))
    return Mean(float(np.exp(mean)), (float(np.exp(mean - half)), float(np.exp(mean + half))))


def axis_of(sweep: MemorySweep) -> str:
    """What errors stand against."""
    return "heads" if len(values_of(sweep.heads)) > 1 else "layers"


def summary(sweep: MemorySweep, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`rows` of a sweep, and `groups` of those alike in all but the axis and seed.

    A group has the fields that it shares and `axis`, its values under that name, over which go the
    number of `seeds`, the `mean` nmse of them and its `interval` (see `mean_of`). There is no law
    for their fall: slope None. Rows that diverged are left out.
    """
    axis = axis_of(sweep)
    groups = [_group(axis, shared, group) for shared, group in grouped(sweep, rows, axis)]
    return {"rows": list(rows), "groups": groups, "slope": None, "slope_ci": None}


def _group(axis: str, shared: dict[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    at = sorted({row[axis] for row in rows})
    errors = [[row["nmse"] for row in rows if row[axis] == value] for value in at]
    means = [mean_of(per_seed) for per_seed in errors]
    return {
        **shared,
        "axis": axis,
        axis: at,
        "seeds": [len(per_seed) for per_seed in errors],
        "mean": [estimate.mean for estimate in means],
        "interval": [estimate.interval and list(estimate.interval) for estimate in means],
    }


def group_lines(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """A line of text for each value of the axis of each group."""
    lines: list[str] = []
    for group in groups:
        axis, own = group["axis"], "axis"
        shared = [f"{name} = {group[name]}" for name in list(group)[: list(group).index(own)]]
        for i, value in enumerate(group[axis]):
            words = ", ".join([*shared, f"{axis} = {value}"])
            between = group["interval"][i]
            told = f" ({between[0]:.2e} to {between[1]:.2e})" if between else ""
            lines.append(f"{words}: nMSE {group['mean'][i]:.2e}{told}, seeds {group['seeds'][i]}")
    return lines
