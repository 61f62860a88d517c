"""Couplings ρ(u, v) of tokens with d = 2 or 3 numbers, and their POD on L²([0, 1]^d × [0, 1]^d).

Of a formula it is the SVD of sqrt(w_i) ρ(u_i, v_j) sqrt(w_j) at tensor products of Gauss–Legendre
nodes, as `coupling.pod` has it for d = 1 (Eq. 10); of products of functions of one number that of
their coefficients by products of orthonormal functions.
"""

# A coupling may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

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
from explorer.coupling.pod import GAP, TOLERANCE, Svd, fix_signs, gauss, refined, svd
from explorer.coupling.spectra import singular_values, tails
from explorer.families import BASES, TERMS
from explorer.families.bases import Side
from explorer.spec import CouplingSpec

AXES: dict[int, tuple[int, ...]] = {1: (24, 48, 96), 2: (8, 12, 16, 24), 3: (4, 6, 8)}
"""Nodes along each axis, tried in turn: at most 576 points a token."""
SIDES: tuple[Side, Side] = ("left", "right")
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


class Coordinates(NamedTuple):
    """ρ between orthonormal functions of u and of v, to which its POD belongs."""

    rho: np.ndarray
    """(N, M)."""
    one: np.ndarray
    """The constant 1 by the functions of v, (M,), of norm 1."""
    of_u: Callable[[np.ndarray], np.ndarray]
    """ρ(u, ·) by the functions of v: (a, d) → (a, M)."""
    of_v: Callable[[np.ndarray], np.ndarray]
    """ρ(·, v) by the functions of u: (b, d) → (b, N)."""
    nodes: int
    """Along each axis."""


