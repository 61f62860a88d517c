"""Parts of the Design page that open on demand: σ_k from random tokens, and couplings of tokens
with several numbers."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import streamlit as st

from explorer.charts.heatmap import colour_range, coupling_chart
from explorer.charts.walking import walking_chart
from explorer.coupling import FormulaError, GridError
from explorer.coupling.grid import CELLS
from explorer.coupling.several import parse_several, variables
from explorer.coupling.typed import caret
from explorer.pages.design import view_several as view
from explorer.pages.design.chart_theory import several_chart
from explorer.runs.database import StoreError
from explorer.spec import CouplingSpec, SpecError, spec_id
from explorer.theory.design import Design
from explorer.theory.sampled import Estimates, of_coupling
from explorer.ui import (
    chrome,
    components,
    controls,
    exports,
    formulas,
    page_visit,
    registry,
    selection,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.selection import Selection
from explorer.ui.words import as_code, as_sentence
from explorer.views import sampled as walking

FIELD, FILE = "of several", "samples of several"
TAKEN = f"{FILE} taken"
"""Which file was looked at last, for how many numbers, and why it was not taken."""
WAYS = {"formula": "formula", "bases": "the bases above", "file": "file"}
HELP = (
    "A matrix with a row for each u and a column for each v, the last number fastest, or a .npy "
    "file of an axis for each number; at cell centres, at most "
    f"{', '.join(f'{cells} along each of {d} numbers' for d, cells in CELLS.items())}."
)


def estimates(design: Design, centred: bool) -> None:
    """Those that the paper reads real heads by, beside the σ_k that are known here."""
    modes = design.decomposition(centred)
    exact = modes.sigma[: walking.SHOWN]
    if exact[0] <= modes.tolerance:
        chrome.text("This coupling is 0 for softmax: there is no spectrum to estimate.")
        return
    drawn = _estimates(design.bare, len(exact), centred)
    table, words = walking.table(drawn, exact), walking.of_coupling_said(drawn, exact)
    identity, side = spec_id(design.spec), "centred" if centred else "with its mean over v"
    footer = f"spec {identity} · computed, not trained · ρ {side}\n"
    footer += f"{drawn.sigma.shape[1]} draws, seed 0"
    about = About(f"{identity}-sampled", "σ_k from τ random tokens", footer, table, words)
    chrome.chart(partial(walking_chart, table), "sampled", about)
    chrome.text(words)


@lru_cache(maxsize=16)
def _estimates(design: Design, terms: int, centred: bool) -> Estimates:
    return of_coupling(design.coupling, terms, centred=centred)


def section(spec: CouplingSpec, selected: Selection) -> None:
    """ρ(u, v) of vectors: its spectrum, and slices beside those of its first terms."""
    d = selected.numbers
    try:
        if (named := _asked(spec, selected)) is None:
            return
        pod = view.pod_of(named.coupling, selected.centred)
    except FormulaError as error:
        st.warning(f"```\n{caret(_formula(selected), error)}\n```\n{as_code(str(error))}")
        return
    except (SpecError, GridError, StoreError) as error:
        st.warning(as_sentence(error), icon=":material/warning:")
        return
    cut = view.Slice(min(selected.axis_u, d), min(selected.axis_v, d), selected.held)
    m = min(selected.several_m, view.SHOWN)
    _draw(named, view.several_view(pod, m, cut), view.slices_drawing(pod, named.label, m, cut))
    centred = " --centred" * selected.centred
    st.code(f"python -m explorer pod --d {d}{centred} {named.option}", language=None)


def _asked(spec: CouplingSpec, selected: Selection) -> view.Named | None:
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
    axes = ("axis_u", "along which u"), ("axis_v", "and which v")
    for column, (name, label) in zip(st.columns(2, gap="medium"), axes, strict=True):
        with column:
            options = range(1, d + 1)
            controls.picture(name, st.segmented_control, label, options, required=True)
    if selected.several_from == "formula":
        return view.typed(_formula(selected), d)
    if selected.several_from == "bases":
        return view.of_bases(spec, d)
    if selected.several_grid is None:
        return None
    return view.sampled(registry.store().grid, selected.several_grid, d)


def _formula(selected: Selection) -> str:
    return selected.several or view.FIRST[selected.numbers]


def _type(selected: Selection) -> None:
    d = selected.numbers
    arguments = formulas.Variables(f"{', '.join(variables(d))} in [0, 1]", view.EXAMPLE[d])
    formulas.field(
        FIELD, "ρ(u, v) =", _formula(selected), partial(view.notes, d=d), _typed, arguments
    )


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
    text = formulas.read(key, before, variables(d), lambda given: parse_several(given, d))
    if text is not None:
        selection.change(several=text)


def _draw(named: view.Named, seen: view.SeveralView, drawing: tuple[dict[str, Any], Any]) -> None:
    footer = f"{named.label} · d = {named.coupling.d} · computed"
    chrome.facts(seen.facts)
    chrome.text(seen.sentence)
    about = About(
        "several-spectrum", "Spectrum of tokens with several numbers", footer, seen.spectrum
    )
    chrome.chart(partial(several_chart, seen.spectrum), "several spectrum", about)
    figures = _figures(seen, footer)
    components.below("slices", *drawing, words=seen.sentence, figures=lambda: figures, key="slices")


def _figures(seen: view.SeveralView, footer: str) -> dict[str, Any]:
    """The maps as figures, once their menus are drawn."""
    limit, made = colour_range(seen.maps["rho"].to_numpy()), {}
    maps = seen.maps.groupby("coupling", sort=False)
    with st.container(horizontal=True):
        for place, (name, part) in zip(("rho", "kept"), maps, strict=True):
            title = f"Slice of ρ(u, v): {name}"
            about = About(f"several-{place}", title, footer, part)
            made[f"slice {place}"] = partial(coupling_chart, part, limit=limit), about
            exports.menu(made[f"slice {place}"][0], f"slice {place}", about)
    return made
