"""The race on the Order page: asked of a worker, drawn while it runs, kept in the store."""

from __future__ import annotations

from functools import partial

import streamlit as st

from explorer.pages.order import view_race as view
from explorer.pages.rates.steering import Words, steer
from explorer.runs import jobs
from explorer.spec import LinearSpec, spec_id
from explorer.theory.architectures.race import By, Race
from explorer.ui import chrome, registry
from explorer.ui.awaited import awaited

REDRAWN = 1.0  # seconds between two pictures of a race at work
WORDS = Words(
    "Race",
    "Go on with the race",
    "architectures",
    ":material/sports_score:",
    "Train all of them on this kernel, several seeds each; some seconds for each.",
)


def panel(spec: LinearSpec, error: float) -> None:
    """How large each is, the button, the curves, and what they say at an error."""
    left, right = st.columns(2)
    with left:
        chosen = st.segmented_control(
            "race at",
            ["parameters", "width"],
            default="parameters",
            format_func=lambda by: f"equal {by}",
            required=True,
            key="race by",
        )
        by: By = "width" if chosen == "width" else "parameters"
    with right:
        size = st.select_slider(f"{by} of each", view.SIZES, value=40, key="race size")
        nonlinear = st.toggle("GRU and LSTM too, on sequences", key="race sequences")
    st.fragment(_raced)(spec, view.race_of(spec, size, by, nonlinear), error)


def _raced(spec: LinearSpec, race: Race, error: float) -> None:
    job = f"race-{race.id}"
    with awaited("race", job, rest=REDRAWN):
        work = jobs.get(registry.store(), job)
        steer("race", race, work, WORDS)
        rows = work.result or () if work else ()
        chrome.text(view.sentence(race, rows, error))
        if rows:
            _curves(spec, race, rows, error)
        results = view.results(race, rows, error)
        st.dataframe(results, hide_index=True, height="content", alt="Verdicts of the race")
    chrome.note(view.READING)
    more = " --sequences" * race.sequences
    st.code(
        f"python -m explorer race SPEC.json --size {race.size} --by {race.by}{more}", language=None
    )


def _curves(spec: LinearSpec, race: Race, rows: view.Rows, error: float) -> None:
    from explorer.pages.order.chart_race import race_chart
    from explorer.ui.exports import About

    table, floors = view.curves(rows), view.floors(race)
    footer = f"spec {spec_id(spec)} · {race.size} {race.by} · {race.seeds} seeds"
    about = About(f"{spec_id(spec)}-race", "The race of architectures", footer, table)
    heading = "**Error while they train**, dashed: no model of that size is below"
    chrome.chart(partial(race_chart, table, floors, error), "race", about, heading)
