"""Theorem 4.1 for one design: its numbers, its bound over (m_h, m_FF), and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from explorer.families import TERMS
from explorer.pages.design.view_theory_latex import bound_latex, complexity_latex, up_to
from explorer.slow import pd
from explorer.targets import Parts
from explorer.targets.coupling.chosen import PLAIN
from explorer.theory.bound import (
    WIDEST,
    Bound,
    BoundAt,
    Form,
    ModelDims,
    budget_curve,
    evaluated,
    optimum,
    parameters,
)
from explorer.theory.complexity import Complexity, complexity
from explorer.theory.design import WIDTHS, Design
from explorer.views.text import SUPERSCRIPTS, number

WIDE = 10.0 ** np.arange(2, 12, 2)
"""m_FF of the lines drawn over m_h."""
MAX_BUDGET = 10**18
FORMS: dict[Form, str] = {
    "printed": "as printed (Eq. 17)",
    "squared": "tail of the squared error",
    "absolute": "its root, in the norm of the theorem",
}
LIMIT = "m_FF → ∞"
OF_TERMS = f" of {TERMS} terms (∞ of all)"

OF_THIS = (
    "C₀, C₁ and C₂ are those of this representation (F, f, ρ) of H: Eqs. 12, 14 and 15 take the "
    "least over all of them, so that these are upper bounds."
)
HELP = r"""
**C₂** sums a measure of how hard each function is for a feed-forward network (Eq. 14). Here it is
*Barron's constant* $C(f)=\int|\omega|\,|\hat f(\omega)|\,d\omega$: one hidden layer of $m_{FF}$
sigmoids comes within $C(f)/\sqrt{m_{FF}}$ of $f$ on $[0,1]$, so that β = ½ (A. R. Barron, *IEEE
Trans. Inf. Theory* 39, 930, 1993; *Machine Learning* 14, 115, 1994). In closed form:
$\sqrt2\sin2\pi kx$ has $\sqrt2\cdot2\pi k$; the identity has 1; Legendre functions have at most
$|f(1)-f(0)|+\lVert f''\rVert_2/\sqrt3$; Haar functions jump and have none. Barron's norm is L², and
his network has one hidden layer; the count of parameters is that of our model.

**C₀, C₁, C₂** are those of this ρ, without its v-mean, and of this F and f, whose intervals count
as stretched to $[0,1]$.

**C₀** reads Eq. 15 with max{…, 1}: the printed inf{…, 1} would be 1 for every target here.

