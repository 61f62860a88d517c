"""The slope of a measured curve on log axes: its interval from the seeds, and whether it is a line.

The curve is the median or the least over the seeds at each x; its slope is that of the least
squares line through (log x, log curve). Two things can be wrong with it, and each has a test:

- *Other seeds would give another one.* Whole seeds are drawn again with replacement (they share
  their sequences along x), the slope of each such curve is taken, and with s the standard deviation
  of these slopes the interval is slope ± t · s · sqrt(n / (n − 1)), Student's t of n − 1 degrees of
  freedom. For a mean over seeds that is the textbook interval, which holds for n = 2 as well and is
  wide there, as it must be. It is wide enough for the median of any number of seeds; for the best
  of more than four it can be too narrow (88 % at 8), as no bootstrap knows a minimum.
  One seed has no interval.
- *It is no line.* The residuals are tested for a quadratic term and, by Durbin and Watson
  (Biometrika 37, 1950), for following one another. Then the slope is an average over the range, and
  the slopes of its two halves are what there is to say.
"""

from functools import lru_cache
from itertools import product
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from explorer.slow import special

Statistic = Literal["best", "median"]
"""Which of the seeds' errors is fitted: training can be caught in local minima, which the best of
them shows least."""
REDUCE = {"best": np.nanmin, "median": np.nanmedian}

CONFIDENCE = 0.95
DRAWS = 1000  # of the seeds; all n^n of them where these are fewer
LEVEL = 0.05  # below it a curve is said to be no line
NULL = 4000  # lines with noise that a Durbin–Watson number is compared with
EXACT = 1e-9  # residuals of a logarithm below it are rounding


class Slope(NamedTuple):
    """The slope of a curve, with what it is worth."""

    slope: float
    slope_ci: tuple[float, float] | None
    """95 %, from the seeds; None for one."""
    seeds: int
    """Those with a value at every x: the interval is of them."""
    fit_range: tuple[float, float]
    """Smallest and largest x that were used."""
    p_line: float | None
    """How often a line with independent noise looks as bent; None below 4 points."""
    halves: tuple[tuple[float, float, float], ...]
    """Of the first and the last half of the points: first and last x, slope."""

    @property
    def straight(self) -> bool | None:
        """Whether a line may be said; None where there are too few points to tell."""
        return None if self.p_line is None else self.p_line >= LEVEL


