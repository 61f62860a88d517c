"""Attention by distance alone: ρ̂(s) = Σ_h c_h softmax_s(−p_h φ(s)), φ = log(s+1) or s, p ≥ 0.

What is found is the best by variable projection (theory/best_heads.py). H lin heads are H states of
a linear RNN, so the bound on those holds for them. The weights (s+1)^(−p) of a log head make

    M[i, j] = ρ̂(ij − 1) = Σ_h c_h i^(−p_h) j^(−p_h),   i ≤ r, j ≤ ⌊τ/r⌋,

a matrix of rank H at most: a multiplicative Hankel or Helson matrix (K.-M. Perfekt, A. Pushnitski,
Proc. LMS 116, 101, 2018), as ρ(i+j) is one of H states. An entry of ρ stands in it as often as s+1
is such a product, so by Eckart and Young ‖ρ̂ − ρ‖² ≥ Σ_{k>H} σ_k(M)² / (how often at most).
"""

import math
from functools import partial

import numpy as np

from explorer.theory.architectures.kind import Architecture, Points, Remembered, bound_by_rank
from explorer.theory.architectures.recurrent import state_bound
from explorer.theory.best_heads import MOST, Falling, best_of_each


def remembered(encoding: Falling, kernel: np.ndarray) -> Remembered:
    """Of a kernel (τ,); a head has its p and its c."""
    fits = best_of_each(kernel, MOST, encoding)
    bound = {"log": log_head_bound, "lin": state_bound}[encoding](kernel)
    return Remembered(
        best=Points.from_rows([(h, 2 * h, best.error) for h, best in enumerate(fits, start=1)]),
        bound=Points.from_rows([(n, 2 * n, e) for n, e in enumerate(bound) if n]),
        spectra=(product_spectrum(kernel),) if encoding == "log" else (),
    )


def log_head_bound(kernel: np.ndarray) -> np.ndarray:
    """No kernel of H = 0 … ⌊√τ⌋ log heads has a smaller ‖ρ̂ − ρ‖²/‖ρ‖²: (τ,) → (⌊√τ⌋ + 1,)."""
    tried = (_products(len(kernel), r) for r in range(1, math.isqrt(len(kernel)) + 1))
    return bound_by_rank(kernel, ((kernel[at - 1], np.bincount(at.flat).max()) for at in tried))


def product_spectrum(kernel: np.ndarray) -> np.ndarray:
    """Singular values of the squarest ρ(ij − 1), (⌊√τ⌋,): what log heads are needed for."""
    at = _products(len(kernel), math.isqrt(len(kernel)))
    return np.linalg.svd(kernel[at - 1], compute_uv=False)


def _products(tau: int, rows: int) -> np.ndarray:
    """ij, i ≤ rows, j ≤ ⌊τ/rows⌋."""
    return np.outer(np.arange(1, rows + 1), np.arange(1, tau // rows + 1))


def _by(encoding: Falling, spectrum: str) -> Architecture:
    return Architecture(
        name=f"{encoding}_heads",
        title="attention by distance",
        unit=(f"{{}} {encoding} head", f"{{}} {encoding} heads"),
        spectrum=spectrum,
        remembered=partial(remembered, encoding),
    )


LOG, LIN = _by("log", "singular values of ρ(ij − 1)"), _by("lin", "")
