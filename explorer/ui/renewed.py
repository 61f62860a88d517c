"""Widgets that are other ones once another hand has changed what they show.

A browser says the values of all its widgets with each message, until an answer is here those of
before it. Written into a widget that stays, another value would be changed back by that. One that
has gone is forgotten by Streamlit, which takes what is said of it for a change, too: it counts
where it is not what the widget last said, since the reader may have been quicker than the answer.
"""

from __future__ import annotations

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
    """From now on the widget `name` is another one."""
    old = key(name)
    if old in st.session_state:
        gone = st.session_state.setdefault(GONE, {})
        gone[old] = st.session_state[old]
        if len(gone) > MOST:
            del gone[next(iter(gone))]
    st.session_state[f"{name} number"] = _number(name) + 1


def show(name: str, value: Any, *looks: Any) -> str:
    """The key of the widget `name`, which is to have `value` as its default: another widget where
    this one says something else or has other `looks`.

    What is written into the session instead reaches a browser after the default: what it says in
    between would change the value to that.
    """
    now = key(name)
    drawn = st.session_state.get(f"{name} drawn", looks)
    if now in st.session_state and (st.session_state[now] != value or drawn != looks):
        leave(name)
    st.session_state[f"{name} drawn"] = looks
    return key(name)


def hear(of: str, taker: Callable[[Any], None]) -> None:
    """For the callback of a widget, by its key: `taker` is given what the reader has changed."""
    said, gone = st.session_state[of], st.session_state.get(GONE, {})
    if of not in gone:
        taker(said)
    elif gone[of] != said:
        taker(said)
        gone[of] = said
