"""Singular values σ_k of a designed coupling."""

from __future__ import annotations

import numpy as np

from explorer.spec import CouplingSpec

TERMS = 64
"""Terms kept of an infinite spectrum; a coupling with this many counts as rank ∞."""


def singular_values(spec: CouplingSpec) -> np.ndarray:
    """σ_1 … σ_K, float64: c k^-α (power), c decay^(k−1) (exponential) or the list as given.

    K is the rank, or TERMS where the rank is None.
    """
    k = np.arange(1, (spec.rank or TERMS) + 1)
    if spec.spectrum == "list":
        return np.asarray(spec.sigma, dtype=np.float64)[: len(k)]
    if spec.spectrum == "exponential":
        return spec.c * spec.decay ** (k - 1.0)
    return spec.c * k**-spec.alpha
