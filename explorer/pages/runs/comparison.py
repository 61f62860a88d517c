"""Several runs side by side on the Runs page: curves, outcomes, settings, spectra."""

from collections.abc import Sequence

import streamlit as st

from explorer.pages.runs import figures as run_figures
from explorer.pages.runs import view
from explorer.runs.record import Record, RunRow
from explorer.ui import chrome, registry
from explorer.ui.awaited import awaited
from explorer.ui.part import part
from explorer.ui.topics import drawing_of, view_of
from explorer.ui.words import told
from explorer.views import pictures
from explorer.views.settings import called
from explorer.views.text import written

SECONDS = 2.0  # at the least between two drawings of runs at work
PER_ROW = 3  # spectra beside each other
PAIR = 2  # runs whose difference is drawn


def comparison(rows: Sequence[RunRow]) -> None:
    """Curves, spectra and settings of the chosen runs, which follow the runs at work."""
    runs = [row.run for row in rows if view.readable(row)][: view.COMPARED]
    if len(rows) > len(runs):
        st.caption(
            f"{len(runs)} of the {len(rows)} chosen are compared: at most {view.COMPARED}, and "
            "none that another version wrote."
        )
    if runs:
        part(_following)(runs)


def _following(runs: Sequence[str]) -> None:
    with awaited("comparison", *runs, rest=SECONDS):
        _compare(runs)


def _compare(runs: Sequence[str]) -> None:
    records = [record for run in runs if (record := registry.record_of(run))]
    if not records:
        return
    drawings = [drawing_of(record) for record in records]
    rows = [record.row for record in records]
    floors = [drawing[0]["floor"] if drawing else None for drawing in drawings]
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _errors(records, floors)
        if len(records) == PAIR:
            _ratio(*records)
    with right:
        st.markdown("**Outcome**, and what truncation leaves at $m_h$")
        st.dataframe(view.outcomes(rows, floors), hide_index=True, alt="Outcomes")
        if len(rows) == PAIR:
            _differences(rows)
        if len(rows) == 1 and drawings[0]:
            _spectrum(records[0], drawings[0], "**Singular values**, designed and learned")
    chrome.verdict(_sentence(rows))
    if len(rows) > PAIR:  # too many columns to stand at the side
        _differences(rows)
    if len(rows) > 1:
        _spectra(records, drawings)


def _errors(records: Sequence[Record], floors: Sequence[float | None]) -> None:
    build, about = run_figures.errors(records, floors)
    if about.table.empty:
        st.caption("No picture was kept of these runs yet, so there is no curve.")
        return
    dashed = ", truncation dashed" * any(floor is not None for floor in floors)
    chrome.chart(build, "runs errors", about, f"**Error against step**{dashed}")
    if zero := _without_floor([record.row for record in records], floors):
        st.caption(zero)


def _ratio(first: Record, second: Record) -> None:
    one, other = view.labels([first.row, second.row])
    title = f"**Their ratio**, {told(one)} ÷ {told(other)}"
    _drawn(run_figures.ratio(first, {other: second}), "runs ratio", title)


def _drawn(figure: run_figures.Figure, key: str, heading: str) -> None:
    """A figure, unless there is nothing to draw."""
    build, about = figure
    if len(about.table):
        chrome.chart(build, key, about, heading)


def _without_floor(rows: Sequence[RunRow], floors: Sequence[float | None]) -> str:
    """A floor of 0 has no place on a log axis; it is said."""
    zero = [label for label, floor in zip(view.labels(rows), floors, strict=True) if floor == 0]
    whose = "all of them" if len(zero) == len(rows) > 1 else ", ".join(map(told, zero))
    return f"Floor 0, not on a log axis: {whose}." if zero else ""


def _differences(rows: Sequence[RunRow]) -> None:
    table = view.differences(rows)
    if table.empty:
        st.markdown("**Settings**: the same in all of them")
        return
    st.markdown("**Settings that differ**")
    shown = table.assign(field=table["field"].map(called)).rename(columns=written)
    st.dataframe(shown, hide_index=True, alt="Settings that differ")


def _sentence(rows: Sequence[RunRow]) -> str:
    if len(rows) > 1:
        return told(view.verdict(rows))
    return view_of(rows[0].spec).sentence(rows[0])


def _spectra(records: Sequence[Record], drawings: Sequence[pictures.Drawing | None]) -> None:
    """The spectra on the same axes, a few in a row."""
    pairs = [
        (record, drawing) for record, drawing in zip(records, drawings, strict=True) if drawing
    ]
    names = view.labels([record.row for record, _ in pairs])
    beside = pictures.spectra_table(pairs)
    if pairs:
        st.markdown("**Singular values**, designed and learned, on the same axes")
    for i, (record, drawing) in enumerate(pairs):
        if i % PER_ROW == 0:
            columns = st.columns(PER_ROW, gap="medium")
        with columns[i % PER_ROW]:
            _spectrum(record, drawing, told(names[i]), beside)
    if len(pairs) == len(records) == PAIR:
        first, second = records
        with columns[PAIR]:
            _drawn(run_figures.gap(first, second), "runs spectra", "first − second")
        one, other = map(told, names)
        heading = f"**Learned couplings** ρ̂ on one scale, and {one} − {other}"
        _drawn(run_figures.learned(first, second, names), "runs coupling", heading)


def _spectrum(record: Record, drawing: pictures.Drawing, heading: str, beside=None) -> None:
    build, about = run_figures.spectrum(record, drawing, beside)
    chrome.chart(build, f"runs spectrum {record.row.run}", about, heading)
