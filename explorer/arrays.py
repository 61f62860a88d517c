"""One way for numpy and torch: the namespace of an array, and constants beside it."""

from typing import Any

import numpy as np
from array_api_compat import array_namespace, device

Array = Any
"""A floating-point array of numpy (theory, pictures) or torch (training)."""


def namespace(*arrays: Array) -> Any:
    """The array namespace that all of them belong to."""
    return array_namespace(*arrays)


def constant(values: Any, like: Array) -> Array:
    """`values` as an array of the kind, precision and device of `like`."""
    if isinstance(like, np.ndarray):
        return np.asarray(values, dtype=like.dtype)
    # A copy: torch would share the memory of a float64 array, and ours are read-only.
    xp = namespace(like)
    return xp.asarray(values, dtype=like.dtype, device=device(like), copy=True)
