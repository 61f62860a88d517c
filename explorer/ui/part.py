"""Parts of a page that are drawn anew by themselves."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

import streamlit as st

from explorer.runs.database import StoreError
from explorer.ui.words import as_sentence

UNUSABLE = "The runs of this machine cannot be shown: {}"
Arguments = ParamSpec("Arguments")


def part(draw: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A fragment that says itself, for it is drawn without its page, when the store is unusable."""

    @wraps(draw)
    def drawn(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            draw(*args, **kwargs)
        except StoreError as problem:
            st.error(UNUSABLE.format(as_sentence(problem)))
            st.button("Try again", key=f"again {draw.__module__}.{draw.__qualname__}")

    return st.fragment(drawn)