**The coupling's term** can be read in three ways. Eq. 17 prints $C_1\,m_h^{-(2\alpha-1)}$. What the
proof bounds is the squared error, by $C_1^2\,m_h^{-(2\alpha-1)}/(2\alpha-1)$ (Eqs. 46, 47); in the
absolute norm on the left it is the root of that, which falls half as fast.
"""


class Trivial(NamedTuple):
    """A constant answer, the middle of all that F can give, and how far it errs at most."""

    answering: str
    text: str
    most: float


def trivial_of(tau: int, parts: Parts = PLAIN) -> Trivial:
    """Of sequences of length τ, in the norm of the theorem."""
    low, high = parts.answers
    most = tau * (high - low) / 2
    if parts.plain:
        return Trivial("always answering ½", f"τ/2 = {most:g}", most)
    return Trivial(f"always answering {number((low + high) / 2, 3)}", number(most, 3), most)


@dataclass(frozen=True, eq=False)
class TheoryView:
    """What the Design page shows of Theorem 4.1 at (m_h, m_FF) of a specification."""

    facts: dict[str, str]
    latex: dict[str, str]
    """'C_0', 'C_1', 'C_2', 'C', 'bound', 'numbers', 'value': formulas with the current numbers, as
    far as available."""
    table: pd.DataFrame
    """m_h, m_ff (∞ for the limit), line (its label), bound, first, second; may be empty."""
    along: pd.DataFrame
    """The same columns and `parameters`: the bound at the m_FF a budget leaves for each m_h."""
    points: pd.DataFrame
    """m_h, bound, name ('here', 'optimum'), label."""
    bound: Bound | None
    here: BoundAt | None
    """The bound at the specification's own m_h and m_FF."""
    optimum: BoundAt | None
    budget: int
    """Parameters allowed; by default as many as the specification's own model has."""
    trivial: Trivial
    """What a constant answer cannot exceed in the norm of the theorem."""
    sentences: tuple[str, ...]
    missing: tuple[str, ...]
    """What is not available, and why."""
    form: Form
    """How the coupling's term is read."""

    def data(self) -> pd.DataFrame:
        """All that the figure draws: series ('m_FF fixed', 'along the budget', 'here', 'optimum' or
        'always answering' a constant), m_h, m_ff, bound, first, second, parameters, budget and
        form."""
        points = [
            {"series": name, **at._asdict()}
            for name, at in (("here", self.here), ("optimum", self.optimum))
            if at
        ]
        of_constant = {"series": self.trivial.answering, "bound": self.trivial.most}
        trivial = pd.DataFrame([of_constant])
        parts = [self.table.assign(series="m_FF fixed"), pd.DataFrame(points), trivial]
        if len(self.along):
            parts.insert(1, self.along.assign(series="along the budget"))
        columns = ["series", "m_h", "m_ff", "bound", "first", "second", "parameters"]
        table = pd.concat(parts, ignore_index=True).reindex(columns=columns)
        return table.assign(budget=self.budget, form=FORMS[self.form])

    def marked(self) -> tuple[str, ...]:
        """The two points of the figure in words."""
        words = {"here": "this model", "optimum": f"the least with {many(self.budget)} parameters"}
        return tuple(
            f"{at.name}, {words[at.name]}: {at.label}, bound {number(at.bound, 3)}"
            for at in self.points.itertuples()
        )


def theory_view(
    design: Design, *, budget: int | None = None, alpha: float | None = None, form: Form = "printed"
) -> TheoryView:
    """Theorem 4.1 for a specification. `alpha` overrides the exponent; budgets up to 10¹⁸."""
    spec, constants = design.spec, measures(design.bare, alpha)
    bound, missing = bound_of(design, form, alpha)
    trivial = trivial_of(spec.tau, design.target.parts)
    known: dict[str, Any] = {"trivial": trivial, "form": form, "bound": bound}
    known |= {"facts": _facts(constants, spec.m_h), "latex": complexity_latex(spec, constants)}
    if bound is None:
        return TheoryView(**known, **_without_bound(), budget=budget or 0, missing=missing)
    dims = ModelDims(spec.n, spec.d_v, spec.depth)
    here = evaluated(bound, dims, spec.m_h, spec.m_ff)
    budget = min(here.parameters if budget is None else budget, MAX_BUDGET)
    least = parameters(dims.widened(1), 1, 1)
    told = f"A budget of {many(budget)} parameters: the smallest model has {least}."
    best = optimum(bound, dims, budget) if budget >= least else None
    known["latex"] |= bound_latex(spec, bound, here)
    return TheoryView(
        **known,
        table=_table(bound),
        along=_along(bound, dims, budget),
        points=_points(here, best),
        here=here,
        optimum=best,
        budget=budget,
        sentences=_sentences(bound, dims, here, best, budget),
        missing=() if best else (told,),
    )


def _without_bound() -> dict[str, Any]:
    """What a view has of a specification that has no bound."""
    none = _rows(None, np.empty(0, int), np.empty(0), "")
    tables = {"table": none, "along": none, "points": _points(None, None)}
    return tables | {"here": None, "optimum": None, "sentences": ()}


@lru_cache(maxsize=32)
def measures(design: Design, alpha: float | None = None) -> Complexity:
    """C₀, C₁ and C₂ of a bare design, from its centred POD."""
    return complexity(design.spec, design.coupling, design.decomposition(), alpha)


