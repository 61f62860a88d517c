"""Parts of the Design page that open on demand: Theorem 4.1 with its numbers, and the gallery."""

from __future__ import annotations

from urllib.parse import quote

import streamlit as st

from explorer.spec import DESIGN_FIELDS, CouplingSpec
from explorer.ui import chrome, controls, state
from explorer.ui.selection import Selection
from explorer.views.gallery import GALLERY, GROUPS, entry_of
from explorer.views.text import SUPERSCRIPTS

BUDGETS = (None, *range(3, 19))
"""log₁₀ of the parameters; None for as many as the model has."""
CHOOSE = "choose …"
WIDTH = 760
"""Pixels of the figure of Theorem 4.1, fewer where the page has fewer."""


def bound(spec: CouplingSpec, selected: Selection) -> None:
    """The complexity measures, the bound over (m_h, m_FF), its optimum under a budget."""
    section = st.expander(
        "Theorem 4.1: what it says about this coupling",
        on_change="rerun",
        key="theory",
        icon=":material/functions:",
    )
    if not section.open:
        return
    from explorer.ui.theory_figure import figure
    from explorer.views.theory import theory_view

    with section:
        _ask()
        view = theory_view(
            state.design(spec),
            budget=None if selected.budget is None else 10**selected.budget,
            form=selected.form,
            alpha=selected.alpha,
        )
        chrome.facts(view.facts)
        if len(view.table):
            with st.container(width=WIDTH):
                chrome.chart(*figure(spec, view), heading="**The bound against $m_h$**")
                st.caption("  \n".join(view.marked()))
        for sentence in (*view.sentences, *view.missing):
            st.markdown(sentence)
        for formula in view.latex.values():
            st.latex(formula)


def _ask() -> None:
    """The budget of parameters, the form of the first term, and α where it is given."""
    from explorer.views.theory import FORMS, HELP

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
            help=r"$C_1^{(\alpha)}=\max_k\sigma_k\,k^{\alpha}$ is finite for α up "
            "to the decay of σ_k. Empty: the designed or fitted one.",
        )


def _budget_text(power: int | None) -> str:
    return "this model's own" if power is None else "10" + str(power).translate(SUPERSCRIPTS)


def gallery_choice(spec: CouplingSpec) -> None:
    """A coupling of the gallery by name, with what it teaches."""
    here = entry_of(spec)
    st.session_state["gallery"] = here.key if here else CHOOSE
    titles = {CHOOSE: CHOOSE} | {entry.key: entry.title for entry in GALLERY}
    st.selectbox("gallery", titles, format_func=titles.__getitem__, key="gallery", on_change=_open)
    if here:
        chrome.note(here.lesson)


def _open() -> None:
    chosen = next((e for e in GALLERY if e.key == st.session_state["gallery"]), None)
    if chosen:
        fields = chosen.spec.model_dump(mode="json")
        state.change({name: fields[name] for name in DESIGN_FIELDS})


def gallery() -> None:
    """Every coupling of the gallery with rank, decay and lesson, each a link."""
    section = st.expander(
        f"Gallery: {len(GALLERY)} couplings worth opening",
        on_change="rerun",
        key="gallery table",
        icon=":material/collections_bookmark:",
    )
    if not section.open:
        return
    with section:
        for group in GROUPS:
            st.markdown(
                "\n".join(
                    [
                        f"**{group}**\n",
                        "| coupling | rank | centred | σ_k falls | |",
                        "|---|---|---|---|---|",
                        *_rows(group),
                    ]
                )
            )


def _cell(text: str) -> str:
    """A title as it stands in a table, where a bar would end the cell."""
    return text.replace("|", r"\|")


def _rows(group: str) -> list[str]:
    return [
        f"| [{_cell(entry.title)}](/?spec={quote(entry.link)}) | {entry.rank} | "
        f"{entry.centred_rank} | {entry.decay} | {entry.lesson} |"
        for entry in GALLERY
        if entry.group == group
    ]
