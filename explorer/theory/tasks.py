"""What is known of the attention tasks without training: the rank of a coupling that solves each.

Nearest point: ρ(u, v) = −|u − v|² on [0, 1]^d. With a = u − ½, b = v − ½ and q(a) = |a|² − d/12,

    ρ = 2 a·b − q(a) − q(b) − d/6,   ⟨a_i²⟩ = 1/12,   ⟨q²⟩ = d/180,

and 1, a_i, q are orthogonal: d singular values are 1/6, and the matrix of 1 and q,
[[−d/6, −s], [−s, 0]] with s² = d/180, has two more. Without the v-mean, which softmax cannot see,
only −s·1⊗q is left of it: d + 1 in all.
"""

from __future__ import annotations

import math

import numpy as np

from explorer.spec import GravitySpec, NearestSpec, SelectionSpec, TaskSpec


def squared_distance_spectrum(d: int, centred: bool = False) -> np.ndarray:
    """σ_k of −|u − v|² for u, v ~ U[0, 1]^d, descending; (d + 2,), or (d + 1,) centred."""
    shared = [1 / 6] * d
    if centred:
        return np.array(sorted([*shared, math.sqrt(d / 180)], reverse=True))
    middle, reach = d / 12, math.sqrt(d**2 / 144 + d / 180)
    return np.array(sorted([*shared, reach + middle, reach - middle], reverse=True))


def sufficient_width(spec: TaskSpec) -> int:
    """The centred rank of a coupling that solves the task: the m_h from which it is within reach.

    Nearest point: d + 1. qSA: ρ(x_t, x_s) is a function of how often t asks for s, so a row is any
    vector of τ numbers up to a constant: τ − 1. Centres of gravity: each of the τ − 1 positions at
    which a point may stand sees itself, each of the segments its own masses: τ − 1 + segments. It
    is no lower bound: one hot weight, for one, can be had from keys on a circle at m_h = 2.
    """
    match spec:
        case NearestSpec():
            return spec.d + 1
        case SelectionSpec():
            return spec.tau - 1
        case GravitySpec():
            return spec.tau - 1 + spec.segments
    raise TypeError(f"{type(spec).__name__} is no task")


def knee(widths: list[int], errors: list[float], within: float = 3.0) -> int | None:
    """The least width from which on every error is at most `within` times the lowest of all.

    None where that is the last of several widths: then the errors may fall further.
    """
    pairs = sorted(zip(widths, errors, strict=True))
    least = min(errors)
    found = None
    for width, error in reversed(pairs):
        if error > within * least:
            break
        found = width
    return None if len(pairs) > 1 and found == pairs[-1][0] else found
