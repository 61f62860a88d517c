"""Couplings ρ(u, v) on [0, 1]²: the `Coupling` a target, a POD and a picture evaluate.

Each is evaluated by the namespace of its arguments: numpy for theory and pictures, torch for
training.
"""

# A coupling may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.coupling.formula import Expression, FormulaError, parse_formula
from explorer.coupling.grid import GridError, bilinear, check_grid, hat
from explorer.coupling.spectra import is_endless, singular_values
from explorer.coupling.typed import reason
from explorer.families import BASES
from explorer.spec import CouplingSpec, SpecError


class CouplingError(SpecError):
    """A specification whose coupling cannot be built here; the message says why."""


class Coupling(ABC):
    """ρ(u, v) for u, v in [0, 1]."""

    label: str = ""
    """Short text for a reader; "" where none sees it."""
    nodes: Sequence[tuple[int, int]]
    """Gauss–Legendre nodes a panel along u and v that a POD tries, coarse to fine."""
    breaks_u: tuple[float, ...] = (0.0, 1.0)
    """Ends of the panels along u on which ρ is smooth."""
    breaks_v: tuple[float, ...] = (0.0, 1.0)
    """The same along v."""
    endless: bool = False
    """Whether its spectrum goes on, by a law, beyond the terms that are kept of it."""
    known_rank: int | None = None
    """How many σ_k differ from 0, where they are given and end."""

    def rank_bound(self, centred: bool) -> int | None:
        """How many σ_k differ from 0 at most, by what ρ is made of, its v-mean removed or not;
        None where they do not end, and where nobody knows."""
        return self.known_rank

    @abstractmethod
    def matrix(self, u: Array, v: Array) -> Array:
        """ρ(u_i, v_j): u (…, a), v (…, b) → (…, a, b)."""

    def integral(self, u: Array, v: Array, g: Array) -> Array:
        """Σ_j ρ(u, v_j) g_jk: u (…, a), v (b,), g (b, K) → (…, a, K)."""
        return self.matrix(u, v) @ g

    def integral_u(self, v: Array, u: Array, g: Array) -> Array:
        """Σ_i ρ(u_i, v) g_ik: v (…, b), u (a,), g (a, K) → (…, b, K)."""
        return _transposed(self.matrix(u, v)) @ g


class Factored(Coupling):
    """ρ(u, v) = A(u) C B(v)ᵀ: evaluated, integrated and decomposed through its factors."""

    core: np.ndarray | None = None
    """C (p, q); None for the identity."""

    @abstractmethod
    def left_factor(self, u: Array) -> Array:
        """A: (…, a) → (…, a, p)."""

    @abstractmethod
    def right_factor(self, v: Array) -> Array:
        """B: (…, b) → (…, b, q)."""

    def matrix(self, u: Array, v: Array) -> Array:
        a = self.left_factor(u)
        a = a if self.core is None else a @ constant(self.core, u)
        return a @ _transposed(self.right_factor(v))

    def integral(self, u: Array, v: Array, g: Array) -> Array:
        g = _transposed(self.right_factor(v)) @ g
        g = g if self.core is None else constant(self.core, g) @ g
        return self.left_factor(u) @ g

    def integral_u(self, v: Array, u: Array, g: Array) -> Array:
        g = _transposed(self.left_factor(u)) @ g
        g = g if self.core is None else constant(self.core.T, g) @ g
        return self.right_factor(v) @ g


@dataclass(frozen=True)
class Designed(Factored):
    """ρ(u, v) = Σ_k σ_k φ_k(u) ψ_k(v), with bases by name (Eq. 68)."""

    sigma: tuple[float, ...]
    left: str = "sine"
    right: str = "shifted_sine"
    endless: bool = False

    @property
    def known_rank(self) -> int | None:
        return None if self.endless else int(np.count_nonzero(self.sigma))

    @property
    def label(self) -> str:
        return f"{len(self.sigma)} terms, {self.left} × {self.right}"

    @property
    def breaks_u(self) -> tuple[float, ...]:
        return BASES[self.left].breakpoints(len(self.sigma), "left")

    @property
    def breaks_v(self) -> tuple[float, ...]:
        return BASES[self.right].breakpoints(len(self.sigma), "right")

    @property
    def nodes(self) -> Sequence[tuple[int, int]]:
        """Enough for its bases, and an eighth more to see that it was."""
        count = len(self.sigma)
        left, right = BASES[self.left], BASES[self.right]
        enough = left.gauss_nodes(count, "left"), right.gauss_nodes(count, "right")
        more_u, more_v = (n + n // 8 + 1 for n in enough)
        return enough, (more_u, more_v)

    @property
    def by_size(self) -> np.ndarray:
        """Places of the terms from the largest σ_k on, of equal ones the earlier first."""
        return np.argsort(-np.asarray(self.sigma), kind="stable")

    def left_factor(self, u: Array) -> Array:
        return BASES[self.left].functions(u, len(self.sigma), "left") * constant(self.sigma, u)

    def right_factor(self, v: Array) -> Array:
        return BASES[self.right].functions(v, len(self.sigma), "right")


@dataclass(frozen=True)
class Formula(Coupling):
    """ρ(u, v) by a formula; raises FormulaError when built from a text that is refused."""

    nodes = tuple((n, n) for n in (32, 64, 128, 256, 512))
    text: str
    expression: Expression = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "expression", parse_formula(self.text))

    @property
    def label(self) -> str:
        return self.text

    def rank_bound(self, centred: bool) -> int | None:
        """Of a polynomial: one more than its degree in u or in v; without its v-mean the constant
        is none of the powers of v."""
        if (degrees := degrees_of(self.expression)) is None:
            return None
        in_u, in_v = degrees
        return min(in_u + 1, in_v + 1 - centred)

    def matrix(self, u: Array, v: Array) -> Array:
        return self.expression(u[..., :, None], v[..., None, :])


