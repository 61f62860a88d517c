"""The complexity measures C₀, C₁, C₂ of Section 4.3, for targets with a ρ on [0, 1]².

    C₀ = max{K_F ‖f‖_∞ sup_k (‖ψ_k‖_∞ + ‖φ_k‖_∞), 1}               Eq. 15; of id K_F = ‖f‖_∞ = 1
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
    a jump            ∞: C_f < ∞ makes f Lipschitz, and f' continuous

F acts on the means of f; what is theirs is in targets/coupling/parts.py and, of several features,
outer.py, each interval stretched to [0, 1].
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from explorer.coupling import POD, Coupling, Designed, designed_tail
from explorer.families import BASES, TERMS, Basis
from explorer.spec import CouplingSpec
from explorer.targets import parts_of
from explorer.targets.coupling.parts import Barron
from explorer.theory.rates import Decay, complexity_1, decay_exponent

BETA = 0.5  # β of Barron's theorem
IDENTITY = 1.0  # C_FF of the identity on [0, 1]
ANY_ALPHA = 2.0  # shown where every α holds, because the spectrum ends or falls geometrically
FINE = 2001  # points for a numerical sup norm, both ends among them

Source = Literal["given", "designed", "fitted", "any"]


class Terms(NamedTuple):
    """A number of each φ_k and of each ψ_k, k = 1 … r, (r,) each."""

    phi: np.ndarray
    psi: np.ndarray


class Constants(NamedTuple):
    """Barron's constants of each φ_k and ψ_k, (r,) each, and C_FF(F) + C_FF(f)."""

    phi: np.ndarray
    psi: np.ndarray
    of_parts: float = 2 * IDENTITY


class Exponent(NamedTuple):
    """The α at which C₁ is taken."""

    alpha: float
    source: Source
    """Given by the caller, designed, fitted to the σ_k, or any (then ANY_ALPHA is shown)."""


@dataclass(frozen=True, eq=False)
class Complexity:
    """The measures of one target."""

    c_0: float
    """∞ where F is not Lipschitz."""
    c_1: float
    """At `exponent.alpha`, over the terms there are."""
    c_0_grows: bool
    """Whether it would be ∞ for all terms of a spectrum without end, of which 64 are computed."""
    c_1_grows: bool
    """Likewise."""
    exponent: Exponent
    fitted: Decay | None
    """α fitted to σ_k with its interval; None where the spectrum is no power law."""
    c_1_fitted: tuple[float, float, float] | None
    """C₁ at the fitted α and at both ends of its interval; it grows with α."""
    suprema: Terms
    """‖φ_k‖_∞ and ‖ψ_k‖_∞."""
    barron: Constants | None
    """C_FF(φ_k) and C_FF(ψ_k), and those of F and f. None where they are not available."""
    c_2_reason: str
    """Why there is no C₂, or how it was found."""

    @cached_property
    def c_2(self) -> np.ndarray | None:
        """C₂(k) for k = 0 … r, (r + 1,); constant from there on. None where it is not available."""
        return None if self.barron is None else complexity_2(*self.barron)


def complexity(
    spec: CouplingSpec, coupling: Coupling, decomposition: POD, alpha: float | None = None
) -> Complexity:
    """The measures of a design; `decomposition` is the centred POD of its coupling.

    `alpha` overrides the exponent. Raises ValueError for a POD that is not centred.
    """
    if not decomposition.centred:
        raise ValueError("complexity is measured on the centred POD: pod(coupling, centred=True)")
    sigma = decomposition.sigma[: decomposition.rank]
    exponent = _exponent(spec, decomposition) if alpha is None else Exponent(alpha, "given")
    fitted = None if designed_tail(spec) == "faster" else decay_exponent(decomposition)
    c_1_fitted = None
    if fitted is not None:
        low, high = (complexity_1(sigma, end) for end in fitted.alpha_ci)
        c_1_fitted = complexity_1(sigma, fitted.alpha), low, high
    parts = parts_of(spec)
    barron, reason = _barron_constants(coupling, decomposition, parts.barron)
    suprema = _suprema(coupling, decomposition)
    return Complexity(
        c_0=complexity_0(*suprema, parts.k_outer * parts.sup_inner),
        c_1=complexity_1(sigma, exponent.alpha),
        c_0_grows=coupling.endless and _is_unbounded(coupling),
        c_1_grows=coupling.endless
        and designed_tail(spec) == "power"
        and exponent.alpha > spec.alpha,
        exponent=exponent,
        fitted=fitted,
        c_1_fitted=c_1_fitted,
        suprema=suprema,
        barron=barron,
        c_2_reason=reason,
    )


def complexity_0(sup_phi: np.ndarray, sup_psi: np.ndarray, of_parts: float = 1.0) -> float:
    """C₀ from ‖φ_k‖_∞ and ‖ψ_k‖_∞, (r,) each, and K_F ‖f‖_∞; 1 for no terms."""
    return float(np.max(of_parts * np.add(sup_phi, sup_psi), initial=1.0))


