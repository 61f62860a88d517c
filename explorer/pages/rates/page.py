"""The Rates page: a sweep at work or finished, its picture, its numbers, what to take home."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st

from explorer.pages.rates import controls as sweeps
from explorer.pages.rates import in_browser, view
from explorer.pages.rates.chart import MAPS, feed_forward_chart, map_chart
from explorer.pages.rates.view_budget import BudgetView, budget_view, targets
from explorer.pages.rates.view_drawing import AXES, only, rates_drawing
from explorer.pages.rates.view_notes import IN_SHORT, as_printed, readings
from explorer.runs import jobs
from explorer.runs.costs import duration, of_sweep
from explorer.runs.database import StoreError
from explorer.runs.frames import unpack
from explorer.runs.jobs import Job
from explorer.spec import SweepSpec, full_json, link_text, spec_id
from explorer.theory.pairings import OFFERED
from explorer.ui import (
    address,
    chrome,
    components,
    controls,
    here,
    owner,
    page_visit,
    registry,
    selection,
    specs,
)
from explorer.ui.awaited import awaited, submit
from explorer.ui.exports import About
from explorer.ui.pages import PAGES
from explorer.ui.part import part
from explorer.ui.words import as_sentence
from explorer.views import first_move
from explorer.views import sweeps as about
from explorer.views.glossary import explained
from explorer.views.sweeps import Finished

STATISTICS = {"median": "median of the seeds", "best": "best seed"}


def badge(finished: Finished[SweepSpec]) -> str:
    """Where the points come from."""
    return owner.chip_of_sweep(finished, None if finished.made else job("sweep", finished.sweep))


def stop_without_coupling() -> None:
    """Draw nothing of another coupling below a link whose own could not be read."""
    unread = address.problems("spec") and not address.refused("spec")
    if unread and address.param("sweep") is None:
        st.stop()


def job(kind: str, sweep: SweepSpec) -> Job | None:
    """The work on a sweep that was asked of a worker, if any."""
    try:
        return jobs.get(registry.store(), _name(kind, sweep))
    except StoreError:
        return None


def _name(kind: str, sweep: SweepSpec) -> str:
    return f"{kind}-{spec_id(sweep)}"


def read_as(finished: Finished[SweepSpec]) -> None:
    """Norm and statistic in which the errors are read, and which sweep is seen; that stands above
    a picture without a point, where to see another is the first thing to do."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.norm("norm")
        controls.picture(
            "statistic",
            st.segmented_control,
            "line through",
            STATISTICS,
            format_func=STATISTICS.get,
            required=True,
            help="Every seed is a small circle. Training may be caught in a local minimum, most "
            "often at m_h = r: the best seed shows it least.",
        )
        if finished.rows:
            sweeps.to_see(finished.sweep)


def first_move_of(finished: Finished[SweepSpec]) -> str | None:
    """What to do first with a sweep that is at work: watch."""
    work = None if finished.made else job("sweep", finished.sweep)
    return first_move.of_sweep(len(finished.rows), bool(work and work.at_work))


def main_panel(
    finished: Finished[SweepSpec], view_: view.RatesView, done: tuple[object, ...]
) -> None:
    """Buttons, progress and picture; while something is at work they are redrawn by themselves, and
    the page with them once the work is not at `done` any more."""
    sweep = finished.sweep
    above = st.empty()  # always: a picture that changes its place loses the curves drawn in it
    if not finished.rows:
        with above:
            sweeps.to_see(sweep)
    at_work = [
        work.job for kind in ("sweep", "optimum") if (work := job(kind, sweep)) and work.at_work
    ]
    part(_main_panel)(finished, view_, tuple(at_work), done)


def whole(finished: Finished[SweepSpec]) -> bool:
    """Whether no model of a sweep is left to train."""
    return bool(finished.made) or len(finished.rows) == len(about.member_ids(finished.sweep))


def done_so_far(sweep: SweepSpec) -> tuple[object, ...]:
    """What makes the whole page worth redrawing: how far the work on a sweep is, and where. Call it
    before anything is read that is drawn: what comes in between is drawn then."""
    works = (
        (work.done, work.status) if (work := job(kind, sweep)) else None
        for kind in ("sweep", "optimum")
    )
    chosen = in_browser.is_chosen(sweep)
    return *works, chosen and (len(in_browser.rows(sweep)), in_browser.is_at_work(sweep))


