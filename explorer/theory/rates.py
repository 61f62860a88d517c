"""Power laws fitted on logarithms, and shares of independent draws, with intervals; the complexity
C₁ of Eq. 12."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorer.coupling.pod import POD
from explorer.slow import special

DECAY_FROM = 4  # first k of a fitted decay: the leading σ_k rarely follow the asymptotic law
LEFT_OUT = 0.05


class Fit(NamedTuple):
    """log y = intercept + slope · log x, natural logarithms."""

    slope: float
    intercept: float
    slope_ci: tuple[float, float]
    """Confidence interval of the slope, by Student's t on the residuals."""
    fit_range: tuple[float, float]
    """Smallest and largest x that were used."""

    def at(self, x: np.ndarray) -> np.ndarray:
        """The fitted power law."""
        return np.exp(self.intercept) * np.asarray(x, dtype=np.float64) ** self.slope


class Decay(NamedTuple):
    """σ_k ~ k^-α."""

    alpha: float
    alpha_ci: tuple[float, float]
    fit_range: tuple[float, float]


def power_fit(x: ArrayLike, y: ArrayLike, confidence: float = 0.95) -> Fit:
    """Least squares line through (log x, log y) for at least 3 positive points.

    Raises ValueError where a point has no logarithm or there are too few.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 3:
        raise ValueError(f"a fit needs two lists of at least 3 points, got {x.shape}, {y.shape}")
    if not np.all((x > 0) & (y > 0) & np.isfinite(x) & np.isfinite(y)):
        raise ValueError("a fit on logarithms needs finite x and y above 0")
    log_x, log_y = np.log(x), np.log(y)
    spread = log_x - log_x.mean()
    slope = float(spread @ log_y / (spread @ spread))
    intercept = float(log_y.mean() - slope * log_x.mean())
    residual = log_y - intercept - slope * log_x
    error = np.sqrt(residual @ residual / (len(x) - 2) / (spread @ spread))
    half = float(special.stdtrit(len(x) - 2, (1 + confidence) / 2) * error)
    return Fit(slope, intercept, (slope - half, slope + half), (float(x.min()), float(x.max())))


def complexity_1(sigma: ArrayLike, alpha: float) -> float:
    """C₁^(α) = max_k σ_k k^α: the smallest C with σ_k ≤ C k^-α; 0 for no terms."""
    sigma = np.asarray(sigma, dtype=np.float64)
    return float(np.max(sigma * np.arange(1, len(sigma) + 1) ** alpha, initial=0.0))


def decay_exponent(decomposition: POD) -> Decay | None:
    """α fitted to σ_k over k = 4 … 64; None for a finite rank, which decays faster than any α."""
    if decomposition.rank is not None:
        return None
    k = np.arange(1, len(decomposition.sigma) + 1)
    fit = power_fit(k[DECAY_FROM - 1 :], decomposition.sigma[DECAY_FROM - 1 :])
    low, high = fit.slope_ci
    return Decay(-fit.slope, (-high, -low), fit.fit_range)


def interval_of_share(share: float, draws: int) -> tuple[float, float]:
    """The 95 % interval of Clopper and Pearson for a share, the mean over so many draws.

    It holds the truth in at least 95 % of cases, whatever that is. A draw may be right in part, as
    a sequence of which some rows are: no draws in [0, 1] vary more than those that are wholly right
    or wrong, so the rows of a sequence may be as alike as they like.
    """
    right = draws * min(max(share, 0.0), 1.0)
    low = special.betaincinv(right, draws - right + 1, LEFT_OUT / 2) if right > 0 else 0.0
    high = special.betaincinv(right + 1, draws - right, 1 - LEFT_OUT / 2) if right < draws else 1.0
    return float(low), float(high)
