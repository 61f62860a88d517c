"""The guided tour: the scenes of the shipped talk on the pages themselves, one at a time beside the
real controls.

Where a reader is on it stands in the address; whether they have seen or closed it, their browser
remembers, as it does the theme (components/tour/tour.js).
"""

from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

import streamlit as st

from explorer.pages.talk import decks, scenes
from explorer.pages.talk.scenes import Scene
from explorer.ui import address
from explorer.ui.components import registered
from explorer.ui.pages import FIRST
from explorer.views.glossary import dotted

_TOUR = registered("tour")
LEFT = "tour left at"
"""The step with which the tour is to be gone on with, where it was closed in this session."""
NEW = "first visit"
"""Whether this session is one and has not asked for all controls; None before Design was seen."""
SEEN, LANDED = "tour seen place", "tour landed"
DOORS: dict[str, tuple[str, dict[str, str | None]]] = {
    "Try your formula": ("design", {"spec": '{"formula":"-8*(u - v)**2"}', "run": None}),
    "Train the cliff": ("train", {"spec": None, "run": "asset-cliff-5"}),
    "Look into a real model": ("real", {"spec": None, "run": None}),
}
"""Where the tour lands: pages, and what they show."""


class Stop(NamedTuple):
    """A scene, and its step of the tour."""

    scene: Scene
    step: scenes.Stop


@cache
def stops() -> tuple[Stop, ...]:
    """Those of the shipped talk."""
    scenes = decks.load(decks.OURS).scenes
    return tuple(Stop(scene, scene.tour) for scene in scenes if scene.tour)


def number() -> int | None:
    """The step at which the reader is, from 1; None where they are not on the tour."""
    text = address.param(address.TOUR)
    if text is None:
        return None
    return _nearest(int(text) if text.isdecimal() and len(text) < 4 else 1)


def entry() -> None:
    """The way onto the tour, small, from every page; on it a dot for each step."""
    at = number()
    if at:
        st.session_state.pop(LEFT, None)
    stop = stops()[at - 1] if at else None
    new: bool | None = st.session_state.get(NEW)
    data = {
        "at": at,
        "left": st.session_state.get(LEFT),
        "titles": tuple(scene.title for scene, _ in stops()),
        "mark": mark(stop) if stop else "",
        "press": stop.step.press if stop else None,
        "invites": address.page().name == FIRST and not new,
        "visited": new is False,
    }
    report = _TOUR(key="tour entry", data=data, on_start_change=lambda: None, width="content")
    if isinstance(start := report.get("start"), int):
        go_to(start)


def card(at: int) -> None:
    """What the step `at` says, and the ways on, back and out."""
    scene, step = stops()[at - 1]
    with st.container(border=True, key="tour", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="tour ways"):
            entry()
            _ways(at)
        with st.container(key="tour words"):
            st.markdown(f"**{at} of {len(stops())} · {scene.title}**  \n{dotted(step.words)}")
        with st.container(key="tour seen"):
            st.session_state[SEEN] = st.empty()


def _ways(at: int) -> None:
    if st.button("Back", key="tour back", disabled=at == 1):
        go_to(at - 1)
    last = at == len(stops())
    if st.button("Done" if last else "Next", key="tour next"):
        st.session_state[LANDED] = last
        leave(1) if last else go_to(at + 1)
    if not last and st.button("Close", key="tour close", help="Back to what you had."):
        leave(at)


def see(verdict: str, numbers: Mapping[str, str]) -> None:
    """What is seen once the thing of a step was touched: its sentence with the `numbers` of the
    page, whose `verdict` stands in its place where one of them is missing."""
    seen = stops()[(number() or 1) - 1].step.seen
    asked = {name for _, name, _, _ in Formatter().parse(seen) if name}
    text = seen.format_map(numbers) if asked <= numbers.keys() else verdict
    st.session_state[SEEN].markdown(f"**You see:** {dotted(text)}")


def landing() -> None:
    """Where the tour ends: three doors."""
    with st.container(border=True, key="landing", gap="xsmall"):
        st.markdown(
            "**You have seen** what one head can say, how wide it must be for that, and how it "
            "learns it. **And now?**"
        )
        with st.container(horizontal=True, gap="xsmall"):
            for door, (page, shown) in DOORS.items():
                if st.button(door, key=door):
                    st.session_state[LANDED] = False
                    address.turn_to(page, **shown)


def go_to(step: int) -> None:
    """Go to what a step shows."""
    stop = stops()[_nearest(step) - 1]
    page, params = stop.scene.changed(stop.step.change)
    address.tour_to(page, _nearest(step), params)


def leave(step: int) -> None:
    """Turn to what the reader had; whoever comes again begins with `step`."""
    st.session_state[LEFT] = step
    address.leave_tour()


def _nearest(step: int) -> int:
    return min(max(step, 1), len(stops()))


def mark(stop: Stop) -> str:
    """What of the page is to be touched: what is tried in the step or its scene, or first on its
    page."""
    what_ifs = stop.scene.staged.what_ifs
    return what_ifs[stop.step.touch or stop.scene.what_if or next(iter(what_ifs))].mark
