"""Orthonormal bases of L²[0, 1] for the singular functions φ_k (left) and ψ_k (right).

Right-hand bases omit the constant: softmax cannot see a part of ρ that does not depend on v.

    sine          √2 sin 2πkx                      k = 1, 2, …      (App. C of the paper)
    shifted_sine  √2 sin 2πk(x+½) = (−1)^k √2 sin 2πkx
    fourier       [1,] √2 cos 2πx, √2 sin 2πx, √2 cos 4πx, …
    legendre      √(2k+1) P_k(2x−1)                k = [0,] 1, 2, …
    haar          [1,] 2^(j/2) h(2^j x − l)         k = 2^j + l, h = 1 on [0, ½), −1 on [½, 1)

The half shift keeps Σ σ_k φ_k(u) ψ_k(u) from adding coherently on the diagonal u = v, which a
sequence meets at every s = t and which L²([0, 1]²) does not control.

All that the explorer knows of a basis stands in its `Basis` here; a new one is one more in BASES.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeVar

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.families.family import table

TERMS = 64
"""Terms kept of a spectrum that does not end; a coupling with this many counts as rank ∞."""
REMEMBERED_POINTS = 2048

Side = Literal["left", "right"]
Index = TypeVar("Index", int, np.ndarray)


@dataclass(frozen=True, eq=False, kw_only=True)
class Barron:
    """Barron's constants ∫|ω||f̂|(dω) on [0, 1] of the functions of a basis (see complexity.py)."""

    constants: Callable[[np.ndarray], np.ndarray]
    """Of the functions of indices k: (count,) → (count,); ∞ where there is none."""
    exact: bool
    """Whether they are the constants themselves; else upper bounds."""
    infinite: str | None
    """Why some are ∞, as a sentence goes on with it; None where all are finite."""

    def __post_init__(self) -> None:
        finite = np.all(np.isfinite(self.constants(np.arange(1, TERMS + 1))))
        if finite != (self.infinite is None):
            raise ValueError("infinite: say why Barron's constants are ∞, where they are")


@dataclass(frozen=True, eq=False, kw_only=True)
class Basis:
    """An orthonormal basis of L²[0, 1].

    No field has a default: of a new basis everything is said, or the import fails and names it.
    """

    name: str
    """In a specification."""
    title: str
    """On a page."""
    tex: str
    """The k-th function as φ_k(x), k = 1, 2, …"""
    tex_right: str
    """The k-th function as ψ_k(x), without the constant."""
    has_constant: bool
    """Whether the first function is 1; it has index 0, the others 1, 2, …"""
    evaluate: Callable[[Array, int, int], Array]
    """x (…,), first index, count → (…, count)."""
    panels: Callable[[int], int]
    """How many equal panels of [0, 1] there are, on each of which functions up to an index are
    smooth."""
    nodes: Callable[[int], int]
    """Gauss–Legendre nodes a panel that integrate products of functions up to an index."""
    suprema: Callable[[np.ndarray], np.ndarray]
    """‖·‖_∞ on [0, 1] of the functions of indices k, in closed form: (count,) → (count,)."""
    barron: Barron | None
    """None where Barron's constants are not known; C₂ is then not available."""
    periodic: bool
    """Whether the functions go on with period 1 beyond [0, 1], which mixing (App. D.3) needs."""

    def __post_init__(self) -> None:
        for name in ("panels", "nodes"):
            if not isinstance(count := getattr(self, name)(TERMS), int | np.integer):
                raise TypeError(f"{self.name}: {name} must be a whole number, got {count!r}")

    def functions(self, x: Array, count: int, side: Side = "left") -> Array:
        """The first `count` functions at x in [0, 1]: (…,) → (…, count).

        At few points of numpy the last ones are remembered, and read-only: floors and PODs ask for
        the same points again and again.
        """
        if isinstance(x, np.ndarray) and x.size <= REMEMBERED_POINTS:
            return _remembered(self, x.tobytes(), x.dtype.str, x.shape, count, side)
        return self.evaluate(x, self.first_index(side), count)

    def first_index(self, side: Side) -> int:
        """Index k of the first function: 0 where this side starts with the constant."""
        return {"left": 1 - self.has_constant, "right": 1}[side]

    def breakpoints(self, count: int, side: Side = "left") -> tuple[float, ...]:
        """Ends of the panels on which the first `count` functions are smooth."""
        edges = np.linspace(0, 1, self.panels(self._last_index(count, side)) + 1)
        return tuple(edges.tolist())

    def gauss_nodes(self, count: int, side: Side = "left") -> int:
        """Gauss–Legendre nodes a panel that integrate products of the first `count` functions."""
        return self.nodes(self._last_index(count, side))

    def sup_norms(self, count: int, side: Side = "left") -> np.ndarray:
        """‖·‖_∞ on [0, 1] of the first `count` functions, (count,)."""
        return self.suprema(np.arange(count) + self.first_index(side))

    def barron_constants(self, count: int, side: Side = "left") -> np.ndarray | None:
        """Barron's constants on [0, 1] of the first `count` functions, (count,), or upper bounds;
        None where they are not known."""
        known = self.barron
        return known and known.constants(np.arange(count) + self.first_index(side))

    def _last_index(self, count: int, side: Side) -> int:
        return self.first_index(side) + count - 1


