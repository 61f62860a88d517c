"""The Train page: a run that learns a coupling, its live picture, its verdict."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import streamlit as st

from explorer.runs.record import Record, RunRow
from explorer.ui import chrome, registry, state, transport
from explorer.ui.components import live
from explorer.ui.words import escape_markdown
from explorer.views import train as view

PICTURE = "run picture"


@st.fragment
def main_panel() -> None:
    """Question, buttons, picture, verdict and what to take home.

    A fragment: a turn of the run redraws only this. It reads run and specification itself, since
    its buttons change both; a new run then redraws the page.
    """
    if st.session_state.pop("started", False):
        st.rerun()
    run, row = transport.opening()
    step, t = transport.selected_step_and_token()
    if buildable := transport.buildable(row):
        chrome.verdict(view.verdict(row, state.design(row.spec)), lines=2)
    transport.buttons(run, row)
    pin = transport.pinned(run)
    if buildable:
        look = partial(transport.save_selection, PICTURE)
        turn = registry.turn(row)
        live(run, turn, pin=pin, step=step, t=t, key=PICTURE, on_look=look)
    transport.remarks(row)
    if buildable and (honest := view.below_the_rank(state.design(row.spec))):
        st.caption(honest)
    if pin:
        _beside(row, transport.find(pin))
    found = view.facts(row)
    device = escape_markdown(found["device"])  # a zip may say anything there
    chrome.facts(found | {"device": device})
    transport.take_home(run, row, step, partial(_figures, t=t, pin=pin))


def _beside(row: RunRow, pinned: RunRow) -> None:
    from explorer.views.runs import beside  # pandas: not before the picture

    st.caption(escape_markdown(beside(row, pinned)))


def _figures(record: Record, step: int | None, *, t: int | None, pin: str | None) -> Mapping:
    """The figures as they are shown: at the step, of the query t, beside the pinned run."""
    from explorer.ui.comparison import figures_of

    return figures_of(record, step, t, pin and transport.record_of(pin))
