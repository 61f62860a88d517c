"""F and f of Eq. 8 as a specification has them."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from explorer.arrays import Array
from explorer.coupling import CouplingError, FormulaError
from explorer.coupling.formula import LARGEST
from explorer.spec import CouplingSpec, features_of
from explorer.targets.coupling.features import MOST_FEATURES, Features
from explorer.targets.coupling.outer import OfOne, Outer, names_of, outer_of
from explorer.targets.coupling.parts import FINE, Barron, part_of

IDENTITY, ITSELF = OfOne(), Features()
LEAST, SMALLEST = 1e-6, 1e-100
"""Differences of values below it are rounding in single precision, beside their size; and have no
usable square."""
GRID = {1: FINE, 2: 65, 3: 33}
"""Points a side, by the number of features, at which F must be finite."""


@dataclass(frozen=True)
class Parts:
    """F and f of one target."""

    outer: Outer = IDENTITY
    inner: Features = ITSELF

    def answer(self, weights: Array, x: Array) -> Array:
        """F(Σ_s a_ts f(x_s)) of weights a (…, τ', τ) and x (…, τ): (…, τ')."""
        return self.outer(weights @ self.inner(x))

    @property
    def plain(self) -> bool:
        """Whether both are the identity."""
        return self == PLAIN

    @cached_property
    def answers(self) -> tuple[float, float]:
        """Between which every y_t lies."""
        return self.outer.answers(self.inner)

    @cached_property
    def k_outer(self) -> float:
        """K_F on the means of f."""
        return self.outer.lipschitz(self.inner)

    @cached_property
    def sup_inner(self) -> float:
        """‖f‖_∞ on [0, 1], of |f|₂."""
        return self.inner.within(np.zeros(len(self.inner.each)))

    @cached_property
    def barron(self) -> dict[str, Barron]:
        """C_FF of F and of f, by their letters."""
        return {"F": self.outer.barron(self.inner), "f": self.inner.barron}


PLAIN = Parts()


def parts_of(spec: CouplingSpec) -> Parts:
    """F and f of a specification. Raises CouplingError, which names the field, where one of them
    cannot be read, is not finite where it is needed, or leaves nothing to learn."""
    return read(spec.outer, spec.inner)


@lru_cache(maxsize=64)
@np.errstate(all="ignore")  # what is not finite is refused
def read(outer: str = "identity", inner: str = "identity") -> Parts:
    """F and f as `parts_of` has them."""
    x, texts = np.linspace(0.0, 1.0, FINE)[:, None], features_of(inner)
    try:
        if len(texts) > MOST_FEATURES:
            raise FormulaError(f"f has {len(texts)} features; at most {MOST_FEATURES} are allowed")
        f = Features(tuple(part_of(each) for each in texts))
        for part in f.each:
            _check(part(x[:, 0]), x)
    except FormulaError as error:
        raise CouplingError(f"inner = {inner!r}: {error}") from None
    sides = [np.linspace(*ends, GRID[len(f.each)]) for ends in f.ends]
    means = np.stack(np.meshgrid(*sides, indexing="ij"), -1).reshape(-1, len(sides))
    try:
        F = outer_of(outer, len(sides))
        _check(F(means), means)
    except FormulaError as error:
        raise CouplingError(f"outer = {outer!r}: {error}") from None
    return Parts(F, f)


def _check(y: np.ndarray, x: np.ndarray) -> None:
    """Raises FormulaError for values y (N,) at x (N, q) that cannot be learned."""
    names = names_of(x.shape[1])
    where = ", ".join(
        f"{name} between {low:.4g} and {high:.4g}"
        for name, low, high in zip(names, x.min(axis=0), x.max(axis=0), strict=True)
    )
    bad = np.flatnonzero(~(np.abs(y) <= LARGEST))
    if len(bad):
        at = ", ".join(f"{n} = {v:.4g}" for n, v in zip(names, x[bad[0]], strict=True))
        raise FormulaError(
            f"it gives {y[bad[0]]:.6g} at {at}; it must be finite, and at most 10⁶ in size, for "
            f"{where}"
        )
    if np.ptp(y) <= max(LEAST * np.abs(y).max(), SMALLEST):
        raise FormulaError(f"it is the same for all {where}: there is nothing to learn")
