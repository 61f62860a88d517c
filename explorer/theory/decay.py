"""The fit error = a·m^−b + c to errors of several seeds, as the paper has it in Figure 3.

For each b the least squares a and c are linear; b is searched on a grid. Its interval is of whole
seeds drawn again with replacement, as in `slopes`: where c takes most of the error, b is hardly
told, and the interval says so.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorer.slow import special

GRID = np.geomspace(0.02, 8.0, 300)
"""Exponents b that are tried; a fit at an end of them is none."""
DRAWS = 400


class Decay(NamedTuple):
    """a·m^−b + c, fitted to the means over seeds."""

    a: float
    b: float
    c: float
    b_ci: tuple[float, float] | None
    """95 %, from the seeds; None for fewer than three."""

    @property
    def told(self) -> bool:
        """Whether the seeds agree on a falling term and on its b, within the exponents tried and
        within a factor of 4."""
        if self.b_ci is None or self.a <= 0:
            return False
        low, high = self.b_ci
        return bool(GRID[0] < low and high < GRID[-1] and high <= 4 * low)

    def at(self, m: ArrayLike) -> np.ndarray:
        """The error at widths m."""
        return self.a * np.asarray(m, dtype=np.float64) ** -self.b + self.c


def decay_over_seeds(m: ArrayLike, errors: ArrayLike) -> Decay | None:
    """The fit to errors (seeds, widths) at widths m ≥ 1; None below 4 widths.

    Raises ValueError for another shape or what is not finite.
    """
    m, errors = np.asarray(m, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if errors.ndim != 2 or errors.shape[1:] != m.shape or not np.isfinite(errors).all():
        raise ValueError(f"errors must be finite, (seeds, {len(m)}), got {errors.shape}")
    if len(m) < 4:
        return None
    a, b, c = _fit(m, errors.mean(axis=0))
    return Decay(a, b, c, _interval(m, errors, b) if len(errors) > 2 else None)


def _fit(m: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    powers = m ** -GRID[:, None]  # (grid, widths)
    centred = powers - powers.mean(axis=1, keepdims=True)
    a = centred @ y / (centred**2).sum(axis=1)
    c = y.mean() - a * powers.mean(axis=1)
    missed = ((a[:, None] * powers + c[:, None] - y) ** 2).sum(axis=1)
    best = int(missed.argmin())
    return float(a[best]), float(GRID[best]), float(c[best])


def _interval(m: np.ndarray, errors: np.ndarray, b: float) -> tuple[float, float]:
    """Of b, by the spread of log b and Student's t, and a step of the grid; where more than a few
    draws rise, and have no exponent, all that was tried."""
    count = len(errors)
    drawn = np.random.default_rng(0).integers(count, size=(DRAWS, count))
    fits = [_fit(m, errors[some].mean(axis=0)) for some in drawn]
    rising = sum(a <= 0 for a, _, _ in fits)
    if rising > 0.025 * DRAWS:
        return float(GRID[0]), float(GRID[-1])
    spread = np.std([np.log(tried) for a, tried, _ in fits if a > 0])
    t = float(special.stdtrit(count - 1, 0.975))
    factor = np.exp(t * spread * np.sqrt(count / (count - 1)) + np.log(GRID[1] / GRID[0]))
    return float(max(b / factor, GRID[0])), float(min(b * factor, GRID[-1]))
