"""The width that one head needs for a matrix of attention weights as given, whatever made it.

Weights P (queries × keys), positive, rows of sum 1. A head of width d has P = softmax(L) with
rank L ≤ d, so L = log P + c·1ᵀ for some number c_t of each query. The best choice of c takes the
mean off each row, since a term c·1ᵀ cannot lower the rank further:

    min_c rank(log P + c 1ᵀ) = rank(log P (I − 1 1ᵀ / n)) ≤ n − 1

Such a head exists where the n tokens have embeddings of full rank. Bhojanapalli et al. (2002.07028)
ask for width n, for any embeddings; softmax gives one term for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.coupling.grid import GridError

SUM = 1e-3  # by which the weights of a row may miss 1: written with few digits
TOLERANCE = 1e-6  # of σ_1


@dataclass(frozen=True)
class Width:
    """Of a matrix: its centred logits' singular values, and how many of them count."""

    sigma: np.ndarray
    """Of log P less the mean of each row, the greatest first."""
    tolerance: float
    """Absolute: singular values up to it count as 0."""

    @property
    def exact(self) -> int:
        """The least width of a head with exactly these weights."""
        return int((self.sigma > self.tolerance).sum())

    def near(self, share: float) -> int:
        """The terms that hold so much of Σσ²; 0 where all weights of a row are alike."""
        energy = self.sigma**2
        if self.exact == 0:
            return 0
        return int((energy.cumsum() < share * energy.sum()).sum()) + 1


def width_of_weights(weights: np.ndarray, tolerance: float | None = None) -> Width:
    """The width that weights need, (queries, keys); `tolerance` is absolute, by default a millionth
    of σ_1.

    Raises GridError where a weight is 0 or less, or a row is no distribution.
    """
    bad = np.argwhere(weights <= 0)
    if len(bad):
        t, s = bad[0]
        raise GridError(
            f"row {t + 1}, column {s + 1} is {weights[t, s]:g}: softmax gives every key a positive "
            "weight; a causal mask is no part of the head, give the logits instead"
        )
    sums = weights.sum(1)
    if (np.abs(sums - 1) > SUM).any():
        t = int(np.abs(sums - 1).argmax())
        raise GridError(f"the weights of row {t + 1} add up to {sums[t]:g}, not to 1")
    return width_of_logits(np.log(weights), tolerance)


def width_of_logits(logits: np.ndarray, tolerance: float | None = None) -> Width:
    """The same of what softmax gets, (queries, keys), finite."""
    sigma = np.linalg.svd(logits - logits.mean(1, keepdims=True), compute_uv=False)
    if tolerance is None:
        rounding = np.finfo(float).eps * np.abs(logits).max() * max(logits.shape)
        tolerance = max(TOLERANCE * float(sigma[0]), float(rounding))
    return Width(sigma, tolerance)
