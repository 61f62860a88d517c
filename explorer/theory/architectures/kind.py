"""What is asked of an architecture: how large it must be for a kernel ρ(s), s = 0 … τ−1.

Errors are ‖ρ̂ − ρ‖² / ‖ρ‖² over the window: with independent inputs of mean 0 the mean squared
error of the last answer, which sees the whole kernel, over its variance. An error is

    exact   what is found is no more than what no model of that size is below
    bound   no model of that size is below it: a theorem
    found   some model of that size has it; a smaller one may be there
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from explorer.coupling.spectra import tails

ROUNDING = 1e-20
"""An error of 0."""
How = Literal["exact", "bound", "found"]


class Points(NamedTuple):
    """Errors against sizes and parameters, (k,) each; parameters ascend and errors fall."""

    size: np.ndarray
    parameters: np.ndarray
    error: np.ndarray

    @classmethod
    def from_rows(cls, rows: Sequence[tuple[int, int, float]]) -> Points:
        """Of (size, parameters, error), parameters ascending: a larger model can be the smaller
        one, so that no error is above those before it. Errors of rounding are 0."""
        size, parameters, error = map(np.array, zip(*rows, strict=True))
        least = np.minimum.accumulate(error.astype(np.float64))
        return cls(size, parameters, np.where(least < ROUNDING, 0.0, least))

    def first(self, error: float) -> tuple[int, int] | None:
        """Size and parameters of the first whose error is at most this."""
        at = np.flatnonzero(self.error <= error)
        return (int(self.size[at[0]]), int(self.parameters[at[0]])) if len(at) else None


class Need(NamedTuple):
    """How large a model must be for an error."""

    size: tuple[int, int | None]
    """No model below the first has it, one of the second has: None where none was found."""
    parameters: tuple[int, int | None]
    how: How
    """`exact` where both sizes are one, `found` where nothing smaller is excluded but size 0,
    `bound` between."""


@dataclass(frozen=True, eq=False)
class Remembered:
    """What is known of one architecture for one kernel."""

    best: Points
    bound: Points
    """No model of fewer parameters than a point's next has an error below the point's."""
    spectra: tuple[np.ndarray, ...] = ()
    """What says how large it must be, each (k,), descending; none where nothing does."""
    note: str = ""
    """What else is to be said, a sentence."""

    def need(self, error: float) -> Need:
        """Sizes for an error ≥ 0, by what is bounded and by what was found."""
        low, high = self.bound.first(error), self.best.first(error)
        if low is None:  # not even the largest that is bounded
            low = int(self.bound.size[-1]) + 1, int(self.bound.parameters[-1]) + 1
        size, parameters = zip(low, high, strict=True) if high else ((low[0], None), (low[1], None))
        if size[0] == size[1]:
            how: How = "exact"
        else:
            how = "found" if low[0] <= self.bound.size[0] else "bound"
        return Need(size, parameters, how)


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One way to make a kernel. Every field is required."""

    name: str
    """In an answer of the command line."""
    title: str
    unit: tuple[str, str]
    """Of which size it is, one and others: {} is their number."""
    spectrum: str
    """What `Remembered.spectra` are."""
    remembered: Callable[[np.ndarray], Remembered]
    """Of a kernel (τ,), τ ≥ 2, finite and not 0 everywhere."""


def checked(kernel: np.ndarray) -> np.ndarray:
    """ρ (τ,) over its largest tap, so that squares of what is tiny are not 0.

    Raises ValueError for fewer than 2 lags, what is not finite, and ρ = 0.
    """
    kernel = np.asarray(kernel, dtype=np.float64)
    if kernel.ndim != 1 or len(kernel) < 2:
        raise ValueError(f"ρ must have 2 lags or more, got shape {kernel.shape}")
    if not np.isfinite(kernel).all():
        first = int(np.flatnonzero(~np.isfinite(kernel))[0])
        raise ValueError(f"ρ({first}) = {kernel[first]}: must be finite")
    if not kernel.any():
        raise ValueError("ρ is 0 everywhere: there is nothing to remember")
    return kernel / np.abs(kernel).max()


def square(kernel: np.ndarray) -> float:
    """‖ρ‖²."""
    return float(kernel @ kernel)


def bound_by_rank(kernel: np.ndarray, parts: Iterable[tuple[np.ndarray, int]]) -> np.ndarray:
    """No kernel whose matrices (r, …), r = 1 … R, have rank n = 0 … R has a smaller ‖ρ̂ − ρ‖²/‖ρ‖²,
    (R + 1,), by Eckart and Young. `parts` are those of ρ, an entry stands in each so often."""
    bound = np.zeros(1)
    for matrix, often in parts:
        left = tails(np.linalg.svd(matrix, compute_uv=False)) / often / square(kernel)
        bound = np.maximum(np.append(bound, 0.0), left)
    return np.where(bound < ROUNDING, 0.0, bound)
