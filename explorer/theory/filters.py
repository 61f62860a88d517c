"""Whether signed filters harm the Transformer more than positive ones, by trained runs.

A filter is one observation: the median over training seeds of 1 − R², which compares targets of
different variance. The sentence is earned where an exact rank test over filters says so.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from explorer.slow import stats

LEVEL = 0.05


@dataclass(frozen=True)
class SignEvidence:
    """What was measured over filters of each sign."""

    ratio: float
    """Geometric mean of 1 − R² over signed filters, divided by that over positive ones."""
    interval: tuple[float, float]
    """95 % of the ratio: Welch's of the difference of mean log errors, with filters as sample."""
    p_value: float
    """Exact one-sided Mann–Whitney test that signed filters have the greater errors."""
    filters: tuple[int, int]
    """Positive and signed ones."""
    harm: float
    """Geometric mean over positive filters divided by the error without a filter."""

    @property
    def earned(self) -> bool:
        """Whether a page may say that signed filters are harder."""
        return self.p_value <= LEVEL

    @property
    def sentence(self) -> str:
        """What may be said."""
        counts = f"{self.filters[0]} positive and {self.filters[1]} signed filters"
        verdict = (
            "are harder for the Transformer than" if self.earned else "are not told apart from"
        )
        low, high = (_rough(end, 2) for end in self.interval)
        return (
            f"Signed filters {verdict} positive ones: their 1 − R² is {low} to {high} × as large "
            f"(95 % interval of the ratio of geometric means, {_rough(self.ratio, 1)}, over "
            f"{counts}, Welch on log errors; exact one-sided rank test, p = {self.p_value:.2g})."
        )


def sign_evidence(
    positive: Mapping[int, list[float]], signed: Mapping[int, list[float]], plain: list[float]
) -> SignEvidence:
    """The evidence from 1 − R² of every training seed, by the seed of the filter, and without one.

    Raises ValueError for fewer than two filters of a sign.
    """
    if min(len(positive), len(signed)) < 2:
        raise ValueError("two filters of each sign are the least that can be compared")
    first, second = (
        np.log([np.median(values) for values in by_seed.values()]) for by_seed in (positive, signed)
    )
    test = stats.mannwhitneyu(second, first, alternative="greater", method="exact")
    welch = stats.ttest_ind(second, first, equal_var=False).confidence_interval()
    return SignEvidence(
        ratio=float(np.exp(second.mean() - first.mean())),
        interval=(float(np.exp(welch.low)), float(np.exp(welch.high))),
        p_value=float(test.pvalue),
        filters=(len(first), len(second)),
        harm=float(np.exp(first.mean() - np.log(np.median(plain)))),
    )


def _rough(value: float, digits: int) -> str:
    """A number to as many digits as it deserves: 22,000."""
    return f"{float(f'{value:.{digits}g}'):,g}"


def tap_agreement(learned: np.ndarray, taps: np.ndarray) -> float:
    """|cos| of the angle between learned taps and those of the filter, zeros appended to either.

    1 means the same filter up to sign and scale, which the layers behind can undo.
    """
    size = max(len(learned), len(taps))
    a, b = (np.pad(np.asarray(x, np.float64), (0, size - len(x))) for x in (learned, taps))
    norms = np.linalg.norm(a) * np.linalg.norm(b)
    return float(abs(a @ b) / norms) if norms > 0 else 0.0
