"""Theorem 4.1: the bound over (m_h, m_FF), and its optimum under a budget of parameters.

    inf ∫ Σ_t |H_t(x) − Ĥ_t(x)| dx ≤ τ² C₀ (C₁/m_h^(2α−1) + C₂(m_h)/m_FF^β · m_h^(β+1))   Eq. 17

The first term stands for the tail of the POD. As printed it is not what the proof gives: Eqs. 46
to 47 bound the *squared* error by Σ_{k>m} σ_k² ≤ C₁² m^-(2α−1)/(2α−1), and Eq. 50 then puts that
beside absolute errors. Three forms are offered:

    printed    C₁ m^-(2α−1)                 Eq. 17; for C₁ > 2α − 1 it may lie below the tail
    squared    C₁² m^-(2α−1)/(2α−1)         bounds the tail Σ_{k>m} σ_k²
    absolute   C₁ m^-(α−½)/√(2α−1)          its root bounds ‖ρ − ρ_m‖, hence the mean of |ρ − ρ_m|
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorer.theory.complexity import BETA

WIDEST = 64  # greatest m_h that is tried

Form = Literal["printed", "squared", "absolute"]


@dataclass(frozen=True, eq=False)
class Bound:
    """The right-hand side of Eq. 17. Raises ValueError for α ≤ ½, where there is no rate."""

    tau: int
    c_0: float
    c_1: float
    alpha: float
    c_2: np.ndarray
    """C₂(k), k = 0 … r, (r + 1,); taken as constant beyond."""
    beta: float = BETA
    form: Form = "printed"

    def __post_init__(self) -> None:
        if not self.alpha > 0.5:
            raise ValueError(f"alpha = {self.alpha:g}: Theorem 4.1 needs α above ½")

    def first(self, m_h: ArrayLike) -> np.ndarray:
        """The coupling's term, τ² C₀ included: falls with m_h."""
        rate = 2 * self.alpha - 1
        tail = self.c_1**2 * np.asarray(m_h, dtype=np.float64) ** -rate / rate
        if self.form == "absolute":
            tail = np.sqrt(tail)
        elif self.form == "printed":
            tail = self.c_1 * np.asarray(m_h, dtype=np.float64) ** -rate
        return self.tau**2 * self.c_0 * tail

    def second(self, m_h: ArrayLike, m_ff: ArrayLike) -> np.ndarray:
        """The feed-forward networks' term, τ² C₀ included: grows with m_h, falls with m_FF."""
        m_h, m_ff = np.asarray(m_h), np.asarray(m_ff, dtype=np.float64)
        c_2 = self.c_2[np.minimum(m_h, len(self.c_2) - 1)]
        return self.tau**2 * self.c_0 * c_2 * m_ff**-self.beta * m_h ** (self.beta + 1)

    def __call__(self, m_h: ArrayLike, m_ff: ArrayLike) -> np.ndarray:
        """The bound at whole m_h ≥ 1 and m_FF ≥ 1, broadcast against each other."""
        return self.first(m_h) + self.second(m_h, m_ff)


class BoundAt(NamedTuple):
    """The bound at one (m_h, m_FF)."""

    m_h: int
    m_ff: int
    bound: float
    first: float
    second: float
    parameters: int


class ModelDims(NamedTuple):
    """What else counts in the number of parameters."""

    n: int
    d_v: int
    depth: int
    """Linear layers of f̂ and of F̂, at least 2: m_FF is the width between them."""

    def widened(self, m_h: int) -> ModelDims:
        """With n ≥ 2 m_h + 1: Theorem 4.1 keeps every φ̂_k, ψ̂_k and f̂ apart in f̂'s n outputs."""
        return self._replace(n=max(self.n, 2 * m_h + 1))


def parameters(dims: ModelDims, m_h: int, m_ff: int) -> int:
    """Number of parameters of one model: f̂ (1 → m_FF → … → n), W_Q, W_K (m_h × n), W_V (d_v × n)
    and F̂ (d_v → m_FF → … → 1), biases included."""
    quadratic, linear, fixed = _coefficients(dims, m_h)
    return quadratic * m_ff**2 + linear * m_ff + fixed


def widest_ff(dims: ModelDims, m_h: int, budget: int) -> int:
    """The greatest m_FF whose model has at most `budget` parameters; 0 where none has."""
    quadratic, linear, fixed = _coefficients(dims, m_h)
    left = budget - fixed
    if left < linear + quadratic:
        return 0
    if quadratic == 0:
        return left // linear
    return (math.isqrt(linear**2 + 4 * quadratic * left) - linear) // (2 * quadratic)


def optimum(bound: Bound, dims: ModelDims, budget: int, widest: int = WIDEST) -> BoundAt:
    """The smallest bound over m_h = 1 … `widest` with the m_FF that the budget leaves.

    Exhaustive over m_h; the bound falls with m_FF, so the widest is the best. Of equal ones the
    smallest m_h. n grows with m_h where the theorem needs it. Budgets up to 10¹⁸; raises ValueError
    below the smallest model's.
    """
    candidates = budget_curve(dims, budget, widest)
    if not len(candidates):
        least = parameters(dims.widened(1), 1, 1)
        raise ValueError(f"a budget of {budget} parameters: the smallest model has {least}")
    m_h, m_ff = candidates.T
    best = int(np.argmin(bound(m_h, m_ff)))
    return evaluated(bound, dims, int(m_h[best]), int(m_ff[best]))


def budget_curve(dims: ModelDims, budget: int, widest: int = WIDEST) -> np.ndarray:
    """(m_h, m_FF) for each m_h = 1 … `widest` that the budget allows, (count, 2) whole numbers."""
    pairs = [(m_h, widest_ff(dims.widened(m_h), m_h, budget)) for m_h in range(1, widest + 1)]
    fits = [pair for pair in pairs if pair[1] > 0]
    return np.array(fits, dtype=np.int64).reshape(-1, 2)


def evaluated(bound: Bound, dims: ModelDims, m_h: int, m_ff: int) -> BoundAt:
    """The bound at one model, whose n grows with m_h where the theorem needs it."""
    first, second = float(bound.first(m_h)), float(bound.second(m_h, m_ff))
    count = parameters(dims.widened(m_h), m_h, m_ff)
    return BoundAt(m_h, m_ff, first + second, first, second, count)


def _coefficients(dims: ModelDims, m_h: int) -> tuple[int, int, int]:
    """Number of parameters as a polynomial in m_FF: of m_FF², of m_FF, and the rest.

    Raises ValueError for a depth of 1, which has no hidden layer.
    """
    n, d_v, depth = dims
    if depth < 2:
        raise ValueError(f"depth = {depth}: m_FF needs a hidden layer, depth 2 or more")
    inner = depth - 2  # linear layers m_FF → m_FF, of f̂ and of F̂ each
    return 2 * inner, 4 + 2 * inner + n + d_v, n + 1 + d_v * n + 2 * m_h * n
