"""Maps of one number, of which f of Eq. 8 has one for each of its features and F is one where f has
one: by name, or by a formula in x.

    identity, abs, power p (x^p), tanh κ (tanh κx), clip a b (min(max(x, a), b))

f maps tokens in [0, 1]; F maps weighted means of f (outer.py).
Barron's constants are those of the map with its interval stretched to [0, 1], so that everywhere
‖f − f_m‖ ≤ C/√m; sources and the bound by ‖f''‖₂ are in theory/complexity.py. Where a derivative
jumps, C = ∞: f' is the transform of a finite measure, hence continuous.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from explorer.arrays import Array, namespace
from explorer.coupling import FormulaError
from explorer.coupling.formula import Expression, parse_expression
from explorer.coupling.typeset import typeset

FINE = 2001  # points of an interval on which a map is looked at, both ends among them
HALVINGS = 12  # of the steepest piece; after as many again a Lipschitz function is no steeper
STEEPER = 1.4
SETTLED = 0.02  # by so much ‖f''‖₂ may differ between FINE points and twice as many
KINK = "its derivative jumps"
VARIABLE = ("x",)
MOST = 100.0  # of the numbers of a map
MANY_TERMS = r"\text{a formula of many terms}"


class Barron(NamedTuple):
    """Barron's constant: ∞ or None, where it is not known, with the reason in `how`."""

    value: float | None
    how: str = ""
    """Of a finite one: what it is, "" where it is exact."""


@dataclass(frozen=True)
class Part:
    """x ↦ x, and what all maps have."""

    words: ClassVar[str] = "identity"
    """As a specification has it."""
    tex: ClassVar[str] = "x"
    """Of x."""

    def __call__(self, x: Array) -> Array:
        """Entry by entry, (…) → (…)."""
        return x

    def lipschitz(self, low: float, high: float) -> float:
        """The least Lipschitz constant on an interval; ∞ where there is none."""
        return 1.0

    def barron(self, low: float, high: float) -> Barron:
        """Barron's constant on an interval."""
        return Barron(high - low)

    def by_curvature(self, low: float, high: float, square: float) -> Barron:
        """The bound by ∫ f''² over the interval, `square`."""
        ends = np.array([low, high])
        rise = abs(float(np.diff(self(ends))[0]))
        bound = rise + math.sqrt((high - low) ** 3 * square / 3)
        return Barron(bound, "an upper bound by the second derivative")


ITSELF = Part()


@dataclass(frozen=True)
class Abs(Part):
    """|x|, the norm of a number."""

    words = "abs"
    tex = r"\left|x\right|"

    def __call__(self, x: Array) -> Array:
        return namespace(x).abs(x)

    def barron(self, low: float, high: float) -> Barron:
        return Barron(math.inf, KINK) if low < 0 < high else Barron(high - low)


@dataclass(frozen=True)
class Power(Part):
    """x^p."""

    p: float

    @property
    def words(self) -> str:
        return f"power {self.p:.12g}"

    @property
    def tex(self) -> str:
        return f"x^{{{self.p:.6g}}}"

    def __call__(self, x: Array) -> Array:
        return x**self.p

    def lipschitz(self, low: float, high: float) -> float:
        sizes = abs(low), abs(high)
        rises = self.p >= 1
        least = 0.0 if low <= 0 <= high else min(sizes)
        if not rises and not least:
            return math.inf
        return self.p * (max(sizes) if rises else least) ** (self.p - 1)

    def barron(self, low: float, high: float) -> Barron:
        p, touches = self.p, low <= 0 <= high
        if p == 1:
            return Barron(high - low)
        if touches and p < 1:
            return Barron(math.inf, "it is not Lipschitz at 0")
        if touches and p <= 1.5:
            return Barron(None, "its second derivative has no finite norm")
        n = 2 * p - 3
        grown = math.log(high / low) if n == 0 else (high**n - low**n) / n
        return self.by_curvature(low, high, (p * (p - 1)) ** 2 * grown)


@dataclass(frozen=True)
class Tanh(Part):
    """tanh κx."""

    kappa: float

    @property
    def words(self) -> str:
        return f"tanh {self.kappa:.12g}"

    @property
    def tex(self) -> str:
        return rf"\tanh {self.kappa:.6g}x"

    def __call__(self, x: Array) -> Array:
        return namespace(x).tanh(self.kappa * x)

    def lipschitz(self, low: float, high: float) -> float:
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        return self.kappa / math.cosh(self.kappa * nearest) ** 2

    def barron(self, low: float, high: float) -> Barron:
        """By ∫ f''² = 4κ³ ∫ t²(1 − t²) dt, t = tanh κx."""
        a, b = (math.tanh(self.kappa * end) for end in (low, high))
        square = 4 * self.kappa**3 * ((b**3 - a**3) / 3 - (b**5 - a**5) / 5)
        return self.by_curvature(low, high, max(square, 0.0))


