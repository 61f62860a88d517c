"""A part of the Design page that opens on demand: Theorem 4.1 with its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from explorer.spec import CouplingSpec
from explorer.ui import (
    chrome,
    components,
    controls,
    exchange,
    manners,
    mathematics,
    selection,
    shown_run,
    specs,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.selection import Selection
from explorer.views.text import SUPERSCRIPTS

if TYPE_CHECKING:
    from explorer.pages.design.view_theory import TheoryView
    from explorer.theory.bound import Bound

PLACE, PICTURE = "theory", "theorem"
BUDGETS = (None, *range(3, 19))
"""log₁₀ of the parameters; None for as many as the model has."""
WIDTH = 760
"""Pixels of the figure of Theorem 4.1, fewer where the page has fewer."""


def way() -> None:
    """A button to it from the top of the page: it opens, and comes into view."""
    st.button(
        "Theorem 4.1 ↓",
        type="tertiary",
        width="content",
        on_click=_come,
        help="What the paper's bound says about this coupling.",
    )


@uninterrupted
def _come() -> None:
    mathematics.unfold()
    st.session_state[PLACE] = True
    manners.bring(PLACE)


def section(spec: CouplingSpec, selected: Selection) -> None:
    """The complexity measures, the bound over (m_h, m_FF), its optimum under a budget."""
    place = st.expander(
        "Theorem 4.1: what it says about this coupling",
        on_change="rerun",
        key=PLACE,
        icon=":material/functions:",
    )
    if not place.open:
        return
    with place:
        _ask()
        _draw(spec, selected)


def _draw(spec: CouplingSpec, selected: Selection) -> None:
    from explorer.pages.design.view_theory import OF_THIS, theory_view

    view = theory_view(
        specs.design(spec),
        budget=None if selected.budget is None else 10**selected.budget,
        form=selected.form,
        alpha=selected.alpha,
    )
    chrome.facts(view.facts)
    chrome.note(OF_THIS)
    if view.bound:
        with st.container(width=WIDTH):
            _picture(spec, view, view.bound, selected.ff)
    for sentence in (*view.sentences, *view.missing):
        chrome.text(sentence)
    _lost(spec, selected)
    for formula in view.latex.values():
        st.latex(formula)


def _lost(spec: CouplingSpec, selected: Selection) -> None:
    """Each step of the proof with what it gives away, from the error to the bound."""
    from explorer.pages.design.figure_theory import figure_of_losses
    from explorer.pages.design.view_losses import best_trained, losses_view
    from explorer.pages.design.view_theory import measures

    designed, trained = specs.design(spec), best_trained(spec, shown_run.trained(spec))
    found = measures(designed.bare, selected.alpha)
    view = losses_view(designed, found, selected.form, trained)
    if view is None:
        if spec.has_parts:
            chrome.note("Where the bound is lost is followed step by step for F = f = id only.")
        return
    with st.container(width=WIDTH):
        drawn = figure_of_losses(spec, view, selected.form)
        chrome.chart(*drawn, heading="**Where the bound is lost**")
    for sentence in view.sentences:
        chrome.text(sentence)


def begin() -> None:
    """Call first in the page: takes what the reader has turned to, and opens for a link that names
    it."""
    exchange.take(PICTURE, _turned)
    if selection.current().ff is not None and PLACE not in st.session_state:
        mathematics.unfold()
        st.session_state[PLACE] = True


def _turned(said: dict[str, Any]) -> None:
    selection.change(ff=said.get("ff"))


def _picture(spec: CouplingSpec, view: TheoryView, bound: Bound, ff: float | None) -> None:
    from explorer.pages.design.figure_theory import figure  # Altair
    from explorer.pages.design.view_terms import least_said, terms_drawing
    from explorer.ui import exports

    build, key, about = figure(spec, view)
    words = least_said(spec, bound, ff)
    exports.menu(build, key, about)
    components.theorem(
        terms_drawing(spec, bound, ff),
        words=words,
        figures=lambda: {key: (build, about)},
        key=PICTURE,
    )
    chrome.text(words)
    chrome.note("  \n".join(view.marked()))


def _ask() -> None:
    """The budget of parameters, the form of the first term, and α where it is given."""
    from explorer.pages.design.view_theory import FORMS, HELP

    left, middle, right = st.columns([2, 2, 1], gap="medium")
    with left:
        controls.picture(
            "budget",
            st.select_slider,
            "parameter budget of the optimum",
            BUDGETS,
            format_func=_budget_text,
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


def _budget_text(power: int | None) -> str:
    return "this model's own" if power is None else "10" + str(power).translate(SUPERSCRIPTS)
