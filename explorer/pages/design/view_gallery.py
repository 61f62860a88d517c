"""Couplings worth opening: what each has for rank and decay, and what it teaches.

The texts stand here, so that the page computes nothing; a test recomputes every rank and decay from
the POD by `rank_words` and `decay_words`.
"""

from dataclasses import dataclass

from explorer.coupling import POD
from explorer.spec import CouplingSpec, amended, compact, design_of
from explorer.targets.presets import HEAD_START
from explorer.theory.rates import decay_exponent
from explorer.views.text import SUPERSCRIPTS, rank_text

GROUPS = ("Figure 1", "What softmax sees", "Kernels", "Where it gets hard")


@dataclass(frozen=True)
class Entry:
    """One coupling of the gallery."""

    key: str
    group: str
    title: str
    spec: CouplingSpec
    rank: str
    """Of ρ as given."""
    centred_rank: str
    """Of ρ less its v-mean: all that softmax can see, and the width a head needs."""
    decay: str
    """Of the centred σ_k."""
    lesson: str

    @property
    def link(self) -> str:
        """What `?spec=` holds to open it, to be learned as a page's own design is."""
        return compact(amended(self.spec, head_start=HEAD_START))


def rank_words(found: POD) -> str:
    """Rank of a POD; where the σ_k fall geometrically it is ∞ beyond what a tolerance can see."""
    if found.rank and found.whole_rank is None:
        return f"∞ ({found.rank} above {_power_of_ten(found.tolerance)})"
    return rank_text(found.rank)


