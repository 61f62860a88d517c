"""Callbacks of widgets that are done to their end, whatever the reader changes meanwhile."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from streamlit.runtime.scriptrunner import RerunException

Arguments = ParamSpec("Arguments")


def uninterrupted(callback: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A callback that begins anew where the next change of the reader has cut it short.

    Streamlit ends a callback at its next look into the session once another change has come, and
    does not call it again: what it was to take would be lost. The other change is answered after
    it, as Streamlit does. For callbacks that may be begun twice, and neither run the script again
    nor turn the page themselves.
    """

    @wraps(callback)
    def begun_anew(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        try:
            callback(*args, **kwargs)
        except RerunException:
            begun_anew(*args, **kwargs)
            raise

    return begun_anew
