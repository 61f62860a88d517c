"""What the rows of a sweep say: error over m_h for each target, its slope, its knee, its floors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from explorer.coupling.pod import pod
from explorer.spec import Spec, SweepSpec
from explorer.targets import CouplingTarget
from explorer.theory.floor import truncation_floor
from explorer.theory.rates import Fit, power_fit

Norm = Literal["mse", "mae"]
ERROR = {"mse": "nmse", "mae": "mae"}
"""The column of a row that each norm is read off: MSE / Var(y), or MAE in units of y."""
Statistic = Literal["best", "median"]
"""Which of the seeds' errors is fitted: training can be caught in local minima, which the best of
them shows least."""
GROUP = ("alpha", "rank", "m_ff")
KNEE = 10.0  # a fall by this factor from one width to the next is a knee
FLOOR_SAMPLES = 2048


def groups(
    rows: Sequence[Mapping[str, Any]], norm: Norm = "mse", statistic: Statistic = "best"
) -> list[dict[str, Any]]:
    """One record for each (α, rank, m_FF): errors over m_h and what is read off them.

    m_h, best, median, worst (over seeds, lists), seeds; error, the one of them that `statistic`
    names, and of it: slope, slope_ci, fit_range over m_h, below the rank where that is finite; knee
    {m_h, ratio} or None; drop_at_rank, the error at r − 1 over that at r. What cannot be fitted is
    None. Rows that diverged are left out.
    """
    found: dict[tuple, dict[int, list[float]]] = {}
    for row in rows:
        cell = found.setdefault(tuple(row[name] for name in GROUP), {})
        if row[ERROR[norm]] is not None:
            cell.setdefault(row["m_h"], []).append(row[ERROR[norm]])
    rank = GROUP.index("rank")
    return [
        dict(zip(GROUP, key, strict=True)) | {"norm": norm} | _group(cell, key[rank], statistic)
        for key, cell in found.items()
    ]


def _group(
    cell: Mapping[int, list[float]], rank: int | None, statistic: Statistic
) -> dict[str, Any]:
    m_h = sorted(cell)
    read = {
        "best": [min(cell[m]) for m in m_h],
        "median": [float(np.median(cell[m])) for m in m_h],
        "worst": [max(cell[m]) for m in m_h],
    }
    error = read[statistic]
    before = [i for i, m in enumerate(m_h) if rank is None or m < rank]
    fit = fit_or_none([m_h[i] for i in before], [error[i] for i in before])
    return {
        "statistic": _statistic(statistic, max(map(len, cell.values()), default=0)),
        "m_h": m_h,
        **read,
        "error": error,
        "seeds": [len(cell[m]) for m in m_h],
        **_of_fit("", fit),
        "knee": knee(m_h, error),
        "drop_at_rank": _drop(m_h, error, rank),
    }


def _statistic(name: Statistic, seeds: int) -> str:
    return "one seed" if seeds == 1 else f"{name} of {seeds} seeds"


def knee(m_h: Sequence[int], error: Sequence[float]) -> dict[str, float] | None:
    """The width at which the error falls most against the width before, if by 10 or more."""
    if len(m_h) < 2:
        return None
    ratio = np.asarray(error[:-1]) / np.asarray(error[1:])
    at = int(np.argmax(ratio))
    return {"m_h": m_h[at + 1], "ratio": float(ratio[at])} if ratio[at] >= KNEE else None


def _drop(m_h: list[int], error: list[float], rank: int | None) -> float | None:
    if rank is None or rank not in m_h or rank - 1 not in m_h:
        return None
    return error[m_h.index(rank - 1)] / error[m_h.index(rank)]


def fit_or_none(x: Sequence[float], y: Sequence[float]) -> Fit | None:
    """`power_fit`, or None below 3 points."""
    return power_fit(x, y) if len(x) >= 3 else None


def _of_fit(prefix: str, fit: Fit | None) -> dict[str, Any]:
    if fit is None:
        return {f"{prefix}slope": None, f"{prefix}slope_ci": None, f"{prefix}fit_range": None}
    return {
        f"{prefix}slope": fit.slope, f"{prefix}slope_ci": list(fit.slope_ci),
        f"{prefix}fit_range": list(fit.fit_range),
    }  # fmt: skip


def floors(target: CouplingTarget, m_h: Sequence[int], norm: Norm = "mse") -> dict[str, Any]:
    """Errors without training at each m_h: `truncation`, the error of H with m_h terms of ρ, an
    upper bound on the best; `tail`, the exact Σ_{k>m_h} σ_k² of the centred ρ, in units of ρ²."""
    truncation = truncation_floor(target, list(m_h), samples=FLOOR_SAMPLES)
    values = truncation.nmse if norm == "mse" else truncation.mae
    return {"truncation": values.tolist(), "tail": exact_tail(target, m_h).tolist()}


def exact_tail(target: CouplingTarget, m: Sequence[int]) -> np.ndarray:
    """Σ_{k>m} σ_k² of the centred coupling at each m ≥ 0, (len(m),): no samples, no training."""
    tail = pod(target.coupling, centred=True).tail_energy()
    return tail[np.minimum(np.asarray(m), len(tail) - 1)]


def against_tail(group: Mapping[str, Any]) -> dict[str, Any]:
    """Slope of log error on log exact tail over the widths before the rank: theory says 1 in MSE,
    ½ in MAE. `group` has floors."""
    pairs = [
        (tail, error)
        for m, tail, error in zip(group["m_h"], group["tail"], group["error"], strict=True)
        if group["rank"] is None or m < group["rank"]
    ]
    return _of_fit("tail_", fit_or_none(*zip(*pairs, strict=True)) if pairs else None)


def predicted_slope(alpha: float, norm: Norm = "mse") -> float:
    """−(2α−1) for the squared error, −(α−½) for the absolute one; the paper prints
    the first beside an L1-type norm."""
    return -(2 * alpha - 1) if norm == "mse" else -(alpha - 0.5)


def summary(
    sweep: SweepSpec, rows: Sequence[Mapping[str, Any]], targets: Mapping[tuple, Any],
    norm: Norm = "mse", statistic: Statistic = "best",
    floors_of: Callable[[Any, Sequence[int], Norm], Mapping[str, Any]] = floors,
) -> dict[str, Any]:  # fmt: skip
    """`rows`, `groups` with floors beside them, and the slope of all where there is one group.

    `targets` by (α, rank), with the keys of `designs`: what `floors_of` takes.
    """
    found = groups(rows, norm, statistic)
    for group in found:
        group |= floors_of(targets[group["alpha"], group["rank"]], group["m_h"], norm)
        group |= against_tail(group)
        group["predicted_slope"] = law(sweep, group["alpha"], group["rank"], norm)
    one = found[0] if len(found) == 1 else {}
    top = {name: one.get(name) for name in ("slope", "slope_ci")}
    return {"norm": norm, "rows": list(rows), "groups": found, **top}


def law(sweep: SweepSpec, alpha: float, rank: int | None, norm: Norm) -> float | None:
    """The exponent that theory predicts for a target of a sweep: for σ_k = c·k^-α without end."""
    power = sweep.formula is None and sweep.grid is None and sweep.spectrum == "power"
    return predicted_slope(alpha, norm) if power and rank is None else None


def designs(sweep: SweepSpec) -> dict[tuple, Spec]:
    """A member for each (α, rank) of a sweep."""
    return {(member.alpha, member.rank): member for member in reversed(sweep.members())}
