"""Callbacks of widgets that are done to their end, whatever the reader changes meanwhile, and not
at what a browser says without a change.

A message says the values of all widgets, and comes of one act of the reader. Of a widget that
another hand has changed, in a canvas or by Back, it says what the browser showed until the answer
is there: the value of the message before, or another one that was written into the widget since.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from explorer.ui.message import Message
from explorer.ui.streamlit_private import RerunException, drawn_elsewhere, message

LAST, WRITTEN = "message before", "written into widgets"
MOST = 4
"""Values written into a widget that the browser may not have shown yet."""


def note() -> None:
    """Keep what the message says, to compare the next one with. Call it where a script begins."""
    if msg := message():
        st.session_state[WRITTEN] = dict(_written(msg))
        st.session_state[LAST] = msg.values


def _written(msg: Message) -> Iterator[tuple[str, list[Any]]]:
    """What was written into widgets, by this message and before, and may not be shown yet."""
    last, written = _last(), st.session_state.get(WRITTEN, {})
    for widget, value in msg.here.items():
        if last[widget] != value if widget in last else widget not in msg.values:
            yield widget, [*written.get(widget, ()), value][-MOST:]
        elif widget in written and msg.values.get(widget) != value:
            yield widget, written[widget]


def _last() -> dict[str, Any]:
    return st.session_state.get(LAST, {})


def is_late(callback: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether no widget with this callback has been changed by the reader: what is said of it it
    showed before, and the message comes of something else."""
    now = message()
    if now is None:
        return False
    called = [each for each in now.values if now.callbacks[each] == (callback, args)]
    if any(_is_done(now, each) for each in called):
        return False
    return bool(called) and any(_is_done(now, other) for other in now.values)


def _is_done(msg: Message, widget: str) -> bool:
    """Whether the reader has pressed or changed a widget, by what is said of it."""
    value = msg.values[widget]
    if widget in msg.presses:
        return bool(value)
    shown = [*st.session_state.get(WRITTEN, {}).get(widget, ()), msg.here.get(widget)]
    return value not in shown and (widget not in _last() or value != _last()[widget])


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
            if _begun.get() or not is_late(begun_anew, args):
                with _at_work():
                    callback(*args, **kwargs)
        except RerunException:
            begun_anew(*args, **kwargs)
            raise

    return begun_anew
