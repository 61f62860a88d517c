"""The leading subspaces of a POD, with which those of a learned coupling are compared."""

from typing import NamedTuple

import numpy as np

from explorer.coupling.pod import POD, Quadrature

NODES = 256  # nodes a side at which couplings are compared, at least
SUBSPACES = 16  # leading subspaces compared at most
TIE = 0.02  # neighbours closer than this share a subspace: no angle separates them


class Leading(NamedTuple):
    """The first K terms of a POD on a quadrature."""

    left: np.ndarray
    """√w φ_k(u_i) (N_u, K)."""
    right: np.ndarray
    """√w ψ_k(v_j) (N_v, K)."""
    tied: np.ndarray
    """Whether σ_k and σ_(k+1) are nearly equal (K,): no k-dimensional subspace leads there."""


def leading(decomposition: POD, at: Quadrature) -> Leading:
    """At most SUBSPACES terms that are above the rounding of a POD, on a quadrature of it."""
    count = min(int((decomposition.sigma > decomposition.tolerance).sum()), SUBSPACES)
    following = np.append(decomposition.sigma, 0.0)[1 : count + 1]
    return Leading(
        np.sqrt(at.wu)[:, None] * decomposition.left(at.u)[:, :count],
        np.sqrt(at.wv)[:, None] * decomposition.right(at.v)[:, :count],
        following > (1 - TIE) * decomposition.sigma[:count],
    )
