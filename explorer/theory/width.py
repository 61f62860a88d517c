"""The width that one head needs for a matrix of attention weights as given, whatever made it.

Weights P (queries × keys), positive, rows of sum 1. A head of width d has P = softmax(L) with
rank L ≤ d, so L = log P + c·1ᵀ for some number c_t of each query. The best choice of c takes the
mean off each row, since a term c·1ᵀ cannot lower the rank further:

    min_c rank(log P + c 1ᵀ) = rank(log P (I − 1 1ᵀ / n)) ≤ n − 1

Such a head exists where the n tokens have embeddings of full rank. Bhojanapalli et al. (2002.07028)
ask for width n, for any embeddings; softmax gives one term for nothing.

A mask takes keys away inside softmax, so the logits there are free: what is known is the width that
the blocks need which the mask leaves whole, and a head needs at least that.

If only the largest weight of each row must be right, a width of order log n is enough
(Likhosherstov et al., 2106.03764): the least one is found here by a fit, so that it is an upper
bound. For one key in each row two dimensions do, with the keys on a circle and large queries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.coupling.grid import GridError

SUM = 1e-3  # by which the weights of a row may miss 1: written with few digits
TOLERANCE = 1e-6  # of σ_1
BLOCKS = 24  # of a mask that are looked at
FITTED = 128  # rows and columns for which the largest weights are fitted
STEPS, RATE = 300, 0.1


@dataclass(frozen=True)
class Width:
    """Of a matrix: its centred logits' singular values, and how many of them count."""

    sigma: np.ndarray
    """Of log P less the mean of each row, the greatest first."""
    tolerance: float
    """Absolute: singular values up to it count as 0."""
    masked: bool = False
    """Whether keys are masked: the numbers are those of a block, and lower bounds."""

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
    """The same of what softmax gets, (queries, keys), finite or −∞ where a key is masked."""
    masked = bool(np.isneginf(logits).any())
    found = [_width(block, tolerance) for block in _blocks(logits)] if masked else []
    best = max(found, key=lambda of: of.exact, default=None) or _width(logits, tolerance)
    return Width(best.sigma, best.tolerance, masked)


def _width(logits: np.ndarray, tolerance: float | None) -> Width:
    sigma = np.linalg.svd(logits - logits.mean(1, keepdims=True), compute_uv=False)
    if tolerance is None:
        rounding = np.finfo(float).eps * np.abs(logits).max() * max(logits.shape)
        tolerance = max(TOLERANCE * float(sigma[0]), float(rounding))
    return Width(sigma, tolerance)


def _blocks(logits: np.ndarray) -> list[np.ndarray]:
    """Blocks without a masked entry: the keys of a query with all queries that see them; those that
    could need most."""
    seen = ~np.isneginf(logits)
    blocks: list[np.ndarray] = []
    for keys in np.unique(seen, axis=0):
        queries = (seen | ~keys).all(1)
        blocks.append(logits[np.ix_(queries, keys)])
    blocks.sort(key=_least_side, reverse=True)
    return blocks[:BLOCKS]


def _least_side(block: np.ndarray) -> int:
    return min(block.shape)


def width_of_largest(logits: np.ndarray) -> int:
    """The least width at which a fit gets the largest weight of every row right, (queries, keys);
    ties may go either way. At most FITTED rows and columns; an upper bound of what is needed."""
    low, high = 1, 1
    while not _fits(logits, high):
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _fits(logits, middle) else (middle + 1, high)
    return high


def _fits(logits: np.ndarray, d: int) -> bool:
    """Whether L = Q Kᵀ of width d has the row maxima of the logits where those have them: Adam on
    the cross-entropy, from a drawn start."""
    n, m = logits.shape
    if d >= min(n, m):
        return True
    top = logits == logits.max(1, keepdims=True)
    wanted = top / top.sum(1, keepdims=True)
    drawn = np.random.default_rng(0)
    parts = [drawn.normal(size=(rows, d)) / np.sqrt(d) for rows in (n, m)]
    moments = [(np.zeros_like(part), np.zeros_like(part)) for part in parts]
    for step in range(1, STEPS + 1):
        q, k = parts
        found = q @ k.T
        found = np.where(np.isneginf(logits), -np.inf, found)
        if top[np.arange(n), found.argmax(1)].all():
            return True
        weights = np.exp(found - found.max(1, keepdims=True))
        slope = weights / weights.sum(1, keepdims=True) - wanted
        for at, gradient in enumerate((slope @ k, slope.T @ q)):
            first, second = moments[at]
            first += 0.1 * (gradient - first)
            second += 0.01 * (gradient**2 - second)
            way = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.99**step)) + 1e-12)
            parts[at] = parts[at] - RATE * way
    return False