class Several(ABC):
    """A coupling of tokens with d numbers."""

    d: int
    nodes: tuple[int, ...]
    """Of Gauss, along an axis or a panel of it, tried in turn."""

    @abstractmethod
    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ρ(u_i, v_j) for u (a, d) and v (b, d), (a, b)."""

    @abstractmethod
    def coordinates(self, count: int) -> Coordinates:
        """With so many of the `nodes`."""


@dataclass(frozen=True)
class SeveralFormula(Several):
    """One that is typed in `variables(d)`; raises FormulaError where it is not finite."""

    expression: Expression
    d: int

    @property
    def nodes(self) -> tuple[int, ...]:
        return AXES[self.d]

    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return matrix(self.expression, u, v)

    def coordinates(self, count: int) -> Coordinates:
        """By its values at tensor nodes, times the roots of their weights."""
        nodes, along = gauss((0.0, 1.0), count)
        points = product([nodes] * self.d)
        root = np.sqrt(_power(along, self.d))

        def of_u(u: np.ndarray) -> np.ndarray:
            return self.matrix(u, points) * root

        def of_v(v: np.ndarray) -> np.ndarray:
            return self.matrix(points, v).T * root

        return Coordinates(root[:, None] * of_u(points), root, of_u, of_v, count)


class SeveralProducts(Several):
    """ρ(u, v) = A(u) C B(v)ᵀ, of all products of functions of one number, one along each axis.

    Exact through QR along one axis, however many numbers a token has.
    """

    core: np.ndarray
    """C, (p^d, q^d), the last axis fastest."""

    @abstractmethod
    def along(self, x: np.ndarray, side: Side) -> np.ndarray:
        """The functions of one number: (n,) → (n, p). Those of v give the constant, too."""

    @abstractmethod
    def breaks(self, side: Side) -> tuple[float, ...]:
        """Between which they are smooth, 0 and 1 among them."""

    def matrix(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        return self._factor(u, "left") @ self.core @ self._factor(v, "right").T

    def coordinates(self, count: int) -> Coordinates:
        (a, _, nodes), (b, one, _) = (self._orthonormal(count, side) for side in SIDES)
        by_u, by_v = self.core @ b.T, self.core.T @ a.T

        def of_u(u: np.ndarray) -> np.ndarray:
            return self._factor(u, "left") @ by_u

        def of_v(v: np.ndarray) -> np.ndarray:
            return self._factor(v, "right") @ by_v

        return Coordinates(a @ by_u, one, of_u, of_v, nodes)

    def _factor(self, x: np.ndarray, side: Side) -> np.ndarray:
        """(a, d) → (a, p^d)."""
        return products([self.along(axis, side) for axis in x.T])

    def _orthonormal(self, count: int, side: Side) -> tuple[np.ndarray, np.ndarray, int]:
        """The products, and the constant 1, by products of orthonormal functions; and the nodes."""
        nodes, weights = gauss(self.breaks(side), count)
        root = np.sqrt(weights)
        q, r = np.linalg.qr(root[:, None] * self.along(nodes, side))
        return _power(r, self.d), _power(root @ q, self.d), len(nodes)


def _power(each: np.ndarray, d: int) -> np.ndarray:
    """The Kronecker product of d of them."""
    return reduce(np.kron, [each] * d)


@dataclass(frozen=True, eq=False)
class SeveralSamples(SeveralProducts):
    """One that is linear along each axis between samples at the centres of k^d cells."""

    nodes = (2,)
    """Exact: a product of two linear pieces is quadratic on each panel."""
    values: np.ndarray
    """(k^d, k^d), a row for each u, the last axis fastest."""
    d: int

    @property
    def core(self) -> np.ndarray:
        return self.values

    def along(self, x: np.ndarray, side: Side) -> np.ndarray:
        return hat(x, self._cells)

    def breaks(self, side: Side) -> tuple[float, ...]:
        return (0.0, *((np.arange(self._cells) + 0.5) / self._cells).tolist(), 1.0)

    @property
    def _cells(self) -> int:
        return round(len(self.values) ** (1 / self.d))


@dataclass(frozen=True)
class SeveralDesigned(SeveralProducts):
    """Σ_k σ_k φ_k(u) ψ_k(v), φ_k and ψ_k products of d functions of named bases, one along each
    axis: by the sum of their numbers, then by the first of them."""

    sigma: tuple[float, ...]
    left: str
    right: str
    d: int

    @property
    def nodes(self) -> tuple[int, ...]:
        sides = zip((self.left, self.right), SIDES, strict=True)
        return (max(BASES[basis].gauss_nodes(self._along, side) for basis, side in sides),)

    @property
    def core(self) -> np.ndarray:
        p, d = self._along, self.d
        core = np.zeros((p,) * d + (p + 1,) * d)  # the last function of v is the constant
        core[(*self._numbers.T, *self._numbers.T)] = self.sigma
        return core.reshape(p**d, (p + 1) ** d)

    def along(self, x: np.ndarray, side: Side) -> np.ndarray:
        if side == "left":
            return BASES[self.left].functions(x, self._along, side)
        return np.column_stack([BASES[self.right].functions(x, self._along, side), np.ones(len(x))])

    def breaks(self, side: Side) -> tuple[float, ...]:
        return BASES[self.left if side == "left" else self.right].breakpoints(self._along, side)

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


def designed(spec: CouplingSpec, d: int) -> SeveralDesigned:
    """The bases and the spectrum of a design; raises CouplingError for a formula or samples."""
    if spec.formula is not None or spec.grid is not None:
        raise CouplingError("products of bases need a design by a spectrum and bases")
    return SeveralDesigned(tuple(singular_values(spec)), spec.left_basis, spec.right_basis, d)


@dataclass(frozen=True, eq=False)
class SeveralPOD:
    """Singular values and functions of a coupling of tokens with d numbers; K ≤ 64 are kept."""

    coupling: Several
    centred: bool
    """Whether the v-mean of ρ was removed for each u; softmax cannot tell."""
    sigma: np.ndarray
    """σ_k (K,), descending,"""
    phi: np.ndarray
    """φ_k (K, N),"""
    psi: np.ndarray
    """and ψ_k (K, M), in the coordinates"""
    by: Coordinates
    scale: float
    """‖ρ‖, its v-mean included."""
    rounding: float
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
        count = self.above
        if count == 0 or count >= TERMS or self.error > 10 * self.rounding:
            return None if count else 0
        if count == len(self.sigma):
            return count
        return count if self.sigma[count] <= GAP * self.sigma[count - 1] else None

    def tail_energy(self) -> np.ndarray:
        """Σ_{k>m} σ_k² for m = 0 … K, (K + 1,): the squared error of m terms."""
        return tails(self.sigma, self.beyond)

    def whole(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ρ as it is decomposed, at u (a, d) and v (b, d): (a, b)."""
        mean = self.by.of_u(u) @ self.by.one * self.centred
        return self.coupling.matrix(u, v) - mean[:, None]

    def truncation(self, u: np.ndarray, v: np.ndarray, m: int) -> np.ndarray:
        """Its first m terms there, (a, b), with φ_k and ψ_k by Nyström's formula."""
        left, right = self.left(u)[:, :m], self.right(v)[:, :m]
        return (left * self.sigma[:m]) @ right.T

    def left(self, u: np.ndarray) -> np.ndarray:
        """φ_k(u) = ∫ ρ(u, v) ψ_k(v) dv / σ_k: (a, d) → (a, K); 0 where σ_k is rounding."""
        rows = self.by.of_u(u)
        rows -= np.outer(rows @ self.by.one, self.by.one) * self.centred
        return rows @ self.psi.T * self._inverse

    def right(self, v: np.ndarray) -> np.ndarray:
        """ψ_k(v) = ∫ ρ(u, v) φ_k(u) du / σ_k: (b, d) → (b, K), as `left`."""
        rows = self.by.of_v(v) - self.by.rho @ self.by.one * self.centred
        return rows @ self.phi.T * self._inverse

    @property
    def _inverse(self) -> np.ndarray:
        known = self.sigma > self.error
        return np.divide(1.0, self.sigma, out=np.zeros_like(self.sigma), where=known)


def pod_several(coupling: Several, centred: bool = True) -> SeveralPOD:
    """The POD of a coupling; nodes are added until the σ_k agree, as far as it has them. Raises
    FormulaError where ρ is not finite at a node."""
    finest, change = refined(
        lambda count: _svd(coupling, count, centred), coupling.nodes, TOLERANCE
    )
    rounding = _EPS * max(finest.nodes.rho.shape) * finest.scale
    phi, psi = fix_signs(finest.left[:TERMS], finest.right[:TERMS])
    return SeveralPOD(
        coupling=coupling,
        centred=centred,
        sigma=finest.sigma[:TERMS],
        phi=phi,
        psi=psi,
        by=finest.nodes,
        scale=finest.scale,
        rounding=rounding,
        error=max(change, rounding),
        beyond=float(np.sum(finest.sigma[TERMS:] ** 2)),
    )


def _svd(coupling: Several, count: int, centred: bool) -> Svd[Coordinates]:
    by = coupling.coordinates(count)
    mean = by.rho @ by.one * centred
    left, sigma, right = svd(by.rho - np.outer(mean, by.one))
    return Svd(by, left.T, sigma, right, float(np.sqrt(np.sum(sigma**2) + mean @ mean)))
