"""The run and the specification in the address, kept from page to page.

Streamlit clears the query parameters when the reader turns to another page. What a page had there
is remembered for the session and put back. A page opens without writing into the address, and what
is changed at once is written at once: an entry of the browser's history is a step of the reader,
and Back undoes it.

A browser sends its address with each change, and sends the old one where the next change comes
before the answer to the last: so the address is what this session wrote last. What the browser says
counts when the session begins, on a turn of the page, and after Back or Forward.

Pages of one kind of target share what is remembered; those of another kind have their own: a run of
an attention task means nothing to the page that trains couplings.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from explorer.ui.pages import COUPLING, FIRST, PAGES, Page

CARRIED = ("spec", "run", "pin", "at", "t", "view", "sweep")
OF_A_RUN = ("at", "t")  # what is looked at of the run shown: they mean nothing to another one
MEMORY = "address"


def page() -> Page:
    """The page shown."""
    return PAGES[st.session_state.get(MEMORY, {}).get("page", FIRST)]


def own(name: str) -> str:
    """A key of the session that each kind of target has for itself."""
    family = page().family
    return name if family == COUPLING else f"{name} of {family}"


def _memory() -> dict:
    return st.session_state.setdefault(own("remembered address"), {})


def _reader() -> dict:
    return st.session_state.setdefault(MEMORY, {})


def address() -> dict[str, str]:
    """The parameters of the address of this session; the browser's may lag behind."""
    reader = _reader()
    if "params" not in reader or _history():
        reader["params"] = st.query_params.to_dict()
    return reader["params"]


def param(name: str) -> str | None:
    """A parameter of the address of this session."""
    return address().get(name)


def put(**params: str | None) -> None:
    """Write parameters into address and memory at once; None takes one out of both.

    The browser gets what it does not have; a run that is cut short leaves that to the next one.
    """
    reader, memory, changed = _reader(), _memory(), address() | params
    memory.update(params)
    reader["params"] = {name: value for name, value in changed.items() if value is not None}
    if not reader.get("joined") and reader["params"] != st.query_params.to_dict():
        st.query_params.from_dict(reader["params"])


@contextmanager
def one_step() -> Iterator[None]:
    """What is put inside is one entry of the browser's history."""
    reader = _reader()
    reader["joined"] = True
    try:
        yield
    finally:
        reader["joined"] = False
    put()


def hold(**params: str) -> None:
    """What a page turn brings into the address although it does not stand there now."""
    _memory().setdefault("held", {}).update(params)


def restore(name: str) -> None:
    """Call at the start of a full run of the page of this `name`: after a turn to it the parameters
    come back."""
    reader, kept = _reader(), {}
    reader["complaints"] = {}
    turned = reader.get("page") not in (None, name) and not _history()
    reader["turned"] = turned or reader.get("unfinished", False)
    reader["unfinished"], reader["page"] = reader["turned"], name
    if reader["turned"]:
        memory, found = _memory(), st.query_params.to_dict()
        reader["params"] = found
        another = found.get("run") not in (None, memory.get("run"))
        names = [each for each in CARRIED if not (another and each in OF_A_RUN)]
        kept = {each: found.get(each, memory.get(each)) for each in names}
    put(**kept)
    reader["unfinished"] = False


def complain(name: str, *problems: str) -> None:
    """Say in this run what is wrong with a parameter of the address; see `state.show_problems`."""
    _reader().setdefault("complaints", {})[name] = problems


def complaints() -> tuple[str, ...]:
    """What is wrong with the parameters of the address, as far as this run has read them."""
    return tuple(line for lines in _reader().get("complaints", {}).values() for line in lines)


def turned() -> bool:
    """Whether the reader has just come from another page by a link, not by Back or Forward.

    A link leaves the address bare, since Streamlit clears it; where Back finds one bare, it was so.
    """
    return st.session_state[MEMORY]["turned"]


def _history() -> bool:
    """Whether Back or Forward led here; the address alone does not tell. Not in Streamlit's
    documented interface: a test in a browser watches over it."""
    return get_script_run_ctx().is_history_navigation


def remember() -> None:
    """Call at the end of a full run: what the address holds now is what a page turn restores."""
    memory = _memory()
    held = memory.get("held", {})
    memory.update({name: address().get(name, held.get(name)) for name in CARRIED})
