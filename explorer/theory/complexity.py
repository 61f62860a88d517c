"""The complexity measures C₀, C₁, C₂ of Section 4.3, for targets with F = f = id on [0, 1].

    C₀ = max{K_F ‖f‖_∞ sup_k (‖ψ_k‖_∞ + ‖φ_k‖_∞), 1}               Eq. 15, here K_F = ‖f‖_∞ = 1
    C₁^(α) = max_k σ_k k^α                                          Eq. 12
    C₂^(β)(k) = C_FF(F) + C_FF(f) + Σ_{i≤k} (C_FF(φ_i) + C_FF(ψ_i)) Eq. 14

Eq. 15 prints inf{…, 1} instead of max: that would be 1 for every target here, since a function of
norm 1 on [0, 1] reaches at least 1. The infimum over ρ in Eqs. 12, 14 and 15 is taken at the
*centred* ρ: of all ρ + g(u), which softmax cannot tell apart, it has the smallest σ_k.

C_FF is Barron's constant, for which Eq. 13 holds with β = 1/2 and one hidden layer of sigmoids:

    C_f = ∫ |ω| |f̂|(dω),   ‖f − f_m‖ ≤ 2 r C_f / √m   on an interval of radius r, here r = 1/2

(A. R. Barron, IEEE Trans. Inf. Theory 39, 930, 1993, Theorem 1, in L²; Machine Learning 14, 115,
1994). f̂ is the transform of any extension of f beyond [0, 1], up to a constant; the infimum over
extensions is at least sup|f'|, because f' = ∫ iω e^{iωx} f̂(dω). Hence

    sin, cos 2πjx     2πj: atoms at ±2πj, and sup|f'| is the same
    x                 1: the limit of sin(εx)/ε, and sup|f'| = 1
    f in H²[0, 1]     C_f ≤ |f(1) − f(0)| + ‖f''‖₂/√3: the cosine series of f' (period 2), whose
                      coefficients beyond the mean obey Σ|c_j| ≤ (Σ (πj)⁻²)^½ (Σ (πj c_j)²)^½
                      (after Y. Katznelson, An Introduction to Harmonic Analysis, I.6.2)
    a jump            ∞: C_f < ∞ makes f Lipschitz
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from explorer.coupling import POD, Coupling, Designed
from explorer.coupling.bases import Side, first_index
from explorer.spec import CouplingSpec
from explorer.theory.rates import Decay, complexity_1, decay_exponent

BETA = 0.5  # β of Barron's theorem
IDENTITY = 1.0  # C_FF of F and of f, both the identity on [0, 1]
ANY_ALPHA = 2.0  # shown where every α holds, because the spectrum ends or falls geometrically
FINE = 2001  # points for a numerical sup norm, both ends among them

Source = Literal["given", "designed", "fitted", "any"]


class Exponent(NamedTuple):
    """The α at which C₁ is taken."""

    alpha: float
    source: Source
    """Given by the caller, designed, fitted to the σ_k, or any (then ANY_ALPHA is shown)."""


@dataclass(frozen=True, eq=False)
class Complexity:
    """The measures of one target."""

    c_0: float
    c_1: float
    """At `exponent.alpha`, over the terms there are."""
    exponent: Exponent
    fitted: Decay | None
    """α fitted to σ_k with its interval; None where the spectrum is no power law."""
    c_1_fitted: tuple[float, float, float] | None
    """C₁ at the fitted α and at both ends of its interval; it grows with α."""
    c_2: np.ndarray | None
    """C₂(k) for k = 0 … r, (r + 1,); constant from there on. None where it is not available."""
    c_2_reason: str
    """Why there is no C₂, or how it was found."""


def complexity(
    spec: CouplingSpec, coupling: Coupling, found: POD, alpha: float | None = None
) -> Complexity:
    """The measures of a design; `found` is the centred POD of its coupling.

    `alpha` overrides the exponent. Raises ValueError for a POD that is not centred.
    """
    if not found.centred:
        raise ValueError("complexity is measured on the centred POD: pod(coupling, centred=True)")
    sigma = found.sigma[: found.rank]
    exponent = _exponent(spec, found) if alpha is None else Exponent(alpha, "given")
    fitted = None if _geometric(spec) else decay_exponent(found)
    ends = fitted and (fitted.alpha, *fitted.alpha_ci)
    c_2, reason = _complexity_2(coupling, found)
    return Complexity(
        c_0=complexity_0(*_suprema(coupling, found)),
        c_1=complexity_1(sigma, exponent.alpha),
        exponent=exponent,
        fitted=fitted,
        c_1_fitted=ends and tuple(complexity_1(sigma, at) for at in ends),
        c_2=c_2,
        c_2_reason=reason,
    )


def complexity_0(sup_phi: np.ndarray, sup_psi: np.ndarray) -> float:
    """C₀ from ‖φ_k‖_∞ and ‖ψ_k‖_∞, (r,) each, with K_F = ‖f‖_∞ = 1; 1 for no terms."""
    return float(np.max(np.add(sup_phi, sup_psi), initial=1.0))


def complexity_2(barron_phi: np.ndarray, barron_psi: np.ndarray) -> np.ndarray:
    """C₂(k) for k = 0 … r, (r + 1,), from Barron's constants of φ_k and ψ_k, (r,) each."""
    terms = np.add(barron_phi, barron_psi)
    return 2 * IDENTITY + np.append(0.0, np.cumsum(terms))


