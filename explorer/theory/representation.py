"""Theorems A.1 and A.3 constructed: H(x) = Σ_q g_q(Σ_s ψ_qs(x_s)), and one F, f, ρ that has it.

The inner functions are those of D. A. Sprecher (1996, 1997) as M. Köppen (2002) mended them; that
they are continuous and rise, and that the sums of g_q below come to H, is proved by J. Braun and
M. Griebel (2009). With β(k) = (τ^k − 1)/(τ − 1) and digits i_1 i_2 … of y to the base γ,

    ψ(0.i_1) = i_1/γ
    ψ(0.i_1…i_k) = ψ(0.i_1…i_{k−1}) + i_k γ^−β(k),  i_k < γ − 1
                 = ½(ψ(0.i_1…i_{k−1}(γ − 2)) + ψ(0.i_1…i_{k−1} + γ^−(k−1))),  i_k = γ − 1
    ψ_qs(x) = λ_s ψ(x (γ − 1)/γ + (q + 1)/(γ(γ − 1))),  λ_1 = 1,  λ_s = Σ_r γ^−(s−1)β(r)

Other inner functions are Lipschitz (Fridman 1967), but none are continuously differentiable that
serve every analytic H (Vitushkin 1964).

ψ almost stands still on a cell, all y of k digits and small ones behind, and rises between cells;
the images of different cells of τ arguments are disjoint intervals, on each of which g_q may have
a value of its own. The gaps between cells are elsewhere for every q: no x_s is in two of them.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

GAMMA = 10
"""γ ≥ 2τ + 2."""
DEEP = 12
"""Digits of y by which ψ is evaluated; straight between their ends."""
LARGEST_PIECES = 6_000_000
MOST_DIGITS = {2: 3, 3: 2}
"""Of float64, by τ: the images of cells of more lie closer than its rounding."""
RISEN = 0.9
SHIFT = 1 / (GAMMA * (GAMMA - 1))

Component = Callable[..., np.ndarray]
"""H_t: arrays x_1 … x_τ of shapes that fit together ↦ values."""


def functions(tau: int, d: int = 1) -> int:
    """2τd + 1, the outer functions of Theorem A.1."""
    return 2 * tau * d + 1


def coordinates(tau: int, d: int = 1) -> int:
    """n of Theorem A.3, the numbers that f makes of a token."""
    return tau * functions(tau, d) + 1


def cells_a_side(digits: int) -> int:
    """Cells that meet [0, 1], 0 and 1 among their first points."""
    return (GAMMA - 1) * GAMMA ** (digits - 1) + 1


def pieces(tau: int, digits: int) -> int:
    """Values that all outer functions of iterations with 1 … `digits` digits have."""
    return functions(tau) * sum(cells_a_side(k) ** tau for k in range(1, digits + 1))


def steps_by_the_proof(tau: int, share: float) -> int:
    """The fewest iterations by which the proof brings an error to a `share` of max |H|: each leaves
    no less than 2τ/(2τ + 1) of it (Braun & Griebel 2009)."""
    return int(np.ceil(np.log(share) / np.log(1 - 1 / functions(tau))))


def beta(tau: int, k: int) -> int:
    """Digits of ψ below which those of y from the k-th on count."""
    return (tau**k - 1) // (tau - 1)


def weights(tau: int) -> np.ndarray:
    """λ_s, (τ,)."""
    powers = [float(GAMMA) ** -beta(tau, r) for r in range(1, 6)]
    return np.array([1.0, *(sum(p**s for p in powers) for s in range(1, tau))])


def psi(y: np.ndarray, tau: int, digits: int = DEEP) -> np.ndarray:
    """Köppen's ψ in [0, 1), of so many digits and straight between them; shape of y."""
    rest = np.asarray(y, np.float64) * GAMMA
    digit = np.floor(rest)
    ends, rest = (digit / GAMMA, (digit + 1) / GAMMA), rest - digit
    for k in range(2, digits + 1):
        digit = np.floor(rest * GAMMA).clip(0, GAMMA - 1)
        ends, rest = _within(ends, digit, tau, k), rest * GAMMA - digit
    return ends[0] + rest * (ends[1] - ends[0])


