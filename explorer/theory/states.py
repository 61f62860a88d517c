"""The best linear RNN of n hidden units: a kernel k̂(s) = cᵀ W^s U, a sum of n exponentials.

A sequence of τ values is such a kernel, or a limit of some, iff it obeys a recurrence
Σ_j a_j k̂(s+j) = 0 of order n, s = 0 … τ−n−1 (a repeated root gives s^i λ^s). Eigenvalues beyond 1
are allowed, as τ is finite. For given a the best k̂ is a weighted projection, so
only a is left to search: variable projection (G. Golub, V. Pereyra, SIAM J. Numer. Anal. 10, 413,
1973) in the coefficients of the recurrence (Y. Bresler, A. Macovski, IEEE Trans. ASSP 34, 1081,
1986). It starts from the singular vectors of the Hankel matrix H[i, j] = ρ(i+j) (S. Kung's
realisation, 1978) and from the solution with one state less.

The same matrix bounds every kernel of n states from below: its H has rank n at most, so by
Eckart and Young ‖H − Ĥ‖_F² ≥ Σ_{i>n} σ_i(H)². Where the two meet, the optimum is proved. In the
norm Σ|k̂ − ρ| of App. D.1 the same theorem gives σ_{n+1}(H) ≤ ‖H − Ĥ‖₂ ≤ Σ|k̂ − ρ|, since each
antidiagonal of ones has norm 1; and n states can hold the last n inputs, so that the first n taps
are exact and the least error is at most Σ_{s≥n} |ρ(s)|. With e^{t/β}|ρ(t)| ≤ C/β that is at most
(1+β)/e · C/n: d·C_RNN/m of App. D.1 with a factor in front, and no bound without one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.coupling.spectra import tails
from explorer.slow import linalg, optimize
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
    """Σ_s |k(s) − ρ(s)|, (k,), of k̂_n or, where that is less, of the first n taps of ρ."""
    l1_lower: np.ndarray
    """No kernel of n states has less in that norm, (k,)."""
    l1_upper: np.ndarray
    """Σ_{s≥n} |ρ(s)|, (k,): what the first n taps leave, so that the least is no greater."""


def best_state_kernels(kernel: np.ndarray, states: Sequence[int]) -> StateKernels:
    """Best n-state kernels for ρ (τ,), n ascending from 1.

    From n = ⌈τ/2⌉ on every kernel of length τ is one of n states, and the error is 0. The search is
    local: `mse` is an upper bound, `lower` says how far it may be from the best.
    """
    tau = len(kernel)
    weight = VARIANCE / tau * np.arange(tau, 0, -1)
    sigma = np.linalg.svd(_hankel(kernel), compute_uv=False)
    share = np.min(weight / _multiplicity(tau))
    kernels = searched_kernels(kernel, weight, states)
    difference, reach = kernels - kernel, np.minimum(states, len(sigma))
    left = np.append(np.cumsum(np.abs(kernel[::-1]))[::-1], 0.0)[np.minimum(states, tau)]
    return StateKernels(
        states=np.array(states),
        kernels=kernels,
        mse=(difference**2) @ weight,
        lower=share * tails(sigma)[reach],
        l1=np.minimum(np.abs(difference).sum(axis=1), left),
        l1_lower=np.append(sigma, 0.0)[reach],
        l1_upper=left,
    )


def searched_kernels(kernel: np.ndarray, weight: np.ndarray, states: Sequence[int]) -> np.ndarray:
    """k̂_n (k, τ) of the least Σ_s weight(s) (k̂_n(s) − ρ(s))² found, weights (τ,) above 0."""
    kernels: list[np.ndarray] = []
    before = None
    for n in states:
        before = _best(kernel, np.sqrt(weight), n, before)
        kernels.append(before[1])
    return np.array(kernels)


def _best(
    kernel: np.ndarray, root: np.ndarray, n: int, before: tuple[np.ndarray, np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Recurrence (n+1,) and kernel (τ,) with the least weighted error found from all starts."""
    if n >= (len(kernel) + 1) // 2 or not kernel.any():
        return np.append(np.zeros(n), 1.0), kernel
    starts, fewer = [_kung(kernel, n)], []
    if before is not None and len(before[0]) <= n:
        more = n + 1 - len(before[0])
        starts += [np.convolve(before[0], np.poly([pole] * more)[::-1]) for pole in (0.0, 0.9)]
        fewer = [(starts[1], before[1])]  # a kernel of fewer states is one of more
    tried = [_descended(kernel, root, a) for a in starts if len(a) == n + 1] + fewer
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

    def at(values: np.ndarray) -> Projection:
        full[free] = values
        return Projection.from_recurrence(kernel, root, full)

    solved = optimize.least_squares(
        lambda values: at(values).residual,
        full[free],
        lambda values: at(values).jacobian()[:, free],
        max_nfev=EVALUATIONS,
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-15,
    )
    solution = at(solved.x)
    return full.copy(), kernel - solution.residual / root


