"""The run and the specification in the address, kept from page to page.

Streamlit clears the query parameters when the reader turns to another page. What a page had there
is remembered for the session and put back; on the same page the address is the truth.
"""

import streamlit as st

CARRIED = ("spec", "run", "pin", "view")
MEMORY = "address"


def put(**params: str | None) -> None:
    """Write parameters into the address and the memory; None takes one out of both."""
    memory = st.session_state.setdefault(MEMORY, {})
    for name, value in params.items():
        memory[name] = value
        if value is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != value:
            st.query_params[name] = value


def restore(page: str) -> None:
    """Call at the start of a full run: after a turn to another `page` the parameters come back."""
    memory = st.session_state.setdefault(MEMORY, {})
    if memory.get("page") not in (None, page):
        put(**{name: st.query_params.get(name, memory.get(name)) for name in CARRIED})
    memory["page"] = page


def remember() -> None:
    """Call at the end of a full run: what the address holds now is what a page turn restores."""
    memory = st.session_state.setdefault(MEMORY, {})
    memory.update({name: st.query_params.get(name) for name in CARRIED})
