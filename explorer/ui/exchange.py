"""A value that two hands change: the reader's, in a component, and any other, in this process.

The component numbers the reader's changes and repeats them until a drawing answers them
(components/core/exchange.js); here each is taken once, whatever was lost or repeated on the way.
One that is mounted anew counts from 1 again, and so has a name for each `visit`.

Of a widget every browser message repeats the value, a stale one too, so a value written to an
existing key would be reverted: it gets a new key where its value is set from outside. Streamlit
forgets a replaced widget and reports its next message as a change: that value is applied only if it
differs from the widget's last one, since the reader may have changed the widget before the answer
arrived.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st


def take(key: str, taker: Callable[[dict[str, Any]], Any], name: str = "report") -> None:
    """Give `taker` each change that the component `key` has told as `name` and that was not taken
    yet, in their order.

    Call it in the script of a page, not in a callback: the next report cuts the run of the last one
    short, a callback with it, and only what was taken to the end counts as taken.
    """
    told, taken = _told(key, name), _taken(key, name)
    visit = told.get("visit", "")
    for number, change in told.get("changes", ()):
        if number > taken.get(visit, 0):
            taker(change)
            taken[visit] = number


def answers(key: str, name: str = "report") -> dict[str, Any]:
    """What a drawing of the component `key` answers: all of a visit up to the number `rev`."""
    visit = _told(key, name).get("visit", "")
    return {"visit": visit, "rev": _taken(key, name).get(visit, 0)}


def _told(key: str, name: str) -> dict[str, Any]:
    return (st.session_state.get(key) or {}).get(name) or {}


def _taken(key: str, name: str) -> dict[str, int]:
    """Of each visit the number of the last change that was taken."""
    return st.session_state.setdefault(f"{key} {name} taken", {})


GONE = "widgets gone"
MOST = 40
"""Widgets whose last values are kept: more than a browser shows of those that have gone."""


def key_of(name: str) -> str:
    """The key of the widget `name` as it is now."""
    number = _number(name)
    return f"{name} {number}" if number else name


def _number(name: str) -> int:
    return st.session_state.get(f"{name} number", 0)


def leave(name: str) -> None:
    """Give the widget `name` a new key, and remember the last value under the old one."""
    old = key_of(name)
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
    now = key_of(name)
    drawn = st.session_state.get(f"{name} drawn", looks)
    if now in st.session_state and (st.session_state[now] != value or drawn != looks):
        leave(name)
    st.session_state[f"{name} drawn"] = looks
    return key_of(name)


def hear(key: str, taker: Callable[[Any], None]) -> None:
    """In the callback of the widget with this `key`: call `taker` with a value the reader set."""
    value, gone = st.session_state[key], st.session_state.get(GONE, {})
    if key not in gone:
        taker(value)
    elif gone[key] != value:
        taker(value)
        gone[key] = value