@lru_cache(maxsize=48)
def _remembered(
    basis: Basis, points: bytes, dtype: str, shape: tuple[int, ...], count: int, side: Side
) -> np.ndarray:
    x = np.frombuffer(points, dtype).reshape(shape)
    values = basis.evaluate(x, basis.first_index(side), count)
    values.flags.writeable = False
    return values


def _sine(x: Array, first: int, count: int) -> Array:
    return math.sqrt(2) * namespace(x).imag(_harmonics(x, count))


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


def _wave_nodes(harmonic: int) -> int:
    """Two sines of harmonic h multiply to e^{4πihx}, which needs πh nodes and a margin growing like
    h^(1/3) (its factor measured for 3e-14, h ≤ 128)."""
    return math.ceil(math.pi * harmonic + 10 * harmonic ** (1 / 3)) + 1


def _wave_suprema(k: np.ndarray) -> np.ndarray:
    return np.where(k == 0, 1.0, math.sqrt(2))


def _wave_barron(harmonic: np.ndarray) -> np.ndarray:
    """√2 sin 2πhx and √2 cos 2πhx: atoms at ±2πh, and sup|f'| is the same."""
    return math.sqrt(2) * 2 * math.pi * harmonic


def _harmonic(k: Index) -> Index:
    """Of the k-th function of the Fourier basis."""
    return (k + 1) // 2


def _legendre_barron(k: np.ndarray) -> np.ndarray:
    """|f(1) − f(0)| + ‖f''‖₂/√3 of f = √(2k+1) P_k(2x−1).

    ∫_{-1}^{1} (P_k'')² dt = (k−1)k(k+1)(k+2)(k²+k+3)/12, by parts, as P_k is orthogonal to
    P_k'''' and P_k^(j)(1) = (k+j)! / (2^j j! (k−j)!).
    """
    k = k.astype(np.float64)
    rise = 1 - (-1) ** k
    bend = np.sqrt(2 * (k - 1) * k * (k + 1) * (k + 2) * (k**2 + k + 3)) / 3
    return np.sqrt(2 * k + 1) * (rise + bend)


SINE = Basis(
    name="sine",
    title="sine (the paper's)",
    tex=r"\sqrt2\sin 2\pi k x",
    tex_right=r"\sqrt2\sin 2\pi k x",
    has_constant=False,
    evaluate=_sine,
    panels=lambda last: 1,
    nodes=_wave_nodes,
    suprema=_wave_suprema,
    barron=Barron(constants=_wave_barron, exact=True, infinite=None),
    periodic=True,
)
SHIFTED_SINE = replace(
    SINE,
    name="shifted_sine",
    title="half-shifted sine",
    tex=r"\sqrt2\sin 2\pi k(x+\tfrac12)",
    tex_right=r"\sqrt2\sin 2\pi k(x+\tfrac12)",
    evaluate=lambda x, first, count: (
        constant((-1.0) ** np.arange(first, first + count), x) * _sine(x, first, count)
    ),
)
FOURIER = Basis(
    name="fourier",
    title="Fourier",
    tex=r"\{1,\ \sqrt2\cos 2\pi j x,\ \sqrt2\sin 2\pi j x\}_k",
    tex_right=r"\{\sqrt2\cos 2\pi j x,\ \sqrt2\sin 2\pi j x\}_k",
    has_constant=True,
    evaluate=_fourier,
    panels=lambda last: 1,
    nodes=lambda last: _wave_nodes(_harmonic(last)),
    suprema=_wave_suprema,
    barron=Barron(constants=lambda k: _wave_barron(_harmonic(k)), exact=True, infinite=None),
    periodic=True,
)
LEGENDRE = Basis(
    name="legendre",
    title="Legendre",
    tex=r"\sqrt{2k-1}\,P_{k-1}(2x-1)",
    tex_right=r"\sqrt{2k+1}\,P_k(2x-1)",
    has_constant=True,
    evaluate=_legendre,
    panels=lambda last: 1,
    nodes=lambda last: last + 1,  # products have degree 2·last
    suprema=lambda k: np.sqrt(2 * k + 1.0),  # |P_k| ≤ P_k(1) = 1
    barron=Barron(constants=_legendre_barron, exact=False, infinite=None),
    periodic=False,
)
HAAR = Basis(
    name="haar",
    title="Haar",
    tex=r"\text{Haar wavelet}_k(x)",
    tex_right=r"\text{Haar wavelet}_k(x)",
    has_constant=True,
    evaluate=_haar,
    panels=lambda last: 2 ** last.bit_length(),
    nodes=lambda last: 1,
    suprema=lambda k: 2.0 ** (np.floor(np.log2(np.maximum(k, 1))) / 2),
    barron=Barron(
        constants=lambda k: np.where(k == 0, 0.0, np.inf),
        exact=True,
        infinite="Haar functions jump, so ∫|ω||f̂(ω)|dω is infinite, and no continuous network "
        "comes close to them in the sup norm",
    ),
    periodic=False,
)
BASES = table("basis", ((b.name, b) for b in (SINE, SHIFTED_SINE, FOURIER, LEGENDRE, HAAR)))
"""Every basis by its name in a specification."""
