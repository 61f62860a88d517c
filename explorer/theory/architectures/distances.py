"""Attention by distance alone: ρ̂(s) = Σ_h c_h softmax_s(−p_h φ(s)), φ = log(s+1) or s, p ≥ 0.

What is found is the best by variable projection (theory/best_heads.py). H lin heads are H states of
a linear RNN, so the bound on those holds for them; of log heads none is known.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from explorer.theory.architectures.kind import Architecture, Points, Remembered
from explorer.theory.architectures.recurrent import state_bound
from explorer.theory.best_heads import MOST, Falling, best_of_each

NO_BOUND = Points.of([(1, 2, 0.0)])
"""That there must be one."""


def remembered(encoding: Falling, kernel: np.ndarray) -> Remembered:
    """Of a kernel (τ,); a head has its p and its c."""
    found = best_of_each(kernel, MOST, encoding)
    bound = NO_BOUND
    if encoding == "lin":
        bound = Points.of([(n, 2 * n, e) for n, e in enumerate(state_bound(kernel)) if n])
    return Remembered(
        found=Points.of([(h, 2 * h, best.error) for h, best in enumerate(found, start=1)]),
        bound=bound,
    )


LOG, LIN = (
    Architecture(
        name=f"{encoding}_heads",
        title="attention by distance",
        unit=(f"{{}} {encoding} head", f"{{}} {encoding} heads"),
        spectrum="",
        remembered=partial(remembered, encoding),
    )
    for encoding in ("log", "lin")
)
