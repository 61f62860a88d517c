"""F of Eq. 8: a map of one number (parts.py) where f has one feature, of several by a formula in
x1, x2, … or `abs`, their Euclidean norm.

Of several numbers Barron's constant is ∫ w(ω) |F̂|(dω), w(ω) the width of the hull of the values of
f along ω; of one number it is the one of parts.py. Hence it is that of F∘R⁻¹ for Rf, R orthogonal.
It is known where F is a sum of functions of one number each, along directions that are orthogonal:
those of its second derivatives, as of every quadratic F. x1*x2 is (x1 + x2)²/4 − (x1 − x2)²/4.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array
from explorer.coupling import FormulaError
from explorer.coupling.formula import MAX_COST, Expression, pair_costs, parse_expression
from explorer.coupling.typeset import typeset
from explorer.targets.coupling.features import ROUNDS, Features, Hull, summed
from explorer.targets.coupling.parts import (
    FINE,
    ITSELF,
    MANY_TERMS,
    STEEPER,
    VARIABLE,
    Barron,
    InNumbers,
    Part,
    part_of,
)

REACH = 0.05  # share of the hull over which a slope is measured, in the first round
NOISE = 1e-9  # relative: what is rounding
NORM = "abs"
NO_SUM = "it is no sum of functions of one number each"


class Outer(ABC):
    """F, ℝ^q → ℝ."""

    words: str
    """As a specification has it."""
    tex: str
    """Of x."""

    @abstractmethod
    def __call__(self, means: Array) -> Array:
        """(…, q) → (…)."""

    @abstractmethod
    def answers(self, inner: Features) -> tuple[float, float]:
        """Between which F of the means of f lies."""

    @abstractmethod
    def lipschitz(self, inner: Features) -> float:
        """K_F on the means of f, in |·|₂; ∞ where there is none."""

    @abstractmethod
    def barron(self, inner: Features) -> Barron:
        """C_FF(F) on the means of f."""


@dataclass(frozen=True)
class OfOne(Outer):
    """F of one number."""

    part: Part = ITSELF

    @property
    def words(self) -> str:
        return self.part.words

    @property
    def tex(self) -> str:
        return self.part.tex

    def __call__(self, means: Array) -> Array:
        return self.part(means[..., 0])

    def answers(self, inner: Features) -> tuple[float, float]:
        values = self.part(np.linspace(*inner.ends[0], FINE))
        return float(values.min()), float(values.max())

    def lipschitz(self, inner: Features) -> float:
        return self.part.lipschitz(*inner.ends[0])

    def barron(self, inner: Features) -> Barron:
        return self.part.barron(*inner.ends[0])


@dataclass(frozen=True)
class OfSeveral(Outer):
    """F of q numbers; what is said of it is found on points of the hull of f."""

    expression: Expression
    q: int
    words: str

    @property
    def tex(self) -> str:
        if self.words == NORM:
            return r"\left|x\right|"
        return typeset(self.expression, tuple(f"x_{j + 1}" for j in range(self.q))) or MANY_TERMS

    def __call__(self, means: Array) -> Array:
        return self.expression(*(means[..., j] for j in range(self.q)))

    def answers(self, inner: Features) -> tuple[float, float]:
        hull = Hull(inner)
        low = hull.greatest(lambda means, _: -self(means))
        return -max(low), max(hull.greatest(lambda means, _: self(means)))

    def lipschitz(self, inner: Features) -> float:
        """The steepest slope of each round: beyond every bound at a jump or a root."""
        hull = Hull(inner)
        lengths = np.linalg.norm(hull.sides, axis=1)

        def slopes(means: np.ndarray, reach: float) -> np.ndarray:
            h = REACH * reach
            inside = (hull.centre + (1 - 2 * h) * (means - hull.centre))[:, None]
            rises = self(inside + h * hull.sides) - self(inside - h * hull.sides)
            return np.nan_to_num(np.linalg.norm(rises / (2 * h * lengths), axis=1), nan=0.0)

        steepest = hull.greatest(slopes)
        return math.inf if steepest[-1] > STEEPER * max(steepest[: ROUNDS // 2]) else max(steepest)

    def barron(self, inner: Features) -> Barron:
        if not math.isfinite(self.lipschitz(inner)):
            return Barron(math.inf, "it is not Lipschitz")
        hull, directions = Hull(inner), self._directions(inner)
        parts = [self._along(direction, hull.centre) for direction in directions]
        if not self._sums(parts, directions, hull):
            return Barron(None, NO_SUM)
        seen = (inner.values @ directions.T).T
        constants = [
            part.barron(float(x.min()), float(x.max()))
            for part, x in zip(parts, seen, strict=True)
            if np.ptp(x) > NOISE
        ]
        return summed(constants, "an upper bound by second derivatives, in numbers")

    def _directions(self, inner: Features) -> np.ndarray:
        """Those of its second derivatives in the middle, orthogonal (q, q), by differences."""
        low, high = np.array(inner.ends).T
        steps = (high - low) / 4
        one = np.diag(steps)
        middle = (low + high) / 2
        plus, minus = one[:, None] + one, one[:, None] - one  # (q, q, q)
        second = self(middle + plus) - self(middle + minus)
        second += self(middle - plus) - self(middle - minus)
        second[np.abs(second) <= NOISE * np.abs(self(middle + plus)).max()] = 0.0
        return np.linalg.eigh(second / np.outer(steps, steps))[1].T

    def _along(self, direction: np.ndarray, centre: np.ndarray) -> InNumbers:
        """F along a direction through the centre, less F there."""
        at, own = direction @ centre, self(centre[None])

        def difference(t: np.ndarray) -> np.ndarray:
            return self(centre + (t - at)[..., None] * direction) - own

        return InNumbers(difference)

    def _sums(self, parts: list[InNumbers], directions: np.ndarray, hull: Hull) -> bool:
        """Whether F on the hull is the sum of its parts along the directions."""
        at = np.random.default_rng(1).random((FINE, 2 * self.q))
        means = np.vstack([hull.inner.values, hull.means(at)])
        values = self(means) - self(hull.centre[None])
        for part, direction in zip(parts, directions, strict=True):
            values -= part(means @ direction)
        return bool(np.abs(values).max() <= NOISE * max(1.0, np.ptp(self(means))))


def outer_of(text: str, q: int) -> Outer:
    """F of q numbers by its name and numbers, or by a formula. Raises FormulaError, with its place
    where a formula cannot be read."""
    if q == 1:
        return OfOne(part_of(text))
    names = names_of(q)
    if text == "identity":
        raise FormulaError(f"of {q} features F is a formula in {' and '.join(names)}, or {NORM}")
    norm = f"sqrt({' + '.join(f'{name}**2' for name in names)})"
    expression = parse_expression(norm if text == NORM else text, names)
    cost = sum(pair_costs(expression, free=0).values())
    if cost > MAX_COST:
        raise FormulaError(
            f"F takes about {cost / 1e3:.1f} µs a point; at most {MAX_COST / 1e3:g} are allowed. "
            "Use fewer terms"
        )
    return OfSeveral(expression, q, text)


def names_of(q: int) -> tuple[str, ...]:
    """The variables of F in a formula."""
    return VARIABLE if q == 1 else tuple(f"x{j + 1}" for j in range(q))