def slope_over_seeds(x: ArrayLike, errors: ArrayLike, statistic: Statistic) -> Slope | None:
    """Slope of log curve on log x; x (M,) in order, `errors` (S, M) with NaN where a seed has none.
    None below 3 points.

    Raises ValueError where a point has no logarithm.
    """
    x, errors = np.asarray(x, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    if errors.ndim != 2 or x.shape != errors.shape[1:]:
        raise ValueError(f"errors must be (seeds, {len(x)}), got {errors.shape}")
    if not np.all((x > 0) & np.isfinite(x)) or np.any(errors <= 0) or np.any(np.isinf(errors)):
        raise ValueError("a fit on logarithms needs finite x and errors above 0")
    if len(x) < 3 or np.ptp(x) == 0:
        return None
    log_x = np.log(x)
    curve = _curve(errors, statistic)
    slope = float(_slope(log_x, curve))
    whole = errors[~np.isnan(errors).any(axis=1)]
    half = _half_width(log_x, whole, statistic)
    return Slope(
        slope,
        None if half is None else (slope - half, slope + half),
        len(whole),
        (float(x.min()), float(x.max())),
        _p_line(log_x, curve),
        _halves(x, curve),
    )


def as_record(prefix: str, slope: Slope | None) -> dict[str, Any]:
    """slope, slope_ci, fit_range, straight and halves as JSON, each name after `prefix`."""
    names = ("slope", "slope_ci", "fit_range", "straight", "halves")
    values = [None if slope is None else _plain(getattr(slope, name)) for name in names]
    return {prefix + name: value for name, value in zip(names, values, strict=True)}


def _plain(value: Any) -> Any:
    return [*map(_plain, cast("tuple[Any, ...]", value))] if isinstance(value, tuple) else value


def _curve(errors: np.ndarray, statistic: Statistic) -> np.ndarray:
    """Logarithm of the median or the least over the seeds of errors (…, S, M), (…, M)."""
    return np.log(REDUCE[statistic](errors, axis=-2))


def _slope(log_x: np.ndarray, log_y: np.ndarray) -> np.ndarray:
    """Least squares slope of log_y (…, M), (…,)."""
    spread = log_x - log_x.mean()
    return log_y @ spread / max(spread @ spread, EXACT)  # 0 where x does not move


def _half_width(log_x: np.ndarray, errors: np.ndarray, statistic: Statistic) -> float | None:
    count = len(errors)
    if count < 2:
        return None
    slopes = _slope(log_x, _curve(errors[_draws(count)], statistic))  # of (draws, seeds, M)
    t = special.stdtrit(count - 1, (1 + CONFIDENCE) / 2)
    return float(t * np.std(slopes) * np.sqrt(count / (count - 1)))


@lru_cache(maxsize=32)
def _draws(count: int) -> np.ndarray:
    """Which seeds each draw has, (draws, count); the same every time."""
    if count**count <= DRAWS:
        return np.array(list(product(range(count), repeat=count)))
    return np.random.default_rng(0).integers(count, size=(DRAWS, count))


def _p_line(log_x: np.ndarray, log_y: np.ndarray) -> float | None:
    """Twice the smaller of two p-values (Bonferroni): of the quadratic term, of Durbin–Watson."""
    count = len(log_x)
    if count < 4:
        return None
    basis = _residual_basis(tuple(log_x.tolist()))
    residual = basis @ (basis.T @ log_y)
    if np.max(np.abs(residual)) < EXACT:
        return 1.0
    bend = basis @ (basis.T @ log_x**2)  # what a line leaves of a parabola
    t = bend @ log_y / max(np.sqrt(bend @ bend), EXACT)
    left = max(float(residual @ residual - t**2), EXACT**2)
    p_bend = 2 * float(special.stdtr(count - 3, -abs(t) / np.sqrt(left / (count - 3))))
    p_follow = float(np.mean(_null(tuple(log_x.tolist())) <= _durbin_watson(residual)))
    return min(1.0, 2 * min(p_bend, p_follow))


def _residual_basis(log_x: tuple[float, ...]) -> np.ndarray:
    """Orthonormal columns (M, M − 2) of what a line leaves."""
    line = np.stack([np.ones(len(log_x)), log_x], axis=1)
    return np.linalg.qr(line, mode="complete")[0][:, 2:]


def _durbin_watson(residual: np.ndarray) -> np.ndarray:
    """Σ (r_{i+1} − r_i)² / Σ r_i² along the last axis: near 2 for noise, near 0 for a bend."""
    return np.sum(np.diff(residual) ** 2, axis=-1) / np.sum(residual**2, axis=-1)


@lru_cache(maxsize=64)
def _null(log_x: tuple[float, ...]) -> np.ndarray:
    """Durbin–Watson numbers of lines with independent normal noise, (NULL,)."""
    basis = _residual_basis(log_x)
    noise = np.random.default_rng(0).normal(size=(NULL, basis.shape[1]))
    return _durbin_watson(noise @ basis.T)


def _halves(x: np.ndarray, log_y: np.ndarray) -> tuple[tuple[float, float, float], ...]:
    """Slopes over the first and the last half of the points, the middle one in both."""
    half = (len(x) + 1) // 2
    return tuple(
        (float(x[part][0]), float(x[part][-1]), float(_slope(np.log(x[part]), log_y[part])))
        for part in (slice(half), slice(len(x) - half, None))
    )
