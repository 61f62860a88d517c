"""The truncation floor: the error of keeping m terms of ρ, without any training.

H with ρ against H with the first m terms of the centred POD of ρ (softmax cannot see the v-mean).
It is an upper bound on the best approximation by a coupling of rank m, not a lower one: trained
models do go below it. Its squared error falls like m^-(2α−1), its absolute error half as fast.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from explorer.coupling.pod import POD, pod
from explorer.targets import CouplingTarget, Parts

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
NORMAL_95 = 1.96  # standard errors to each side of a mean of many sequences
SAFE = 600.0  # |ρ_m| whose exponentials are far from the ends of float64


@dataclass(frozen=True, eq=False)
class Floor:
    """Errors over m, each (len(m),); standard errors are over sequences. They are nan where m keeps
    every term that is computed of a spectrum without end."""

    m: np.ndarray
    mse: np.ndarray
    mse_se: np.ndarray
    nmse_se: np.ndarray
    """Of the ratio `nmse`, whose denominator comes from the same sequences as its numerator."""
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

    def interval(self, norm: Norm = "mse") -> tuple[np.ndarray, np.ndarray]:
        """The error in a norm, nMSE or MAE, and the half-width of its 95% interval."""
        if norm == "mse":
            return self.nmse, NORMAL_95 * self.nmse_se
        return self.mae, NORMAL_95 * self.mae_se


class Width(NamedTuple):
    """The least m whose floor is at most an error; `low` and `high` are what the ends of the
    floor's 95% interval say. None where the widths that were computed are not enough."""

    m: int | None
    low: int | None
    high: int | None


def width_for(floor: Floor, error: float, rank: int | None = None, norm: Norm = "mse") -> Width:
    """The width that an error needs, an nMSE or a mean absolute error; from the `rank` on the floor
    is exactly 0 in both."""
    left, half = floor.interval(norm)
    ends = (left, left - half, left + half)
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
    ranks = np.minimum(wanted, len(decomposition.sigma))
    widths = np.unique(ranks)
    terms = _terms(decomposition, widths[-1])
    sums, middle = _Sums(len(widths)), sum(target.parts.answers) / 2
    for cells in sequences(target.tau, samples, seed):
        y = target.answer(centres(cells), QUERIES)
        answers = _truncated_answers(terms, target.parts, cells, widths.tolist())
        sums.add(y.T - middle, (np.abs(y_m - y.T) for y_m in answers))
    known = not target.coupling.endless or wanted < len(decomposition.sigma)
    return sums.floor(wanted, np.searchsorted(widths, ranks), known, samples, seed)


class _Sums:
    """Sums over sequences, from which come the errors at each of some widths and what they are
    worth. Of a sequence: q = (1, a, b) with the means a of y and b of y² over its queries, and of
    each width the squared error e and the absolute one."""

    def __init__(self, widths: int) -> None:
        self.moments = np.zeros((3, 3))  # Σ q qᵀ
        self.squared = np.zeros((3, widths))  # Σ e q
        self.squares = np.zeros(widths)  # Σ e²
        self.absolute = np.zeros((2, widths))  # Σ |…| and Σ |…|²

    def add(self, y: np.ndarray, differences: Iterable[np.ndarray]) -> None:
        """More sequences: y less the middle of what it can be, whose squares would lose digits
        otherwise, and |y_m − y| of each width, (queries, samples)."""
        q = np.stack([np.ones(y.shape[1]), y.mean(axis=0), np.square(y).mean(axis=0)])
        self.moments += q @ q.T
        for i, difference in enumerate(differences):
            e, a = np.square(difference).mean(axis=0), difference.mean(axis=0)
            self.squared[:, i] += q @ e
            self.squares[i] += e @ e
            self.absolute[:, i] += a.sum(), a @ a

    def floor(
        self, m: np.ndarray, row: np.ndarray, known: np.ndarray | bool, samples: int, seed: int
    ) -> Floor:
        """The floor at the widths m, each in its row; nan where it is not `known`."""
        mse, mse_se = _mean_and_error(self.squared[0], self.squares, samples)
        mae, mae_se = _mean_and_error(self.absolute[0], self.absolute[1], samples)
        mean, square = self.moments[0, 1:] / samples
        variance = float(square - mean**2)
        nmse_se = self._ratio_error(mse / variance, variance, samples)
        mse, mse_se, nmse_se, mae, mae_se = (
            np.where(known, error[row], np.nan) for error in (mse, mse_se, nmse_se, mae, mae_se)
        )
        return Floor(m, mse, mse_se, nmse_se, mae, mae_se, variance, samples, seed)

    def _ratio_error(self, nmse: np.ndarray, variance: float, samples: int) -> np.ndarray:
        """Standard error of Σ e / Σ v, v the mean of (y − ȳ)² of a sequence: that of the mean of
        e − nmse·v over Var(y), by the delta method. Where e and v go together it is far smaller
        than with Var(y) taken as known, where they do not it is larger."""
        mean = self.moments[0, 1] / samples
        v = np.array([mean**2, -2 * mean, 1.0])  # v = v · q
        squares = self.squares - 2 * nmse * (v @ self.squared) + nmse**2 * (v @ self.moments @ v)
        return np.sqrt(np.maximum(squares, 0) / (samples * (samples - 1))) / variance


def sequences(tau: int, samples: int = SAMPLES, seed: int = 0) -> Iterator[np.ndarray]:
    """The sequences of a floor, at most CHUNK at once: numbers of their cells, (samples, τ)."""
    rng = np.random.default_rng(seed)
    for done in range(0, samples, CHUNK):
        yield (rng.random((min(CHUNK, samples - done), tau)) * CELLS).astype(np.int64)


def centres(cells: np.ndarray) -> np.ndarray:
    """Their entries, in [0, 1]."""
    return (cells + 0.5) / CELLS


def _terms(decomposition: POD, count: int) -> tuple[np.ndarray, np.ndarray]:
    """σ_k φ_k and ψ_k of the first `count` terms at the centres of the cells, (K, CELLS) each."""
    x = centres(np.arange(CELLS))
    terms = min(count, len(decomposition.sigma))
    left = decomposition.left(x)[:, :terms] * decomposition.sigma[:terms]
    return np.ascontiguousarray(left.T), np.ascontiguousarray(decomposition.right(x)[:, :terms].T)


def _truncated_answers(
    terms: tuple[np.ndarray, np.ndarray], parts: Parts, cells: np.ndarray, widths: Sequence[int]
) -> Iterator[np.ndarray]:
    """H(x) (queries, samples) with the first m terms, for ascending m, by rank-one updates of ρ_m.

    `terms` are σ_k φ_k and ψ_k at the centres of the cells, `cells` (samples, τ) is x.
    """
    left, right = terms
    keys = np.ascontiguousarray(cells.T)  # (τ, samples): sums over s run along whole rows
    queries, values = keys[:QUERIES], np.moveaxis(parts.inner(centres(keys)[:, None, :]), -1, 0)
    rho_m = np.zeros((len(keys), *queries.shape))  # axes (s, t, sample)
    weights, done, size = np.empty_like(rho_m), 0, 0.0
    product = weights if len(values) == 1 else np.empty_like(rho_m)
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
        means = [np.multiply(weights, each, out=product).sum(axis=0) / total for each in values]
        yield parts.outer(np.stack(means, axis=-1))


def _mean_and_error(
    total: np.ndarray, squares: np.ndarray, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of `count` values and its standard error, from their sum and the sum of squares."""
    mean = total / count
    variance = np.maximum(squares / count - mean**2, 0) * count / (count - 1)
    return mean, np.sqrt(variance / count)
