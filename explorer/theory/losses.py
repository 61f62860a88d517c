"""Where the bound of Theorem 4.1 is lost: from the error of truncation up to the right-hand side of
Eq. 17 through every inequality of the proof (App. A.3), for targets with F = f = id.

The coupling's part is followed first, with networks that are exact: Eqs. 36, 41, 45 and 48 are then
equalities. Both sides of each step are computed, on the sequences of the floor or by the POD. Then
the networks are added, by what Barron's theorem says that there is: nobody has measured them. With
Δ = ρ − ρ_m for the centred ρ and a, a_m the weights of both,

    E Σ_t |Σ_s (a − a_m) f|                       the error: H against H with ρ_m
    E Σ_t Σ_s |a − a_m| |f|                  (40) triangle inequality over s
    sup|f| E Σ_t Σ_s |a − a_m|               (50) before (42), see below
    sup|f| E Σ_t Σ_s |Δ(x_t, x_s)|           (42) softmax is ½-Lipschitz in ℓ¹, taken as 1
    sup|f| τ² (E mean_ts Δ²)^½                    the mean is at most the root mean square
    sup|f| τ² (Σ_{k>m} σ_k²)^½               (46) which is an equality for s ≠ t only
    sup|f| τ² Σ_{k>m} σ_k²                   (50) a square beside absolute values: the slip
    C₀ τ² Σ_{k>m} σ_k²                       (52)
    C₀ τ² C₁² m^-(2α−1)/(2α−1)               (52) σ_k ≤ C₁ k^-α
    C₀ τ² C₁ m^-(2α−1)                       (17) as printed

Read in the absolute norm, the slip is not made and the root is kept to the end. Eq. 42 has |f(x_s)|
beside |Δ|, and does not hold so: where f vanishes at the one s with Δ ≠ 0, its right side is 0 and
its left is not. With sup|f| taken out first, as Eq. 50 has it, it does.

A network with u units is within e(g) = min(C_FF(g) u^-β, 1) of g in Eq. 13's norm: the answer 0 is
one, too, and all g here have norm 1 at most. φ_k, ψ_k and f have m_FF/m_h units each, as Eq. 52
counts them although f̂ has 2 m_h + 1 outputs, F has m_FF. What is added to the coupling's part is

    τ e(F)                                           (36) to (39)
    τ² e(f)                                          (41), (43)
    τ² Σ_k σ_k (e(ψ_k) + e(φ_k) + e(φ_k) e(ψ_k))     (45), (48) and ‖φ_k‖ = ‖ψ_k‖ = 1, also at s = t
    … without σ_k                                    (48) as printed: a slip where σ_k > 1
    … ‖φ_k‖_∞ e(ψ_k) + ‖ψ_k‖_∞ e(φ_k) + e(φ_k) e(ψ_k)    (50)
    … τ² e(F)                                        (51) where (39) has τ
    τ² C₀ C₂ (m_h/m_FF)^β                            (52) since e ≤ 1 ≤ ‖φ_k‖_∞, ‖ψ_k‖_∞
    τ² C₀ C₂ m_h^(β+1)/m_FF^β                        (52) m_h once more
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from explorer.targets.coupling import softmax
from explorer.theory.bound import Form
from explorer.theory.complexity import BETA, IDENTITY, Complexity
from explorer.theory.design import Design
from explorer.theory.floor import CELLS, QUERIES, SAMPLES, centres, sequences

Kind = Literal["proved", "slip", "exists"]


class Inequality(NamedTuple):
    """A step of the proof."""

    equation: str
    gives: str
    """What is given away, in a few words."""
    sides: str
    """What stands on its two sides."""
    kind: Kind
    """Proved: both sides are computed, and its factor is at least 1. A slip does not hold in
    general. Exists: what is added is a bound on networks that there are, not measured."""
    mended: str = ""
    """What stands in place of a slip, at a factor of 1."""


APART = Inequality(
    "40", "errors at different s never cancel", "|Σ_s (a − a_m) f| ≤ Σ_s |a − a_m| |f|", "proved"
)
SUP_F = Inequality(
    "50", "|f| is at most sup |f|", "Σ_s |a − a_m| |f| ≤ sup|f| Σ_s |a − a_m|", "proved"
)
LIPSCHITZ = Inequality(
    "42", "softmax is at most 1-Lipschitz", "Σ_s |a − a_m| ≤ Σ_s |ρ − ρ_m|", "proved"
)
SQUARE = Inequality(
    "47",
    "a mean is at most the root mean square",
    "E Σ_t Σ_s |ρ − ρ_m| ≤ τ (E Σ_t Σ_s |ρ − ρ_m|²)^½",
    "proved",
)
DIAGONAL = Inequality(
    "46",
    "pairs s = t count as any others",
    "E Σ_t Σ_s |ρ − ρ_m|² against τ² Σ_{k>m} σ_k², equal without the pairs s = t",
    "slip",
    "∫ |ρ − ρ_m|²(u, u) du for them",
)
SQUARED = Inequality(
    "47 → 50",
    "squares beside absolute values",
    "(Σ_{k>m} σ_k²)^½ against Σ_{k>m} σ_k²",
    "slip",
    "the root is kept",
)
IN_FRONT = Inequality(
    "52", "C₀ in front, norms of φ_k and ψ_k", "K_F sup|f| ≤ C₀, for the coupling's term", "proved"
)
DECAY = Inequality(
    "52",
    "decay of σ_k, by C₁ and α",
    "Σ_{k>m} σ_k² ≤ C₁² m_h^−(2α−1)/(2α−1), from σ_k ≤ C₁ k^−α",
    "proved",
)
PRINTED = Inequality(
    "17",
    "C₁ for C₁²/(2α − 1)",
    "C₁²/(2α − 1) against C₁, as printed",
    "slip",
    "C₁²/(2α − 1) is kept",
)
READOUT = Inequality(
    "36", "F by a network", "|F(h) − F̂(ĥ)| ≤ K_F |h − ĥ| + |F(ĥ) − F̂(ĥ)|", "exists"
)
VALUES = Inequality(
    "41", "f by a network", "|a f − â f̂| ≤ |a − â| |f| + â |f − f̂|, â taken as 1", "exists"
)
FUNCTIONS = Inequality(
    "45, 48",
    "φ_k and ψ_k by networks",
    "|ρ − ρ̂| ≤ |ρ − ρ_m| + Σ_k σ_k |φ_k ψ_k − φ̂_k ψ̂_k|",
    "exists",
)
NO_SIGMA = Inequality("48", "σ_k left out", "Σ_k σ_k |…| against Σ_k |…|", "slip", "σ_k is kept")
SUPREMA = Inequality(
    "50", "sup norms of φ_k and ψ_k", "‖φ_k‖₂ = ‖ψ_k‖₂ = 1 against ‖φ_k‖_∞, ‖ψ_k‖_∞", "exists"
)
TOKENS = Inequality("51", "τ² for F, where (39) has τ", "τ ‖F − F̂‖ ≤ τ² ‖F − F̂‖", "exists")
MEASURES = Inequality(
    "52", "C₀ C₂ for all of them", "the sum of Eqs. 50, 51 ≤ τ² C₀ C₂ (m_h/m_FF)^β", "exists"
)
ONCE_MORE = Inequality("52", "m_h once more", "m_h^β against m_h^(β+1)", "exists")


class Step(NamedTuple):
    """What a step of the proof makes of a design's error, in the norm on the left of Eq. 17."""

    inequality: Inequality
    before: float
    after: float

    @property
    def factor(self) -> float:
        """∞ from 0 on."""
        if self.before == self.after:
            return 1.0
        return self.after / self.before if self.before else math.inf


