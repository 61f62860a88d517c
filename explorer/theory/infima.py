"""The infima of Eqs. 12, 14 and 15 as far as gauge, scale and shift go together, and what Theorem
4.1 makes of them.

The three families move apart: ρ by the gauge, C_FF(F) + C_FF(f) by the scale, ‖f‖_∞ by the shift.
So the least of each measure is made of the least along each. Eq. 17 multiplies three infima, each
with an (F, f, ρ) of its own; its proof has one for all, which cannot do better. Of several features
the shift is to the middle of their box, where ‖f − b‖_∞ is small and need not be least.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from explorer.theory.bound import Bound
from explorer.theory.complexity import Complexity
from explorer.theory.design import Design
from explorer.theory.family import Measures
from explorer.theory.representations import family_of, least_along


class Together(NamedTuple):
    """Of one width m_h and m_FF."""

    c_0: float
    c_1: float
    c_2: float
    """C₂(m_h)."""
    apart: float
    """Eq. 17 with each of them at its own least."""
    at_once: float
    """The least of Eq. 17 with all of them of one representation,"""
    gauge: float
    """and its γ."""


def together(design: Design, complexity: Complexity, bound: Bound, m: int, m_ff: float) -> Together:
    """What gauge, scale and shift leave of the measures of a design that has a `bound`."""
    gauge, scale = (family_of(name, design, complexity) for name in ("gauge", "scale"))
    inner = design.target.parts.inner
    middle = np.mean(inner.ends, axis=1)
    share = inner.within(middle) / design.target.parts.sup_inner
    saved = (
        _second(scale.at(scale.own), m)
        - least_along(scale, lambda measures: _second(measures, m)).value
    )

    def moved(measures: Measures) -> tuple[float, float, float]:
        """C₀, C₁ and C₂(m) of a gauge with the best scale and shift."""
        return max(share * (measures.c_0 or 1.0), 1.0), measures.c_1, _second(measures, m) - saved

    def bounded(measures: Measures) -> float:
        return _bound(bound, m, m_ff, *moved(measures))

    c_0, c_1, c_2 = (
        least_along(gauge, lambda measures, i=i: moved(measures)[i]).value for i in range(3)
    )
    best = least_along(gauge, bounded)
    apart = _bound(bound, m, m_ff, c_0, c_1, c_2)
    return Together(c_0, c_1, c_2, apart, best.value, best.position)


def _second(measures: Measures, m: int) -> float:
    """C₂(m), which is there where there is a bound."""
    if measures.c_2 is None:
        raise ValueError("C₂ is not available: there is no bound")
    return float(measures.c_2[min(m, len(measures.c_2) - 1)])


def _bound(bound: Bound, m: int, m_ff: float, c_0: float, c_1: float, c_2: float) -> float:
    at = replace(bound, c_0=c_0, c_1=c_1, c_2=np.array([c_2]))
    return float(at(m, m_ff))
