"""A part of the Design page that opens on demand: couplings of tokens with several numbers."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from explorer.charts.heatmap import colour_range, coupling_chart
from explorer.coupling import FormulaError, GridError
from explorer.coupling.grid import CELLS
from explorer.coupling.several import parse_several, variables
from explorer.coupling.typed import caret
from explorer.hosting import page_visit
from explorer.pages.design.chart_theory import several_chart
from explorer.pages.design.folds import SEVERAL, SLICES
from explorer.pages.design.view_several import (
    EXAMPLE,
    FIRST,
    SHOWN,
    Named,
    SeveralView,
    Slice,
    found,
    notes,
    of_bases,
    sampled,
    several_view,
    slices_drawing,
    typed,
)
from explorer.runs.database import StoreError
from explorer.spec import CouplingSpec, SpecError
from explorer.ui import chrome, components, controls, exports, formulas, registry, selection
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.selection import Selection
from explorer.ui.words import as_code, said

FIELD, FILE = "of several", "samples of several"
TAKEN = f"{FILE} taken"
"""Which file was looked at last, for how many numbers, and why it was not taken."""
TITLE = "Tokens of several numbers"
WAYS = {"formula": "formula", "bases": "the bases above", "file": "file"}
HELP = (
    "A matrix with a row for each u and a column for each v, the last number fastest, or a .npy "
    "file of an axis for each number; at cell centres, at most "
    f"{', '.join(f'{cells} along each of {d} numbers' for d, cells in CELLS.items())}."
)


def section(spec: CouplingSpec, selected: Selection) -> None:
    """ρ(u, v) of vectors: its spectrum, and slices beside those of its first terms."""
    place = st.expander(TITLE, on_change="rerun", key=SEVERAL, icon=":material/grid_view:")
    if not place.open:
        return
    d = selected.numbers
    with place:
        try:
            if (named := _asked(spec, selected)) is None:
                return
            of = found(named.coupling, selected.centred)
        except FormulaError as error:
            st.warning(f"```\n{caret(_formula(selected), error)}\n```\n{as_code(str(error))}")
            return
        except (SpecError, GridError, StoreError) as error:
            st.warning(said(error), icon=":material/warning:")
            return
        cut = Slice(min(selected.axis_u, d), min(selected.axis_v, d), selected.held)
        m = min(selected.several_m, SHOWN)
        _draw(named, several_view(of, m, cut), slices_drawing(of, named.label, m, cut))
        centred = " --centred" * selected.centred
        st.code(f"python -m explorer pod --d {d}{centred} {named.option}", language=None)


def _asked(spec: CouplingSpec, selected: Selection) -> Named | None:
    """The controls, and the coupling that they ask for; None while it waits for its samples."""
    d = selected.numbers
    left, right = st.columns([1, 2], gap="medium")
    with left:
        controls.picture("numbers", st.segmented_control, "numbers a token", (2, 3), required=True)
    with right:
        controls.picture(
            "several_from",
            st.segmented_control,
            "ρ(u, v) from",
            WAYS,
            format_func=WAYS.__getitem__,
            required=True,
        )
    {"formula": _type, "bases": lambda _: None, "file": _bring}[selected.several_from](selected)
    _axes(d)
    if selected.several_from == "formula":
        return typed(_formula(selected), d)
    if selected.several_from == "bases":
        return of_bases(spec, d)
    if selected.several_grid is None:
        return None
    return sampled(registry.store().grid, selected.several_grid, d)


def _formula(selected: Selection) -> str:
    return selected.several or FIRST[selected.numbers]


def _type(selected: Selection) -> None:
    d = selected.numbers
    of = formulas.Variables(f"{', '.join(variables(d))} in [0, 1]", EXAMPLE[d])
    formulas.field(FIELD, "ρ(u, v) =", _formula(selected), partial(notes, d=d), _typed, of)


def _axes(d: int) -> None:
    """Which slice is seen."""
    columns, axes = st.columns(2, gap="medium"), range(1, d + 1)
    with columns[0]:
        controls.picture("axis_u", st.segmented_control, "along which u", axes, required=True)
    with columns[1]:
        controls.picture("axis_v", st.segmented_control, "and which v", axes, required=True)


def _bring(selected: Selection) -> None:
    """Samples by a file, which are kept in the store. Raises GridError or StoreError for as long as
    a file that was refused is there."""
    file = page_visit.uploader(
        "samples of ρ", type=["npy", "csv"], max_upload_size=20, key=FILE, help=HELP
    )
    if file is None:
        return
    asked = file.file_id, selected.numbers
    before, refused = st.session_state.get(TAKEN, (None, None))
    if asked != before:
        refused = _take(file.getvalue(), file.name, selected.numbers)
        st.session_state[TAKEN] = asked, refused
    if refused is not None:
        raise refused
    if asked != before:
        st.rerun()


def _take(data: bytes, name: str, d: int) -> GridError | StoreError | None:
    """Why the samples of a file are not taken."""
    try:
        sha = registry.store().put_grid(page_visit.grid(data, name, d), name)
    except (GridError, StoreError) as error:
        return error
    selection.change(several_grid=sha)
    return None


@uninterrupted
def _typed(key: str) -> None:
    selected = selection.current()
    before, d = _formula(selected), selected.numbers
    text = formulas.read(key, before, variables(d), lambda typed: parse_several(typed, d))
    if text is not None:
        selection.change(several=text)


def _draw(named: Named, view: SeveralView, drawing: tuple[dict[str, Any], Any]) -> None:
    footer = f"{named.label} · d = {named.coupling.d} · computed"
    chrome.facts(view.facts)
    chrome.text(view.sentence)
    about = About(
        "several-spectrum", "Spectrum of tokens with several numbers", footer, view.spectrum
    )
    chrome.chart(partial(several_chart, view.spectrum), "several spectrum", about)
    figures = _figures(view, footer)
    components.slices(*drawing, words=view.sentence, figures=lambda: figures, key=SLICES)


def _figures(view: SeveralView, footer: str) -> dict[str, Any]:
    """The maps as figures, once their menus are drawn."""
    limit, found = colour_range(view.maps["rho"].to_numpy()), {}
    maps = view.maps.groupby("coupling", sort=False)
    with st.container(horizontal=True):
        for place, (name, part) in zip(("rho", "kept"), maps, strict=True):
            title = f"Slice of ρ(u, v): {name}"
            about = exports.About(f"several-{place}", title, footer, part)
            found[f"slice {place}"] = partial(coupling_chart, part, limit=limit), about
            exports.menu(found[f"slice {place}"][0], f"slice {place}", about)
    return found
