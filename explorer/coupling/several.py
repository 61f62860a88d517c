"""Couplings ρ(u, v) of tokens with d = 2 or 3 numbers, and their POD on L²([0, 1]^d × [0, 1]^d).

The POD is the SVD of sqrt(w_i) ρ(u_i, v_j) sqrt(w_j) at tensor products of Gauss–Legendre nodes, as
`coupling.pod` has it for d = 1 (Eq. 10).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple, Protocol

import numpy as np

from explorer.coupling.couplings import CouplingError
from explorer.coupling.formula import (
    LARGEST,
    Expression,
    FormulaError,
    check_cost,
    parse_expression,
)
from explorer.coupling.grid import hat
from explorer.coupling.pod import AGREEMENT, GAP, TOLERANCE, change_of, fix_signs, gauss, svd
from explorer.families import BASES, TERMS
from explorer.families.bases import Side

AXES: dict[int, tuple[int, ...]] = {1: (24, 48, 96), 2: (8, 12, 16, 24), 3: (4, 6, 8)}
"""Nodes along each axis, tried in turn: at most 576 points a token."""
MOST_POINTS = 1300
ENOUGH = 12
"""Functions along an axis among whose products are the first 64."""
PROBES: dict[int, int] = {1: 33, 2: 6, 3: 4}
"""Cells along each axis at whose centres a new formula must be finite."""
_EPS = float(np.finfo(np.float64).eps)


def variables(d: int) -> tuple[str, ...]:
    """u1 … ud of the token that asks, then v1 … vd of the one that is asked."""
    return tuple(f"{side}{axis}" for side in "uv" for axis in range(1, d + 1))


def parse_several(text: object, d: int) -> Expression:
    """Parse a formula in `variables(d)`; raises FormulaError as `parse_formula` does."""
    expression = parse_expression(text, variables(d))
    check_cost(expression)
    centres = (np.arange(PROBES[d]) + 0.5) / PROBES[d]
    points = product([centres] * d)
    matrix(expression, points, points)
    return expression


def product(axes: list[np.ndarray]) -> np.ndarray:
    """Points of a tensor product, (a, d), the last axis fastest."""
    return np.stack([each.ravel() for each in np.meshgrid(*axes, indexing="ij")], axis=-1)


def products(along: list[np.ndarray]) -> np.ndarray:
    """All products of functions (a, k) of each axis: (a, k^d), the last axis fastest."""
    return reduce(lambda one, two: (one[:, :, None] * two[:, None]).reshape(len(one), -1), along)


def matrix(expression: Expression, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """ρ(u_i, v_j) for u (a, d) and v (b, d), (a, b); raises FormulaError where it is not finite."""
    rho = expression(*u.T[:, :, None], *v.T[:, None, :])
    bad = np.argwhere(~(np.abs(rho) <= LARGEST))
    if len(bad):
        i, j = bad[0]
        at = ", ".join(f"{x:.3g}" for x in (*u[i], *v[j]))
        raise FormulaError(
            f"the formula gives {rho[i, j]:.6g} at (u; v) = ({at}); it must be finite, and at most "
            "1e6 in size, for all numbers between 0 and 1"
        )
    return rho


class Several(Protocol):
    """A coupling of tokens with d numbers."""

    @property
    def d(self) -> int: ...

    @property
    def breaks(self) -> tuple[float, ...]:
        """Between which it is smooth along each axis, 0 and 1 among them,"""
        ...

    @property
    def nodes(self) -> tuple[int, ...]:
        """and how many nodes there are tried in turn."""
        ...

    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ρ(u_i, v_j) for u (a, d) and v (b, d), (a, b)."""
        ...


@dataclass(frozen=True)
class SeveralFormula:
    """One that is typed in `variables(d)`; raises FormulaError where it is not finite."""

    expression: Expression
    d: int

    @property
    def breaks(self) -> tuple[float, ...]:
        return 0.0, 1.0

    @property
    def nodes(self) -> tuple[int, ...]:
        return AXES[self.d]

    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return matrix(self.expression, u, v)


