"""Rank surgery on a run of the store: asked of a worker, drawn when it is done."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from explorer.pages.rates import view
from explorer.pages.rates.chart import surgery_chart
from explorer.pages.runs.view import labels, readable
from explorer.runs import jobs
from explorer.runs.record import RunRow
from explorer.spec import coupling_spec
from explorer.ui import chrome, registry, specs
from explorer.ui.awaited import awaited, submit
from explorer.ui.exports import About
from explorer.ui.part import part
from explorer.ui.topics import view_of
from explorer.ui.words import as_sentence
from explorer.views.glossary import explained
from explorer.views.sweeps import progress_text

MAX_LISTED = 2000  # the newest runs of the store, as many as Runs looks through


def surgery() -> None:
    """A run of this store cut to each rank."""
    section = st.expander(
        "Rank surgery on a run of this store",
        on_change="rerun",
        key="surgery",
        icon=":material/content_cut:",
    )
    if not section.open:
        return
    with section:
        runs = _trained()
        if not runs:
            st.caption("No run of this store has a trained network yet: train one on *Train*.")
            return
        names = dict(zip((row.run for row in runs), labels(runs), strict=True))
        run = st.selectbox("run", names, format_func=names.__getitem__, key="cut run")
        row = next(row for row in runs if row.run == run)
        part(_cut)(row)


def _trained() -> list[RunRow]:
    """The runs of this store that can be cut, and rest with a network."""
    return [
        row
        for row in registry.store().list(MAX_LISTED)
        if row.checkpoint
        and row.status != "running"
        and (spec := readable(row))
        and view_of(spec).is_cut
    ]


def _cut(row: RunRow) -> None:
    """The surgery of the checkpoint that the run rests at: asked for, awaited, drawn."""
    asked = kind, identity, _ = jobs.surgery_of(row)
    job = f"{kind}-{identity}"
    with awaited("surgery", job):
        work = jobs.get(registry.store(), job)
        if work is None or not (work.at_work or work.status == "finished"):
            st.button(
                "Cut it to every rank",
                icon=":material/content_cut:",
                on_click=submit,
                args=(jobs.ask, *asked),
                help=explained("surgery"),
            )
            if work and work.message:
                st.error(as_sentence(work.message), icon=":material/warning:")
        elif work.at_work:
            st.caption(progress_text(work, "ranks"))
        else:
            if row.step < row.steps:
                st.caption(f"As it rests at step {row.step} of {row.steps}.")
            _cuts(row, work.result)


def _cuts(row: RunRow, cuts: Mapping[str, list]) -> None:
    table = view.surgery_table(specs.design(coupling_spec(row.spec)), cuts)
    st.markdown(view.surgery_text(row.spec.m_h, cuts))
    chrome.chart(
        partial(surgery_chart, table),
        "surgery chart",
        About(f"{row.run}-surgery", "A trained model cut to rank k", f"run {row.run}", table),
    )