@dataclass(frozen=True)
class OnSequences:
    """E Σ_t of both sides of Eqs. 40 to 42, with sup|f| = 1, on the sequences of the floor."""

    error: float = 0.0
    """|H − H_m|."""
    apart: float = 0.0
    """Σ_s |a − a_m| |f|."""
    weights: float = 0.0
    """Σ_s |a − a_m|."""
    logits: float = 0.0
    """Σ_s |ρ − ρ_m|."""
    root: float = 0.0
    """τ (mean over t, s and sequences of |ρ − ρ_m|²)^½: as the others, once τ."""


def losses(design: Design, complexity: Complexity, form: Form = "printed") -> tuple[Step, ...]:
    """The steps from the truncation error of m_h terms up to Eq. 17, each from where the last one
    ended; up to the coupling's term where there is no C₂. `complexity` is the design's.

    Where m_h keeps every term that is computed the steps are at 0 up to the decay of σ_k. Raises
    ValueError for α ≤ ½, where there is no rate.
    """
    if not complexity.exponent.alpha > 0.5:
        raise ValueError(f"alpha = {complexity.exponent.alpha:g}: Theorem 4.1 needs α above ½")
    sampled = on_sequences(design)
    levels = [*_of_coupling(design, sampled, complexity, form)]
    _, first = levels[-1]
    levels += [
        (inequality, first + added) for inequality, added in _of_networks(design, complexity)
    ]
    before = [sampled.error, *(after for _, after in levels)]
    return tuple(
        Step(inequality, start, after)
        for start, (inequality, after) in zip(before[:-1], levels, strict=True)
    )


