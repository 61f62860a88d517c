"""What the Memory page shows beside the run: finished sweeps over depth, heads and encodings, and
those of the reader that are of equal recipe."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.ui import chrome, controls, memory_figures, registry, selection
from explorer.ui.memory import current
from explorer.views import memory_kernels as kernels
from explorer.views import memory_tables as tables
from explorer.views.memory_rates import rates
from explorer.views.runs import readable

READ = 300  # newest runs of the store that are looked through
FALLS = {"power": "a power, $s^{-0.5}$", "exponential": "an exponential, $e^{-s/20}$"}


def details() -> None:
    """Depth, heads, encodings, and what theory says of the target at the left."""
    rows: list[RunRow] = []
    with suppress(StoreError):
        rows = [row for row in registry.store().list(READ) if readable(row)]
    st.subheader("Depth", anchor=False)
    _depth(tables.own(current(), rows, "layers"))
    st.subheader("Heads", anchor=False)
    _heads(tables.own(current(), rows, "heads"))
    st.subheader("Positional encodings", anchor=False)
    _encodings()
    st.subheader("What the theorems say of this target", anchor=False)
    _rates()


def _chart(figure: memory_figures.Figure, key: str, heading: str) -> None:
    build, about = figure
    chrome.chart(build, key, about, heading)


def _own_note(found: tables.Own, axis: str) -> None:
    if found.note:
        chrome.note(
            f"Your runs of these settings are counted from five seeds on for one number of {axis}: "
            f"{found.note} so far."
        )


# Depth


def _depth(own: tables.Own) -> None:
    """`own` is what the reader has trained of the settings at the left."""
    found = tables.depth()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _chart(memory_figures.jumps(found), "memory jumps", "**Jumps that layers can follow**")
    with right:
        whole = [part for part in (found, _own_cells(own, "layers")) if part is not None]
        if whole:
            figure = memory_figures.depth(pd.concat(whole, ignore_index=True))
            _chart(figure, "memory depth", "**Error against layers**")
        else:
            chrome.text(
                "How far trained models come is a table that the command below makes; a pair of "
                "runs is trained above, live."
            )
    if found is not None:
        chrome.text(tables.depth_sentence(found))
    _own_note(own, "layers")
    chrome.command_line("python -m explorer reproduce memory-depth --out memory-depth")


def _own_cells(own: tables.Own, axis: str) -> pd.DataFrame | None:
    return tables.cells(own.table, axis) if len(own.table) else None


# Heads


def _heads(own: tables.Own) -> None:
    """`own` is what the reader has trained of the settings at the left."""
    left, right = st.columns([6, 5], gap="medium", vertical_alignment="center")
    with left:
        _chart(memory_figures.heads(own.table), "memory heads", "**Error against heads**")
    with right:
        chrome.text(tables.heads_sentence(tables.heads()))
        chrome.text(tables.WHY_THE_LINE)
        _own_note(own, "heads")
        chrome.command_line("python -m explorer reproduce memory-heads --out memory-heads")


# Encodings


@st.fragment
def _encodings() -> None:
    """A fragment: another number of heads redraws this alone."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.picture(
            "fall",
            st.segmented_control,
            "kernel",
            list(FALLS),
            format_func=FALLS.get,
            required=True,
        )
        controls.picture("count", st.slider, "H, heads of the approximation", 1, kernels.SOUGHT)
    now: Any = selection.current()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        figure = memory_figures.encodings(now.fall, now.count)
        _chart(figure, "memory encodings", "**Trained, and the best there is**")
    with right:
        figure = memory_figures.kernel(now.fall, now.count)
        _chart(figure, "memory kernel", "**The kernel and its best approximations**")
    spec = kernels.PAPER[now.fall != "power"]
    chrome.text(f"{kernels.sentence(spec, now.count)} {tables.encodings_sentence(now.fall)}")
    chrome.command_line("python -m explorer reproduce memory-encodings --out memory-encodings")


# Rates


@st.fragment
def _rates() -> None:
    """A fragment: another order of the bound redraws this alone."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.picture("order", st.slider, "n, order of the bound", 1, 4)
        controls.picture(
            "encoding", st.segmented_control, "encoding", ["log", "lin"], required=True
        )
    now: Any = selection.current()
    found = rates(current(), now.order, now.encoding)
    if found is None:
        chrome.text("Induction is beyond the paper: none of its theorems speaks of it.")
        return
    maps = memory_figures.rates(found, current().target)
    left, right = st.columns(2, gap="medium")
    with left:
        _chart(maps["rates"], "memory rates", f"**{found.theorem}, the attention's part**")
    with right:
        _chart(maps["width"], "memory width", "**With the network behind it**")
    chrome.text(f"$\\displaystyle {found.formula}$")
    chrome.text(" ".join(found.sentences))
    chrome.note(
        "Up to constants C(n) that the paper leaves open: the maps compare heads, distances and "
        "widths with each other, and are no errors that a model will have. The ring is this model."
    )