@dataclass(frozen=True, eq=False)
class SeveralSamples:
    """One that is linear along each axis between samples (k, …, k), of 2d axes, at cell centres."""

    values: np.ndarray

    @property
    def d(self) -> int:
        return self.values.ndim // 2

    @property
    def breaks(self) -> tuple[float, ...]:
        cells = len(self.values)
        return (0.0, *((np.arange(cells) + 0.5) / cells).tolist(), 1.0)

    @property
    def nodes(self) -> tuple[int, ...]:
        """Exact: a product of two linear pieces is quadratic on each panel."""
        return (2,)

    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        points = len(self.values) ** self.d
        return self._hats(u) @ self.values.reshape(points, points) @ self._hats(v).T

    def _hats(self, x: np.ndarray) -> np.ndarray:
        """(a, d) → (a, k^d), the last axis fastest."""
        return products([hat(along, len(self.values)) for along in x.T])


@dataclass(frozen=True)
class SeveralDesigned:
    """Σ_k σ_k φ_k(u) ψ_k(v), φ_k and ψ_k products of d functions of named bases, one along each
    axis: by the sum of their numbers, then by the first of them."""

    sigma: tuple[float, ...]
    left: str
    right: str
    d: int

    @property
    def breaks(self) -> tuple[float, ...]:
        ends = [BASES[basis].breakpoints(self._along, side) for basis, side in self._sides]
        return tuple(sorted({*ends[0], *ends[1]}))

    @property
    def nodes(self) -> tuple[int, ...]:
        enough = max(BASES[basis].gauss_nodes(self._along, side) for basis, side in self._sides)
        return (enough,)

    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        left, right = (self._functions(x, *of) for x, of in zip((u, v), self._sides, strict=True))
        return (left * np.array(self.sigma)) @ right.T

    @property
    def _sides(self) -> tuple[tuple[str, Side], tuple[str, Side]]:
        return (self.left, "left"), (self.right, "right")

    @property
    def _numbers(self) -> np.ndarray:
        """Which function along each axis, (K, d) from 0."""
        count = len(self.sigma)
        taken = product([np.arange(min(count, ENOUGH))] * self.d)
        order = np.lexsort((*taken.T[::-1], taken.sum(1)))
        return taken[order[:count]]

    @property
    def _along(self) -> int:
        """How many functions an axis has."""
        return int(self._numbers.max()) + 1

    def _functions(self, x: np.ndarray, basis: str, side: Side) -> np.ndarray:
        """(a, d) → (a, K)."""
        along = BASES[basis].functions(x, self._along, side)  # (a, d, functions)
        return np.prod([along[:, axis, k] for axis, k in enumerate(self._numbers.T)], axis=0)


