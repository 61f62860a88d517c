"""The truncation floor: the error of keeping m terms of ρ, without any training.

H with ρ against H with the first m terms of the centred POD of ρ (softmax cannot see the v-mean).
It is an upper bound on the best approximation by a coupling of rank m, not a lower one: trained
models do go below it. Its squared error falls like m^-(2α−1), its absolute error half as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from explorer.coupling.pod import POD, pod
from explorer.targets import CouplingTarget

Norm = Literal["mse", "mae"]
"""Of an error: the squared one, in units of Var(y), or the absolute one."""
NORM_NAMES: dict[Norm, str] = {"mse": "nMSE", "mae": "MAE"}
SAMPLES = 512
"""Sequences behind a floor, unless it is asked for otherwise: on the pages and the command line."""
QUERIES = 16
"""Outputs of a sequence that are looked at, at most: H_t is the same function for every t, and at
τ = 64 sixteen of them say as much for the time they take as all do."""
CELLS = 2048
"""Entries of a sequence are centres of so many cells of [0, 1]: φ_k and ψ_k are evaluated once at
each. Means of smooth functions move by O(CELLS⁻²), of jumps by O(1/CELLS), standard errors are
a hundred times as large."""
VANISHING = 1e-12  # an nMSE below it is rounding
CHUNK = 128  # sequences at once: their matrices ρ_m stay in the cache
SAFE = 600.0  # |ρ_m| whose exponentials are far from the ends of float64


@dataclass(frozen=True, eq=False)
class Floor:
    """Errors over m, each (len(m),); standard errors are over sequences."""

    m: np.ndarray
    mse: np.ndarray
    mse_se: np.ndarray
    mae: np.ndarray
    mae_se: np.ndarray
    variance: float
    """Var(y) of the same sequences."""
    samples: int
    seed: int

    @property
    def nmse(self) -> np.ndarray:
        """mse / Var(y)."""
        return self.mse / self.variance

    @property
    def nmse_se(self) -> np.ndarray:
        """Standard error of `nmse`, Var(y) taken as known."""
        return self.mse_se / self.variance


class Width(NamedTuple):
    """The least m whose floor is at most an error; `low` and `high` are what the ends of the
    floor's 95% interval say. None where the widths that were computed are not enough."""

    m: int | None
    low: int | None
    high: int | None


def width_for(floor: Floor, error: float, rank: int | None = None, norm: Norm = "mse") -> Width:
    """The width that an error needs, an nMSE or a mean absolute error; from the `rank` on the floor
    is exactly 0 in both."""
    left, se = (floor.nmse, floor.nmse_se) if norm == "mse" else (floor.mae, floor.mae_se)
    ends = (left, left - 1.96 * se, left + 1.96 * se)
    return Width(*(_first(floor.m, values, error, rank) for values in ends))


def _first(m: np.ndarray, values: np.ndarray, error: float, rank: int | None) -> int | None:
    enough = [*m[values <= error].tolist(), *([] if rank is None else [rank])]
    return min(enough, default=None)


def exact_rank(centred: POD, left_by: Callable[[int], float]) -> int | None:
    """Rank of a centred coupling, from which on the floor is 0; `left_by` is the nMSE that so many
    terms leave.

    None for ∞, and for a coupling so steep that its POD is not resolved.
    """
    rank = centred.whole_rank
    return None if rank is None or left_by(rank) > VANISHING else rank


def truncation_floor(
    target: CouplingTarget,
    m: Sequence[int],
    samples: int = SAMPLES,
    seed: int = 0,
    decomposition: POD | None = None,
) -> Floor:
    """Monte Carlo floor at each m ≥ 0, on the same `samples` ≥ 2 sequences for all m.

    m beyond the terms of the POD keeps them all; a centred `decomposition` spares computing it
    again. Raises ValueError for other m or samples.
    """
    wanted = np.asarray(m)
    if wanted.ndim != 1 or not len(wanted) or wanted.dtype.kind != "i" or wanted.min() < 0:
        raise ValueError(f"m must be whole numbers from 0, got {list(m)}")
    if samples < 2:
        raise ValueError(f"samples must be at least 2 for a standard error, got {samples}")
    decomposition = decomposition or pod(target.coupling, centred=True)
    kept = np.minimum(wanted, len(decomposition.sigma))
    widths = np.unique(kept)
    left, right = _terms(decomposition, widths[-1])
    rng, y_sums = np.random.default_rng(seed), np.zeros(2)
    sums = np.zeros((4, len(widths)))  # over sequences: squared and absolute error, their squares
    for done in range(0, samples, CHUNK):
        uniform = rng.random((min(CHUNK, samples - done), target.tau))
        cells = (uniform * CELLS).astype(np.int64)
        y = target.answer(_centres(cells), QUERIES)
        y_sums += y.sum(), np.square(y).sum()
        for i, y_m in enumerate(_truncated_answers(left, right, cells, widths.tolist())):
            difference = np.abs(y_m - y.T)
            errors = np.square(difference).mean(axis=0), difference.mean(axis=0)
            sums[:, i] += [*map(np.sum, errors), *(error @ error for error in errors)]
    row = np.searchsorted(widths, kept)
    (mse, mse_se), (mae, mae_se) = (
        _mean_and_error(sums[i, row], sums[i + 2, row], samples) for i in (0, 1)
    )
    mean, square = y_sums / (samples * min(target.tau, QUERIES))
    return Floor(wanted, mse, mse_se, mae, mae_se, float(square - mean**2), samples, seed)


def _centres(cells: np.ndarray) -> np.ndarray:
    return (cells + 0.5) / CELLS


def _terms(decomposition: POD, count: int) -> tuple[np.ndarray, np.ndarray]:
    """σ_k φ_k and ψ_k of the first `count` terms at the centres of the cells, (K, CELLS) each."""
    x = _centres(np.arange(CELLS))
    terms = min(count, len(decomposition.sigma))
    left = decomposition.left(x)[:, :terms] * decomposition.sigma[:terms]
    return np.ascontiguousarray(left.T), np.ascontiguousarray(decomposition.right(x)[:, :terms].T)


def _truncated_answers(
    left: np.ndarray, right: np.ndarray, cells: np.ndarray, widths: Sequence[int]
) -> Iterator[np.ndarray]:
    """H(x) (queries, samples) with the first m terms, for ascending m, by rank-one updates of ρ_m.

    `left` and `right` are the terms at the centres of the cells, `cells` (samples, τ) is x.
    """
    keys = np.ascontiguousarray(cells.T)  # (τ, samples): sums over s run along whole rows
    queries, x_s = keys[:QUERIES], _centres(keys)[:, None, :]
    rho_m = np.zeros((len(keys), *queries.shape))  # axes (s, t, sample)
    weights, done, size = np.empty_like(rho_m), 0, 0.0
    for m in widths:
        for k in range(done, min(m, len(left))):
            a, b = left[k][queries], right[k][keys][:, None, :]
            size += np.abs(a).max() * np.abs(b).max()
            rho_m += np.multiply(a, b, out=weights)
        done = max(done, min(m, len(left)))
        if size <= SAFE:
            np.exp(rho_m, out=weights)
        else:
            np.exp(np.subtract(rho_m, rho_m.max(axis=0), out=weights), out=weights)
        total = weights.sum(axis=0)
        yield np.multiply(weights, x_s, out=weights).sum(axis=0) / total


def _mean_and_error(
    total: np.ndarray, squares: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of `count` values and its standard error, from their sum and the sum of squares."""
    mean = total / count
    variance = np.maximum(squares / count - mean**2, 0) * count / (count - 1)
    return mean, np.sqrt(variance / count)
