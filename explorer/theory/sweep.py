"""What the rows of a sweep say: error over m_h for each target, its slope, its knee, its floors."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from explorer.coupling import POD, designed_tail, pod
from explorer.spec import CouplingSpec, SweepSpec
from explorer.targets import CouplingTarget
from explorer.theory.floor import Norm, exact_rank, truncation_floor
from explorer.theory.slopes import REDUCE, Statistic, as_record, slope_over_seeds

ERROR = {"mse": "nmse", "mae": "mae"}
"""The column of a row that each norm is read off: MSE / Var(y), or MAE in units of y."""
GROUP = ("alpha", "rank", "m_ff")
"""What the models of a group share; the first two name a target of a sweep."""
KNEE = 10.0  # a fall by this factor from one width to the next is a knee
FLOOR_SAMPLES = 2048

Key = tuple[float, int | None, int]
"""α, rank and m_FF of a group."""
Design = tuple[float, int | None]
"""α and rank of a target."""
Cell = dict[int, dict[int, float]]
"""Errors of a group by width and seed."""


def groups(
    rows: Sequence[Mapping[str, Any]], norm: Norm = "mse", statistic: Statistic = "best"
) -> list[dict[str, Any]]:
    """One record for each (α, rank, m_FF): errors over m_h and what is read off them.

    cell, those three as the rows have them; rank, here the same; m_h, best, median, worst (over
    seeds, lists), seeds; error, the one of them that `statistic` names, and of it over m_h below
    the rank: slope, slope_ci, fit_range, straight, halves (theory/slopes.py); knee {m_h, ratio} or
    None; drop_at_rank, the error at r − 1 over that at r. What cannot be fitted is None. Rows that
    diverged are left out, and groups that have no others.
    """
    cells = _cells(rows, norm)
    return [_group(key, cell, norm, statistic, {"rank": key[1]}) for key, cell in cells.items()]


def _cells(rows: Sequence[Mapping[str, Any]], norm: Norm) -> dict[Key, Cell]:
    """The errors of each group that has any."""
    cells: dict[Key, Cell] = {}
    for row in rows:
        if row[ERROR[norm]]:  # neither diverged nor 0, which has no logarithm
            alpha, rank, m_ff = (row[name] for name in GROUP)
            cell = cells.setdefault((alpha, rank, m_ff), {})
            cell.setdefault(row["m_h"], {})[row["seed"]] = row[ERROR[norm]]
    return cells


def _group(
    key: Key, cell: Cell, norm: Norm, statistic: Statistic, known: Mapping[str, Any]
) -> dict[str, Any]:
    """A record of `groups`; `known` has the rank and, if they were computed, the floors."""
    m_h, seeds = sorted(cell), sorted({seed for by_seed in cell.values() for seed in by_seed})
    errors = np.array([[cell[m].get(seed, np.nan) for m in m_h] for seed in seeds])
    read = {"best": np.nanmin, "median": np.nanmedian, "worst": np.nanmax}
    read = {name: reduced(errors, axis=0).tolist() for name, reduced in read.items()}
    error, counts = read[statistic], [len(cell[m]) for m in m_h]
    tail = known.get("tail")
    left = tail or [1.0] * len(m_h)
    end = math.inf if known["rank"] is None else known["rank"]  # from there errors are training's
    below = [i for i in range(len(m_h)) if m_h[i] < end and left[i]]
    before, curve = np.asarray(m_h)[below], errors[:, below]
    beside = [left[i] for i in below]
    over_tail = slope_over_seeds(beside, curve, statistic) if tail else None
    return {
        **dict(zip(GROUP, key, strict=True)),
        "cell": list(key),
        "norm": norm,
        "statistic": statistic_name(statistic, max(counts)),
        "m_h": m_h,
        **read,
        "error": error,
        "seeds": counts,
        **known,
        **as_record("", slope_over_seeds(before, curve, statistic)),
        **as_record("tail_", over_tail),
        "knee": knee(m_h, error),
        "drop_at_rank": _drop(m_h, error, known["rank"]),
    }


def training_errors(
    rows: Sequence[Mapping[str, Any]], cell: Sequence[Any], statistic: Statistic = "median"
) -> dict[int, float]:
    """By width the nMSE of a group's models on the sequences they were trained on, of the seeds the
    best, or the median; nothing of models that had fresh ones."""
    errors: dict[int, list[float]] = {}
    for row in rows:
        if [row[name] for name in GROUP] == list(cell) and row.get("train_nmse"):
            errors.setdefault(row["m_h"], []).append(row["train_nmse"])
    return {m_h: float(REDUCE[statistic](errors[m_h])) for m_h in sorted(errors)}


def statistic_name(name: Statistic, seeds: int) -> str:
    """How an error is read off so many seeds, in words; the median of two is their mean."""
    if seeds < 2:
        return "one seed"
    return f"{'mean' if (name, seeds) == ('median', 2) else name} of {seeds} seeds"


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


class Floors(NamedTuple):
    """What is known of a target without training, lists over m_h."""

    rank: int | None
    """Of the centred POD: from it on there is nothing to learn."""
    energy: float
    """Σ σ_k² of the centred ρ."""
    tail: list[float | None]
    """Exact Σ_{k>m_h} σ_k²: no samples. None, as in the next two, where m_h keeps all the 64 terms
    that are computed of a spectrum without end."""
    nmse: list[float | None]
    """Of H with m_h terms of ρ, an upper bound on the best error; `mae` likewise."""
    mae: list[float | None]

    def read(self, norm: Norm) -> dict[str, Any]:
        """As a group has them: rank, energy, tail, and `truncation` in a norm."""
        truncation = self.nmse if norm == "mse" else self.mae
        of_rho = {"rank": self.rank, "energy": self.energy, "tail": self.tail}
        return of_rho | {"truncation": truncation}


def all_floors(
    target: CouplingTarget,
    m_h: Sequence[int],
    samples: int = FLOOR_SAMPLES,
    centred: POD | None = None,
) -> Floors:
    """The floors of a target; `centred`, its POD, spares computing it again."""
    centred = centred or pod(target.coupling, centred=True)
    end = [] if centred.whole_rank is None else [centred.whole_rank]
    floor = truncation_floor(target, [*m_h, *end], samples, decomposition=centred)
    rank = exact_rank(centred, lambda _: float(floor.nmse[-1]))
    energy, *tail = exact_tail(centred, [0, *m_h])
    lists = tail, floor.nmse[: len(m_h)], floor.mae[: len(m_h)]
    return Floors(rank, float(energy), *(or_none(values) for values in lists))


def or_none(values: Iterable[float]) -> list[float | None]:
    """Numbers as JSON has them: null for nan."""
    return [None if np.isnan(value) else float(value) for value in values]


def floors(target: CouplingTarget, m_h: Sequence[int], norm: Norm = "mse") -> dict[str, Any]:
    """The floors of a target in a norm."""
    return all_floors(target, m_h).read(norm)


def exact_tail(centred: POD, m: Sequence[int]) -> np.ndarray:
    """Σ_{k>m} σ_k² of a centred coupling at each m ≥ 0, (len(m),); 0 where it is rounding, nan from
    the last term on that is computed of a spectrum without end."""
    tail = centred.tail_energy()
    tail[tail <= len(centred.sigma) * centred.rounding**2] = 0.0
    if centred.coupling.endless:
        tail[-1] = np.nan
    return tail[np.minimum(np.asarray(m), len(tail) - 1)]


def predicted_slope(alpha: float, norm: Norm = "mse") -> float:
    """−(2α−1) for the squared error, −(α−½) for the absolute one; the paper prints
    the first beside an L1-type norm."""
    return -(2 * alpha - 1) if norm == "mse" else -(alpha - 0.5)


def summary(
    sweep: SweepSpec,
    rows: Sequence[Mapping[str, Any]],
    targets: Mapping[Design, Any],
    norm: Norm = "mse",
    statistic: Statistic = "best",
    floors_of: Callable[[Any, Sequence[int], Norm], Mapping[str, Any]] = floors,
) -> dict[str, Any]:
    """`rows`, `groups` with floors beside them, and the slope of all where there is one group.

    A group's rank is the one that `floors_of` finds, whatever was declared, its α None where the
    spectrum is no power; `cell` keeps what its rows say. tail_slope and what goes with it is the
    slope of the error on the exact tail: theory says 1 in MSE, ½ in MAE. `targets` by (α, rank),
    with the keys of `designs`: what `floors_of` takes.
    """
    records: list[dict[str, Any]] = []
    for (alpha, rank, m_ff), cell in _cells(rows, norm).items():
        known = floors_of(targets[alpha, rank], sorted(cell), norm)
        group = _group((alpha, rank, m_ff), cell, norm, statistic, known)
        group["alpha"] = alpha if is_power(sweep) else None
        records.append(group | {"predicted_slope": law(sweep, alpha, group["rank"], norm)})
    one: dict[str, Any] = records[0] if len(records) == 1 else {}
    top = {name: one.get(name) for name in ("slope", "slope_ci")}
    return {"norm": norm, "rows": list(rows), "groups": records, **top}


def is_power(sweep: SweepSpec) -> bool:
    """Whether α is the decay of its targets: σ_k = c·k^-α."""
    return designed_tail(sweep) == "power"


def law(sweep: SweepSpec, alpha: float, rank: int | None, norm: Norm) -> float | None:
    """The exponent that theory predicts for a target: for σ_k = c·k^-α without end, α > ½.

    None with ψ = φ: the error of H then has the diagonal besides, of which L²(I×I) knows nothing.
    """
    apart = sweep.left_basis != sweep.right_basis
    has_rate = is_power(sweep) and apart and rank is None and alpha > 0.5
    return predicted_slope(alpha, norm) if has_rate else None


def designs(sweep: SweepSpec) -> dict[Design, CouplingSpec]:
    """A member for each (α, rank) of a sweep."""
    return {(member.alpha, member.rank): member for member in reversed(sweep.members())}
