"""The race on the Order page: asked of a worker, drawn while it runs, kept in the store."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import get_args

import streamlit as st

from explorer.pages.order import view_race as view
from explorer.pages.order.chart_architectures import kernels_chart, race_chart, sizes_chart
from explorer.runs import jobs
from explorer.runs.store import Store
from explorer.spec import AlterableSpec, LinearSpec, spec_id
from explorer.spec.racing import By
from explorer.theory.architectures.race import Race
from explorer.ui import chrome, controls, registry, selection, specs
from explorer.ui.awaited import Words, awaited, steer, submit
from explorer.ui.exports import About
from explorer.ui.part import part

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
    part(_raced)(target, race, error)


def _raced(spec: AlterableSpec, race: Race, error: float) -> None:
    sizes = {one.id: one for one in view.of_sizes(race)}
    names = [f"race-{each}" for each in sizes]
    with awaited("race", *names, rest=REDRAWN):
        size_jobs = [jobs.get(registry.store(), name) for name in names]
        work = dict(zip(sizes, size_jobs, strict=True))
        with st.container(horizontal=True, vertical_alignment="center"):
            steer("race", race, work[race.id], WORDS)
            _all_sizes(race, sizes, work)
        rows = _rows(work[race.id])
        chrome.text(f"{view.sentence(race, rows, error)} {view.beyond(race)}")
        if rows:
            _curves(spec, race, rows, error)
            _learned(spec, race, rows)
        raced = [(one, _rows(work[key])) for key, one in sizes.items()]
        if sum(bool(view.done(*each)) for each in raced) > 1:
            _over_sizes(spec, raced, error)
        results = view.results(race, rows, error)
        st.dataframe(results, hide_index=True, height="content", alt="Verdicts of the race")
    chrome.note(view.READING)
    how = f"--size {race.size} --by {race.by}"
    how += " --sequences" * (race.sequences and race.coupled is None)
    st.code(f"python -m explorer race SPEC.json {how}", language=None)


def _rows(work: jobs.Job | None) -> view.Rows:
    return (work.result or ()) if work else ()


def _all_sizes(race: Race, sizes: Mapping[str, Race], work: Mapping[str, jobs.Job | None]) -> None:
    """To race at every size, one after the other, or to let those rest that are left."""
    waiting = {key: one.job for key, one in work.items() if one and one.at_work}
    left = [key for key, one in work.items() if not (one and one.status == "finished")]
    if waiting.keys() - {race.id}:  # of its own there is a button already
        st.button("Stop all sizes", on_click=submit, args=(_stop, [*waiting.values()]))
        st.caption(f"{len(sizes) - len(left)} of {len(sizes)} sizes raced")
    elif left and not waiting and len(sizes) > 1:
        st.button(
            "Race at every size",
            on_click=submit,
            args=(_ask, [sizes[key] for key in left]),
            help=f"One after the other: {', '.join(str(one.size) for one in sizes.values())}.",
        )


def _ask(store: Store, races: Sequence[Race]) -> None:
    for race in races:
        jobs.ask(store, "race", race.id, race.text())


def _stop(store: Store, names: Sequence[str]) -> None:
    for name in reversed(names):  # the next is not begun when the one at work ends
        jobs.stop(store, name)


def _curves(spec: AlterableSpec, race: Race, rows: view.Rows, error: float) -> None:
    table, floors = view.curves(rows), view.floors(race)
    footer = f"spec {spec_id(spec)} · {race.size} {race.by} · {race.seeds} seeds"
    about = About(f"{spec_id(spec)}-race", "The race of architectures", footer, table)
    heading = "**Error while they train**, dashed: no model of that size is below"
    chrome.chart(partial(race_chart, table, floors, error), "race", about, heading)


def _over_sizes(spec: AlterableSpec, raced: Sequence[tuple[Race, view.Rows]], error: float) -> None:
    """What all races of the store on this kernel have come to."""
    table = view.over_sizes(raced)
    footer = f"spec {spec_id(spec)} · {raced[0][0].seeds} seeds"
    about = About(f"{spec_id(spec)}-race-sizes", "Races of several sizes", footer, table)
    heading = "**Error at the end against parameters**, dashed: no model is below"
    chrome.chart(partial(sizes_chart, table, error), "race sizes", about, heading)


def _learned(spec: AlterableSpec, race: Race, rows: view.Rows) -> None:
    """What each has made of the kernel, by the step that the reader moves to."""
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
    table, own = view.kernels(race, rows, at), spec_id(spec)
    about = About(f"{own}-race-kernels", "Kernels in the race", f"spec {own}", table)
    grey = "the best affine map of the sequence" if race.coupled else "ρ"
    heading = f"**ρ̂ of the first seed**, {grey} grey"
    chrome.chart(partial(kernels_chart, table), "race kernels", about, heading)
