"""The truncation floor: the error of keeping m terms of ρ, without any training.

H with ρ against H with the first m terms of the centred POD of ρ (softmax cannot see the v-mean).
It is an upper bound on the best approximation by a coupling of rank m, not a lower one: trained
models do go below it. Its squared error falls like m^-(2α−1), its absolute error half as fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.coupling.pod import POD, pod
from explorer.targets import CouplingTarget

CHUNK = 64  # sequences at once: their matrices ρ_m stay in the cache


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

    @property
    def nmse(self) -> np.ndarray:
        """mse / Var(y)."""
        return self.mse / self.variance


def truncation_floor(
    target: CouplingTarget,
    m: Sequence[int],
    samples: int = 4096,
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
    x = target.inputs(np.random.default_rng(seed).random((samples, target.tau)))
    widths = sorted(set(wanted.tolist()))
    y, difference = np.empty_like(x), np.empty((len(widths), *x.shape))
    for start in range(0, samples, CHUNK):
        part = slice(start, start + CHUNK)
        y[part] = target.answer(x[part])
        for i, y_m in enumerate(truncated_answers(decomposition, x[part], widths)):
            np.subtract(y_m, y[part], out=difference[i, part])
    row = np.searchsorted(widths, wanted)
    mae, mae_se = _mean_and_error(np.abs(difference).mean(axis=-1)[row])
    mse, mse_se = _mean_and_error(np.square(difference, out=difference).mean(axis=-1)[row])
    return Floor(wanted, mse, mse_se, mae, mae_se, float(np.var(y)))


def truncated_answers(
    decomposition: POD, x: np.ndarray, widths: Sequence[int]
) -> Iterator[np.ndarray]:
    """H(x) (samples, τ) with the first m terms, for ascending m, by rank-one updates of ρ_m."""
    terms = min(widths[-1], len(decomposition.sigma))
    left = decomposition.left(x)[..., :terms] * decomposition.sigma[:terms]
    # Axes (s, sample, t): sums over s then run along whole rows, twice as fast as over the last.
    left = np.ascontiguousarray(np.moveaxis(left, -1, 0))
    right = np.ascontiguousarray(decomposition.right(x)[..., :terms].T)[..., None]
    x_s = np.ascontiguousarray(x.T)[..., None]
    rho_m, done = np.zeros((x.shape[-1], *x.shape)), 0
    weights = np.empty_like(rho_m)
    for m in widths:
        for k in range(done, min(m, terms)):
            rho_m += np.multiply(left[k], right[k], out=weights)
        done = min(m, terms)
        np.exp(np.subtract(rho_m, rho_m.max(axis=0), out=weights), out=weights)
        total = weights.sum(axis=0)
        yield np.multiply(weights, x_s, out=weights).sum(axis=0) / total


def _mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and its standard error over the last axis."""
    return values.mean(axis=-1), values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
