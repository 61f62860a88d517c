"""Couplings ρ(u, v) of tokens with d = 2 or 3 numbers, and their POD on L²([0, 1]^d × [0, 1]^d).

The POD is the SVD of sqrt(w_i) ρ(u_i, v_j) sqrt(w_j) at tensor products of Gauss–Legendre nodes, as
`coupling.pod` has it for d = 1 (Eq. 10).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import numpy as np

from explorer.coupling.formula import (
    LARGEST,
    Expression,
    FormulaError,
    check_cost,
    parse_expression,
)
from explorer.coupling.pod import AGREEMENT, GAP, TOLERANCE, change_of, fix_signs, gauss, svd
from explorer.families import TERMS

AXES: dict[int, tuple[int, ...]] = {1: (24, 48, 96), 2: (8, 12, 16, 24), 3: (4, 6, 8)}
"""Nodes along each axis, tried in turn: at most 576 points a token."""
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


@dataclass(frozen=True, eq=False)
class SeveralPOD:
    """Singular values and functions of a coupling of tokens with d numbers; K ≤ 64 are kept."""

    expression: Expression
    d: int
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
        rho = matrix(self.expression, u, v)
        if not self.centred:
            return rho
        return rho - (matrix(self.expression, u, self.points) @ self.weights)[:, None]

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


def pod_several(expression: Expression, d: int, centred: bool = True) -> SeveralPOD:
    """The POD of a formula in `variables(d)`; nodes are added until the σ_k agree, as far as AXES
    goes. Raises FormulaError where ρ is not finite at a node."""
    first, *more = AXES[d]
    found, change = _svd(expression, d, first, centred), 0.0
    for count in more:
        fine = _svd(expression, d, count, centred)
        change, found = change_of(found.sigma, fine.sigma, TOLERANCE), fine
        if change <= AGREEMENT * fine.scale:
            break
    root = np.sqrt(found.weights)
    phi, psi = fix_signs(found.left[:TERMS] / root, found.right[:TERMS] / root)
    return SeveralPOD(
        expression=expression,
        d=d,
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


def _svd(expression: Expression, d: int, count: int, centred: bool) -> _Svd:
    """At `count` nodes along each axis."""
    nodes, along = gauss((0.0, 1.0), count)
    points = product([nodes] * d)
    weights: np.ndarray = reduce(np.multiply.outer, [along] * d).ravel()
    rho = matrix(expression, points, points)
    mean, root = rho @ weights * centred, np.sqrt(weights)
    left, sigma, right = svd(root[:, None] * (rho - mean[:, None]) * root)
    scale = float(np.sqrt(np.sum(sigma**2) + weights @ mean**2))
    return _Svd(points, weights, left.T, sigma, right, scale)
