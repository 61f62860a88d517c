"""Callbacks of widgets that are done to their end, whatever the reader changes meanwhile, and not
at what a browser says without a change."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec

from explorer.ui import late
from explorer.ui.streamlit_private import RerunException, drawn_elsewhere

Arguments = ParamSpec("Arguments")

_begun: ContextVar[bool] = ContextVar("_begun", default=False)
"""Whether such a callback is at work here: what it calls is its own, and no widget's."""


@contextmanager
def _at_work() -> Iterator[None]:
    within = _begun.set(True)
    try:
        yield
    finally:
        _begun.reset(within)


def uninterrupted(callback: Callable[Arguments, None]) -> Callable[Arguments, None]:
    """A callback that begins anew where the next change of the reader has cut it short.

    Streamlit ends a callback at its next look into the session once another change has come, and
    does not call it again: what it was to take would be lost. The other change is answered after
    it, as Streamlit does. For callbacks that may be begun twice, and neither run the script again
    nor turn the page themselves.

    Where only parts of the page are drawn anew, for work that has moved on or a widget in one of
    them, widgets elsewhere have not been changed: that would have been a message of its own. What
    is said of them may be what they showed before Back or another hand, and is not taken.
    """

    @wraps(callback)
    def begun_anew(*args: Arguments.args, **kwargs: Arguments.kwargs) -> None:
        if drawn_elsewhere():
            return
        try:
            if _begun.get() or not late.is_late(begun_anew, args):
                with _at_work():
                    callback(*args, **kwargs)
        except RerunException:
            begun_anew(*args, **kwargs)
            raise

    return begun_anew