def _main_panel(
    finished: Finished[SweepSpec],
    view_: view.RatesView,
    at_work: tuple[str, ...],
    done: tuple[object, ...],
) -> None:
    sweep, names = finished.sweep, (_name(kind, finished.sweep) for kind in ("sweep", "optimum"))
    with awaited("sweep", *names, even_at_rest=not whole(finished)):  # others may have it trained
        work = st.empty()
        if not whole(finished):
            with work.container():
                _work(finished, job("sweep", sweep))
        own = about.own_target(sweep, specs.of_couplings())
        offer = in_browser.drawn(sweep) if in_browser.is_chosen(sweep) else None
        drawing = rates_drawing(finished, view_, _live(at_work), own)
        components.rates(only(drawing, selection.current().rank_from), offer)
        in_browser.note(sweep)
        if done_so_far(sweep) != done:  # last: models that come quickly are seen all the same
            st.rerun()


def _live(at_work: tuple[str, ...]):
    """The losses of the unit at work, if there is one."""
    for name in at_work:
        if live := registry.store().live(name):
            return unpack(live[1])
    return None


def _train_button(sweep: SweepSpec, left: int, total: int) -> None:
    """Train those that are left, where the reader chooses, and how long that takes."""
    is_here = in_browser.is_chosen(sweep)
    asked = (here.press, ()) if is_here else (submit, _asked("sweep", sweep))
    time = duration(of_sweep(sweep).seconds * left / total / about.free_share())
    models = f"{left} model{'s' * (left > 1)}"
    st.button(
        f"Train this sweep: {models}" if left == total else f"Train the other {models}",
        icon=":material/play_circle:",
        on_click=asked[0],
        args=asked[1],
        key="train sweep",
        type="primary" if left == total else "secondary",
        shortcut="T",
        help=in_browser.HELP if is_here else in_browser.ON_SERVER,
    )
    with st.popover("⋯", key="where a sweep is trained", help="Where to train"):
        here.choice(in_browser.refusal(sweep))
    if is_here:
        return
    st.caption(f"about {time}, with what else this machine does now")
    page_visit.note_of_sweep(of_sweep(sweep))


def _work(finished: Finished[SweepSpec], work: Job | None) -> None:
    """Train, stop, and how far it is."""
    sweep, total = finished.sweep, len(about.member_ids(finished.sweep))
    with st.container(horizontal=True, vertical_alignment="center"):
        if in_browser.is_chosen(sweep) and in_browser.is_at_work(sweep):
            share = len(finished.rows) / total
            st.progress(share, f"{len(finished.rows)} of {total} models, in this browser")
        elif work is None or not work.at_work:
            _train_button(sweep, total - len(finished.rows), total)
        else:
            st.button(
                "Stop",
                icon=":material/stop:",
                on_click=submit,
                args=(jobs.stop, work.job),
                key="stop sweep",
            )
            within, unit = _within(work)
            share = (len(finished.rows) + within) / total
            st.progress(min(share, 1.0), about.progress_text(work, "models", within, unit))
    if work and work.status == "stopped":
        st.caption(as_sentence(work.message))
    elif work and (message := work.message or registry.held_up(work)):
        st.error(as_sentence(message), icon=":material/warning:")


def _within(work: Job) -> tuple[float, str]:
    """Models that the steps of the unit at work amount to, and its step in words."""
    live = registry.store().live(work.job) if work.status == "running" else None
    if live is None:
        return 0.0, ""
    header, _ = unpack(live[1])
    step, steps, batch = header["step"], header["steps"], len(header["members"])
    return batch * step / steps, f"{batch} at step {step} of {steps}"


def _asked(kind: str, sweep: SweepSpec) -> tuple:
    """What `submit` takes to have a worker do it."""
    return jobs.ask, kind, spec_id(sweep), full_json(sweep)


