"""Proper orthogonal decomposition ρ(u, v) = Σ_k σ_k φ_k(u) ψ_k(v) on L²([0, 1]²) (Eq. 10).

Computed as the SVD of sqrt(w_i) ρ(u_i, v_j) sqrt(w_j) at Gauss–Legendre nodes, on panels between
the breaks of a coupling. Without the weights the σ_k would be those of a matrix that grows with
the grid, not those of ρ.
"""

# A coupling may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.polynomial.legendre import leggauss

from explorer.arrays import Array, constant
from explorer.coupling.couplings import Coupling, Designed, Factored
from explorer.coupling.formula import check_finite
from explorer.coupling.spectra import tails
from explorer.families import TERMS

TOLERANCE = 1e-10  # absolute: a σ_k below it does not count towards the rank
AGREEMENT = 1e-13  # relative to σ_1: two node numbers agree
GAP = 1e-3  # a finite rank ends in a fall at least this deep
TIED = 1e-12  # relative to σ_1: σ_k that differ by no more are equal
SMALLEST = 1e-100  # σ_k below it have no usable inverse

_EPS = float(np.finfo(np.float64).eps)


class Quadrature(NamedTuple):
    """Gauss–Legendre nodes along u (N_u,) and v (N_v,) with their weights."""

    u: np.ndarray
    wu: np.ndarray
    v: np.ndarray
    wv: np.ndarray