def complexity_2(
    barron_phi: np.ndarray, barron_psi: np.ndarray, of_parts: float = 2 * IDENTITY
) -> np.ndarray:
    """C₂(k) for k = 0 … r, (r + 1,), from Barron's constants of φ_k and ψ_k, (r,) each, and
    C_FF(F) + C_FF(f)."""
    terms = np.add(barron_phi, barron_psi)
    return of_parts + np.append(0.0, np.cumsum(terms))


def numerical_sup_norms(decomposition: POD) -> Terms:
    """‖φ_k‖_∞ and ‖ψ_k‖_∞ of the terms above the tolerance, (r,) each, on 2001 points and the
    nodes: lower bounds, short by O((k/2001)²) for smooth functions."""
    x, r = np.linspace(0, 1, FINE), decomposition.rank
    sides = (
        (decomposition.left(x), decomposition.phi),
        (decomposition.right(x), decomposition.psi),
    )
    phi, psi = (
        np.maximum(np.abs(fine).max(axis=0), np.abs(nodes).max(axis=1))[:r] for fine, nodes in sides
    )
    return Terms(phi, psi)


def _exponent(spec: CouplingSpec, decomposition: POD) -> Exponent:
    """The designed α of a power law; any α where that would give no rate but the rank is finite."""
    power = designed_tail(spec) == "power"
    if power and (decomposition.rank is None or spec.alpha > 0.5):
        return Exponent(spec.alpha, "designed")
    fitted = None if designed_tail(spec) == "faster" else decay_exponent(decomposition)
    return Exponent(fitted.alpha, "fitted") if fitted else Exponent(ANY_ALPHA, "any")


def _order(coupling: Designed, decomposition: POD) -> np.ndarray:
    """Places of the designed terms as the POD orders them: σ descending, no zeros."""
    return coupling.by_size[: decomposition.rank]


def _sides(coupling: Designed) -> tuple[Basis, Basis]:
    return BASES[coupling.left], BASES[coupling.right]


def _suprema(coupling: Coupling, decomposition: POD) -> Terms:
    if not isinstance(coupling, Designed):
        return numerical_sup_norms(decomposition)
    order, count = _order(coupling, decomposition), len(coupling.sigma)
    left, right = _sides(coupling)
    return Terms(left.sup_norms(count, "left")[order], right.sup_norms(count, "right")[order])


def _is_unbounded(coupling: Coupling) -> bool:
    """Whether sup norms of φ_k or ψ_k of a design grow on beyond the terms that are computed."""
    if not isinstance(coupling, Designed):
        return False
    sides = zip(_sides(coupling), ("left", "right"), strict=True)
    sups = (basis.sup_norms(4 * TERMS, side) for basis, side in sides)
    return any(sup.max() > sup[:TERMS].max() for sup in sups)


def _barron_constants(
    coupling: Coupling, decomposition: POD, parts: Mapping[str, Barron]
) -> tuple[Constants | None, str]:
    """Barron's constants and how they were found; None and the reason where there are none."""
    if not isinstance(coupling, Designed):
        return None, (
            "C₂ is not available: φ_k and ψ_k of this coupling are known as numbers only, and "
            "Barron's constant needs their Fourier transforms in closed form."
        )
    sides, order = _sides(coupling), _order(coupling, decomposition)
    try:
        of_parts = sum(_finite(letter, barron) for letter, barron in parts.items())
        phi, psi = (
            _barron(basis.barron_constants(len(coupling.sigma), side), order, basis)
            for basis, side in zip(sides, ("left", "right"), strict=True)
        )
    except _Unavailable as why:
        return None, f"C₂ is not available: {why}."
    bounds = dict.fromkeys(
        basis.title for basis in sides if basis.barron and not basis.barron.exact
    )
    exact = f"an upper bound for {' and '.join(bounds)}" if bounds else "exact"
    more = "".join(f" That of {name} is {each.how}." for name, each in parts.items() if each.how)
    reason = f"Barron's constant, {exact}, in closed form.{more}"
    return Constants(phi, psi, of_parts), reason


class _Unavailable(ValueError):
    """There is no Barron's constant; the message says why."""


def _finite(letter: str, barron: Barron) -> float:
    """The constant of F or of f; raises _Unavailable."""
    if barron.value is None or not np.isfinite(barron.value):
        what = "not known" if barron.value is None else "infinite"
        raise _Unavailable(f"Barron's constant of {letter} is {what}, since {barron.how}")
    return barron.value


def _barron(constants: np.ndarray | None, order: np.ndarray, basis: Basis) -> np.ndarray:
    """The finite constants in this order, (r,); raises _Unavailable."""
    if constants is None or basis.barron is None:
        raise _Unavailable(f"Barron's constants of the basis {basis.title} are not known")
    if not np.all(np.isfinite(constants[order])):
        raise _Unavailable(basis.barron.infinite)
    return constants[order]