def bound_of(
    design: Design, form: Form = "printed", alpha: float | None = None
) -> tuple[Bound | None, tuple[str, ...]]:
    """The bound of a specification, or every reason why there is none."""
    spec, constants, missing = design.spec, measures(design.bare, alpha), []
    alpha, source = constants.exponent
    if not alpha > 0.5:
        missing.append(_no_rate(alpha, source == "given"))
    if (c_2 := constants.c_2) is None:
        missing.append(constants.c_2_reason)
    if spec.depth < 2:
        missing.append("depth = 1: f̂ and F̂ have no hidden layer, so m_FF means nothing.")
    if not np.isfinite(constants.c_0):
        missing.append(
            "F is not Lipschitz on the values of f: K_F = ∞, and Theorem 4.1 asks for it."
        )
    if missing or c_2 is None:
        return None, tuple(missing)
    return Bound(spec.tau, constants.c_0, constants.c_1, alpha, c_2, form=form), ()


def _no_rate(alpha: float, given: bool) -> str:
    text = f"α = {alpha:.2g} ≤ ½ gives no rate: "
    if given:  # of a coupling whose own may be another
        return (
            rf"{text}the bound's $C_1/m_h^{{2\alpha-1}}$ falls with m_h for α above ½ only, "
            "so there is no bound to show for this model. Empty the field for this coupling's own "
            "α."
        )
    return f"{text}Σ σ_k² need not converge, so Theorem 4.1 needs α above ½."


def _rows(bound: Bound | None, m_h: np.ndarray, m_ff: np.ndarray, line: str) -> pd.DataFrame:
    first = bound.first(m_h) if bound else np.empty(0)
    second = bound.second(m_h, m_ff) if bound else np.empty(0)
    columns = {"m_h": m_h, "m_ff": np.asarray(m_ff, dtype=np.float64), "line": line}
    return pd.DataFrame({**columns, "bound": first + second, "first": first, "second": second})


def _table(bound: Bound) -> pd.DataFrame:
    m_h = np.arange(1, WIDTHS + 1)
    powers = (str(round(np.log10(wide))).translate(SUPERSCRIPTS) for wide in WIDE)
    lines = [
        _rows(bound, m_h, np.full(WIDTHS, wide), f"m_FF = 10{power}")
        for wide, power in zip(WIDE, powers, strict=True)
    ]
    return pd.concat([*lines, _rows(bound, m_h, np.full(WIDTHS, np.inf), LIMIT)], ignore_index=True)


def _along(bound: Bound, dims: ModelDims, budget: int) -> pd.DataFrame:
    m_h, m_ff = budget_curve(dims, budget, WIDTHS).T
    counts = [
        parameters(dims.widened(a), a, b) for a, b in zip(m_h.tolist(), m_ff.tolist(), strict=True)
    ]
    line = f"{many(budget)} parameters"
    return _rows(bound, m_h, m_ff, line).assign(parameters=np.array(counts, dtype=np.float64))


def _points(*bounds: BoundAt | None) -> pd.DataFrame:
    rows = [
        [at.m_h, at.bound, name, f"m_h = {at.m_h}, m_FF = {many(at.m_ff)}"]
        for at, name in zip(bounds, ("here", "optimum"), strict=True)
        if at is not None
    ]
    return pd.DataFrame(rows, columns=["m_h", "bound", "name", "label"])


def _facts(constants: Complexity, m_h: int) -> dict[str, str]:
    alpha, source = constants.exponent
    words = {"any": "any α holds: σ_k ends or falls geometrically"}.get(source, source)
    facts = {
        f"C₀{OF_TERMS * constants.c_0_grows}": number(constants.c_0, 3),
        "α": f"{alpha:.3g} ({words})",
        f"C₁{OF_TERMS * constants.c_1_grows}": number(constants.c_1, 3),
        f"C₂({m_h})": "not available"
        if constants.c_2 is None
        else number(up_to(constants.c_2, m_h), 3),
    }
    if constants.fitted and constants.c_1_fitted and source != "designed":
        facts["fitted α"] = f"{constants.fitted.alpha:.3f} (k ≥ 4)"
        facts["C₁ at fitted α"] = number(constants.c_1_fitted[0], 3)
    return facts


