"""A value that two hands change: the reader's, in a component, and any other, in this process.

The component numbers the reader's changes and repeats them until a drawing answers them
(components/core/exchange.js); here each is taken once, whatever was lost or repeated on the way.
One that is mounted anew counts from 1 again, and so has a name for each `visit`. Widgets have no
number: what of theirs is late, callbacks.py finds.
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
