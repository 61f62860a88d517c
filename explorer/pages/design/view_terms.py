"""The two errors in the bound of Theorem 4.1, to be turned by hand (components/theorem)."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.pages.design.view_theory import trivial_of
from explorer.spec import CouplingSpec, spec_id
from explorer.targets import parts_of
from explorer.theory.bound import Bound
from explorer.theory.complexity import BETA
from explorer.theory.design import WIDTHS
from explorer.views.text import number

LIMITS = (1.0, 12.0)
"""log₁₀ of the m_FF that can be turned to."""
DIGITS = 6
M_H = np.arange(1, WIDTHS + 1)


def terms_drawing(
    spec: CouplingSpec,
    bound: Bound | None,
    ff: float | None,
    same: Mapping[str, Any] | None = None,
    proof: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The terms over m_h = 1 … 32, the second at m_FF = 1, from where m_FF^−β brings it elsewhere;
    none without a bound.

    Drawn at `ff`, the log₁₀ of m_FF; without it, at the specification's own. `same` is a drawing of
    view_same.py, of other representations, `proof` one of view_proof.py.
    """
    own = own_ff(spec)
    trivial = trivial_of(spec.tau, parts_of(spec))
    letter = same["letter"] if same else ""
    read = f"{bound.form} {bound.alpha:g}" if bound else ""
    return {
        "subject": f"{spec_id(spec)} {read} {letter}",
        "m": spec.m_h,
        "ff": own if ff is None else ff,
        "own": own,
        "limits": LIMITS,
        "beta": BETA,
        "trivial": trivial.most,
        "answer": f"{trivial.text}: {trivial.answering}",
        "first": _short(bound.first(M_H)) if bound else [],
        "second": _short(bound.second(M_H, 1)) if bound else [],
        "same": same,
        "proof": proof,
    }


def own_ff(spec: CouplingSpec) -> float:
    """log₁₀ of the specification's own m_FF, as far as it can be turned to."""
    return float(np.clip(np.log10(spec.m_ff), *LIMITS))


def least_said(spec: CouplingSpec, bound: Bound, ff: float | None) -> str:
    """Where the sum is least at `ff`, log₁₀ of m_FF, and what it is there."""
    m_ff = spec.m_ff if ff is None else 10**ff
    sums = bound(M_H, m_ff)
    at = int(np.argmin(sums))
    left, right = bound.first(M_H[at]), bound.second(M_H[at], m_ff)
    return (
        f"At m_FF = {number(m_ff, 3)} the bound is least at **m_h = {M_H[at]}**: "
        f"{number(float(sums[at]), 3)}, of which {number(float(left), 2)} is the coupling's and "
        f"{number(float(right), 2)} the networks'."
    )


def _short(values: np.ndarray) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]
