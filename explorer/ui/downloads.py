"""Files that are made when their button is pressed; where one cannot be made, why stands below it.

A browser asks for such a file on a thread of its own, and Streamlit says of a failure only that it
was one, for five seconds. So the click also reruns the fragment of the button: whoever comes first
makes the file, the thread gets its bytes, and the page what went wrong.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any

import streamlit as st

from explorer.ui.callbacks import uninterrupted
from explorer.ui.words import as_code, said

LONGEST = 300
"""Characters of a reason: a renderer may add a page of its own to it."""


def download(
    label: str, make: Callable[[], bytes], file: str, mime: str, key: str, **options: Any
) -> str:
    """A button for the `file` that `make` makes. Why the last press of it failed, or "".

    The caller shows the reason by `show_failures`, where there is room for a sentence.
    """
    making = _once(make)
    st.download_button(
        label,
        making,
        file,
        mime,
        key=key,
        on_click=uninterrupted(_remember),
        args=(_failure(key), file, making),
        **options,
    )
    failed, why = st.session_state.get(_failure(key), ("", ""))
    return why if failed == file else ""


def show_failures(*reasons: str, instead: str) -> None:
    """What could not be made, and what to do `instead`; it stays until the button works."""
    if told := [reason for reason in reasons if reason]:
        st.error(" ".join([*told, instead]), icon=":material/warning:")


def _failure(key: str) -> str:
    return f"why {key} failed"


def _once(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """A function that makes the file the first time, for whichever thread calls it, and then
    returns or raises the same."""
    lock, outcome = Lock(), []

    def made() -> bytes:
        with lock:
            if not outcome:
                outcome.append(_outcome(make))
        if isinstance(outcome[0], Exception):
            raise outcome[0]
        return outcome[0]

    return made


def _outcome(make: Callable[[], bytes]) -> bytes | Exception:
    try:
        return make()
    except Exception as error:  # of any kind: it is raised again, and said
        return error


def _remember(key: str, file: str, making: Callable[[], bytes]) -> None:
    st.session_state.pop(key, None)
    try:
        making()
    except Exception as error:
        why = said(f"{error}".strip()[:LONGEST]).rstrip(".") or type(error).__name__
        st.session_state[key] = file, f"{as_code(file)} could not be made. {why}."