def optimum(finished: Finished[SweepSpec]) -> None:
    """The rank-optimal error of a sweep trained here, on request."""
    if finished.made:
        return
    work = job("optimum", finished.sweep)
    if work and work.status == "finished":
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if work and work.at_work:
            st.button("Stop", key="stop optimum", on_click=submit, args=(jobs.stop, work.job))
            st.caption(f"rank-optimal kernels: {about.progress_text(work, 'widths')}")
            return
        st.button(
            "Compute the rank-optimal error",
            icon=":material/vertical_align_bottom:",
            on_click=_ask_optimum,
            args=(finished.sweep,),
            key="ask optimum",
            help=explained("rank-optimal", more="By L-BFGS; some seconds for each width."),
        )


def _ask_optimum(sweep: SweepSpec) -> None:
    """Have a worker compute it, and its line drawn."""
    selection.change(all_lines=True)
    submit(*_asked("optimum", sweep))


def with_optimum(finished: Finished[SweepSpec]) -> Finished[SweepSpec]:
    """With the rank-optimal error, as far as a worker has it."""
    work = None if finished.made else job("optimum", finished.sweep)
    if work is None or not work.result:
        return finished
    return replace(finished, optimum=tuple(work.result))


def numbers(view_: view.RatesView) -> None:
    """The lines that are drawn on demand, a row for each target, and what to know to read them;
    ways to other readings of App. C, each to be trained by the same recipe."""
    controls.picture(
        "all_lines",
        st.toggle,
        "more lines",
        help="Beside truncation and theory: the exact tail of ρ, and the rank-optimal kernel where "
        "it was computed.",
    )
    if view_.groups:
        with st.container(key="numbers"):
            st.markdown(view_.table)
    if view_.notes:
        chrome.in_short(IN_SHORT, "\n\n".join(view_.notes))
    if not as_printed(view_.sweep):
        return
    chrome.text(f"App. C with ψ paired otherwise, its first {OFFERED} terms as a formula:")
    with st.container(horizontal=True):
        for name, spec in readings().items():
            st.page_link(
                PAGES["train"].file,
                label=f"Train {name}",
                icon=":material/shuffle:",
                query_params=address.linkable({"spec": link_text(spec)}),
            )


def budget(finished: Finished[SweepSpec], view_: view.RatesView) -> None:
    """Where the sweep has several m_FF: measured errors over (m_h, m_FF) beside Theorem 4.1. With
    one layer m_FF means nothing."""
    if finished.sweep.depth > 1 and (names := targets(finished)):
        st.subheader("Feed-forward width beside attention width", anchor=False)
        _budget(finished, view_, tuple(names))


def _maps(read: BudgetView, name: str, footer: str) -> None:
    """The measured error and the bound over (m_h, m_FF), side by side."""
    for quantity, place in zip(MAPS, st.columns(2), strict=True):
        if read.table[MAPS[quantity]].notna().any():
            title = read.titles[quantity]
            files = About(f"{name}-{quantity}", f"{title} over (m_h, m_FF)", footer, read.table)
            build = partial(map_chart, read.table, read.optima, quantity)
            with place:
                chrome.chart(build, f"map {quantity}", files, f"**{title}**")


@part
def _budget(finished: Finished[SweepSpec], view_: view.RatesView, names: tuple[str, ...]) -> None:
    one = len(names) == 1
    target = names[0] if one else st.selectbox("target", names, key="budget target")
    chosen = st.session_state.get("budget chosen")
    read = budget_view(finished, target, view_.norm, view_.statistic, chosen)
    controls.draw(
        st.select_slider,
        "budget chosen",
        read.budget,
        "parameters at most",
        read.budgets,
        format_func=lambda n: f"{n:,}",
        help="The rings mark the least measured error and the least bound among models of at most "
        "so many parameters; the dashed ring is the other map's.",
    )
    for sentence in read.sentences:
        st.markdown(sentence)
    name = f"{spec_id(finished.sweep)}-budget"
    footer = f"spec {spec_id(finished.sweep)} · {badge(finished)} · {target}"
    _maps(read, name, footer)
    if read.table["error"].notna().any():
        axis, title = AXES[view_.norm], f"{read.titles['measured']}, against m_FF"
        chrome.chart(
            partial(feed_forward_chart, read.table, axis),
            "budget lines",
            About(f"{name}-lines", title, footer, read.table),
            f"**{title}**",
        )
