"""The race on the Order page: asked of a worker, drawn while it runs, kept in the store."""

from functools import partial
from typing import get_args

import streamlit as st

from explorer.pages.order import view_race as view
from explorer.pages.rates.steering import Words, steer
from explorer.runs import jobs
from explorer.spec import AlterableSpec, LinearSpec, spec_id
from explorer.spec.racing import By
from explorer.theory.architectures.race import Race
from explorer.ui import chrome, controls, registry, selection, specs
from explorer.ui.awaited import awaited

REDRAWN = 1.0  # seconds between two pictures of a race at work
WORDS = Words(
    "Race",
    "Go on with the race",
    "architectures",
    ":material/sports_score:",
    "Train all of them on this target, several seeds each; some seconds for each.",
)


def panel(spec: LinearSpec, error: float) -> None:
    """How large each is, the button, the curves, and what they say at an error."""
    at, (left, right) = selection.current(), st.columns(2)
    with left:
        controls.picture(
            "race_by",
            st.segmented_control,
            "race at",
            get_args(By),
            format_func=lambda by: f"equal {by}",
            required=True,
        )
    with right:
        sizes = sorted({*view.SIZES, at.race_size})
        controls.picture("race_size", st.select_slider, f"{at.race_by} of each", sizes)
        if not at.race_coupling:
            controls.picture("race_sequences", st.toggle, "GRU, LSTM and others on sequences too")
    controls.picture(
        "race_coupling",
        st.toggle,
        "on the coupling of the Design page, which is not linear",
        help="The answer of Eq. 8 after the last token. All race, on sequences where they must.",
    )
    target = specs.of_couplings() if at.race_coupling else spec
    how = at.race_size, at.race_by, at.race_sequences
    try:
        race = view.race_for(target, specs.grid_loader(), *how)
    except ValueError as wrong:
        st.error(str(wrong), icon=":material/warning:")
        return
    st.fragment(_raced)(target, race, error)


def _raced(spec: AlterableSpec, race: Race, error: float) -> None:
    job = f"race-{race.id}"
    with awaited("race", job, rest=REDRAWN):
        work = jobs.get(registry.store(), job)
        steer("race", race, work, WORDS)
        rows = work.result or () if work else ()
        chrome.text(f"{view.sentence(race, rows, error)} {view.beyond(race)}")
        if rows:
            _curves(spec, race, rows, error)
            _learned(spec, race, rows)
        results = view.results(race, rows, error)
        st.dataframe(results, hide_index=True, height="content", alt="Verdicts of the race")
    chrome.note(view.READING)
    more = " --sequences" * (race.sequences and race.coupled is None)
    st.code(
        f"python -m explorer race SPEC.json --size {race.size} --by {race.by}{more}", language=None
    )


def _curves(spec: AlterableSpec, race: Race, rows: view.Rows, error: float) -> None:
    from explorer.pages.order.chart_race import race_chart
    from explorer.ui.exports import About

    table, floors = view.curves(rows), view.floors(race)
    footer = f"spec {spec_id(spec)} · {race.size} {race.by} · {race.seeds} seeds"
    about = About(f"{spec_id(spec)}-race", "The race of architectures", footer, table)
    heading = "**Error while they train**, dashed: no model of that size is below"
    chrome.chart(partial(race_chart, table, floors, error), "race", about, heading)


def _learned(spec: AlterableSpec, race: Race, rows: view.Rows) -> None:
    """What each has made of the kernel, by the step that the reader moves to."""
    from explorer.pages.order.chart_race import kernels_chart
    from explorer.ui.exports import About

    steps, at = view.steps_of(rows), selection.current().race_step
    if len(steps) < 2:
        return
    controls.picture(
        "race_step",
        st.select_slider,
        "ρ̂ at step",
        [*sorted({*steps[:-1], at} - {None}), None],
        format_func=lambda step: str(steps[-1] if step is None else step),
    )
    table = view.kernels(race, rows, at)
    about = About(
        f"{spec_id(spec)}-race-kernels", "Kernels in the race", f"spec {spec_id(spec)}", table
    )
    grey = "the best affine map of the sequence" if race.coupled else "ρ"
    heading = f"**ρ̂ of the first seed**, {grey} grey"
    chrome.chart(partial(kernels_chart, table), "race kernels", about, heading)