def decay_words(found: POD) -> str:
    """How the σ_k fall: they end, follow a power of k (to the nearest half), or are faster."""
    if found.rank == 0:
        return "nothing left"
    if decay := decay_exponent(found):
        halves = round(2 * decay.alpha)
        whole = str(-halves // 2).translate(SUPERSCRIPTS)
        return f"k{whole}" if halves % 2 == 0 else f"k^(−{halves}/2)"
    return "faster than any power" if found.whole_rank is None else f"ends at {found.rank}"


def entry_of(spec: CouplingSpec) -> Entry | None:
    """The entry whose target a specification has."""
    design = design_of(spec)
    return next((entry for entry in GALLERY if design_of(entry.spec) == design), None)


def _power_of_ten(value: float) -> str:
    return "10" + f"{value:.0e}".split("e")[1].replace("-0", "-").translate(SUPERSCRIPTS)


_FIGURE, _SOFTMAX, _KERNELS, _HARD = GROUPS

GALLERY: tuple[Entry, ...] = (
    Entry(
        "fig1a-2",
        _FIGURE,
        "Figure 1 (a), r = 2",
        CouplingSpec(rank=2),
        "2",
        "2",
        "ends at 2",
        "σ_k = 1/k cut at 2: a head of width 2 can represent it exactly; there the error drops.",
    ),
    Entry(
        "fig1a-6",
        _FIGURE,
        "Figure 1 (a), r = 6",
        CouplingSpec(rank=6),
        "6",
        "6",
        "ends at 6",
        "The same decay with six terms: the error can vanish from m_h = 6 on.",
    ),
    Entry(
        "fig1a",
        _FIGURE,
        "Figure 1 (a), r = ∞",
        CouplingSpec(),
        "∞",
        "∞",
        "k⁻¹",
        r"Without an end there is no cliff: the squares left out add up like "
        r"$m_h^{-(2\alpha-1)}=1/m_h$.",
    ),
    Entry(
        "fig1b-2",
        _FIGURE,
        "Figure 1 (b), r = 2",
        CouplingSpec(alpha=2.0, rank=2),
        "2",
        "2",
        "ends at 2",
        "σ_k = 1/k² cut at 2: less is lost at m_h = 1, and the cliff is where it was.",
    ),
    Entry(
        "fig1b-6",
        _FIGURE,
        "Figure 1 (b), r = 6",
        CouplingSpec(alpha=2.0, rank=6),
        "6",
        "6",
        "ends at 6",
        "A fast decay before a cliff: the later terms are small, and the drop at m_h = 6 is less.",
    ),
    Entry(
        "fig1b",
        _FIGURE,
        "Figure 1 (b), r = ∞",
        CouplingSpec(alpha=2.0),
        "∞",
        "∞",
        "k⁻²",
        "Twice the α, three times the slope: 2α − 1 = 3.",
    ),
    Entry(
        "diagonal",
        _FIGURE,
        "ψ = φ",
        CouplingSpec(right_basis="sine"),
        "∞",
        "∞",
        "k⁻¹",
        "One reading of the paper, which leaves open which ψ goes with which φ: on the diagonal "
        "Σ σ_k φ_k(u)² adds up; every pair s = t meets it, and L² does not see it.",
    ),
    Entry(
        "u",
        _SOFTMAX,
        "ρ = u",
        CouplingSpec(formula="u"),
        "1",
        "0",
        "nothing left",
        "A coupling of the query alone shifts all logits of a row alike: softmax cannot see it.",
    ),
    Entry(
        "distance",
        _SOFTMAX,
        "−λ|u − v|², λ = 8",
        CouplingSpec(formula="-8*(u - v)**2"),
        "3",
        "2",
        "ends at 2",
        "−8u² is the same for every key, so softmax ignores it: one width less than the rank.",
    ),
    Entry(
        "d3",
        _SOFTMAX,
        "D.3 before mixing",
        CouplingSpec(formula="1 + 2*sin(2*pi*u)*sin(2*pi*v)"),
        "2",
        "1",
        "ends at 1",
        "The paper counts rank 2, but the constant 1 is invisible: one term is left.",
    ),
    Entry(
        "d3-mixed",
        _SOFTMAX,
        "D.3 after mixing",
        CouplingSpec(formula="1 + 2*sin(2*pi*u)*sin(2*pi*(u + v))"),
        "3",
        "2",
        "ends at 2",
        "Adding x₁ to x₂ raises the centred rank from 1 to 2: mixing in time costs width.",
    ),
    Entry(
        "periodic",
        _KERNELS,
        "cos 2π(u − v)",
        CouplingSpec(formula="cos(2*pi*(u - v))"),
        "2",
        "2",
        "ends at 2",
        "A function of u − v on the circle has equal σ_k in pairs: only their plane is "
        "determined, not φ_1 or φ_2.",
    ),
    Entry(
        "von-mises",
        _KERNELS,
        "exp(2 cos 2π(u − v))",
        CouplingSpec(formula="exp(2*cos(2*pi*(u - v)))"),
        "∞ (27 above 10⁻¹⁰)",
        "∞ (26 above 10⁻¹⁰)",
        "faster than any power",
        "A smooth bump on the circle: pairs of σ_k that fall faster than any power.",
    ),
    Entry(
        "ridge",
        _KERNELS,
        "Gaussian ridge",
        CouplingSpec(formula="exp(-8*(u + v - 1)**2)"),
        "∞ (13 above 10⁻¹⁰)",
        "∞ (12 above 10⁻¹⁰)",
        "faster than any power",
        "It depends on u + v alone and would have rank 1 in that variable: rank is a matter of "
        "the variables the head is given.",
    ),
    Entry(
        "minimum",
        _KERNELS,
        "min(u, v)",
        CouplingSpec(formula="minimum(u, v)"),
        "∞",
        "∞",
        "k⁻²",
        "Brownian motion's covariance: a kink on the diagonal makes σ_k fall like k⁻².",
    ),
    Entry(
        "nearest",
        _KERNELS,
        "−λ|u − v|, λ = 8",
        CouplingSpec(formula="-8*abs(u - v)"),
        "∞",
        "∞",
        "k⁻²",
        "The nearest-point coupling (Eq. 55): the kink costs the finite rank that its square has.",
    ),
    Entry(
        "legendre",
        _KERNELS,
        "Legendre, σ = 1, ½, ¼, …",
        CouplingSpec(spectrum="exponential", left_basis="legendre", right_basis="legendre"),
        "∞ (34 above 10⁻¹⁰)",
        "∞ (34 above 10⁻¹⁰)",
        "faster than any power",
        "Every unit of width halves the largest term left out; C₁^(α) is finite for every α.",
    ),
    Entry(
        "step",
        _HARD,
        "step at u = v",
        CouplingSpec(formula="heaviside(u - v)"),
        "∞",
        "∞",
        "k⁻¹",
        "A jump along the diagonal: σ_k falls like 1/k, where a kink has k⁻².",
    ),
    Entry(
        "haar",
        _HARD,
        "Haar wavelets",
        CouplingSpec(left_basis="haar", right_basis="haar"),
        "∞",
        "∞",
        "k⁻¹",
        "The spectrum of Figure 1 (a), but φ_k and ψ_k jump: Barron's constant C_2 is infinite.",
    ),
    Entry(
        "saturated",
        _HARD,
        "c = 10",
        CouplingSpec(c=10.0),
        "∞",
        "∞",
        "k⁻¹",
        "Figure 1 (a) ten times as large: softmax nears a hard maximum, and the error of ρ tells "
        "less of the error of H.",
    ),
    Entry(
        "high-frequency",
        _HARD,
        "one term, 24 oscillations",
        CouplingSpec(spectrum="list", sigma=(0.0,) * 23 + (1.0,)),
        "1",
        "1",
        "ends at 1",
        "Width 1 is enough for the head; what is hard is drawing φ and ψ, and C_2 says so.",
    ),
    Entry(
        "no-rate",
        _HARD,
        "α = ½",
        CouplingSpec(alpha=0.5),
        "∞",
        "∞",
        "k^(−1/2)",
        "Without an end Σ σ_k² would diverge: Theorem 4.1 needs α above ½ and gives no rate.",
    ),
)
