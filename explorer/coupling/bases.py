"""Orthonormal bases of L²[0, 1] for the singular functions φ_k (left) and ψ_k (right).

Right-hand bases omit the constant: softmax cannot see a part of ρ that does not depend on v.

    sine          √2 sin 2πkx                      k = 1, 2, …      (App. C of the paper)
    shifted_sine  √2 sin 2πk(x+½) = (−1)^k √2 sin 2πkx
    fourier       [1,] √2 cos 2πx, √2 sin 2πx, √2 cos 4πx, …
    legendre      √(2k+1) P_k(2x−1)                k = [0,] 1, 2, …
    haar          [1,] 2^(j/2) h(2^j x − l)         k = 2^j + l, h = 1 on [0, ½), −1 on [½, 1)

The half shift keeps Σ σ_k φ_k(u) ψ_k(u) from adding coherently on the diagonal u = v, which a
sequence meets at every s = t and which L²([0, 1]²) does not control.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np

from explorer.coupling.arrays import Array, constant, namespace

BASES = ("sine", "shifted_sine", "fourier", "legendre", "haar")
REMEMBERED_POINTS = 2048

Side = Literal["left", "right"]


def basis(name: str, x: Array, count: int, side: Side = "left") -> Array:
    """The first `count` functions at x in [0, 1]: (…,) → (…, count).

    At few points of numpy the last ones are remembered, and read-only: floors and PODs ask for the
    same points again and again. Raises ValueError for an unknown name or side.
    """
    if name not in BASES or side not in ("left", "right"):
        raise ValueError(f"basis {name!r}, {side!r}: allowed are {', '.join(BASES)}, left or right")
    if isinstance(x, np.ndarray) and x.size <= REMEMBERED_POINTS:
        return _remembered(name, x.tobytes(), x.dtype.str, x.shape, count, side)
    return _FUNCTIONS[name](x, first_index(name, side), count)


@lru_cache(maxsize=48)
def _remembered(
    name: str, points: bytes, dtype: str, shape: tuple[int, ...], count: int, side: Side
) -> np.ndarray:
    x = np.frombuffer(points, dtype).reshape(shape)
    values = _FUNCTIONS[name](x, first_index(name, side), count)
    values.flags.writeable = False
    return values


def first_index(name: str, side: Side) -> int:
    """Index k of the first function: 0 where the basis starts with the constant."""
    return 0 if side == "left" and name in ("fourier", "legendre", "haar") else 1


def breakpoints(name: str, count: int, side: Side = "left") -> tuple[float, ...]:
    """Ends of the panels on which the first `count` functions are smooth."""
    if name != "haar":
        return (0.0, 1.0)
    last = first_index(name, side) + count - 1
    cells = 2 ** max(last, 1).bit_length() if last else 1
    return tuple(float(edge) for edge in np.linspace(0, 1, cells + 1))


def gauss_nodes(name: str, count: int, side: Side = "left") -> int:
    """Gauss–Legendre nodes a panel that integrate products of the first `count` functions.

    Two sines of harmonic h multiply to e^{4πihx}, which needs πh nodes and a margin growing like
    h^(1/3) (its factor measured for 3e-14, h ≤ 128); polynomials of degree d need d + 1.
    """
    last = first_index(name, side) + count - 1
    if name == "haar":
        return 1
    if name == "legendre":
        return last + 1
    harmonic = (last + 1) // 2 if name == "fourier" else last
    return math.ceil(math.pi * harmonic + 10 * harmonic ** (1 / 3)) + 1


def _sine(x: Array, first: int, count: int) -> Array:
    return math.sqrt(2) * namespace(x).imag(_harmonics(x, count))


def _shifted_sine(x: Array, first: int, count: int) -> Array:
    return constant((-1.0) ** np.arange(first, first + count), x) * _sine(x, first, count)


def _fourier(x: Array, first: int, count: int) -> Array:
    """The constant is followed by cosine and sine of each harmonic in turn."""
    xp = namespace(x)
    waves = math.sqrt(2) * _harmonics(x, (first + count) // 2)
    pairs = xp.stack([xp.real(waves), xp.imag(waves)], axis=-1)
    pairs = xp.reshape(pairs, (*x.shape, -1))
    functions = xp.concat([xp.ones_like(x)[..., None], pairs], axis=-1)
    return functions[..., first : first + count]


def _harmonics(x: Array, count: int) -> Array:
    """e^{2πikx}, k = 1 … count, from one sine and cosine by doubling; error about k roundings,
    as that of sin(2πkx) itself: (…,) → (…, count)."""
    xp = namespace(x)
    powers = (xp.cos(2 * math.pi * x) + 1j * xp.sin(2 * math.pi * x))[..., None]
    while powers.shape[-1] < count:
        powers = xp.concat([powers, powers * powers[..., -1:]], axis=-1)
    return powers[..., :count]


def _legendre(x: Array, first: int, count: int) -> Array:
    """Three-term recurrence (k+1) P_{k+1} = (2k+1) t P_k − k P_{k−1} at t = 2x − 1."""
    t = 2 * x - 1
    p = [namespace(x).ones_like(t), t]
    for k in range(1, first + count - 1):
        p.append(((2 * k + 1) * t * p[k] - k * p[k - 1]) / (k + 1))
    norm = np.sqrt(2 * np.arange(first, first + count) + 1)
    return constant(norm, x) * namespace(x).stack(p[first : first + count], axis=-1)


def _haar(x: Array, first: int, count: int) -> Array:
    xp = namespace(x)
    k = np.arange(first, first + count)
    level = np.floor(np.log2(np.maximum(k, 1)))  # j of k = 2^j + l
    place = np.maximum(k, 1) - 2.0**level
    below_1 = 1 - float(xp.finfo(x.dtype).eps) / 2  # x = 1 belongs to the last cell
    t = xp.clip(x, 0, below_1)[..., None] * constant(2.0**level, x) - constant(place, x)
    one, zero = xp.ones_like(t), xp.zeros_like(t)
    wave = xp.where(t < 0.5, one, -one) * constant(2 ** (level / 2), x)
    inside = xp.where((t >= 0) & (t < 1), wave, zero)
    return xp.where(constant(k, x) == 0, one, inside)


_FUNCTIONS: dict[str, Callable[[Array, int, int], Array]] = {
    "sine": _sine,
    "shifted_sine": _shifted_sine,
    "fourier": _fourier,
    "legendre": _legendre,
    "haar": _haar,
}