@dataclass(frozen=True, eq=False)
class SeveralPOD:
    """Singular values and functions of a coupling of tokens with d numbers; K ≤ 64 are kept."""

    coupling: Several
    centred: bool
    """Whether the v-mean of ρ was removed for each u; softmax cannot tell."""
    sigma: np.ndarray
    """σ_k (K,), descending."""
    phi: np.ndarray
    """φ_k at the points (K, N), orthonormal under the weights,"""
    psi: np.ndarray
    """and ψ_k."""
    points: np.ndarray
    """(N, d)."""
    weights: np.ndarray
    """(N,)."""
    scale: float
    """‖ρ‖, its v-mean included."""
    error: float
    """Change of the σ_k when nodes were added, at least rounding."""
    beyond: float
    """Σ σ_k² of the terms that were not kept."""

    @property
    def tolerance(self) -> float:
        """Absolute; σ_k above it count towards the rank."""
        return max(TOLERANCE, self.error)

    @property
    def above(self) -> int:
        """Number of σ_k, of the first 64, above the tolerance."""
        return int((self.sigma > self.tolerance).sum())

    @property
    def rank(self) -> int | None:
        """How many σ_k are not 0, where they fall by GAP or more to rounding; None where
        no such end is seen."""
        count, rounding = self.above, _EPS * len(self.points) * max(1.0, self.scale)
        if count == 0 or count >= TERMS or self.error > 10 * rounding:
            return None if count else 0
        return count if self.sigma[count] <= GAP * self.sigma[count - 1] else None

    def tail_energy(self) -> np.ndarray:
        """Σ_{k>m} σ_k² for m = 0 … K, (K + 1,): the squared error of m terms."""
        return self.beyond + np.append(np.cumsum(self.sigma[::-1] ** 2)[::-1], 0.0)

    def whole(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ρ as it is decomposed, at u (a, d) and v (b, d): (a, b)."""
        rho = self.coupling.matrix(u, v)
        if not self.centred:
            return rho
        return rho - (self.coupling.matrix(u, self.points) @ self.weights)[:, None]

    def kept(self, u: np.ndarray, v: np.ndarray, m: int) -> np.ndarray:
        """Its first m terms there, (a, b), with φ_k and ψ_k by Nyström's formula."""
        left, right = self.left(u)[:, :m], self.right(v)[:, :m]
        return (left * self.sigma[:m]) @ right.T

    def left(self, u: np.ndarray) -> np.ndarray:
        """φ_k(u) = ∫ ρ(u, v) ψ_k(v) dv / σ_k: (a, d) → (a, K); 0 where σ_k is rounding."""
        return self.whole(u, self.points) @ (self.weights[:, None] * self.psi.T * self._inverse)

    def right(self, v: np.ndarray) -> np.ndarray:
        """ψ_k(v) = ∫ ρ(u, v) φ_k(u) du / σ_k: (b, d) → (b, K), as `left`."""
        return self.whole(self.points, v).T @ (self.weights[:, None] * self.phi.T * self._inverse)

    @cached_property
    def _inverse(self) -> np.ndarray:
        known = self.sigma > self.error
        return np.divide(1.0, self.sigma, out=np.zeros_like(self.sigma), where=known)


def pod_several(coupling: Several, centred: bool = True) -> SeveralPOD:
    """The POD of a coupling; nodes are added until the σ_k agree, as far as it has them. Raises
    FormulaError where ρ is not finite at a node, and CouplingError where that takes too many."""
    first, *more = coupling.nodes
    found, change = _svd(coupling, first, centred), 0.0
    for count in more:
        fine = _svd(coupling, count, centred)
        change, found = change_of(found.sigma, fine.sigma, TOLERANCE), fine
        if change <= AGREEMENT * fine.scale:
            break
    root = np.sqrt(found.weights)
    phi, psi = fix_signs(found.left[:TERMS] / root, found.right[:TERMS] / root)
    return SeveralPOD(
        coupling=coupling,
        centred=centred,
        sigma=found.sigma[:TERMS],
        phi=phi,
        psi=psi,
        points=found.points,
        weights=found.weights,
        scale=found.scale,
        error=max(change, _EPS * len(root) * found.scale),
        beyond=float(np.sum(found.sigma[TERMS:] ** 2)),
    )


class _Svd(NamedTuple):
    """The SVD of sqrt(w_i) ρ(u_i, v_j) sqrt(w_j) at points (N, d)."""

    points: np.ndarray
    weights: np.ndarray
    left: np.ndarray
    sigma: np.ndarray
    right: np.ndarray
    scale: float
    """‖ρ‖, its v-mean included."""


def _svd(coupling: Several, count: int, centred: bool) -> _Svd:
    """At `count` nodes along each panel of each axis."""
    nodes, along = gauss(coupling.breaks, count)
    if len(nodes) ** coupling.d > MOST_POINTS:
        raise CouplingError(
            f"this ρ needs {len(nodes)} nodes along each of {coupling.d} axes; at most "
            f"{MOST_POINTS} points are taken: fewer terms, or a smoother basis"
        )
    points = product([nodes] * coupling.d)
    weights: np.ndarray = reduce(np.multiply.outer, [along] * coupling.d).ravel()
    rho = coupling.matrix(points, points)
    mean, root = rho @ weights * centred, np.sqrt(weights)
    left, sigma, right = svd(root[:, None] * (rho - mean[:, None]) * root)
    scale = float(np.sqrt(np.sum(sigma**2) + weights @ mean**2))
    return _Svd(points, weights, left.T, sigma, right, scale)
