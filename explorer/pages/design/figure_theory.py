"""The figure of Theorem 4.1: drawn on the Design page, and taken home."""

from __future__ import annotations

from functools import partial

from explorer.pages.design.chart_theory import bound_chart
from explorer.pages.design.view_theory import FORMS, TheoryView
from explorer.spec import CouplingSpec, spec_id
from explorer.ui.exports import About, Build, of_design

EXPLAINED = (
    r"$\sum_t|H_t-\hat H_t|\le\tau^2C_0\,(C_1/m_h^{2\alpha-1}+C_2(m_h)\,m_h^{\beta+1}/"
    r"\mathrm{m}_{FF}^{\beta})$ (Theorem 4.1, Eq. 17), against $m_h$ at a fixed width of the "
    "feed-forward networks, and along all pairs of widths that a budget of parameters allows."
)
UNIT = "y, summed over t"


def figure(spec: CouplingSpec, view: TheoryView) -> tuple[Build, str, About]:
    """How it is drawn, its key on the page, and what its files say."""
    solid = f"; solid: with {view.along['line'].iloc[0]}" * bool(len(view.along))
    read = f"the coupling's term {FORMS[view.form]}; dotted: m_FF fixed{solid}"
    about = About(
        f"{spec_id(spec)}-theorem",
        "Theorem 4.1: the bound against m_h",
        "\n".join([of_design(spec), read, *view.marked()]),
        view.data(),
        EXPLAINED,
        dict.fromkeys(("bound", "first", "second"), UNIT),
    )
    drawn = view.table, view.along, view.points, view.trivial
    return partial(bound_chart, *drawn), "bound", about