def sup_norms(name: str, count: int, side: Side = "left") -> np.ndarray:
    """‖·‖_∞ on [0, 1] of the first `count` functions of a basis, (count,), in closed form."""
    k = _indices(name, count, side)
    if name == "legendre":  # |P_k| ≤ P_k(1) = 1
        return np.sqrt(2 * k + 1.0)
    if name == "haar":
        return 2.0 ** (np.floor(np.log2(np.maximum(k, 1))) / 2)
    return np.where(k == 0, 1.0, math.sqrt(2))


def numerical_sup_norms(found: POD) -> tuple[np.ndarray, np.ndarray]:
    """‖φ_k‖_∞ and ‖ψ_k‖_∞ of the terms above the tolerance, (r,) each, on 2001 points and the
    nodes: lower bounds, short by O((k/2001)²) for smooth functions."""
    x, r = np.linspace(0, 1, FINE), found.rank
    sides = ((found.left(x), found.phi), (found.right(x), found.psi))
    phi, psi = (
        np.maximum(np.abs(fine).max(axis=0), np.abs(nodes).max(axis=1))[:r] for fine, nodes in sides
    )
    return phi, psi


def barron_constants(name: str, count: int, side: Side = "left") -> np.ndarray:
    """Barron's constant on [0, 1] of the first `count` functions of a basis, (count,).

    Exact for sines and Fourier, an upper bound for Legendre, ∞ for Haar but for its constant.
    """
    k = _indices(name, count, side)
    if name == "haar":
        return np.where(k == 0, 0.0, np.inf)
    if name == "legendre":
        return _legendre_bound(k)
    harmonic = (k + 1) // 2 if name == "fourier" else k
    return math.sqrt(2) * 2 * math.pi * harmonic


def _legendre_bound(k: np.ndarray) -> np.ndarray:
    """|f(1) − f(0)| + ‖f''‖₂/√3 of f = √(2k+1) P_k(2x−1).

    ∫_{-1}^{1} (P_k'')² dt = (k−1)k(k+1)(k+2)(k²+k+3)/12, by parts, as P_k is orthogonal to
    P_k'''' and P_k^(j)(1) = (k+j)! / (2^j j! (k−j)!).
    """
    k = k.astype(np.float64)
    rise = 1 - (-1) ** k
    bend = np.sqrt(2 * (k - 1) * k * (k + 1) * (k + 2) * (k**2 + k + 3)) / 3
    return np.sqrt(2 * k + 1) * (rise + bend)


def _indices(name: str, count: int, side: Side) -> np.ndarray:
    return np.arange(count) + first_index(name, side)


def _geometric(spec: CouplingSpec) -> bool:
    """Whether σ_k was designed to fall faster than any power."""
    return spec.formula is None and spec.grid is None and spec.spectrum == "exponential"


def _exponent(spec: CouplingSpec, found: POD) -> Exponent:
    """The designed α of a power law; any α where that would give no rate but the rank is finite."""
    power = spec.formula is None and spec.grid is None and spec.spectrum == "power"
    if power and (found.rank is None or spec.alpha > 0.5):
        return Exponent(spec.alpha, "designed")
    fitted = None if _geometric(spec) else decay_exponent(found)
    return Exponent(fitted.alpha, "fitted") if fitted else Exponent(ANY_ALPHA, "any")


def _order(coupling: Designed, found: POD) -> np.ndarray:
    """Places of the designed terms as the POD orders them: σ descending, no zeros."""
    order = np.argsort(-np.asarray(coupling.sigma), kind="stable")
    return order[: found.rank]


def _suprema(coupling: Coupling, found: POD) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(coupling, Designed):
        return numerical_sup_norms(found)
    order, count = _order(coupling, found), len(coupling.sigma)
    sides = ((coupling.left, "left"), (coupling.right, "right"))
    phi, psi = (sup_norms(name, count, side)[order] for name, side in sides)
    return phi, psi


def _complexity_2(coupling: Coupling, found: POD) -> tuple[np.ndarray | None, str]:
    if not isinstance(coupling, Designed):
        return None, (
            "C_2 is not available: φ_k and ψ_k of this coupling are known as numbers only, and "
            "Barron's constant needs their Fourier transforms in closed form."
        )
    order, count = _order(coupling, found), len(coupling.sigma)
    phi = barron_constants(coupling.left, count, "left")[order]
    psi = barron_constants(coupling.right, count, "right")[order]
    if not np.all(np.isfinite(phi + psi)):
        return None, (
            "C_2 is not available: Haar functions jump, so ∫|ω||f̂(ω)|dω is infinite, and no "
            "continuous network comes close to them in the sup norm."
        )
    bound = "legendre" in (coupling.left, coupling.right)
    exact = "an upper bound for Legendre" if bound else "exact"
    return complexity_2(phi, psi), f"Barron's constant, {exact}, in closed form."
