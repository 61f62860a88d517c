"""Where a function of one number is least."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from explorer.slow import optimize

EQUAL = 1e-6  # relative: two values are one


class Least(NamedTuple):
    """A position, and the value there."""

    position: float
    value: float


def least(
    value: Callable[[float], float], positions: np.ndarray, own: float, within: float = 1e-7
) -> Least:
    """Of ascending positions (k,) and of what a bounded search finds, to `within`, between the
    neighbours of the best of them. Of equal ones that nearest to `own`."""
    values = np.array([value(float(position)) for position in positions])
    at = int(values.argmin())
    ends = positions[max(at - 1, 0)], positions[min(at + 1, len(positions) - 1)]
    minimum = optimize.minimize_scalar(
        value, bounds=ends, method="bounded", options={"xatol": within}
    )
    refined = float(minimum.x)
    positions, values = np.append(positions, refined), np.append(values, value(refined))
    best = positions[values <= values.min() * (1 + EQUAL)]
    position = float(best[np.abs(best - own).argmin()])
    return Least(position, value(position))