@dataclass(frozen=True)
class Clip(Part):
    """min(max(x, a), b)."""

    least: float
    most: float

    @property
    def words(self) -> str:
        return f"clip {self.least:.12g} {self.most:.12g}"

    @property
    def tex(self) -> str:
        return rf"\min(\max(x, {self.least:.6g}), {self.most:.6g})"

    def __call__(self, x: Array) -> Array:
        return namespace(x).clip(x, self.least, self.most)

    def barron(self, low: float, high: float) -> Barron:
        kinks = any(low < knot < high for knot in (self.least, self.most))
        return Barron(math.inf, KINK) if kinks else Barron(high - low)


@dataclass(frozen=True)
class InNumbers(Part):
    """Any map; what is said of it is found on FINE points."""

    function: Callable[[Array], Array]

    def __call__(self, x: Array) -> Array:
        return self.function(x)

    def lipschitz(self, low: float, high: float) -> float:
        """The steepest of FINE − 1 pieces, halved: beyond every bound at a jump or a root."""
        x = np.linspace(low, high, FINE)
        steepness = np.abs(np.diff(self(x))) / np.diff(x)
        at = int(steepness.argmax())
        steepest, ends = float(steepness[at]), (float(x[at]), float(x[at + 1]))
        slopes: list[float] = []
        for _ in range(2 * HALVINGS):
            slope, ends = self._steeper_half(ends)
            slopes.append(slope)
        if slopes[-1] > STEEPER * max(slopes[HALVINGS - 1], steepest):
            return math.inf
        return max(steepest, *slopes[:HALVINGS])

    def _steeper_half(self, ends: tuple[float, float]) -> tuple[float, tuple[float, float]]:
        x = np.array([ends[0], sum(ends) / 2, ends[1]])
        slopes = np.abs(np.diff(self(x))) / np.diff(x)
        side = int(slopes.argmax())
        return float(slopes[side]), (float(x[side]), float(x[side + 1]))

    def barron(self, low: float, high: float) -> Barron:
        if not math.isfinite(self.lipschitz(low, high)):
            return Barron(math.inf, "it is not Lipschitz")
        square, finer = (self._curvature(low, high, n) for n in (FINE, 2 * FINE - 1))
        if abs(finer - square) > SETTLED * finer + 1e-9:
            return Barron(None, "its second derivative has no norm that settles on finer points")
        return self.by_curvature(low, high, finer)._replace(
            how="an upper bound by the second derivative, in numbers"
        )

    def _curvature(self, low: float, high: float, points: int) -> float:
        """∫ f''² by second differences."""
        step = (high - low) / (points - 1)
        second = np.diff(self(np.linspace(low, high, points)), 2)
        return float(np.sum(second**2)) / step**3


@dataclass(frozen=True)
class ByFormula(InNumbers):
    """A formula in x."""

    function: Expression

    @property
    def words(self) -> str:
        return self.function.text

    @property
    def tex(self) -> str:
        return typeset(self.function, VARIABLE) or MANY_TERMS


def part_of(text: str) -> Part:
    """A map by its name and numbers, or by a formula in x. Raises FormulaError, with its place
    where a formula cannot be read."""
    name, *rest = text.split() or [""]
    try:
        numbers = [float(word) for word in rest]
    except ValueError:
        numbers = None
    if name not in NAMED or numbers is None:
        return ByFormula(parse_expression(text, VARIABLE))
    kind, takes, lowest = NAMED[name]
    if len(numbers) != len(takes) or not all(lowest < n <= MOST for n in numbers):
        asked = (
            f" {' and '.join(takes)}, above {lowest:g} and up to {MOST:g}"
            if takes
            else " no number"
        )
        raise FormulaError(f"{name} takes{asked}")
    if numbers != sorted(numbers):
        raise FormulaError(f"{name} takes the smaller number first")
    return kind(*numbers)


NAMED: dict[str, tuple[type[Part], tuple[str, ...], float]] = {
    "identity": (Part, (), 0),
    "abs": (Abs, (), 0),
    "power": (Power, ("the exponent p",), 0),
    "tanh": (Tanh, ("the steepness κ",), 0),
    "clip": (Clip, ("the least", "the greatest value"), -100),
}
"""The maps that have a name, their numbers and above what these lie."""
