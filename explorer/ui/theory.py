"""Parts of the Design page that open on demand: Theorem 4.1 with its numbers, and the gallery."""

from __future__ import annotations

from urllib.parse import quote

import streamlit as st

from explorer.spec import DESIGN_FIELDS, Spec
from explorer.ui import frame, state
from explorer.views.gallery import GALLERY, GROUPS, entry_of

OWN = "this model's own"
BUDGETS = (OWN, *(10**power for power in range(3, 19)))
CHOOSE = "choose …"
WIDTH = 760
"""Pixels of the figure of Theorem 4.1, fewer where the page has fewer."""


def bound(spec: Spec) -> None:
    """The complexity measures, the bound over (m_h, m_FF), its optimum under a budget."""
    section = st.expander(
        "Theorem 4.1: what it says about this coupling", on_change="rerun", key="theory",
        icon=":material/functions:",
    )  # fmt: skip
    if not section.open:
        return
    from explorer.ui.theory_figure import figure
    from explorer.views.theory import theory_view

    with section:
        budget, form = _asked()
        view = theory_view(
            spec, budget=None if budget == OWN else int(budget), form=form,
            load_grid=state.grid_loader(),
        )  # fmt: skip
        frame.facts(view.facts)
        if len(view.table):
            with st.container(width=WIDTH):
                frame.chart(*figure(spec, view), heading="**The bound against m_h**")
                st.caption("  \n".join(view.marked()))
        for sentence in (*view.sentences, *view.missing):
            st.markdown(sentence)
        for formula in view.latex.values():
            st.latex(formula)


def _asked() -> tuple[int | str, str]:
    """The budget of parameters and the form of the first term."""
    from explorer.views.theory import FORMS, HELP

    left, right = st.columns(2, gap="medium")
    budget = left.select_slider(
        "parameter budget of the optimum", BUDGETS, key="budget", format_func=_budget_text
    )
    form = right.selectbox("first term", FORMS, format_func=FORMS.get, key="form", help=HELP)
    return budget, form


def _budget_text(budget: int | str) -> str:
    return budget if isinstance(budget, str) else f"10^{len(str(budget)) - 1}"


def gallery_choice(spec: Spec) -> None:
    """A coupling of the gallery by name, with what it teaches."""
    here = entry_of(spec)
    st.session_state["gallery"] = here.key if here else CHOOSE
    titles = {CHOOSE: CHOOSE} | {entry.key: entry.title for entry in GALLERY}
    st.selectbox("gallery", titles, format_func=titles.get, key="gallery", on_change=_open)
    if here:
        st.caption(here.lesson)


def _open() -> None:
    chosen = next((e for e in GALLERY if e.key == st.session_state["gallery"]), None)
    if chosen:
        fields = chosen.spec.model_dump(mode="json")
        state.change({name: fields[name] for name in DESIGN_FIELDS})


def gallery() -> None:
    """Every coupling of the gallery with rank, decay and lesson, each a link."""
    section = st.expander(
        f"Gallery: {len(GALLERY)} couplings worth opening", on_change="rerun", key="gallery table",
        icon=":material/collections_bookmark:",
    )  # fmt: skip
    if not section.open:
        return
    with section:
        for group in GROUPS:
            st.markdown("\n".join([f"**{group}**\n", "| coupling | rank | centred | σ_k falls | |",
                                   "|---|---|---|---|---|", *_rows(group)]))  # fmt: skip


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
