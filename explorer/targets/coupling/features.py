"""f of Eq. 8: one or several features of a token, each a map of one number (parts.py); and the hull
of its values, where its weighted means lie, on which F is looked at (outer.py)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from explorer.arrays import Array, namespace
from explorer.targets.coupling.parts import FINE, ITSELF, Barron, Part

MOST_FEATURES = 3
ROUNDS, TRIES = 14, 2000
"""A greatest value is looked for by so many tries, each round half as far from the best so far."""
FLAT = 1e-9
"""Of the longest side of a hull: a shorter one is none."""


@dataclass(frozen=True)
class Features:
    """f, [0, 1] → ℝ^q."""

    each: tuple[Part, ...] = (ITSELF,)

    @property
    def words(self) -> str:
        """As a specification has it."""
        return "; ".join(part.words for part in self.each)

    @property
    def tex(self) -> str:
        """Of x."""
        tex = r",\;".join(part.tex for part in self.each)
        return tex if len(self.each) == 1 else rf"\bigl({tex}\bigr)"

    def __call__(self, x: Array) -> Array:
        """(…) → (…, q)."""
        return namespace(x).stack([part(x) for part in self.each], -1)

    @cached_property
    def values(self) -> np.ndarray:
        """At FINE points of [0, 1] (FINE, q)."""
        return self(np.linspace(0.0, 1.0, FINE))

    @cached_property
    def ends(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value of each feature, so far as FINE points find them."""
        low, high = self.values.min(axis=0).tolist(), self.values.max(axis=0).tolist()
        return tuple(zip(low, high, strict=True))

    def within(self, centre: np.ndarray) -> float:
        """max |f − centre|₂, of a centre (q,)."""
        return float(np.linalg.norm(self.values - centre, axis=1).max())

    @property
    def barron(self) -> Barron:
        """C_FF(f). With |·|₂ under the integral it is at most the sum of the features' own."""
        constants = [part.barron(0.0, 1.0) for part in self.each]
        if len(constants) == 1:
            return constants[0]
        return summed(constants, "an upper bound, the sum of its features'")


def summed(constants: list[Barron], how: str) -> Barron:
    """The sum of constants; the first that is not finite instead, where there is one."""
    values = [each.value for each in constants]
    for each, value in zip(constants, values, strict=True):
        if value is None or value == np.inf:
            return each
    return Barron(sum(filter(None, values)), how)


@dataclass(frozen=True)
class Hull:
    """The convex hull of the values of f. Each of its points is a mean of at most q of them, if f
    has no more than q pieces (W. Fenchel, Math. Ann. 101, 238, 1929)."""

    inner: Features

    @cached_property
    def centre(self) -> np.ndarray:
        """(q,)."""
        return self.inner.values.mean(axis=0)

    @cached_property
    def sides(self) -> np.ndarray:
        """The directions in which it has a width (r, q), each as long as half of that at least."""
        rest = self.inner.values - self.centre
        axes = np.linalg.svd(rest, full_matrices=False)[2]
        lengths = np.abs(rest @ axes.T).max(axis=0)
        return (axes * lengths[:, None])[lengths > FLAT * lengths.max()]

    def means(self, at: np.ndarray) -> np.ndarray:
        """Points of it (N, q), of numbers in [0, 1] (N, 2q): q tokens and their weights."""
        q = len(self.inner.each)
        weights = at[:, q:] + FLAT
        values = self.inner(at[:, :q])  # (N, token, feature)
        return (weights[..., None] * values).sum(axis=1) / weights.sum(axis=1)[:, None]

    def greatest(self, function: Callable[[np.ndarray, float], np.ndarray]) -> list[float]:
        """What each round finds as the greatest of `function`(points (N, q), its reach), (N,)."""
        rng, maxima = np.random.default_rng(0), []
        best = np.full(2 * len(self.inner.each), 0.5)
        for reach in 0.5 ** np.arange(ROUNDS):
            tries = best + reach * rng.uniform(-1, 1, (TRIES, len(best)))
            at = np.clip(np.vstack([best, tries]), 0, 1)
            values = np.nan_to_num(
                function(self.means(at), float(reach)), nan=-np.inf, posinf=np.inf
            )
            best = at[int(values.argmax())]
            maxima.append(float(values.max()))
        return maxima
