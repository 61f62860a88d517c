"""The run and the specification in the address, kept from page to page.

Streamlit clears the query parameters when the reader turns to another page. What a page had there
is remembered for the session and put back; on the same page the address is the truth. A page opens
without writing into it, and what is changed at once is written at once: an entry of the browser's
history is a step of the reader, and Back undoes it.
"""

import streamlit as st

CARRIED = ("spec", "run", "pin", "at", "t", "view")
MEMORY = "address"


def put(**params: str | None) -> None:
    """Write parameters into address and memory at once; None takes one out of both."""
    memory = st.session_state.setdefault(MEMORY, {})
    memory.update(params)
    now = st.query_params.to_dict()
    wanted = {name: value for name, value in (now | params).items() if value is not None}
    if wanted != now:
        st.query_params.from_dict(wanted)


def hold(**params: str) -> None:
    """What a page turn brings into the address although it does not stand there now."""
    st.session_state.setdefault(MEMORY, {}).setdefault("held", {}).update(params)


def restore(page: str) -> None:
    """Call at the start of a full run: after a turn to another `page` the parameters come back."""
    memory = st.session_state.setdefault(MEMORY, {})
    memory["turned"] = memory.get("page") not in (None, page)
    if memory["turned"]:
        put(**{name: st.query_params.get(name, memory.get(name)) for name in CARRIED})
    memory["page"] = page


def turned() -> bool:
    """Whether the reader has just come from another page."""
    return st.session_state[MEMORY]["turned"]


def remember() -> None:
    """Call at the end of a full run: what the address holds now is what a page turn restores."""
    memory = st.session_state.setdefault(MEMORY, {})
    held = memory.get("held", {})
    memory.update({name: st.query_params.get(name, held.get(name)) for name in CARRIED})