def _sentences(
    bound: Bound, dims: ModelDims, here: BoundAt, best: BoundAt | None, budget: int
) -> tuple[str, ...]:
    return (
        dominance(bound, here),
        *([_about_optimum(bound, dims, best, budget)] if best else []),
        "At a fixed m_FF the bound grows with m_h beyond its optimum, since more φ_k and ψ_k must "
        "be drawn. This pertains to the bound only: the best error does not get worse when a "
        "model gets wider (paper, after Eq. 18).",
        _about_slip(bound, here.m_h),
    )


def dominance(bound: Bound, at: BoundAt) -> str:
    """Which of the two terms the bound is made of, and what lowers it."""
    where, lowers = f"At m_h = {at.m_h}, m_FF = {many(at.m_ff)}", _what_lowers(bound, at)
    if at.second > 2 * at.first:
        times = number(at.second / at.first, 2) if at.first else "∞"
        return (
            f"{where} the feed-forward term dominates ({times} times the coupling's): the bound "
            f"is about drawing φ_k and ψ_k, and {lowers} lowers it."
        )
    if at.first > 2 * at.second:
        return (
            f"{where} the coupling's term dominates ({number(at.first / at.second, 2)} times the "
            f"feed-forward one): the bound is about rank, and {lowers} lowers it."
        )
    return f"{where} the two terms of the bound are of one size, and {lowers} lowers it."


def _what_lowers(bound: Bound, at: BoundAt) -> str:
    """A larger m_FF always does; of m_h the next one, or the one before, may."""
    if bound(at.m_h + 1, at.m_ff) < at.bound:
        return "a larger m_h or m_FF"
    if at.m_h > 1 and bound(at.m_h - 1, at.m_ff) < at.bound:
        return "a smaller m_h or a larger m_FF"
    return "only a larger m_FF"


def _about_optimum(bound: Bound, dims: ModelDims, best: BoundAt, budget: int) -> str:
    text = (
        f"With {many(budget)} parameters the bound is smallest at m_h = {best.m_h}, "
        f"m_FF = {many(best.m_ff)}: {number(best.bound, 3)}."
    )
    wider = next_width(bound, dims, best)
    if wider is None:
        return text
    m_h, needed = wider
    return f"{text} It would choose m_h = {m_h} from about {number(needed, 1)} parameters on."


def next_width(bound: Bound, dims: ModelDims, best: BoundAt) -> tuple[int, int] | None:
    """The next greater optimal m_h and the budget that brings it, to a factor of √10; None up to
    the largest budget."""
    for half_decades in range(2, 37):
        budget = int(10 ** (half_decades / 2))
        if budget > best.parameters:
            wider = optimum(bound, dims, budget, WIDEST)
            if wider.m_h > best.m_h:
                return wider.m_h, budget
    return None


def _about_slip(bound: Bound, m_h: int) -> str:
    rate = 2 * bound.alpha - 1
    printed, tail = bound.c_1 * m_h**-rate, bound.c_1**2 * m_h**-rate / rate
    return (
        rf"Eq. 17 prints $C_1/m_h^{{2\alpha-1}}$ = {number(printed, 2)}; "
        r"what the proof bounds is the tail $\sum_{k>m}\sigma_k^2\le "
        r"C_1^2\,m^{-(2\alpha-1)}/(2\alpha-1)$ at $m=m_h$ "
        f"= {number(tail, 2)}, a squared error, and in the absolute norm on the left its root, "
        f"{number(float(np.sqrt(tail)), 2)}."
    )


def many(count: int) -> str:
    """A whole number as text: 43 297, and 2.24·10⁶ from a million on."""
    return f"{count:,}".replace(",", "\u202f") if count < 1_000_000 else number(count, 3)
