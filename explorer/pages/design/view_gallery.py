"""Couplings worth opening: what each has for rank and decay, what it teaches, and how the component
`gallery` draws it.

The texts stand here, so that the page computes nothing; a test recomputes every rank and decay from
the POD by `rank_words` and `decay_words`.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import numpy as np

from explorer.coupling import POD, coupling_of, pod
from explorer.pages.design.view import cells
from explorer.pages.design.view_drawing import Drawing
from explorer.spec import CouplingSpec, amended, compact, design_of
from explorer.targets.coupling.presets import HEAD_START
from explorer.theory.rates import decay_exponent
from explorer.views.text import SUPERSCRIPTS, rank_text

GROUPS = ("Figure 1", "What softmax sees", "Kernels", "Where it gets hard")
SIDE = 64
"""Cells of a map along each side: 24 oscillations are seen as such."""
TERMS = 12
"""σ_k that are drawn."""


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


def rank_words(modes: POD) -> str:
    """Rank of a POD; where the σ_k fall geometrically it is ∞ beyond what a tolerance can see."""
    if modes.rank and modes.whole_rank is None:
        power = f"{modes.tolerance:.0e}".split("e")[1].replace("-0", "-").translate(SUPERSCRIPTS)
        return f"∞ ({modes.rank} above 10{power})"
    return rank_text(modes.rank)


def decay_words(modes: POD) -> str:
    """How the σ_k fall: they end, follow a power of k (to the nearest half), or are faster."""
    if modes.rank == 0:
        return "nothing left"
    if decay := decay_exponent(modes):
        halves = round(2 * decay.alpha)
        whole = str(-halves // 2).translate(SUPERSCRIPTS)
        return f"k{whole}" if halves % 2 == 0 else f"k^(−{halves}/2)"
    return "faster than any power" if modes.whole_rank is None else f"ends at {modes.rank}"


def entry_of(spec: CouplingSpec) -> Entry | None:
    """The entry whose target a specification has."""
    design = design_of(spec)
    return next((entry for entry in GALLERY if design_of(entry.spec) == design), None)


_FIGURE = {
    "fig1a-2": (
        "Figure 1 (a), r = 2",
        CouplingSpec(rank=2),
        ("2", "2", "ends at 2"),
        "σ_k = 1/k cut at 2: a head of width 2 can represent it exactly; there the error drops.",
    ),
    "fig1a-6": (
        "Figure 1 (a), r = 6",
        CouplingSpec(rank=6),
        ("6", "6", "ends at 6"),
        "The same decay with six terms: the error can vanish from m_h = 6 on.",
    ),
    "fig1a": (
        "Figure 1 (a), r = ∞",
        CouplingSpec(),
        ("∞", "∞", "k⁻¹"),
        r"Without an end there is no cliff: the squares left out add up like "
        r"$m_h^{-(2\alpha-1)}=1/m_h$.",
    ),
    "fig1b-2": (
        "Figure 1 (b), r = 2",
        CouplingSpec(alpha=2.0, rank=2),
        ("2", "2", "ends at 2"),
        "σ_k = 1/k² cut at 2: less is lost at m_h = 1, and the cliff is where it was.",
    ),
    "fig1b-6": (
        "Figure 1 (b), r = 6",
        CouplingSpec(alpha=2.0, rank=6),
        ("6", "6", "ends at 6"),
        "A fast decay before a cliff: the later terms are small, and the drop at m_h = 6 is less.",
    ),
    "fig1b": (
        "Figure 1 (b), r = ∞",
        CouplingSpec(alpha=2.0),
        ("∞", "∞", "k⁻²"),
        "Twice the α, three times the slope: 2α − 1 = 3.",
    ),
    "diagonal": (
        "ψ = φ",
        CouplingSpec(right_basis="sine"),
        ("∞", "∞", "k⁻¹"),
        "One reading of the paper, which leaves open which ψ goes with which φ: on the diagonal "
        "Σ σ_k φ_k(u)² adds up; every pair s = t meets it, and L² does not see it.",
    ),
}
_SOFTMAX = {
    "u": (
        "ρ = u",
        CouplingSpec(formula="u"),
        ("1", "0", "nothing left"),
        "A coupling of the query alone shifts all logits of a row alike: softmax cannot see it.",
    ),
    "distance": (
        "−λ|u − v|², λ = 8",
        CouplingSpec(formula="-8*(u - v)**2"),
        ("3", "2", "ends at 2"),
        "−8u² is the same for every key, so softmax ignores it: one width less than the rank.",
    ),
    "d3": (
        "D.3 before mixing",
        CouplingSpec(formula="1 + 2*sin(2*pi*u)*sin(2*pi*v)"),
        ("2", "1", "ends at 1"),
        "The paper counts rank 2, but the constant 1 is invisible: one term is left.",
    ),
    "d3-mixed": (
        "D.3 after mixing",
        CouplingSpec(formula="1 + 2*sin(2*pi*u)*sin(2*pi*(u + v))"),
        ("3", "2", "ends at 2"),
        "Adding x₁ to x₂ raises the centred rank from 1 to 2: mixing in time costs width.",
    ),
}
_KERNELS = {
    "periodic": (
        "cos 2π(u − v)",
        CouplingSpec(formula="cos(2*pi*(u - v))"),
        ("2", "2", "ends at 2"),
        "A function of u − v on the circle has equal σ_k in pairs: only their plane is "
        "determined, not φ_1 or φ_2.",
    ),
    "von-mises": (
        "exp(2 cos 2π(u − v))",
        CouplingSpec(formula="exp(2*cos(2*pi*(u - v)))"),
        ("∞ (27 above 10⁻¹⁰)", "∞ (26 above 10⁻¹⁰)", "faster than any power"),
        "A smooth bump on the circle: pairs of σ_k that fall faster than any power.",
    ),
    "ridge": (
        "Gaussian ridge",
        CouplingSpec(formula="exp(-8*(u + v - 1)**2)"),
        ("∞ (13 above 10⁻¹⁰)", "∞ (12 above 10⁻¹⁰)", "faster than any power"),
        "It depends on u + v alone and would have rank 1 in that variable: rank is a matter of "
        "the variables the head is given.",
    ),
    "minimum": (
        "min(u, v)",
        CouplingSpec(formula="minimum(u, v)"),
        ("∞", "∞", "k⁻²"),
        "Brownian motion's covariance: a kink on the diagonal makes σ_k fall like k⁻².",
    ),
    "nearest": (
        "−λ|u − v|, λ = 8",
        CouplingSpec(formula="-8*abs(u - v)"),
        ("∞", "∞", "k⁻²"),
        "The nearest-point coupling (Eq. 55): the kink costs the finite rank that its square has.",
    ),
    "legendre": (
        "Legendre, σ = 1, ½, ¼, …",
        CouplingSpec(spectrum="exponential", left_basis="legendre", right_basis="legendre"),
        ("∞ (34 above 10⁻¹⁰)", "∞ (34 above 10⁻¹⁰)", "faster than any power"),
        "Every unit of width halves the largest term left out; C₁^(α) is finite for every α.",
    ),
}
_HARD = {
    "step": (
        "step at u = v",
        CouplingSpec(formula="heaviside(u - v)"),
        ("∞", "∞", "k⁻¹"),
        "A jump along the diagonal: σ_k falls like 1/k, where a kink has k⁻².",
    ),
    "haar": (
        "Haar wavelets",
        CouplingSpec(left_basis="haar", right_basis="haar"),
        ("∞", "∞", "k⁻¹"),
        "The spectrum of Figure 1 (a), but φ_k and ψ_k jump: Barron's constant C_2 is infinite.",
    ),
    "saturated": (
        "c = 10",
        CouplingSpec(c=10.0),
        ("∞", "∞", "k⁻¹"),
        "Figure 1 (a) ten times as large: softmax nears a hard maximum, and the error of ρ tells "
        "less of the error of H.",
    ),
    "high-frequency": (
        "one term, 24 oscillations",
        CouplingSpec(spectrum="list", sigma=(0.0,) * 23 + (1.0,)),
        ("1", "1", "ends at 1"),
        "Width 1 is enough for the head; what is hard is drawing φ and ψ, and C_2 says so.",
    ),
    "no-rate": (
        "α = ½",
        CouplingSpec(alpha=0.5),
        ("∞", "∞", "k^(−1/2)"),
        "Without an end Σ σ_k² would diverge: Theorem 4.1 needs α above ½ and gives no rate.",
    ),
}
GALLERY = tuple(
    Entry(key, group, title, spec, *known, lesson)
    for group, rows in zip(GROUPS, (_FIGURE, _SOFTMAX, _KERNELS, _HARD), strict=True)
    for key, (title, spec, known, lesson) in rows.items()
)


@lru_cache(maxsize=2)
def gallery_drawing(keys: tuple[str, ...] = tuple(entry.key for entry in GALLERY)) -> Drawing:
    """Header and arrays: of each entry of these `keys` its words, ρ (entries, SIDE, SIDE) as given
    over its largest absolute value, and σ (entries, TERMS) over the largest, 0 beyond its last."""
    chosen = [entry for entry in GALLERY if entry.key in keys]
    rho, sigma = zip(*map(_pictures, chosen), strict=True)
    entries = [_words(entry) for entry in chosen]
    return {"entries": entries}, {"rho": np.stack(rho), "sigma": np.stack(sigma)}


def _words(entry: Entry) -> dict[str, Any]:
    words = {name: getattr(entry, name) for name in ("key", "group", "title", "lesson")}
    rank, centred = (
        text.partition(" ")[0].replace("∞", "infinite") for text in (entry.rank, entry.centred_rank)
    )
    seen = f", centred {centred}" if centred != rank else ""
    href = f"./?{urlencode({'spec': entry.link})}"  # wherever the pages lie
    return words | {"href": href, "facts": f"rank {rank}{seen} · {entry.decay}"}


def _pictures(entry: Entry) -> tuple[np.ndarray, np.ndarray]:
    coupling, at = coupling_of(entry.spec, None), cells(SIDE)
    rho = coupling.matrix(at, at)
    modes = pod(coupling, centred=False)
    sigma = np.zeros(TERMS)
    leading = modes.sigma[: modes.rank][:TERMS]
    sigma[: len(leading)] = leading / leading[0]
    return rho / np.abs(rho).max(), sigma
