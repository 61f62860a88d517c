"""The best linear RNN of n hidden units: a kernel k̂(s) = cᵀ W^s U, a sum of n exponentials.

A sequence of τ values is such a kernel, or a limit of some, iff it obeys a recurrence
Σ_j a_j k̂(s+j) = 0 of order n, s = 0 … τ−n−1 (a repeated root gives s^i λ^s). Eigenvalues beyond 1
are allowed, as τ is finite. For given a the best k̂ is a weighted projection, so
only a is left to search: variable projection (G. Golub, V. Pereyra, SIAM J. Numer. Anal. 10, 413,
1973) in the coefficients of the recurrence (Y. Bresler, A. Macovski, IEEE Trans. ASSP 34, 1081,
1986). It starts from the singular vectors of the Hankel matrix H[i, j] = ρ(i+j) (S. Kung's
realisation, 1978) and from the solution with one state less.

The same matrix bounds every kernel of n states from below: its H has rank n at most, so by
Eckart and Young ‖H − Ĥ‖_F² ≥ Σ_{i>n} σ_i(H)². Where the two meet, the optimum is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import hankel
from scipy.optimize import least_squares

from explorer.theory.linear import VARIANCE

EVALUATIONS = 60  # of the residual and its derivatives, at most, for one start


@dataclass(frozen=True, eq=False)
class StateKernels:
    """The best kernels found for several numbers of states."""

    states: np.ndarray
    """n, (k,)."""
    kernels: np.ndarray
    """k̂_n (k, τ)."""
    mse: np.ndarray
    """(1/12τ) Σ_s (τ−s)(k̂_n(s) − ρ(s))², (k,): what n units add to the time-invariant floor."""
    lower: np.ndarray
    """No kernel of n states has a smaller mse, (k,)."""
    l1: np.ndarray
    """Σ_s |k̂_n(s) − ρ(s)|, (k,): the norm of App. D.1, for which the rate is d·C_RNN/m."""


def best_state_kernels(kernel: np.ndarray, states: Sequence[int]) -> StateKernels:
    """Best n-state kernels for ρ (τ,), n ascending from 1.

    From n = ⌈τ/2⌉ on every kernel of length τ is one of n states, and the error is 0. The search is
    local: `mse` is an upper bound, `lower` says how far it may be from the best.
    """
    tau = len(kernel)
    weight = VARIANCE / tau * np.arange(tau, 0, -1)
    sigma = np.linalg.svd(_hankel(kernel), compute_uv=False)
    tail = np.append(np.cumsum(sigma[::-1] ** 2)[::-1], 0.0)
    share = np.min(weight / _multiplicity(tau))
    found, before = [], None
    for n in states:
        before = _best(kernel, np.sqrt(weight), n, before)
        found.append(before[1])
    kernels = np.array(found)
    difference = kernels - kernel
    return StateKernels(
        states=np.array(states), kernels=kernels, mse=(difference**2) @ weight,
        lower=share * tail[np.minimum(states, len(sigma))], l1=np.abs(difference).sum(axis=1),
    )  # fmt: skip


def _best(
    kernel: np.ndarray, root: np.ndarray, n: int, before: tuple[np.ndarray, np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Recurrence (n+1,) and kernel (τ,) with the least weighted error found from all starts."""
    if n >= (len(kernel) + 1) // 2 or not kernel.any():
        return np.append(np.zeros(n), 1.0), kernel
    starts = [_kung(kernel, n)]
    if before is not None and len(before[0]) <= n:
        starts += [np.convolve(before[0], [-pole, 1.0]) for pole in (0.0, 0.9)]
    tried = [_descended(kernel, root, a) for a in starts if len(a) == n + 1]
    return min(tried, key=lambda pair: float(np.sum((root * (pair[1] - kernel)) ** 2)))


def _kung(kernel: np.ndarray, n: int) -> np.ndarray:
    """Coefficients a whose roots are the poles of Kung's realisation of order n.

    The n leading left singular vectors O of H are shift-invariant: O[1:] ≈ O[:-1] W.
    """
    left, sigma, _ = np.linalg.svd(_hankel(kernel, rows=max(n + 1, (len(kernel) + 1) // 2)))
    observed = left[:, : min(n, len(sigma))]
    transition = np.linalg.lstsq(observed[:-1], observed[1:], rcond=None)[0]
    a = np.real(np.poly(np.linalg.eigvals(transition)))[::-1]
    return np.append(np.zeros(n + 1 - len(a)), a)


def _descended(
    kernel: np.ndarray, root: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A local minimum from the recurrence a, whose largest coefficient is held at 1."""
    largest = int(np.argmax(np.abs(a)))
    free = np.arange(len(a)) != largest
    full = np.array(a) / a[largest]

    def coefficients(values: np.ndarray) -> np.ndarray:
        whole = full.copy()
        whole[free] = values
        return whole

    solved = least_squares(
        lambda values: _residual(kernel, root, coefficients(values)), full[free],
        max_nfev=EVALUATIONS, xtol=1e-12, ftol=1e-12, gtol=1e-15,
    )  # fmt: skip
    a = coefficients(solved.x)
    return a, _projected(kernel, root, a)


def _residual(kernel: np.ndarray, root: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Weighted ρ in the span of the recurrence's rows, (τ−n,): its norm is that of ρ − k̂."""
    return _orthonormal(root, a).T @ (root * kernel)


def _projected(kernel: np.ndarray, root: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The kernel that obeys the recurrence and is nearest to ρ in the weighted norm, (τ,)."""
    basis = _orthonormal(root, a)
    return kernel - basis @ (basis.T @ (root * kernel)) / root


def _orthonormal(root: np.ndarray, a: np.ndarray) -> np.ndarray:
    """An orthonormal basis (τ, τ−n) of what the recurrence forbids, in weighted coordinates.

    Its diagonal of R is made positive, so that it moves smoothly with a.
    """
    tau, n = len(root), len(a) - 1
    rows = np.zeros((tau, tau - n))
    shift = np.arange(tau - n)
    for j in range(n + 1):
        rows[shift + j, shift] = a[j]
    basis, upper = np.linalg.qr(rows / root[:, None])
    return basis * np.where(np.diag(upper) < 0, -1.0, 1.0)


def _hankel(kernel: np.ndarray, rows: int | None = None) -> np.ndarray:
    """H[i, j] = ρ(i+j) with i + j < τ: (rows, τ + 1 − rows), by default nearly square."""
    rows = rows or (len(kernel) + 1) // 2
    return hankel(kernel[:rows], kernel[rows - 1 :])


def _multiplicity(tau: int) -> np.ndarray:
    """How often ρ(s) stands in the nearly square Hankel matrix, (τ,)."""
    rows = (tau + 1) // 2
    return np.convolve(np.ones(rows), np.ones(tau + 1 - rows))
