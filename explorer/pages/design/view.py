"""Design: a coupling, its POD, what m terms keep of it, and the floor that follows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from explorer.coupling import POD, Coupling, Designed, FormulaError, parse_formula
from explorer.coupling.typeset import typeset
from explorer.families import BASES, SPECTRA, TERMS
from explorer.pages.design.view_parts import answer_tex, parts_tex
from explorer.runs.record import RunRow
from explorer.spec import CouplingSpec, SpecError, coupling_spec, design_of
from explorer.theory.design import WIDTHS, Design
from explorer.theory.floor import Width
from explorer.theory.rates import complexity_1, decay_exponent
from explorer.views.selection import Selection
from explorer.views.text import DRAWN, cliff, measured, number

PICTURE = 96  # cells of a picture of ρ along u and v

CLAIMED = " (claimed)"


class TrainedWidth(NamedTuple):
    """A finished run that learned the very design shown."""

    m_h: int
    nmse: float
    run: str
    seed: int

    @property
    def claimed(self) -> bool:
        """Whether the error is what a zip says of it."""
        return self.run.endswith(CLAIMED)


@dataclass(frozen=True)
class DesignView:
    """What the Design page says of one coupling at width m, in numbers and sentences.

    It draws the drawing of pages/design/view_drawing.py, and files are made of that too.
    """

    facts: dict[str, str]
    gauge: str
    """What softmax cannot see of this coupling, in a sentence; empty where there is nothing."""
    verdict: str
    cliff: str
    """Why the error falls to 0 at the rank; empty where it does not."""


def design_view(design: Design, selected: Selection) -> DesignView:
    """Everything the page says of the first m terms, m the m_h of the specification."""
    modes, error, norm = design.decomposition(selected.centred), selected.error, selected.norm
    width, of_norm = (
        design.width_for(error, norm),
        "" if norm == "mse" else " of mean absolute error",
    )
    needs = f"m_h for truncation{of_norm} ≤ {number(error)}"
    return DesignView(
        facts=_facts(modes, selected.tolerance) | {needs: width_text(width, WIDTHS)},
        gauge=gauge(design),
        verdict=verdict(design),
        cliff=cliff_of(design),
    )


def cliff_of(design: Design) -> str:
    """`cliff` of a design."""
    return cliff(design.decomposition().sigma, design.exact_rank)


def gauge(design: Design) -> str:
    """Why softmax needs less than the rank of ρ, where its v-mean adds to the rank.

    softmax(ρ(u, ·) + g(u)) = softmax(ρ(u, ·)): the mean over v can be taken off for each u. A
    design by bases has none.
    """
    if design.spec.formula is None and design.spec.grid is None:
        return ""
    raw, centred = (design.decomposition(side) for side in (False, True))
    if raw.whole_rank == centred.whole_rank or not (raw.is_whole and centred.is_whole):
        return ""
    return (
        f"Raw rank {raw.rank_words}, centred rank {centred.rank_words}: ρ(u, v) and "
        "ρ(u, v) + g(u) have the same softmax over v, so the v-mean of ρ costs a head no width."
    )


def cells(count: int) -> np.ndarray:
    """Cell centres of [0, 1], (count,)."""
    return (np.arange(count) + 0.5) / count


def centred_matrix(coupling: Coupling, modes: POD, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """ρ(u_i, v_j) less its v-mean for each u, by the quadrature of a POD."""
    mean = coupling.matrix(u, modes.v) @ modes.wv
    return coupling.matrix(u, v) - mean[:, None]


def rank_fact(modes: POD, tolerance: float) -> str:
    """How many σ_k are above a tolerance; and how many there are in all, where they differ."""
    above, whole = int((modes.sigma > tolerance).sum()), modes.rank_words
    if whole == "∞" and above == TERMS:
        return "infinite"
    if str(above) == whole:
        return whole
    whole = whole.replace("∞", "infinitely many")
    more = " or more" if whole == "unknown" and above == TERMS else ""
    return f"{above}{more} above {number(tolerance).removeprefix('1.0·')} ({whole} in all)"


def _facts(modes: POD, tolerance: float | None) -> dict[str, str]:
    decay = decay_exponent(modes)
    tolerance = max(tolerance or modes.tolerance, modes.rounding)
    cut = f", {TERMS} terms" * modes.coupling.endless
    facts = {
        "rank": rank_fact(modes, tolerance),
        "tolerance": f"{number(tolerance)} (absolute)",
        "σ reached to": number(modes.error),
        "σ₁": number(modes.sigma[0], 4),
        f"Σ σ_k²{cut}": number(float(modes.tail_energy()[0]), 4),
    }
    if decay is not None:
        facts["fitted α"] = f"{decay.alpha:.2f} (k ≥ 4)"
        facts["C₁ at that α"] = number(complexity_1(modes.sigma, decay.alpha), 3)
    return facts


def width_text(width: Width, most: int) -> str:
    """A width with its 95% interval, where that is wider than itself; `most` were computed."""
    m, low, high = (f"more than {most}" if value is None else str(value) for value in width)
    return m if low == high else f"{m} (95%: {low} to {high})"


def verdict(design: Design) -> str:
    """What the numbers say about the width of a design: the centred rank, and the nMSE left."""
    m, rank = design.spec.m_h, design.exact_rank
    if rank == 0:
        mean = "the mean of the x_s" if not design.spec.has_parts else "F of the mean of the f(x_s)"
        return f"ρ depends on u alone: softmax cannot see it, and every y_t is {mean}."
    if design.keeps_all(m):
        return beyond_text(design)
    left = f"leave{'s' * (m == 1)} nMSE {left_text(design)} by truncation"
    if rank is None:
        ends = f"{_end(design)}: {m} of {f'the {TERMS}' if design.endless else 'its'} terms"
        computed = " computed" * design.endless
        return f"{ends}{computed} {left}, an upper bound: a trained head may do better."
    if m >= rank:
        return (
            f"Centred rank {design.rank_words}: a head of width m_h = {m} ≥ {rank} can represent "
            "ρ exactly: the error can vanish."
        )
    return (
        f"Centred rank {design.rank_words}: {m} of its terms {left}; "
        f"at m_h = {rank} nothing is left."
    )


def _end(design: Design) -> str:
    """What is known of the end of a spectrum that no width of a head reaches."""
    if design.endless:
        return "The spectrum does not end"
    words = design.rank_words
    return "No end of the spectrum is seen" if words == "unknown" else f"Centred rank {words}"


def beyond_text(design: Design) -> str:
    """What is said of a width that keeps all the terms that are computed of an endless spectrum."""
    beyond = design.left_beyond
    left = "has no finite Σ σ_k²" if beyond is None else f"would leave nMSE {about(beyond)}"
    return (
        f"{TERMS} terms of this spectrum are computed and trained, and m_h = {TERMS} keeps them "
        f"all; what lies beyond {left}."
    )


def of_computed(design: Design, *widths: int) -> str:
    """What is to be said of nMSEs at these widths where the cut of an endless spectrum is felt."""
    short = any(map(design.is_cut_short, widths))
    return f" of the {TERMS} terms that are computed" * short


def about(error: float) -> str:
    """An error known to its order of magnitude, with one digit."""
    return f"of order {number(error, 1)}" if error > DRAWN else f"below {number(DRAWN, 1)}"


def left_text(design: Design) -> str:
    """The nMSE that the terms of its width leave, with no more digits than its interval allows."""
    m = design.spec.m_h
    if design.keeps_all(m):
        beyond = design.left_beyond
        return "–" if beyond is None else about(beyond)
    if design.exact_rank is not None and m >= design.exact_rank:
        return "0"
    left, half = design.left(m)
    return measured(left, half) if left > DRAWN else about(left)


def schema(design: Design) -> tuple[str, ...]:
    """How the head works, from left to right with the numbers of this design: tokens, coupling,
    softmax, answer."""
    m, rank = design.spec.m_h, design.exact_rank
    if rank is None:
        out_of = rf"\text{{ of }}{TERMS}" if design.endless else ""
        terms = rf"{m}{out_of}\text{{ term{'s' * (m > 1 or design.endless)}}}"
    else:
        terms = rf"{min(m, rank)}\text{{ of }}{rank}\text{{ term{'s' * (rank != 1)}}}"
    left, answer = left_text(design), answer_tex(design.target.parts)
    return (
        rf"\underset{{\tau\,=\,{design.spec.tau}\text{{ tokens}}}}{{x_1,\dots,x_\tau}}",
        rf"\longrightarrow\ \ \underset{{{terms}}}{{\rho(x_t,x_s)}}",
        r"\longrightarrow\ \ \underset{\text{weights, sum }1}{\mathrm{softmax}_s}",
        rf"\longrightarrow\ \ \underset{{\text{{nMSE }}{left}}}{{{answer}}}",
    )


def latex(design: Design) -> tuple[str, ...]:
    """The coupling as formulas with its numbers: itself, and what is in it; F and f, where they are
    not the identity."""
    return *_coupling_latex(design), *parts_tex(design.target.parts)


def _coupling_latex(design: Design) -> tuple[str, ...]:
    spec, coupling = design.spec, design.coupling
    if spec.formula:
        typed = typeset(parse_formula(spec.formula)) or r"\text{a formula of many terms}"
        return (rf"\rho(u,v) = {typed}",)
    if not isinstance(coupling, Designed):
        return (r"\rho(u,v) = \text{bilinear between the samples}",)
    spectrum, rank = SPECTRA[spec.spectrum], len(coupling.sigma)
    upper = r"\infty\,(64)" if spectrum.law and spec.rank is None else str(rank)
    sigma = spectrum.tex(**spectrum.read(spec))
    return (
        rf"\rho(u,v)=\sum_{{k=1}}^{{{upper}}} {sigma}\;\phi_k(u)\,\psi_k(v)",
        rf"\phi_k(x)={BASES[coupling.left].tex}",
        rf"\psi_k(x)={BASES[coupling.right].tex_right}",
    )


def formula_notes(formula: str) -> list[str]:
    """A formula as it was understood, and what of it has no effect: lines of Markdown; none of one
    that is refused."""
    try:
        expression = parse_formula(formula)
    except FormulaError:  # of a run that another version has trained: the page says it
        return []
    notes = [f"$\\rho(u,v)={tex}$"] if (tex := typeset(expression)) else []
    if any(kind in ("==", "!=") for kind, _ in expression.program):
        notes.append(
            "An equality holds on a curve at most, which random tokens never meet: it has no "
            "effect on errors and singular values."
        )
    return notes


def trained_runs(spec: CouplingSpec, rows: Iterable[RunRow]) -> list[TrainedWidth]:
    """Finished runs that learned this very design, and were given nothing of it.

    Runs whose specification another version wrote are passed over.
    """
    design = design_of(spec)
    return [
        TrainedWidth(row.spec.m_h, nmse, row.run + claimed(row), row.spec.seed)
        for row in rows
        if (nmse := final_nmse(row)) and _design(row) == design
    ]


def trained_fact(trained: Sequence[TrainedWidth]) -> dict[str, str]:
    """The best of the runs that learned a design, and of how many; nothing where there is none."""
    if not trained:
        return {}
    best = min(trained, key=lambda run: run.nmse)
    among = "one seed" if len(trained) == 1 else f"the best of {len(trained)} runs"
    note = ", claimed by its zip, not recomputed" if best.claimed else ""
    text = f"nMSE {number(best.nmse)} at m_h = {best.m_h}, seed {best.seed} ({among}{note})"
    return {"claimed" if best.claimed else "trained": text}


def claimed(row: RunRow) -> str:
    """What follows the name of a run whose errors are what its zip says, not recomputed."""
    return CLAIMED if row.claimed else ""


def badge(trained: Sequence[TrainedWidth]) -> str:
    """Where the pictures of a design come from: it is computed, but for the runs drawn on it."""
    if not trained:
        return "computed · not trained"
    return f"computed · ◆ {len(trained)} trained run{'s' * (len(trained) > 1)}"


def final_nmse(row: RunRow) -> float | None:
    """The nMSE that a run has finished with; an archive may bring a run without."""
    nmse = (row.metrics or {}).get("nmse")
    return nmse if row.status == "finished" and isinstance(nmse, float) else None


def _design(row: RunRow) -> CouplingSpec | None:
    try:
        spec = coupling_spec(row.spec)
        return None if spec.altered or spec.known else design_of(spec)
    except SpecError:
        return None
