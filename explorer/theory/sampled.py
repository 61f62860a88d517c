"""The spectrum of ρ from its matrix at τ random tokens.

    σ̂_k = σ_k([ρ(x_s, x_t)]_{s,t ≤ τ}) / τ  →  σ_k  as τ grows, for x_t ~ U[0, 1]

(M. L. Braun, Spectral Properties of the Kernel Matrix, 2005, which the paper's Section 5.2 stands
on): the mean over τ tokens stands for the integral, so that the error falls like τ^-½. With the
mean of each row taken off, as softmax does, σ̂_k estimates the centred σ_k.
"""

from typing import NamedTuple

import numpy as np

from explorer.coupling import Coupling

COUNTS = (8, 16, 32, 64, 128, 256)
DRAWS = 24
LEAST = 12
"""Tokens of a text from which fewer say something."""


class Estimates(NamedTuple):
    """σ̂_k of as many draws for each τ."""

    tau: tuple[int, ...]
    sigma: np.ndarray
    """(len(tau), draws, terms), descending in k; 0 where a matrix has fewer."""

    def errors(self, exact: np.ndarray) -> np.ndarray:
        """√(Σ_k (σ̂_k − σ_k)²) / √(Σ_k σ_k²), the median of the draws, for each τ."""
        off = np.linalg.norm(self.sigma - exact, axis=-1) / np.linalg.norm(exact)
        return np.median(off, axis=1)


def of_coupling(
    coupling: Coupling, terms: int, *, centred: bool = True, draws: int = DRAWS, seed: int = 0
) -> Estimates:
    """At tokens drawn anew for each matrix."""
    rng = np.random.default_rng(seed)
    drawn = (rng.random((draws, tau)) for tau in COUNTS)
    return _estimates(COUNTS, [coupling.matrix(x, x) for x in drawn], terms, centred)


def of_tokens(logits: np.ndarray, terms: int, *, centred: bool = True) -> Estimates:
    """At tokens drawn, without any twice, from those of a text: `logits` (T, T) of a head.

    The σ̂_k of all T tokens are what the others walk to.
    """
    rng = np.random.default_rng(0)
    count = len(logits)
    counts = (*(tau for tau in COUNTS if tau < count), count)
    chosen = [[rng.permutation(count)[:tau] for _ in range(DRAWS)] for tau in counts]
    cut = [np.stack([logits[np.ix_(each, each)] for each in some]) for some in chosen]
    return _estimates(counts, cut, terms, centred)


def _estimates(
    counts: tuple[int, ...], matrices: list[np.ndarray], terms: int, centred: bool
) -> Estimates:
    estimates = np.zeros((len(counts), len(matrices[0]), terms))
    for at, (tau, drawn) in enumerate(zip(counts, matrices, strict=True)):
        values = drawn - drawn.mean(-1, keepdims=True) if centred else drawn
        sigma = np.linalg.svd(values, compute_uv=False)[:, :terms] / tau
        estimates[at, :, : sigma.shape[1]] = sigma
    return Estimates(counts, estimates)
