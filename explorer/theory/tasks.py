"""What sweeps over the width of a head say of the attention tasks."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from explorer.spec import AnySweep
from explorer.targets import task_of

AGREES = 0.01  # of the rows, within which two agreements are the same
WITHIN = 3.0  # times the lowest error, within which two errors are the same
LEARNED = 1e-4  # nMSE, R² = 0.9999, below which errors count as the same, too


def grouped(
    sweep: AnySweep, rows: Sequence[Mapping[str, Any]], axis: str
) -> Iterator[tuple[dict[str, Any], list[Mapping[str, Any]]]]:
    """The finished rows alike in all swept fields but `axis` and seed, after those fields."""
    own = [name for name in sweep.swept if name not in (axis, "seed")]
    groups: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["status"] == "finished":
            groups.setdefault(tuple(row[name] for name in own), []).append(row)
    for key, group in groups.items():
        yield dict(zip(own, key, strict=True)), group


def summary(sweep: AnySweep, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`rows` of a sweep of a task, and `groups` of those alike in all but m_h and seed.

    A group has the fields that it shares, `seeds`, sufficient_width, and over m_h: best and median
    nmse of the seeds and median agreement, and `there`, how many seeds are within 3 times the
    lowest nmse (or below 1e-4). `knee` and `median_knee` are those of best and median nmse, and
    `agreement_knee` is the least width from which on the agreement is within 0.01 of its best.
    There is no law for their fall: slope None. Rows that diverged are left out.
    """
    groups = [_group(sweep, shared, group) for shared, group in grouped(sweep, rows, "m_h")]
    return {"rows": list(rows), "groups": groups, "slope": None, "slope_ci": None}


def _group(
    sweep: AnySweep, shared: dict[str, Any], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    widths = sorted({row["m_h"] for row in rows})
    member = next(m for m in sweep.members() if all(getattr(m, k) == v for k, v in shared.items()))
    columns = {
        name: [[row[name] for row in rows if row["m_h"] == m_h] for m_h in widths]
        for name in ("nmse", "agreement")
    }
    best = [min(values) for values in columns["nmse"]]
    median = [float(np.median(values)) for values in columns["nmse"]]
    agreement = [float(np.median(values)) for values in columns["agreement"]]
    low = max(WITHIN * min(best), LEARNED)
    return {
        **shared,
        "m_h": widths,
        "seeds": len({row["seed"] for row in rows}),
        "sufficient_width": task_of(member).sufficient_width,
        "best": best,
        "median": median,
        "there": [sum(error <= low for error in errors) for errors in columns["nmse"]],
        "agreement": agreement,
        "knee": knee(widths, best),
        "median_knee": knee(widths, median),
        "agreement_knee": _from(widths, [max(agreement) - a <= AGREES for a in agreement]),
    }


def group_lines(groups: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line of text for each group: its lowest error, its knees beside the sufficient width."""
    lines: list[str] = []
    for group in groups:
        shared = dict(takewhile(lambda field: field[0] != "m_h", group.items()))
        words = ", ".join(f"{name} = {value}" for name, value in shared.items())
        knees = (group[name] for name in ("knee", "median_knee", "agreement_knee"))
        best, median, rows = ("none yet" if at is None else f"m_h = {at}" for at in knees)
        lines.append(
            f"{words}: lowest nMSE {min(group['best']):.2e}; knee of the best seed (of "
            f"{group['seeds']}) {best}, of their median {median}; median agreement "
            f"{max(group['agreement']):.3f}, its knee {rows}; "
            f"m_h = {group['sufficient_width']} is enough"
        )
    return lines


def knee(widths: Sequence[int], errors: Sequence[float]) -> int | None:
    """The least width from which on every error is at most 3 times the lowest of all, or 1e-4.

    None where that is the last of several widths: then the errors may fall further.
    """
    low = max(WITHIN * min(errors), LEARNED)
    return _from(widths, [error <= low for error in errors])


def _from(widths: Sequence[int], good: Sequence[bool]) -> int | None:
    """The least width from which on all are good; None where it is the last of several."""
    least = None
    for width, is_good in sorted(zip(widths, good, strict=True), reverse=True):
        if not is_good:
            break
        least = width
    return None if len(widths) > 1 and least == max(widths) else least
