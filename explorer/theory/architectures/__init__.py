"""Which architecture remembers a kernel ρ(s), s = 0 … τ−1, and how large it must be: each has its
own spectrum, which says so without training."""

from __future__ import annotations

import numpy as np

from explorer.theory.architectures.convolutional import CONVOLUTIONAL
from explorer.theory.architectures.distances import LIN, LOG
from explorer.theory.architectures.kind import Architecture, How, Need, Points, Remembered
from explorer.theory.architectures.positions import POSITIONS
from explorer.theory.architectures.recurrent import RECURRENT

ARCHITECTURES = {each.name: each for each in (RECURRENT, CONVOLUTIONAL, POSITIONS, LOG, LIN)}
"""Every architecture by its name."""


def compared(kernel: np.ndarray) -> dict[str, Remembered]:
    """What each architecture makes of ρ (τ,), by its name.

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
    size = kernel / np.abs(kernel).max()  # squares of what is tiny are 0
    return {name: each.remembered(size) for name, each in ARCHITECTURES.items()}


__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "How",
    "Need",
    "Points",
    "Remembered",
    "compared",
]
