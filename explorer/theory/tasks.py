"""What is known of the attention tasks without training: the rank of a coupling that solves each.

Nearest point: ρ(u, v) = −|u − v|² on [0, 1]^d. With a = u − ½, b = v − ½ and q(a) = |a|² − d/12,

    ρ = 2 a·b − q(a) − q(b) − d/6,   ⟨a_i²⟩ = 1/12,   ⟨q²⟩ = d/180,

and 1, a_i, q are orthogonal: d singular values are 1/6, and the matrix of 1 and q,
[[−d/6, −s], [−s, 0]] with s² = d/180, has two more. Without the v-mean, which softmax cannot see,
only −s·1⊗q is left of it: d + 1 in all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from explorer.spec import AnySweep, GravitySpec, NearestSpec, SelectionSpec, TaskSpec

AGREES = 0.01  # of the rows, within which two agreements are the same
WITHIN = 3.0  # times the lowest error, within which two errors are the same
LEARNED = 1e-4  # nMSE, R² = 0.9999, below which errors count as the same, too


def squared_distance_spectrum(d: int, centred: bool = False) -> np.ndarray:
    """σ_k of −|u − v|² for u, v ~ U[0, 1]^d, descending; (d + 2,), or (d + 1,) centred."""
    shared = [1 / 6] * d
    if centred:
        return np.array(sorted([*shared, math.sqrt(d / 180)], reverse=True))
    middle, reach = d / 12, math.sqrt(d**2 / 144 + d / 180)
    return np.array(sorted([*shared, reach + middle, reach - middle], reverse=True))


def sufficient_width(spec: TaskSpec) -> int:
    """The centred rank of a coupling that solves the task: the m_h from which it is within reach.

    Nearest point: d + 1. qSA: ρ(x_t, x_s) is a function of how often t asks for s, so a row is any
    vector of τ numbers up to a constant: τ − 1. Centres of gravity: each of the τ − 1 positions at
    which a point may stand sees itself, each of the segments its own masses: τ − 1 + segments. It
    is no lower bound: one hot weight, for one, can be had from keys on a circle at m_h = 2.
    """
    match spec:
        case NearestSpec():
            return spec.d + 1
        case SelectionSpec():
            return spec.tau - 1
        case GravitySpec():
            return spec.tau - 1 + spec.segments
    raise TypeError(f"{type(spec).__name__} is no task")


def neighbourly_width(tau: int, k: int) -> int:
    """The least m_h whose attention can be any weights on any k of τ keys, as e^λ grows.

    A row tends to weights on k of the keys W_K f̂(x_s), points in m_h dimensions, if a linear
    function is largest just there: each k of the points must span a face of their hull. Points of
    the moment curve (s, s², …, s^2k) do; in fewer than 2k dimensions only corners of a simplex do,
    τ ≤ m_h + 1 (Gale). So it is min(2k, τ − 1): it grows with k and not with τ, which is what
    Sanford et al. (arXiv 2306.02896) prove of qSA. The margin by which such a function is largest
    shrinks as τ grows, though, and a trained head needs the greater λ for it.
    """
    return min(2 * k, tau - 1)


def grouped(
    sweep: AnySweep, rows: Sequence[Mapping[str, Any]], axis: str
) -> Iterator[tuple[dict[str, Any], list[Mapping[str, Any]]]]:
    """The finished rows alike in all swept fields but `axis` and seed, after those fields."""
    own = [name for name in sweep.swept if name not in (axis, "seed")]
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["status"] == "finished":
            found.setdefault(tuple(row[name] for name in own), []).append(row)
    for key, of in found.items():
        yield dict(zip(own, key, strict=True)), of


def summary(sweep: AnySweep, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`rows` of a sweep of a task, and `groups` of those alike in all but m_h and seed.

    A group has the fields that it shares, `seeds`, sufficient_width, and over m_h: best and median
    nmse of the seeds and median agreement, and `there`, how many seeds are within 3 times the
    lowest nmse (or below 1e-4). `knee` and `median_knee` are those of best and median nmse, and
    `agreement_knee` is the least width from which on the agreement is within 0.01 of its best.
    There is no law for their fall: slope None. Rows that diverged are left out.
    """
    groups = [_group(sweep, shared, of) for shared, of in grouped(sweep, rows, "m_h")]
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
        "sufficient_width": sufficient_width(member),
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
        shared = {k: group[k] for k in ("tau", "d", "k", "segments") if k in group}
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
    found = None
    for width, is_good in sorted(zip(widths, good, strict=True), reverse=True):
        if not is_good:
            break
        found = width
    return None if len(widths) > 1 and found == max(widths) else found