@dataclass(frozen=True, eq=False)
class Samples(Factored):
    """ρ(u, v) bilinear between samples (N, M) at cell centres, constant beyond the outermost."""

    nodes = ((2, 2),)
    """Exact: a product of two linear pieces is quadratic on each panel."""
    values: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", check_grid(self.values))

    @property
    def label(self) -> str:
        return "samples {} × {}".format(*self.values.shape)

    @property
    def breaks_u(self) -> tuple[float, ...]:
        return _centres(self.values.shape[0])

    @property
    def breaks_v(self) -> tuple[float, ...]:
        return _centres(self.values.shape[1])

    def rank_bound(self, centred: bool) -> int | None:
        """As many as rows or columns; the hats of v add up to 1, which has no place without its
        mean."""
        rows, columns = self.values.shape
        return min(rows, columns - centred)

    @property
    def core(self) -> np.ndarray:
        return self.values

    def left_factor(self, u: Array) -> Array:
        return hat(u, self.values.shape[0])

    def right_factor(self, v: Array) -> Array:
        return hat(v, self.values.shape[1])

    def matrix(self, u: Array, v: Array) -> Array:
        """As by the factors, but from the four samples around each point: sequences are short."""
        return bilinear(constant(self.values, u), u, v)


CONSTANT = (0, 0)


class _Part(NamedTuple):
    """A polynomial by its degrees in u and v; its value where it is a number."""

    degrees: tuple[int, int]
    value: float | None = None


def degrees_of(expression: Expression) -> tuple[int, int] | None:
    """Degrees in u and v of a formula, at most; None where it is no polynomial as it is written."""
    stack: list[_Part | None] = []
    for kind, value in expression.program:
        if kind == "number":
            stack.append(_Part(CONSTANT, value))
        elif kind == "variable":
            stack.append(_Part((int(value == 0), int(value == 1))))
        else:
            operands = [stack.pop() for _ in range(value)][::-1]
            stack.append(_combined(kind, operands))
    (whole,) = stack
    return whole and whole.degrees


def _combined(kind: str, operands: list[_Part | None]) -> _Part | None:
    """A polynomial of polynomials; None of anything else."""
    parts = [part for part in operands if part is not None]
    if len(parts) < len(operands):
        return None
    if all(part.degrees == CONSTANT for part in parts):
        return _Part(CONSTANT)
    if kind in ("+", "-", "negative"):
        return _each(max, parts)
    if kind == "*":
        return _each(sum, parts)
    if kind == "/" and parts[1].degrees == CONSTANT:
        return _Part(parts[0].degrees)
    power = parts[-1].value
    if kind == "**" and power is not None and power >= 0 and power % 1 == 0:
        in_u, in_v = parts[0].degrees
        return _Part((int(power) * in_u, int(power) * in_v))
    return None


def _each(combine: Callable[[Iterable[int]], int], parts: list[_Part]) -> _Part:
    return _Part(
        (combine(part.degrees[0] for part in parts), combine(part.degrees[1] for part in parts))
    )


GridLoader = Callable[[str], np.ndarray]
"""What fetches uploaded samples by their sha256; raises KeyError or FileNotFoundError without."""


def coupling_of(spec: CouplingSpec, load_grid: GridLoader | None = None) -> Coupling:
    """The coupling of a specification; `load_grid` fetches the samples behind spec.grid.

    Raises CouplingError, a SpecError, where the formula is refused or the grid is not here.
    """
    try:
        if spec.formula is not None:
            return Formula(spec.formula)
        if spec.grid is not None:
            return Samples(_stored_grid(spec.grid, load_grid))
    except FormulaError as error:
        why = reason(spec.formula or "", error)
        raise CouplingError(f"formula = {spec.formula!r}: {why}") from None
    except GridError as error:
        raise CouplingError(f"grid = {spec.grid}: {error}") from None
    sigma = tuple(singular_values(spec).tolist())
    return Designed(sigma, spec.left_basis, spec.right_basis, is_endless(spec))


def _stored_grid(sha: str, load: GridLoader | None) -> np.ndarray:
    try:
        if load is not None:
            return load(sha)
    except (KeyError, FileNotFoundError):
        pass
    raise GridError("these samples are not here; upload the file again")


def _centres(cells: int) -> tuple[float, ...]:
    return (0.0, *((np.arange(cells) + 0.5) / cells).tolist(), 1.0)


def _transposed(matrices: Array) -> Array:
    return namespace(matrices).matrix_transpose(matrices)