def psi_of(numerators: np.ndarray, tau: int, digits: int) -> np.ndarray:
    """ψ of numerators/γ^digits, whole numbers, by their own digits."""
    first = numerators // GAMMA ** (digits - 1)
    ends = first / GAMMA, (first + 1) / GAMMA
    for k in range(2, digits + 1):
        ends = _within(ends, numerators // GAMMA ** (digits - k) % GAMMA, tau, k)
    return ends[0]


def _within(
    ends: tuple[np.ndarray, np.ndarray], digit: np.ndarray, tau: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """ψ at both ends of the k-th digit's interval, from those of the interval that it is in."""
    low, high = ends
    step = float(GAMMA) ** -beta(tau, k)
    half = (low + (GAMMA - 2) * step + high) / 2
    last, before = digit == GAMMA - 1, digit == GAMMA - 2
    upper = np.where(last, high, np.where(before, half, low + (digit + 1) * step))
    return np.where(last, half, low + digit * step), upper


def inner(x: np.ndarray, q: int, s: int, tau: int) -> np.ndarray:
    """ψ_qs(x) in [0, 1), q and s from 0, x in [0, 1]."""
    return weights(tau)[s] * psi(x * (GAMMA - 1) / GAMMA + (q + 1) * SHIFT, tau)


def grid(digits: int) -> np.ndarray:
    """The x in [0, 1] on which the construction is exact, the same for each x_s."""
    return np.linspace(0, 1, cells_a_side(digits))


class Outer(NamedTuple):
    """A summand of g_q: straight between its nodes."""

    at: np.ndarray
    """(2·cells,), ascending: the ends of the cells' images, each in two,"""
    value: np.ndarray
    """(2·cells,), alike at both."""


def images(tau: int, digits: int, q: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where Σ_s ψ_qs takes the cells: lower and upper ends, ascending, and which cell each is of,
    in the order of a grid's raveled values; (cells,) each."""
    past = (q + 1) * sum(GAMMA ** (digits - r) for r in range(2, digits + 1))
    first = psi_of(np.arange(cells_a_side(digits)) + past, tau, digits)
    low = _summed([weight * first for weight in weights(tau)])
    deeper = range(digits + 1, digits + 4)
    wide = (GAMMA - 2) * sum(float(GAMMA) ** -beta(tau, k) for k in deeper) * weights(tau).sum()
    order = low.ravel().argsort()
    low = low.ravel()[order]
    return low, low + wide, order


def _summed(terms: Sequence[np.ndarray]) -> np.ndarray:
    """Σ_s of one term for each axis, on the grid of all."""
    return sum(np.ix_(*terms), np.zeros(()))


def outer(values: np.ndarray, q: int, digits: int) -> Outer:
    """The g that has `values` (cells a side, …) on the images of the cells, wider by a quarter of
    the gaps beside them, so that rounding does not leave them."""
    low, high, order = images(values.ndim, digits, q)
    room = np.concatenate([[GAMMA**-digits], low[1:] - high[:-1], [GAMMA**-digits]]) / 4
    at = np.stack([low - room[:-1], high + room[1:]], 1)
    return Outer(at.ravel(), np.repeat(values.ravel()[order], 2))


class Superposition:
    """g_0 … g_2τ of one H_t, as `represent` makes them; calling it with x_1 … x_τ gives H_t."""

    def __init__(self, tau: int, rounds: tuple[tuple[Outer, ...], ...] = ()):
        self.tau, self.rounds = tau, rounds

    def __call__(self, *x: np.ndarray) -> np.ndarray:
        """Σ_q g_q(Σ_s ψ_qs(x_s)) on the common shape of the x_s."""
        total = np.zeros(np.broadcast_shapes(*(each.shape for each in x)))
        for q in range(functions(self.tau) if self.rounds else 0):
            parts = (inner(each, q, s, self.tau) for s, each in enumerate(x))
            total += self.g(q, sum(parts, np.zeros(())))
        return total

    def g(self, q: int, argument: np.ndarray) -> np.ndarray:
        """g_q, the sum of what the iterations found."""
        return sum((np.interp(argument, *each[q]) for each in self.rounds), np.zeros(()))

    @cached_property
    def variation(self) -> float:
        """The total variation of g_0."""
        at = np.sort(np.concatenate([each[0].at for each in self.rounds]))
        return float(np.abs(np.diff(self.g(0, at))).sum())


def represent(h: Component, tau: int, digits: int) -> Superposition:
    """H_t by an iteration for each of 1 … `digits` digits: what is left is given, a (2τ + 1)-th
    to each g_q, at the cells' first points. Exact on `grid(digits)` in each x_s.

    ValueError beyond the digits of float64 or LARGEST_PIECES, before anything is computed.
    """
    if digits > MOST_DIGITS[tau] or pieces(tau, digits) > LARGEST_PIECES:
        raise ValueError(f"{digits} digits at τ = {tau}: at most {MOST_DIGITS[tau]}")
    superposition = Superposition(tau)
    for k in range(1, digits + 1):
        x = np.ix_(*[grid(k)] * tau)
        left = (h(*x) - superposition(*x)) / functions(tau)
        added = tuple(outer(left, q, k) for q in range(functions(tau)))
        superposition = Superposition(tau, (*superposition.rounds, added))
    return superposition


class Form(NamedTuple):
    """Eq. 8 as the proof of Theorem A.3 has it; H_t for t = 0 … τ − 1."""

    components: tuple[Superposition, ...]

    @property
    def tau(self) -> int:
        return len(self.components)

    def tokens(self, x: np.ndarray) -> np.ndarray:
        """x_s in [0, 1] in the interval of its place, (…, τ): [0, 1], [2, 3], …"""
        return x + 2 * np.arange(self.tau)

    def rho(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """ln 2 of two tokens of one place, else 0: weights 2 and 1 of τ + 1. Continuous, since the
        intervals of places are apart."""
        return np.log(2) * (np.floor(u / 2) == np.floor(v / 2))

    def f(self, token: np.ndarray) -> np.ndarray:
        """(…, n) in [0, 1]: the ψ_qs of a token's place s, in a block of its own, and b_s."""
        tau, place = self.tau, np.floor(token / 2).astype(int)
        blocks = np.zeros((*token.shape, tau, functions(tau)))
        for s in range(tau):
            here = place == s
            for q in range(functions(tau)):
                blocks[here, s, q] = inner(token[here] - 2 * s, q, s, tau)
        shift = (place + 1) / tau
        return np.concatenate([blocks.reshape(*token.shape, -1), shift[..., None]], -1)

    def F(self, u: np.ndarray) -> np.ndarray:
        """(…, n) ↦ (…): b_t tells t, whose block is halved; then Σ_q g_q of that t."""
        tau, u = self.tau, u * (self.tau + 1)
        place = np.rint(u[..., -1] * tau - tau * (tau + 1) / 2).astype(int) - 1
        blocks = u[..., :-1].reshape(*u.shape[:-1], tau, -1)
        own = np.eye(tau)[place][..., None]
        summed = (blocks / (1 + own)).sum(-2)
        sums = np.zeros(place.shape)
        for t, component in enumerate(self.components):
            here = place == t
            sums[here] = sum(component.g(q, summed[here][:, q]) for q in range(summed.shape[-1]))
        return sums

    def answer(self, x: np.ndarray) -> np.ndarray:
        """F(Σ_s softmax[ρ(x_t, x_·)](s) f(x_s)) of x (…, τ) in [0, 1]; (…, τ)."""
        token = self.tokens(x)
        share = np.exp(self.rho(token[..., :, None], token[..., None, :]))
        return self.F(share / share.sum(-1, keepdims=True) @ self.f(token))


class Rough(NamedTuple):
    """How the inner function steepens with 1, 2, … digits."""

    slope: tuple[float, ...]
    """The steepest of ψ between neighbouring numbers of so many digits,"""
    share: tuple[float, ...]
    """and the smallest share of [0, 1] on which it rises by RISEN."""


def roughness(tau: int, most: int = 4) -> Rough:
    """ψ between neighbours of 1 … `most` digits: Hölder continuous with exponent log_γ 2, no more,
    since a last digit γ − 1 halves the rise and divides the length by γ."""
    slopes: list[float] = []
    shares: list[float] = []
    for k in range(1, most + 1):
        numerators = np.arange(int(GAMMA**k) + 1)
        rises = np.sort(np.diff(psi_of(numerators, tau, k)))[::-1]
        slopes.append(float(rises[0]) * GAMMA**k)
        shares.append((int(np.searchsorted(rises.cumsum(), RISEN)) + 1) / GAMMA**k)
    return Rough(tuple(slopes), tuple(shares))


HOLDER = float(np.log(2) / np.log(GAMMA))
"""The exponent."""
