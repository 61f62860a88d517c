"""Gives a widget a new key when its value is set from outside.

Every browser message repeats the values of all widgets, including stale ones, so a value written to
an existing key would be reverted. Streamlit forgets a replaced widget and reports its next message
as a change: that value is applied only if it differs from the widget's last one, since the reader
may have changed the widget before the answer arrived.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

GONE = "widgets gone"
MOST = 40
"""Widgets whose last values are kept: more than a browser shows of those that have gone."""


def key(name: str) -> str:
    """The key of the widget `name` as it is now."""
    number = _number(name)
    return f"{name} {number}" if number else name


def _number(name: str) -> int:
    return st.session_state.get(f"{name} number", 0)


def leave(name: str) -> None:
    """Give the widget `name` a new key, and remember the last value under the old one."""
    old = key(name)
    if old in st.session_state:
        gone = st.session_state.setdefault(GONE, {})
        gone[old] = st.session_state[old]
        if len(gone) > MOST:
            del gone[next(iter(gone))]
    st.session_state[f"{name} number"] = _number(name) + 1


def show(name: str, value: Any, *looks: Any) -> str:
    """The key of the widget `name`, whose default is to be `value`: a new key if the widget shows
    another value or was drawn with other `looks`.
    """
    now = key(name)
    drawn = st.session_state.get(f"{name} drawn", looks)
    if now in st.session_state and (st.session_state[now] != value or drawn != looks):
        leave(name)
    st.session_state[f"{name} drawn"] = looks
    return key(name)


def hear(of: str, taker: Callable[[Any], None]) -> None:
    """In the callback of the widget with key `of`: call `taker` with a value the reader set."""
    said, gone = st.session_state[of], st.session_state.get(GONE, {})
    if of not in gone:
        taker(said)
    elif gone[of] != said:
        taker(said)
        gone[of] = said
