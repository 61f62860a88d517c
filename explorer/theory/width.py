"""The width that one head needs for a matrix of attention weights as given, whatever made it.

Weights P (queries × keys), positive, rows of sum 1. A head of width d has P = softmax(L) with
rank L ≤ d, so L = log P + c·1ᵀ for some number c_t of each query. The best choice of c takes the
mean off each row, since a term c·1ᵀ cannot lower the rank further:

    min_c rank(log P + c 1ᵀ) = rank(log P (I − 1 1ᵀ / n)) ≤ n − 1

Such a head exists where the n tokens have embeddings of full rank. Bhojanapalli et al. (2002.07028)
ask for width n, for any embeddings; softmax gives one term for nothing.

A mask takes keys away inside softmax, so the logits there are free: what is known is the width that
the blocks need which the mask leaves whole, and a head needs at least that. Weights of 0 are read
as a mask, since softmax has none.

Weights may also be right nearly. The first d terms of L less the mean of each row are a head of
width d, and what it puts elsewhere in row t is the total variation ½ Σ_s |P_ts − P′_ts|. The least
d from which on no row has more than ε of it is never above the exact width, and does not grow with
ε. It is of these logits, and another head of that width may come nearer: with queries as large as
one likes, and keys on a circle, width 2 puts the largest weight of every row at any one key.
Likhosherstov et al. (2106.03764) ask something else, whether one fixed head can have any sparse
pattern by the choice of its inputs, for which a width that grows as log n is enough.

Digits: where each entry of P is known to ±u alone, its log is known to −log(1 − u / P), and by Weyl
no σ moves by more than the norm of these bounds: σ up to it may be rounding.
"""

from dataclasses import dataclass

import numpy as np

from explorer.coupling.grid import GridError
from explorer.targets.coupling import softmax

SUM = 1e-3  # by which the weights of a row may miss 1: written with few digits
TOLERANCE = 1e-6  # of σ_1
BLOCKS = 24  # of a mask that are looked at
MOST_OF_A_DIGIT = 0.5  # of an entry is what its digits leave open: it is one unit at least


@dataclass(frozen=True)
class Width:
    """Of a matrix: its centred logits, their singular values, and how many of them count."""

    logits: np.ndarray
    """log P less the mean of each row, (queries, keys)."""
    sigma: np.ndarray
    """Of these, the greatest first."""
    rounding: float
    """Absolute: singular values up to it count as 0, whatever the digits."""
    digits: float = 0.0
    """Absolute: those up to it may come of the digits that are written."""
    masked: bool = False
    """Whether keys are masked: the numbers are those of a block, and lower bounds."""

    @property
    def tolerance(self) -> float:
        """Up to which singular values count as 0."""
        return max(self.rounding, self.digits)

    @property
    def exact(self) -> int:
        """The least width of a head with these weights, as far as their digits tell."""
        return int((self.sigma > self.tolerance).sum())

    @property
    def to_the_last(self) -> int:
        """The same where every digit counts."""
        return int((self.sigma > self.rounding).sum())

    def near(self, share: float) -> int:
        """The terms that hold so much of Σσ²; 0 where all weights of a row are alike."""
        energy = self.sigma**2
        if self.exact == 0:
            return 0
        return int((energy.cumsum() < share * energy.sum()).sum()) + 1

    def within(self, epsilon: float) -> int:
        """The least number of terms from which on no row has more than ε of it elsewhere."""
        phi, sigma, psi = np.linalg.svd(self.logits, full_matrices=False)
        weights, cut = softmax(self.logits), np.zeros_like(self.logits)
        least = 0
        for d in range(self.exact):
            if np.abs(softmax(cut) - weights).sum(1).max() / 2 > epsilon:
                least = d + 1
            cut += sigma[d] * np.outer(phi[:, d], psi[d])
        return least


def width_of_weights(
    weights: np.ndarray, tolerance: float | None = None, step: np.ndarray | None = None
) -> Width:
    """The width that weights need, (queries, keys), 0 where a key is masked; `tolerance` is
    absolute, by default a millionth of σ_1; `step` is within what each entry is known.

    Raises GridError where a weight is below 0, or a row is no distribution.
    """
    bad = np.argwhere(weights < 0)
    if len(bad):
        t, s = bad[0]
        raise GridError(f"row {t + 1}, column {s + 1} is {weights[t, s]:g}: no weight is below 0")
    sums = weights.sum(1)
    allowed = SUM if step is None else np.maximum(SUM, step.sum(1))
    if (missing := np.abs(sums - 1) - allowed).max() > 0:
        t = int(missing.argmax())
        raise GridError(f"the weights of row {t + 1} add up to {sums[t]:g}, not to 1")
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.log(weights)
        error = None if step is None else -np.log1p(-np.minimum(step / weights, MOST_OF_A_DIGIT))
    return width_of_logits(logits, tolerance, error)


def width_of_logits(
    logits: np.ndarray, tolerance: float | None = None, step: np.ndarray | None = None
) -> Width:
    """The same of what softmax gets, (queries, keys), finite or −∞ where a key is masked."""
    step = np.zeros_like(logits) if step is None else step
    if not np.isneginf(logits).any():
        return _width(logits, tolerance, step)
    widths = [
        _width(logits[block], tolerance, step[block], masked=True) for block in _blocks(logits)
    ]
    return max(widths, key=lambda width: width.exact)


def _width(
    logits: np.ndarray, tolerance: float | None, step: np.ndarray, masked: bool = False
) -> Width:
    centred = logits - logits.mean(1, keepdims=True)
    sigma = np.linalg.svd(centred, compute_uv=False)
    if tolerance is not None:
        return Width(centred, sigma, tolerance, 0.0, masked)
    rounding = np.finfo(float).eps * np.abs(logits).max() * max(logits.shape)
    least = max(TOLERANCE * float(sigma[0]), float(rounding))
    return Width(centred, sigma, least, _norm_at_most(step), masked)


def _norm_at_most(error: np.ndarray) -> float:
    """The greatest spectral norm of a matrix whose entries are at most these in size."""
    return float(min(np.linalg.norm(error), np.sqrt(error.sum(0).max() * error.sum(1).max())))


def _blocks(logits: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Blocks without a masked entry, as indices: the keys of a query with all queries that see
    them; those that could need most."""
    seen = ~np.isneginf(logits)
    blocks: list[tuple[np.ndarray, ...]] = []
    for keys in np.unique(seen, axis=0):
        queries = (seen | ~keys).all(1)
        blocks.append(np.ix_(queries, keys))
    blocks.sort(key=lambda block: min(index.size for index in block), reverse=True)
    return blocks[:BLOCKS]