def on_sequences(design: Design) -> OnSequences:
    """Of a design at its m_h; 0 where it keeps every term above the POD's tolerance."""
    return OnSequences() if keeps_all(design) else _on_sequences(design.bare, design.spec.m_h)


def keeps_all(design: Design) -> bool:
    """Whether m_h keeps every term above the POD's tolerance, or all that are computed."""
    m, rank = design.spec.m_h, design.decomposition().rank
    return design.keeps_all(m) or (rank is not None and m >= rank)


@lru_cache(maxsize=32)
def _on_sequences(design: Design, m: int) -> OnSequences:
    modes, target, x = design.decomposition(), design.target, centres(np.arange(CELLS))
    left, right = modes.left(x)[:, :m] * modes.sigma[:m], modes.right(x)[:, :m]
    mean = target.coupling.integral(x, modes.v, modes.wv[:, None])[:, 0]
    sums = np.zeros(5)
    for cells in sequences(target.tau):
        queries, x_s = cells[:, :QUERIES], centres(cells)
        rho = target.coupling.matrix(x_s[:, :QUERIES], x_s) - mean[queries][..., None]
        rho_m = left[queries] @ np.swapaxes(right[cells], -1, -2)  # (sequence, t, s)
        lost, moved = np.abs(rho - rho_m), softmax(rho_m) - softmax(rho)
        sums += [
            np.abs(moved @ x_s[..., None]).sum(),
            (np.abs(moved) @ x_s[..., None]).sum(),
            np.abs(moved).sum(),
            lost.sum(),
            np.square(lost).sum(),
        ]
    outputs = SAMPLES * min(target.tau, QUERIES)
    error, apart, weights, logits, squares = (target.tau * sums / outputs).tolist()
    return OnSequences(error, apart, weights, logits, target.tau * math.sqrt(squares))


def _of_coupling(
    design: Design, sampled: OnSequences, complexity: Complexity, form: Form
) -> Iterator[tuple[Inequality, float]]:
    """Each step, and what stands on its right."""
    tau, m, rate = design.spec.tau, design.spec.m_h, 2 * complexity.exponent.alpha - 1
    energies = design.decomposition().tail_energy()
    tail = 0.0 if keeps_all(design) else float(energies[min(m, len(energies) - 1)])
    decay = complexity.c_1**2 * m**-rate / rate
    read = math.sqrt if form == "absolute" else float
    yield APART, sampled.apart
    yield SUP_F, sampled.weights
    yield LIPSCHITZ, sampled.logits
    yield SQUARE, sampled.root
    yield DIAGONAL, tau**2 * math.sqrt(tail)
    if form != "absolute":
        yield SQUARED, tau**2 * tail
    yield IN_FRONT, tau**2 * complexity.c_0 * read(tail)
    yield DECAY, tau**2 * complexity.c_0 * read(decay)
    if form == "printed":
        yield PRINTED, tau**2 * complexity.c_0 * complexity.c_1 * m**-rate


def _of_networks(design: Design, complexity: Complexity) -> Iterator[tuple[Inequality, float]]:
    """Each step, and what the networks come to; none where Barron's constants are not known."""
    if complexity.barron is None or complexity.c_2 is None:
        return
    spec, square = design.spec, design.spec.tau**2
    share = spec.m_ff / spec.m_h
    phi, psi = (network_error(each[: spec.m_h], share) for each in complexity.barron[:2])
    sup_phi, sup_psi = (each[: spec.m_h] for each in complexity.suprema)
    pairs = phi + psi + phi * psi
    readout = spec.tau * float(network_error(IDENTITY, spec.m_ff))
    values = square * float(network_error(IDENTITY, share))
    yield READOUT, readout
    yield VALUES, readout + values
    sigma = design.decomposition().sigma[: len(pairs)]
    yield FUNCTIONS, readout + values + square * float(sigma @ pairs)
    yield NO_SIGMA, readout + values + square * float(pairs.sum())
    bounded = values + square * float(sup_phi @ psi + sup_psi @ phi + phi @ psi)
    yield SUPREMA, readout + bounded
    yield TOKENS, spec.tau * readout + bounded
    c_2 = float(complexity.c_2[min(spec.m_h, len(complexity.c_2) - 1)])
    measured = square * complexity.c_0 * c_2 * share**-BETA
    yield MEASURES, measured
    yield ONCE_MORE, spec.m_h * measured


def network_error(barron: ArrayLike, units: float) -> np.ndarray:
    """e(g) ≤ 1 of functions by their Barron constants: how near so many units come."""
    return np.minimum(np.asarray(barron) * units**-BETA, 1.0)
