"""A part of the Design page that opens on demand: Theorem A.3 for an H that is typed."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.coupling import FormulaError
from explorer.coupling.typed import caret
from explorer.pages.design import view_representation as view
from explorer.pages.design.chart_theory import errors_chart, rough_chart
from explorer.runs import jobs
from explorer.slow import pd
from explorer.theory.relation import Relation, read, variables
from explorer.theory.representation import MOST_DIGITS
from explorer.ui import chrome, controls, formulas, registry, selection
from explorer.ui.awaited import Words, awaited, steer
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.part import part
from explorer.ui.selection import Selection
from explorer.ui.words import as_code

FIELD = "relation"
HEADS = Words(
    "Fit heads to the same H",
    "Go on with the heads",
    "heads",
    ":material/model_training:",
    "One head of Eq. 5, of several widths, several seeds each; some seconds.",
)


def section(selected: Selection) -> None:
    """The construction of the typed H, how rough it is, and one head that learns the same."""
    tau = selected.places
    formula = selected.relation or view.FIRST[tau]
    asked = view.Asked(formula, tau, min(selected.digits, MOST_DIGITS[tau]))
    _ask(asked)
    try:
        _draw(asked)
    except FormulaError as error:
        st.warning(f"```\n{caret(formula, error)}\n```\n{as_code(str(error))}")


def _ask(asked: view.Asked) -> None:
    left, middle, right = st.columns([1, 3, 2], gap="medium")
    with left:
        controls.picture("places", st.segmented_control, "τ, tokens", (2, 3), required=True)
    with middle:
        names = variables(asked.tau)
        words = f"{', '.join(names[:-1])} in [0, 1], and t, the position from 1"
        shown = partial(view.notes, tau=asked.tau)
        arguments = formulas.Variables(words, view.EXAMPLE[asked.tau])
        formulas.field(FIELD, "H(x) at t =", asked.formula, shown, _typed, arguments)
    with right:
        most, key = MOST_DIGITS[asked.tau], f"digits of {asked.tau}"
        controls.draw(
            st.select_slider,
            key,
            asked.digits,
            "digits, one iteration each",
            range(1, most + 1),
            on_change=_counted,
            args=(key,),
        )


@uninterrupted
def _typed(key: str) -> None:
    selected = selection.current()
    tau, before = selected.places, selected.relation or view.FIRST[selected.places]
    formula = formulas.read(key, before, variables(tau), lambda text: read(text, tau))
    if formula is not None:
        selection.change(relation=formula)


@uninterrupted
def _counted(key: str) -> None:
    selection.change(digits=st.session_state[key])


def _draw(asked: view.Asked) -> None:
    _, seconds = view.estimate(asked)
    with st.spinner(f"About {seconds:.0f} s", show_time=True):
        seen = view.representation_view(asked)
    chrome.facts(seen.facts)
    chrome.text(seen.sentences[0])
    _functions(asked, seen)
    for sentence in seen.sentences[1:]:
        chrome.text(sentence)
    part(_beside_a_head)(asked, seen)
    chrome.note(f"{view.about_n(asked.tau)}  \n{view.SOURCES}")


def _functions(asked: view.Asked, seen: view.RepresentationView) -> None:
    """ψ and one g_q, beside each other where there is room."""
    left, right = st.columns(2, gap="medium")
    with left:
        build = partial(rough_chart, seen.psi, "x", "ψ(x)")
        chrome.chart(build, "inner", _about(asked, "psi", "inner function ψ", seen.psi))
    with right:
        build = partial(rough_chart, seen.g, "Σₛ ψ₀ₛ(xₛ)", "g₀")
        chrome.chart(build, "outer", _about(asked, "g", "g_0 of H_1", seen.g))


def _beside_a_head(asked: view.Asked, seen: view.RepresentationView) -> None:
    """The heads that are there, and the button that asks for them."""
    relation = Relation(asked.formula, asked.tau)
    job = f"heads-{relation.id}"
    with awaited("heads", job):
        work = jobs.get(registry.store(), job)
        steer("heads", relation, work, HEADS)
        rows = work.result or () if work else ()
        table = pd.concat([seen.errors, view.head_rows(rows)], ignore_index=True)
        about = _about(asked, "errors", "Errors off the grid against numbers stored", table)
        chrome.chart(partial(errors_chart, table), "representation", about)
        if work and work.status == "finished":
            chrome.text(view.head_said(rows))


def _about(asked: view.Asked, name: str, title: str, table):
    footer = f"H = {asked.formula} · τ = {asked.tau} · {asked.digits} digits · computed, seed 0"
    return About(f"representation-{name}", title, footer, table)
