"""The orders that a session has tried on the Order page, and the search for a harder one."""

from typing import Any

import streamlit as st

from explorer.pages.order import view_tried as view
from explorer.spec import AlterableSpec
from explorer.ui import specs

TRIED, SEARCHES = "orders tried", "order searches"


def noted(spec: AlterableSpec) -> list[dict[str, Any]]:
    """Note the order of the target shown; those of the session, hardest first. Of a target without
    floors there is nothing to compare them by."""
    if (matrix := view.in_order(spec)) is None:
        return []
    memory: dict[tuple[int, ...], view.Tried] = st.session_state.setdefault(TRIED, {})
    this = view.tried(spec)
    memory.setdefault(this.order, this)
    return view.listed(matrix, memory.values())


def search(spec: AlterableSpec) -> None:
    """Show the hardest order that is found: another search starts elsewhere."""
    if (matrix := view.in_order(spec)) is None:
        return
    seed = st.session_state.get(SEARCHES, 0)
    st.session_state[SEARCHES] = seed + 1
    found = view.hardest(matrix, seed)
    st.session_state.setdefault(TRIED, {}).setdefault(found.order, found)
    specs.change({"permutation": found.order})
