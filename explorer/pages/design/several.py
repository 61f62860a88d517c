"""A part of the Design page that opens on demand: couplings of tokens with several numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from explorer.coupling import FormulaError
from explorer.coupling.several import parse_several, variables
from explorer.coupling.typed import caret
from explorer.ui import chrome, controls, formulas, selection
from explorer.ui.callbacks import uninterrupted
from explorer.ui.selection import Selection
from explorer.ui.words import as_code

if TYPE_CHECKING:
    from explorer.pages.design.view_several import SeveralView

PLACE, FIELD = "several", "of several"
TITLE = "Tokens of several numbers"


def section(selected: Selection) -> None:
    """A typed ρ(u, v) of vectors: its spectrum, and slices beside those of its first terms."""
    place = st.expander(TITLE, on_change="rerun", key=PLACE, icon=":material/grid_view:")
    if not place.open:
        return
    from explorer.pages.design.view_several import Slice, found, several_view

    formula, d = _formula(selected), selected.numbers
    with place:
        _ask(formula, d)
        try:
            of = found(formula, d, selected.centred)
        except FormulaError as error:
            st.warning(f"```\n{caret(formula, error)}\n```\n{as_code(str(error))}")
            return
        cut = Slice(min(selected.axis_u, d), min(selected.axis_v, d), selected.held)
        _draw(formula, d, several_view(of, selected.several_m, cut))


def _formula(selected: Selection) -> str:
    from explorer.pages.design.view_several import FIRST

    return selected.several or FIRST[selected.numbers]


def _ask(formula: str, d: int) -> None:
    from explorer.pages.design.view_several import EXAMPLE, notes

    left, right = st.columns([1, 3], gap="medium")
    with left:
        controls.picture("numbers", st.segmented_control, "numbers a token", (2, 3), required=True)
    with right:
        of = formulas.Variables(f"{', '.join(variables(d))} in [0, 1]", EXAMPLE[d])
        formulas.field(FIELD, "ρ(u, v) =", formula, partial(notes, d=d), _typed, of)
    columns, axes = st.columns(4, gap="medium"), range(1, d + 1)
    with columns[0]:
        controls.picture("several_m", st.slider, "m, terms kept", 1, 32)
    with columns[1]:
        controls.picture("axis_u", st.segmented_control, "along which u", axes, required=True)
    with columns[2]:
        controls.picture("axis_v", st.segmented_control, "and which v", axes, required=True)
    with columns[3]:
        controls.picture("held", st.slider, "the others held at", 0.0, 1.0, step=0.05)


@uninterrupted
def _typed(key: str) -> None:
    selected = selection.current()
    before, d = _formula(selected), selected.numbers
    text = formulas.read(key, before, variables(d), lambda typed: parse_several(typed, d))
    if text is not None:
        selection.change(several=text)


def _draw(formula: str, d: int, view: SeveralView) -> None:
    from explorer.charts.heatmap import colour_range, coupling_chart
    from explorer.pages.design.chart_several import several_chart
    from explorer.ui.exports import About

    footer = f"ρ = {formula} · d = {d} · computed"
    chrome.facts(view.facts)
    chrome.text(view.sentence)
    about = About(
        "several-spectrum", "Spectrum of tokens with several numbers", footer, view.spectrum
    )
    chrome.chart(partial(several_chart, view.spectrum), "several spectrum", about)
    limit = colour_range(view.maps["rho"].to_numpy())
    maps = view.maps.groupby("coupling", sort=False)
    places = zip(st.columns(2, gap="medium"), ("rho", "kept"), maps, strict=True)
    for column, place, (name, part) in places:
        with column:
            about = About(f"several-{place}", f"Slice of ρ(u, v): {name}", footer, part)
            chrome.chart(partial(coupling_chart, part, limit=limit), f"slice {place}", about)
