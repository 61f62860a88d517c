"""Other (F, f, ρ) of the H of a design: how C₀, C₁, C₂ and the bound of Theorem 4.1 move along them
while H stays (components/theorem)."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from explorer.spec import CouplingSpec
from explorer.theory.bound import Bound
from explorer.theory.complexity import Complexity
from explorer.theory.design import WIDTHS, Design
from explorer.theory.family import SEQUENCES, Family, Measures
from explorer.theory.infima import together
from explorer.theory.least import Least
from explorer.theory.representations import Gauge, Monotone, family_of, least_along
from explorer.views.text import number

FAMILIES = {
    "gauge": "ρ + γ g(u)",
    "scale": "F(s·), f/s",
    "shift": "F(· + b), f − b",
    "rotation": "F∘R⁻¹, R f",
    "monotone": "h(ρ) at T → 0",
}
MOVED = r"""
Eqs. 12, 14 and 15 take the least over all $(F,f,\rho)$ of one H. Families of them:

- $\rho(u,v)+\gamma\,g(u)$: softmax does not see it. $\lVert g\rVert=1$, the v-mean of ρ as it is
  written, or 1 where that is 0; the page's numbers are those of γ = 0, the centred ρ.
- $F(s\,\cdot)$ and $f/s$, with $s\ge1$: $K_F\lVert f\rVert_\infty$ stays, and F is measured on an
  interval as long as the values of f had.
- $F(\cdot+b)$ and $f-b$, as the weights sum to 1. Barron's constants are blind to b.
- $F\circ R^{-1}$ and $Rf$, where f has several features: R turns the first and the second by θ.
  In $|\cdot|_2$ $K_F$, $\lVert f\rVert_\infty$ and $C_\mathrm{FF}(F)$ know no axes; what is known
  of $C_\mathrm{FF}(f)$, the sum of its features' constants, moves.
- $h_\lambda(\rho)=(e^{\lambda\rho}-1)/\lambda$, of the same size when centred, where the largest ρ
  alone counts (T → 0); λ in units of 1/(max ρ − min ρ). Eq. 17 does not speak of that case.
"""
COUNT = 41
"""Positions of a family, beside those that are marked."""
STANDS = 1e-9
TINY = 1e-3
"""Of ‖ρ‖: a rest of the first terms below it says nothing of how many there are."""
BOUND = "the bound"
APART = 1.005  # times: what is not said of Eq. 17 with one representation
OWN = {"γ": "centred", "s": "f itself", "b": "f itself", "θ": "f itself", "λ": "ρ itself"}
M_H = np.arange(1, WIDTHS + 1)
Of = Callable[[Measures], float]


@dataclass(frozen=True, eq=False)
class SameView:
    """A family of representations, drawn at one of them."""

    family: Family
    bound: Bound | None
    """Of the design; None where there is none, or none of this family."""
    m: int
    positions: np.ndarray
    at: int
    """The position that is drawn, by its index."""
    curves: Mapping[str, Of]
    """By name: what moves along the family."""
    standing: tuple[str, ...]
    """The names of what does not."""
    least: Mapping[str, Least]
    """Of each curve, and of the bound."""

    @property
    def position(self) -> float:
        return float(self.positions[self.at])


def families(spec: CouplingSpec) -> list[str]:
    """Those of a design: one feature has no rotation."""
    return [name for name in FAMILIES if len(spec.features) > 1 or name != "rotation"]


def same_view(
    design: Design,
    name: str,
    complexity: Complexity,
    bound: Bound | None = None,
    ff: float = 0.0,
    along: float | None = None,
) -> SameView | None:
    """The family `name`, or the first where a design has none such, at the position nearest to
    `along`, its own without it; the bound is least at the log₁₀ of m_FF `ff`. None of a ρ that
    softmax cannot see: it has no measure to move."""
    if not design.decomposition().sigma[0] > design.decomposition().tolerance:
        return None
    known = families(design.spec)
    family = family_of(name if name in known else known[0], design.bare, complexity)
    m = min(design.spec.m_h, WIDTHS)
    bound = None if family.hard else bound
    named = dict(_named(family, m))
    curves = {name: measure for name, measure in named.items() if _moves(family, measure)}
    best = {name: least_along(family, measure, COUNT) for name, measure in curves.items()}
    if bound:
        best[BOUND] = least_along(family, _of_bound(bound, m, 10**ff), COUNT)
    marked = [least.position for least in best.values()]
    marked += [family.written] if isinstance(family, Gauge) else []
    positions = np.unique(np.round([*family.positions(COUNT), *marked], 9))
    wanted = family.own if along is None else along
    at = int(np.abs(positions - wanted).argmin())
    standing = tuple(name for name in named if name not in curves and _known(family, named[name]))
    return SameView(family, bound, m, positions, at, curves, standing, best)


def _named(family: Family, m: int) -> Iterator[tuple[str, Of]]:
    """The measures of one representation by their names; nan where there is none."""
    tail = family.at(family.own).tail
    terms = min(m, max(int((tail > TINY * tail[0]).sum()) - 1, 0))
    yield "C₀", lambda measures: math.nan if measures.c_0 is None else measures.c_0
    yield "C₁", lambda measures: measures.c_1
    yield f"‖ρ − ρ_{{{terms}}}‖", lambda measures: _at(measures.tail, terms)
    yield f"C₂({m})", lambda measures: math.nan if measures.c_2 is None else _at(measures.c_2, m)
    if family.moves_parts:
        yield "C_{FF}(F)", lambda measures: measures.parts[0]
        yield "C_{FF}(f)", lambda measures: measures.parts[1]


def _at(values: np.ndarray, m: int) -> float:
    return float(values[min(m, len(values) - 1)])


def _of_bound(bound: Bound, m: int, m_ff: float) -> Of:
    return lambda measures: float(_bound(bound, measures)(m, m_ff))


def _bound(bound: Bound, measures: Measures) -> Bound:
    """The bound with the measures of a representation."""
    assert measures.c_0 is not None and measures.c_2 is not None  # there is a bound of the design
    return replace(bound, c_0=measures.c_0, c_1=measures.c_1, c_2=measures.c_2)


def _known(family: Family, measure: Of) -> bool:
    own = measure(family.at(family.own))
    return math.isfinite(own) and own > STANDS


def _moves(family: Family, measure: Of) -> bool:
    """Whether it is another at some position than at the family's own, where it is above 0."""
    if not _known(family, measure):
        return False
    own = measure(family.at(family.own))
    values = [measure(family.at(position)) for position in family.positions(COUNT)]
    return float(np.abs(np.array(values) - own).max()) > STANDS * own


