"""Which architecture remembers a kernel ρ(s), s = 0 … τ−1, and how large it must be: each has its
own spectrum, which says so without training."""

# pyright: reportUnusedImport=false

import numpy as np

from explorer.theory.architectures.convolutional import CONVOLUTIONAL
from explorer.theory.architectures.distances import LIN, LOG
from explorer.theory.architectures.kind import Architecture, How, Need, Points, Remembered, checked
from explorer.theory.architectures.positions import POSITIONS
from explorer.theory.architectures.recurrent import RECURRENT

ARCHITECTURES = {each.name: each for each in (RECURRENT, CONVOLUTIONAL, POSITIONS, LOG, LIN)}
"""Every architecture by its name."""


def compared(kernel: np.ndarray) -> dict[str, Remembered]:
    """What each architecture makes of ρ (τ,), by its name; raises ValueError as `checked` does."""
    size = checked(kernel)
    return {name: each.remembered(size) for name, each in ARCHITECTURES.items()}
