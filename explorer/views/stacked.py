"""Tidy tables of pictures: several sides below each other, and arrays entry by entry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.slow import pd


def stacked(column: str, sides: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """Tables below each other, the name of each in a `column` at the end; of none an empty one."""
    parts = [pd.DataFrame(side).assign(**{column: name}) for name, side in sides.items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def by_k(sigma: np.ndarray) -> dict[str, np.ndarray]:
    """Columns k, from 1, and sigma of singular values (K,)."""
    return {"k": np.arange(1, len(sigma) + 1), "sigma": np.asarray(sigma, float)}


def entries(values: np.ndarray, *names: str) -> dict[str, np.ndarray]:
    """Columns of an array (a, b, …): its indices by their names, and last what stands there."""
    *axes, value = names
    places = (place.ravel() for place in np.indices(values.shape))
    return dict(zip(axes, places, strict=True)) | {value: np.asarray(values, float).ravel()}