def same_drawing(view: SameView) -> dict[str, Any]:
    """What the component draws: each curve and both terms of the bound at every position."""
    family, bound = view.family, view.bound
    by_position = [family.at(float(position)) for position in view.positions]
    bounds = [_bound(bound, measures) for measures in by_position] if bound else []
    marks = [{"position": family.own, "text": OWN[family.letter]}]
    if isinstance(family, Gauge) and family.written:
        marks.append({"position": round(family.written, 9), "text": "ρ as written"})
    return {
        "letter": family.letter,
        "log": family.log,
        "at": view.at,
        "own": int(np.abs(view.positions - family.own).argmin()),
        "positions": [float(position) for position in view.positions],
        "off": [short(family.off(float(position))) for position in view.positions],
        "marks": marks,
        "curves": [
            {"name": name, "values": [short(measure(each)) for each in by_position]}
            for name, measure in view.curves.items()
        ],
        "first": [[short(value) for value in each.first(M_H)] for each in bounds],
        "second": [[short(value) for value in each.second(M_H, 1)] for each in bounds],
    }


def short(value: float) -> float:
    """As it is drawn."""
    return float(f"{value:.6g}")


def same_said(design: Design, view: SameView, ff: float) -> tuple[str, ...]:
    """What the picture shows at its position; `ff` is log₁₀ of m_FF."""
    sentences = (_of_h(view), _of_least(view), _of_all(design, view, ff))
    return tuple(filter(None, sentences))


def _of_h(view: SameView) -> str:
    family, position = view.family, view.position
    here = ", ".join(
        f"{_spoken(name)} = {number(measure(family.at(position)), 3)}"
        for name, measure in view.curves.items()
    )
    stay = "stays" if len(view.standing) == 1 else "stay"
    still = f"; {', '.join(map(_spoken, view.standing))} {stay}" if view.standing else ""
    off = number(max(family.off(float(each)) for each in view.positions))
    same = f"{SEQUENCES} random sequences have the same H to {off} all along"
    if isinstance(family, Monotone):
        soft = number(max(family.soft(end) for end in family.ends))
        same += f" where the largest ρ alone counts; at T = 1 H would move by {soft}"
    return f"At {family.letter} = {number(position, 3)}: {here}{still}. {same}."


def _of_least(view: SameView) -> str:
    letter = view.family.letter
    minima = [
        f"{_spoken(name)} {number(best.value, 3)} at {letter} = {number(best.position, 3)}"
        for name, best in view.least.items()
    ]
    why = ""
    if isinstance(view.family, Gauge):
        why = (
            " No gauge has a $\\sigma_k$ below that of the centred ρ: $KK^*+\\gamma^2 g\\otimes g$ "
            "is at least $KK^*$."
        )
    return f"The least: {', '.join(minima)}.{why}" if minima else ""


def _spoken(name: str) -> str:
    """A measure as a formula, where its name has letters below the line."""
    if "_" not in name:
        return name
    tex = name.replace("C_{FF}", r"C_\mathrm{FF}").replace("‖ρ − ρ", r"\lVert\rho-\rho")
    return f"${tex.replace('‖', chr(92) + 'rVert')}$"


def _of_all(design: Design, view: SameView, ff: float) -> str:
    """The infima as far as the families go together."""
    if view.bound is None:
        return ""
    all_of = together(design.bare, view.family.complexity, view.bound, view.m, 10**ff)
    sentence = (
        f"Gauge, scale and shift together bring C₀ to {number(all_of.c_0, 3)}, C₁ to "
        f"{number(all_of.c_1, 3)} and C₂({view.m}) to {number(all_of.c_2, 3)}, each by an "
        f"(F, f, ρ) of its own: Eq. 17 is then {number(all_of.apart, 3)}."
    )
    times = all_of.at_once / all_of.apart
    if times < APART:
        return sentence
    return (
        f"{sentence} Its proof has a single (F, f, ρ), and the best of these comes down to "
        f"{number(all_of.at_once, 3)}, ×{number(times, 3)} as much."
    )
