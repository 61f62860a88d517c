"""A message of the browser, as callbacks compare it with the one before."""

from typing import Any, NamedTuple


class Message(NamedTuple):
    """What the browser said last of the widgets that have a callback or a value, by their ids."""

    values: dict[str, Any]
    here: dict[str, Any]
    """Their values as the last script of this session left them."""
    presses: frozenset[str]
    """Those that are true for the one script that answers them."""
    callbacks: dict[str, tuple[Any, tuple[Any, ...]]]
    """Function and arguments."""
