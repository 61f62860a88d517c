"""A part of the Design page that opens on demand: Theorem 4.1 with its numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from explorer.pages.design.chart_theory import bound_chart, losses_chart
from explorer.pages.design.view_losses import LossesView, best_trained, losses_view
from explorer.pages.design.view_same import (
    FAMILIES,
    MOVED,
    families,
    same_drawing,
    same_said,
    same_view,
)
from explorer.pages.design.view_terms import least_said, own_ff, proof_drawing, terms_drawing
from explorer.pages.design.view_theory import (
    FORMS,
    HELP,
    OF_THIS,
    TheoryView,
    measures,
    theory_view,
)
from explorer.spec import CouplingSpec, spec_id
from explorer.theory.bound import Form
from explorer.theory.design import Design
from explorer.ui import chrome, components, controls, exports, selection, shown_run, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About, Build, of_design
from explorer.ui.selection import Selection
from explorer.ui.shown import PARAGRAPH
from explorer.views.text import SUPERSCRIPTS

FAMILY = "picture same"
BUDGETS: dict[int | None, str] = {
    None: "this model's own",
    **{power: f"10{str(power).translate(SUPERSCRIPTS)}" for power in range(3, 19)},
}
"""log₁₀ of the parameters; None for as many as the model has."""
WIDTH = 760
"""Pixels of the figure of Theorem 4.1, fewer where the page has fewer."""


def section(spec: CouplingSpec, selected: Selection) -> None:
    """The complexity measures, the bound over (m_h, m_FF), its optimum under a budget."""
    _ask()
    _choose_family(spec)
    design, form, alpha = specs.design(spec), selected.form, selected.alpha
    budget = None if selected.budget is None else 10**selected.budget
    view = theory_view(design, budget=budget, form=form, alpha=alpha)
    chrome.facts(view.facts)
    chrome.note(OF_THIS)
    trained = best_trained(spec, shown_run.trained(spec))
    lost = losses_view(design, measures(design.bare, alpha), form, trained)
    with st.container(width=WIDTH):
        _picture(design, view, selected, lost)
    for sentence in (*view.sentences, *view.missing, *(lost.sentences if lost else ())):
        chrome.text(sentence)
    if spec.has_parts:
        chrome.note("Where the bound is lost is followed step by step for F = f = id only.")
    for formula in view.latex.values():
        st.latex(formula)


def _picture(
    design: Design, view: TheoryView, selected: Selection, lost: LossesView | None
) -> None:
    """The bound, below it other representations of H and the proof, as far as there are some."""
    spec, bound, complexity = design.spec, view.bound, measures(design.bare, selected.alpha)
    ff = own_ff(spec) if selected.ff is None else selected.ff
    same = same_view(design, selected.same, complexity, bound, ff, selected.along)
    sentences = [least_said(spec, bound, selected.ff)] if bound else []
    sentences += same_said(design, same, ff) if same else []
    if not sentences and lost is None:
        return
    figures = _figures_of(spec, view, lost)
    proof, arrays = proof_drawing(design, lost, selected.form) if lost else (None, {})
    components.below(
        "theorem",
        terms_drawing(spec, bound, selected.ff, same and same_drawing(same), proof),
        arrays,
        words=PARAGRAPH.join(sentences),
        figures=lambda: figures,
        key="theorem",
    )
    for sentence in sentences:
        chrome.text(sentence)
    if bound:
        chrome.note("  \n".join(view.marked()))


def _figures_of(spec: CouplingSpec, view: TheoryView, lost: LossesView | None) -> dict[str, Any]:
    """The figures of the bound and of its proof, once their menus are drawn."""
    drawn = [figure(spec, view)] if view.bound else []
    drawn += [figure_of_losses(spec, lost, view.form)] if lost else []
    with st.container(horizontal=True):
        for build, key, about in drawn:
            exports.menu(build, key, about)
    return {key: (build, about) for build, key, about in drawn}


def _ask() -> None:
    """The budget of parameters, the form of the first term, and α where it is given."""
    left, middle, right = st.columns([2, 2, 1], gap="medium")
    with left:
        controls.picture(
            "budget",
            st.select_slider,
            "parameter budget of the optimum",
            [*BUDGETS],
            format_func=BUDGETS.get,
        )
    with middle:
        controls.picture(
            "form", st.selectbox, "first term", list(FORMS), format_func=FORMS.get, help=HELP
        )
    with right:
        controls.picture(
            "alpha",
            st.number_input,
            "α of C₁^(α)",
            0.05,
            8.0,
            value=None,
            step=0.05,
            placeholder="its own",
            help=r"$C_1^{(\alpha)}\le\max_k\sigma_k\,k^{\alpha}$, finite for α up "
            "to the decay of σ_k. Empty: the designed or fitted one.",
        )


def _choose_family(spec: CouplingSpec) -> None:
    """Another family begins at the representation of the page."""
    known, same = families(spec), selection.current().same
    controls.draw(
        st.segmented_control,
        FAMILY,
        same if same in known else known[0],
        "H stays under",
        known,
        format_func=FAMILIES.__getitem__,
        required=True,
        on_change=_chosen,
        help=MOVED,
    )


@uninterrupted
def _chosen() -> None:
    selection.change(same=st.session_state[FAMILY], along=None)


EXPLAINED = (
    r"$\sum_t|H_t-\hat H_t|\le\tau^2C_0\,(C_1/m_h^{2\alpha-1}+C_2(m_h)\,m_h^{\beta+1}/"
    r"\mathrm{m}_{FF}^{\beta})$ (Theorem 4.1, Eq. 17), against $m_h$ at a fixed width of the "
    "feed-forward networks, and along all pairs of widths that a budget of parameters allows."
)
LOST = (
    "The steps of the proof (App. A.3, Eqs. 33 to 52), each from what stands on its left to what "
    r"stands on its right, in the norm $\int\sum_t|H_t-\hat H_t|\,d\mathbf x$ of Theorem 4.1: the "
    "factors multiply to bound over error. The coupling's part is followed with exact networks, "
    "both sides of each step on the sequences of truncation or by the POD; networks are then added "
    "as near as Barron's theorem says that some are. With a, a_m the weights by ρ and by its first "
    "m_h terms. Eq. 50's sup|f| is taken out before Eq. 42, which with |f(x_s)| inside need not "
    "hold."
)
UNIT = "y, summed over t"


def figure(spec: CouplingSpec, view: TheoryView) -> tuple[Build, str, About]:
    """How it is drawn, its key on the page, and what its files say."""
    solid = f"; solid: with {view.along['line'].iloc[0]}" if len(view.along) else ""
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


def figure_of_losses(spec: CouplingSpec, view: LossesView, form: Form) -> tuple[Build, str, About]:
    """The same of the steps of its proof."""
    about = About(
        f"{spec_id(spec)}-losses",
        "Theorem 4.1: where the bound is lost",
        "\n".join([of_design(spec), f"the coupling's term {FORMS[form]}"]),
        view.table,
        LOST,
        dict.fromkeys(("before", "after"), UNIT),
    )
    return partial(losses_chart, view.table, view.trivial), "losses", about