@dataclass(frozen=True, eq=False)
class Projection:
    """ρ − k̂ in weighted coordinates, where k̂ is the kernel nearest to ρ that obeys a recurrence.

    What the recurrence forbids is the span of the columns of B (τ, τ−n), a_j / root(s+j) at
    [s+j, s]; the residual is P d, with P the projection onto it and d = root·ρ.
    """

    root: np.ndarray
    basis: np.ndarray
    """Q of B = QR, (τ, τ−n)."""
    upper: np.ndarray
    weights: np.ndarray
    """B⁺ d, (τ−n,)."""
    complement: np.ndarray
    """d − P d, (τ,)."""
    residual: np.ndarray
    """P d, (τ,)."""

    @classmethod
    def from_recurrence(cls, kernel: np.ndarray, root: np.ndarray, a: np.ndarray) -> Projection:
        """The projection for coefficients a (n+1,)."""
        tau, n = len(root), len(a) - 1
        forbidden, shift = np.zeros((tau, tau - n)), np.arange(tau - n)
        for j in range(n + 1):
            forbidden[shift + j, shift] = a[j] / root[shift + j]
        basis, upper = np.linalg.qr(forbidden)
        d = root * kernel
        inside = basis.T @ d
        residual = basis @ inside
        weights = linalg.solve_triangular(upper, inside, check_finite=False)
        return cls(root, basis, upper, weights, d - residual, residual)

    def jacobian(self) -> np.ndarray:
        """∂(P d)/∂a_j, (τ, n+1): P⊥ ∂B B⁺ d + (B⁺)ᵀ ∂Bᵀ P⊥ d (Golub and Pereyra, Eq. 4.2)."""
        tau, rows = self.basis.shape
        first, second = np.zeros((tau, tau - rows + 1)), np.zeros((rows, tau - rows + 1))
        for j in range(tau - rows + 1):
            first[j : j + rows, j] = self.weights / self.root[j : j + rows]
            second[:, j] = (self.complement / self.root)[j : j + rows]
        outside = first - self.basis @ (self.basis.T @ first)
        turned = linalg.solve_triangular(self.upper, second, trans="T", check_finite=False)
        return outside + self.basis @ turned


def _hankel(kernel: np.ndarray, rows: int | None = None) -> np.ndarray:
    """H[i, j] = ρ(i+j) with i + j < τ: (rows, τ + 1 − rows), by default nearly square."""
    rows = rows or (len(kernel) + 1) // 2
    return linalg.hankel(kernel[:rows], kernel[rows - 1 :])


def _multiplicity(tau: int) -> np.ndarray:
    """How often ρ(s) stands in the nearly square Hankel matrix, (τ,)."""
    rows = (tau + 1) // 2
    return np.convolve(np.ones(rows), np.ones(tau + 1 - rows))