@dataclass(frozen=True, eq=False)
class POD:
    """Singular values and functions of a coupling; K ≤ 64 terms are kept.

    Signs: φ_k is positive at the first node where |φ_k| reaches half its maximum; ψ_k follows.
    """

    coupling: Coupling
    centred: bool
    """Whether the v-mean of ρ was removed for each u; softmax cannot tell."""
    sigma: np.ndarray
    """σ_k (K,), descending, in the units of ρ; those below `rounding` are noise."""
    phi: np.ndarray
    """φ_k(u_i) (K, N_u), orthonormal under wu."""
    psi: np.ndarray
    """ψ_k(v_j) (K, N_v), orthonormal under wv."""
    u: np.ndarray
    v: np.ndarray
    wu: np.ndarray
    wv: np.ndarray
    tolerance: float
    """Absolute; σ_k above it count towards the rank."""
    error: float
    """Reached: change of the σ_k above the tolerance when nodes were added, at least rounding."""
    rounding: float
    """Level below which σ_k and its functions are rounding."""
    beyond: float
    """Σ σ_k² of the terms that were not kept."""

    @property
    def rank(self) -> int | None:
        """Number of σ_k above the tolerance; None where it is 64 and there may be more."""
        count = int((self.sigma > self.tolerance).sum())
        return None if count >= TERMS and count != self.rank_bound else count

    @property
    def rank_bound(self) -> int | None:
        """How many σ_k are not 0 at most, by what ρ is made of; None for ∞, and where nobody
        knows."""
        return self.coupling.rank_bound(self.centred)

    @property
    def whole_rank(self) -> int | None:
        """How many σ_k are not 0, whatever the tolerance, or the bound on that; None for ∞, and
        where nobody knows."""
        known = self.coupling.known_rank
        return self.rank if known is None and self._ends else self.rank_bound

    @property
    def is_whole(self) -> bool:
        """Whether `whole_rank` is the rank itself, no bound on it."""
        return self.coupling.known_rank is not None or self._ends or self.rank == self.rank_bound

    @property
    def rank_words(self) -> str:
        """The whole rank as it is spoken of: a number, a bound on it, ∞, or "unknown"."""
        if self.whole_rank is None:
            return "∞" if self.coupling.endless else "unknown"
        return f"{'' if self.is_whole else 'at most '}{self.whole_rank}"

    @property
    def _ends(self) -> bool:
        """Whether the σ_k fall by GAP or more, to rounding, where they pass the tolerance. They do
        not where they pass it on their way down, as the σ_k of smooth kernels do."""
        rank = self.rank
        if rank is None or self.coupling.endless:
            return False
        if rank == 0 or rank >= len(self.sigma):
            return True
        return bool(self.sigma[rank] <= min(GAP * self.sigma[rank - 1], self.rounding))

    def quadrature(self, least: int) -> Quadrature:
        """At least `least` nodes a side on which φ_k and ψ_k are orthonormal: its own, where they
        are so many, else more of them on the same panels."""
        if min(len(self.u), len(self.v)) >= least:
            return Quadrature(self.u, self.wu, self.v, self.wv)
        return quadrature(self.coupling, least)

    def tail_energy(self) -> np.ndarray:
        """Σ_{k>m} σ_k² for m = 0 … K, (K + 1,): the squared error of m terms in L²([0, 1]²)."""
        return tails(self.sigma, self.beyond)

    def left(self, u: Array) -> Array:
        """φ_k(u) = ∫ ρ(u, v) ψ_k(v) dv / σ_k (Nyström): (…, a) → (…, a, K); 0 where σ_k is
        rounding."""
        g = constant(self._integrands[0], u)
        return self.coupling.integral(u, constant(self.v, u), g)

    def right(self, v: Array) -> Array:
        """ψ_k(v) = ∫ ρ(u, v) φ_k(u) du / σ_k (Nyström): (…, b) → (…, b, K), as `left`."""
        g, mean = (constant(values, v) for values in self._integrands[1:])
        return self.coupling.integral_u(v, constant(self.u, v), g) - mean

    @cached_property
    def _integrands(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weighted ψ_k / σ_k (N_v, K), weighted φ_k / σ_k (N_u, K), and the v-means (K,)
        that centring takes off the second integral. The first is blind to it: ∫ψ_k = 0 then, to
        which rounding is held, which would bring back the v-mean of ρ divided by a small σ_k."""
        known = self.sigma > self.rounding
        inverse = np.divide(1.0, self.sigma, out=np.zeros_like(self.sigma), where=known)
        psi = self.psi.T - self.wv @ self.psi.T * self.centred
        g_v, g_u = self.wv[:, None] * psi * inverse, self.wu[:, None] * self.phi.T * inverse
        if not self.centred:
            return g_v, g_u, np.zeros_like(self.sigma)
        return g_v, g_u, self.wv @ self.coupling.integral_u(self.v, self.u, g_u)


@dataclass(frozen=True, eq=False)
class Truncated(Factored):
    """ρ_m(u, v) = Σ_{k≤m} σ_k φ_k(u) ψ_k(v), the best rank-m coupling in L²([0, 1]²)."""

    pod: POD
    m: int

    @property
    def breaks_u(self) -> tuple[float, ...]:
        return self.pod.coupling.breaks_u

    @property
    def breaks_v(self) -> tuple[float, ...]:
        return self.pod.coupling.breaks_v

    @property
    def nodes(self) -> Sequence[tuple[int, int]]:
        return self.pod.coupling.nodes

    def rank_bound(self, centred: bool) -> int | None:
        return self.m

    def left_factor(self, u: Array) -> Array:
        return self.pod.left(u)[..., : self.m] * constant(self.pod.sigma[: self.m], u)

    def right_factor(self, v: Array) -> Array:
        return self.pod.right(v)[..., : self.m]


def pod(
    coupling: Coupling,
    centred: bool = False,
    tolerance: float | None = None,
    nodes: int | None = None,
) -> POD:
    """POD of a coupling; nodes are added until the σ_k above the tolerance agree.

    `tolerance` is absolute and at least rounding, by default 1e-10 or the error reached, whichever
    is larger. `nodes` a panel fixes the quadrature. Raises FormulaError where ρ is not finite at a
    node.
    """
    half = 1 if nodes is None else max(nodes // 2, 1)
    sizes = coupling.nodes if nodes is None else ((half, half), (nodes, nodes))
    threshold = TOLERANCE if tolerance is None else tolerance
    finest, change = refined(lambda size: _svd(coupling, size, centred), sizes, threshold)
    (u, wu, v, wv), sigma = finest.nodes, finest.sigma
    rounding = max(_EPS * max(len(u), len(v)) * finest.scale, SMALLEST)
    error = max(change, rounding)
    phi, psi = finest.left[:TERMS] / np.sqrt(wu), finest.right[:TERMS] / np.sqrt(wv)
    phi, psi = fix_signs(*_tied_as_designed(coupling, finest.nodes, phi, psi))
    return POD(
        coupling=coupling,
        centred=centred,
        sigma=sigma[:TERMS],
        phi=phi,
        psi=psi,
        u=u,
        v=v,
        wu=wu,
        wv=wv,
        tolerance=max(TOLERANCE, error) if tolerance is None else max(tolerance, rounding),
        error=error,
        rounding=rounding,
        beyond=float(np.sum(sigma[TERMS:] ** 2)),
    )


def quadrature(coupling: Coupling, least: int) -> Quadrature:
    """At least `least` nodes a side, as many on each panel between the breaks of a coupling."""
    sides = (
        gauss(breaks, math.ceil(least / (len(breaks) - 1)) + 1)
        for breaks in (coupling.breaks_u, coupling.breaks_v)
    )
    return Quadrature(*next(sides), *next(sides))


@lru_cache(maxsize=64)
def gauss(breaks: tuple[float, ...], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss–Legendre nodes and weights, `count` a panel between the breaks; read-only."""
    t, w = leggauss(count)
    ends = np.asarray(breaks)
    width = np.diff(ends)[:, None]
    nodes = (ends[:-1, None] + width * (t + 1) / 2).ravel()
    weights = (width * w / 2).ravel()
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights


By = TypeVar("By")
Size = TypeVar("Size")


class Svd(NamedTuple, Generic[By]):
    """The SVD of ρ by its values at some nodes, times the roots of their weights."""

    nodes: By
    left: np.ndarray
    """(K, N_u)."""
    sigma: np.ndarray
    """(K,), descending."""
    right: np.ndarray
    """(K, N_v)."""
    scale: float
    """‖ρ‖, its v-mean included."""


def refined(
    svd_at: Callable[[Size], Svd[By]], sizes: Sequence[Size], threshold: float
) -> tuple[Svd[By], float]:
    """The first SVD whose σ_k above the threshold agree with those at fewer nodes, or the last
    one, and the change between the two; a single size is exact."""
    coarse, change = svd_at(sizes[0]), 0.0
    for size in sizes[1:]:
        fine = svd_at(size)
        count = min(len(coarse.sigma), len(fine.sigma), TERMS)
        before, after = coarse.sigma[:count], fine.sigma[:count]
        change = float(np.max(np.abs(after - before), initial=0.0, where=after > threshold))
        coarse = fine
        if change <= AGREEMENT * fine.scale:
            break
    return coarse, change


def _svd(coupling: Coupling, size: tuple[int, int], centred: bool) -> Svd[Quadrature]:
    """A factored coupling is decomposed through QR of its factors: the same SVD, smaller."""
    nodes = Quadrature(*gauss(coupling.breaks_u, size[0]), *gauss(coupling.breaks_v, size[1]))
    u, wu, v, wv = nodes
    root_u, root_v = np.sqrt(wu)[:, None], np.sqrt(wv)[:, None]
    if isinstance(coupling, Factored):
        a, b = coupling.left_factor(u), coupling.right_factor(v)
        a = a if coupling.core is None else a @ coupling.core
        mean = a @ (wv @ b) * centred
        q_u, r_u = np.linalg.qr(root_u * a)
        q_v, r_v = np.linalg.qr(root_v * (b - wv @ b * centred))
        left, sigma, right = svd(r_u @ r_v.T)
        left, right = q_u @ left, right @ q_v.T
    else:
        rho = coupling.matrix(u, v)
        check_finite(rho, u, v)
        mean = rho @ wv * centred
        weighted = root_u * (rho - mean[:, None]) * root_v.T
        left, sigma, right = svd(weighted)
    scale = float(np.sqrt(np.sum(sigma**2) + wu @ mean**2))
    return Svd(nodes, left.T, sigma, right, scale)


def svd(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, M) → (N, K), (K,), (K, M). LAPACK's divide and conquer gives up on a few matrices most of
    whose singular values are rounding, such as 64 mixed sines; not on them turned over."""
    try:
        return np.linalg.svd(matrix, full_matrices=False)
    except np.linalg.LinAlgError:
        left, sigma, right = np.linalg.svd(matrix.T, full_matrices=False)
        return right.T, sigma, left.T


def fix_signs(phi: np.ndarray, psi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gauge of POD: φ_k > 0 where |φ_k| first reaches half its maximum."""
    size = np.abs(phi)
    first = np.argmax(size >= size.max(axis=1, keepdims=True) / 2, axis=1)
    sign = np.where(phi[np.arange(len(phi)), first] < 0, -1.0, 1.0)[:, None]
    return sign * phi, sign * psi


def _tied_as_designed(
    coupling: Coupling, nodes: Quadrature, phi: np.ndarray, psi: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where σ_k are equal any turn of their functions is a POD. Of a design it is that of its own
    terms in their order, so that its first m terms are the same everywhere."""
    if not isinstance(coupling, Designed):
        return phi, psi
    places = coupling.by_size[: len(phi)]
    sigma = np.asarray(coupling.sigma)[places]
    same = (np.abs(np.diff(sigma)) <= TIED * sigma[0]) & (sigma[1:] > 0)
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    if not len(tied):
        return phi, psi
    left, right = coupling.left_factor(nodes.u), coupling.right_factor(nodes.v)
    phi[tied] = left.T[places[tied]] / sigma[tied][:, None]
    psi[tied] = right.T[places[tied]]
    return phi, psi
