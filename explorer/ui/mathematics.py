"""The fold beneath a page's picture: formulas, bounds, numbers. Who has opened it on one page has
it open on all; their browser remembers it by a cookie, which a session reads as it begins."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.ui import controls, shown
from explorer.ui.callbacks import uninterrupted
from explorer.views.glossary import dotted

FOLD, OPEN, LABEL = "mathematics", "mathematics open", "The mathematics"
COOKIE = {"name": "explorer-mathematics", "value": "open"}
"""While it is open (components/page/page.js)."""


def is_open() -> bool:
    """Whether the reader has opened it."""
    has_cookie = st.context.cookies.get(COOKIE["name"]) == COOKIE["value"]
    return st.session_state.setdefault(OPEN, has_cookie)


def fold(draw: Callable[[], None], **noted: Any) -> None:
    """Once it is open, what the verdict says besides, and what `draw` says. What a file of the page
    says of it, folded or not, is `noted` as in `shown.Shown`."""
    shown.note(**noted)
    controls.show(FOLD, is_open())
    section = st.expander(LABEL, icon=":material/functions:", key=FOLD, on_change=_remember)
    if section.open:
        with section:
            _, _, more = shown.shown().verdict.partition(shown.PARAGRAPH)
            if more:
                st.markdown(dotted(more))
            draw()


def unfold() -> None:
    """Open it, for something in it that is asked for from elsewhere on the page."""
    st.session_state[OPEN] = True


def open_for(asked: bool, place: str) -> None:
    """Call before it is drawn: where a link asks for what is in a fold of it, both open with the
    page."""
    if asked and place not in st.session_state:
        unfold()
        st.session_state[place] = True


@uninterrupted
def _remember() -> None:
    st.session_state[OPEN] = st.session_state[FOLD]
