"""The guided tour: the scenes of the shipped talk on the pages themselves, one at a time beside the
real controls.

Where a reader is on it stands in the address; whether they have seen or closed it, their browser
remembers, as it does the theme (components/tour/tour.js).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import streamlit as st

from explorer.pages.talk import kept
from explorer.pages.talk.scenes import Scene, Step
from explorer.ui import address
from explorer.ui.components import registered
from explorer.ui.pages import FIRST
from explorer.views.glossary import dotted

_TOUR = registered("tour")
LEFT = "tour left at"
"""The step with which the tour is to be gone on with, where it was closed in this session."""


class Stop(NamedTuple):
    """A scene, and its step of the tour."""

    scene: Scene
    step: Step


@cache
def stops() -> tuple[Stop, ...]:
    """Those of the shipped talk."""
    scenes = kept.load(kept.OURS).scenes
    return tuple(Stop(scene, scene.tour) for scene in scenes if scene.tour)


def number() -> int | None:
    """The step at which the reader is, from 1; None where they are not on the tour."""
    text = address.param(address.TOUR)
    if text is None:
        return None
    return _nearest(int(text) if text.isdecimal() and len(text) < 4 else 1)


def entry() -> None:
    """The way onto the tour, small, from every page."""
    at = number()
    if at:
        st.session_state.pop(LEFT, None)
    data = {
        "at": at,
        "left": st.session_state.get(LEFT),
        "heading": _heading(at) if at else "",
        "mark": mark(stops()[at - 1].scene) if at else "",
        "invites": address.page().name == FIRST,
    }
    said = _TOUR(key="tour entry", data=data, on_start_change=lambda: None, width="content")
    if isinstance(start := said.get("start"), int):
        turn(start)


def card(at: int) -> None:
    """What the step `at` says, and the ways on, back and out."""
    with st.container(border=True, key="tour", gap="xsmall"):
        st.markdown(f"**{_heading(at)}**  \n{dotted(stops()[at - 1].step.words)}")
        with st.container(horizontal=True, width="content", gap="xsmall", key="tour ways"):
            if st.button("Back", key="tour back", disabled=at == 1):
                turn(at - 1)
            last = at == len(stops())
            if st.button("Done" if last else "Next", key="tour next"):
                leave(1) if last else turn(at + 1)
            if not last and st.button("Close", key="tour close", help="Back to what you had."):
                leave(at)


def turn(step: int) -> None:
    """Turn to what a step shows."""
    stop = stops()[_nearest(step) - 1]
    page, params = stop.scene.changed(stop.step.change)
    address.tour_to(page, _nearest(step), params)


def leave(step: int) -> None:
    """Turn to what the reader had; whoever comes again begins with `step`."""
    st.session_state[LEFT] = step
    address.leave_tour()


def _nearest(step: int) -> int:
    return min(max(step, 1), len(stops()))


def _heading(at: int) -> str:
    return f"{at} of {len(stops())} · {stops()[at - 1].scene.title}"


def mark(scene: Scene) -> str:
    """What of the page is to be touched: what is tried in the scene, or first on its page."""
    what_ifs = scene.staged.what_ifs
    return what_ifs[scene.what_if or next(iter(what_ifs))].mark
