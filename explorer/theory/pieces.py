"""Pieces of φ_k on the disjoint intervals of position-encoded tokens (Eqs. 7, 89, 90).

A token x at t is encoded as x/2τ + t/τ, in 𝓘_t = [t/τ, t/τ + 1/2τ]. On their union ρ has a POD, and
φ_k has a piece on each 𝓘_t. An order p of the pieces, φ̃_k on 𝓘_t the piece of φ_k on 𝓘_{p(t)}, is
unitary on L²(𝓘) where all 𝓘_t are as long: σ_k and ψ_k stay.

Eq. 90 asks more, φ̃_k(x(p(t))) = φ_k(x(t)): one token is to know the content of another. Where the
query depends on content alone, all that a function of another, independent token can have of φ_k is
its mean, and of ‖ρ‖² is left

    Σ_k σ_k² (1 − (∫φ_k)²) / Σ_k σ_k²     at each t with p(t) ≠ t.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from explorer.coupling import POD, Coupling
from explorer.coupling.formula import check_finite
from explorer.coupling.pod import gauss

NODES = 8  # on each interval


class Pieces(NamedTuple):
    """A POD on the union of τ intervals, with K terms."""

    phi: np.ndarray
    """φ_k at the nodes of each interval, (K, τ, NODES)."""
    sigma: np.ndarray
    """(K,), descending."""
    psi: np.ndarray
    """ψ_k, as `phi`."""


def pieces(coupling: Coupling, tau: int, order: Sequence[int] | None = None) -> Pieces:
    """Of ρ(u, v) at encoded tokens; with an order of ρ̃, whose piece in u on 𝓘_t is that of ρ on
    𝓘_{order(t)}. Raises ValueError for what is no order of τ, and FormulaError where ρ is not
    finite."""
    order = range(tau) if order is None else order
    if sorted(order) != list(range(tau)):
        raise ValueError(f"order: {list(order)} is no order of {tau} positions")
    inside, weights = gauss((0.0, 1.0), NODES)
    z = (np.arange(tau)[:, None] + inside / 2) / tau
    root = np.sqrt(np.tile(weights / (2 * tau), tau))
    rho = coupling.matrix(u := z[list(order)].ravel(), z.ravel())
    check_finite(rho, u, z.ravel())
    left, sigma, right = np.linalg.svd(root[:, None] * rho * root, full_matrices=False)
    shape = (-1, tau, NODES)
    return Pieces((left.T / root).reshape(shape), sigma, (right / root).reshape(shape))


def left_of_content(modes: POD, order: Sequence[int]) -> float:
    """The share of Σ σ_k² that no φ̃_k of Eq. 90 has where queries are content alone, 0 to 1."""
    energy, means = modes.sigma**2, modes.phi @ modes.wu
    moved = sum(place != token for place, token in enumerate(order)) / len(order)
    return moved * float(energy @ (1 - means**2) / energy.sum())
