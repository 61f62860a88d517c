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
from explorer.targets import CouplingTarget, softmax

CHUNK = 128  # sequences at once: their (τ, τ) matrices stay in the cache


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
    target: CouplingTarget, m: Sequence[int], samples: int = 4096, seed: int = 0
) -> Floor:
    """Monte Carlo floor at each m ≥ 0, on the same `samples` ≥ 2 sequences for all m.

    m beyond the terms of the POD keeps them all. Raises ValueError for other m or samples.
    """
    wanted = np.asarray(m)
    if wanted.ndim != 1 or not len(wanted) or wanted.dtype.kind != "i" or wanted.min() < 0:
        raise ValueError(f"m must be whole numbers from 0, got {list(m)}")
    if samples < 2:
        raise ValueError(f"samples must be at least 2 for a standard error, got {samples}")
    decomposition = pod(target.coupling, centred=True)
    x = target.inputs(np.random.default_rng(seed).random((samples, target.tau)))
    widths = sorted(set(wanted.tolist()))
    squared, absolute = np.empty((2, len(widths), samples))
    y = np.empty_like(x)
    for start in range(0, samples, CHUNK):
        part = slice(start, start + CHUNK)
        y[part] = target.answer(x[part])
        for i, y_m in enumerate(truncated_answers(decomposition, x[part], widths)):
            squared[i, part] = np.mean((y_m - y[part]) ** 2, axis=-1)
            absolute[i, part] = np.mean(np.abs(y_m - y[part]), axis=-1)
    row = np.searchsorted(widths, wanted)
    mse, mse_se = _mean_and_error(squared[row])
    mae, mae_se = _mean_and_error(absolute[row])
    return Floor(wanted, mse, mse_se, mae, mae_se, float(np.var(y)))


def truncated_answers(
    decomposition: POD, x: np.ndarray, widths: Sequence[int]
) -> Iterator[np.ndarray]:
    """H(x) (samples, τ) with the first m terms, for ascending m, by rank-one updates of ρ_m."""
    terms = min(widths[-1], len(decomposition.sigma))
    left = decomposition.left(x)[..., :terms] * decomposition.sigma[:terms]
    left, right = (
        np.ascontiguousarray(np.moveaxis(side, -1, 0)) for side in (left, decomposition.right(x))
    )
    rho_m, done = np.zeros((*x.shape, x.shape[-1])), 0
    for m in widths:
        for k in range(done, min(m, terms)):
            rho_m += left[k][..., :, None] * right[k][..., None, :]
        done = min(m, terms)
        yield (softmax(rho_m) @ x[..., None])[..., 0]


def _mean_and_error(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and its standard error over the last axis."""
    return values.mean(axis=-1), values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
