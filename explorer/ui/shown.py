"""What the page on the screen shows: what a file of its picture holds.

The page writes it down while it is drawn; a fragment that is drawn again writes its part anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

SHOWN = "shown"


@dataclass(eq=False)
class Shown:
    """A page as it is drawn: texts are Markdown, formulas LaTeX."""

    page: str
    address: str = ""
    component: str = ""
    """The component of its picture; "" where the page has none."""
    data: bytes = b""
    """What that was given."""
    verdict: str = ""
    badge: str = ""
    formulas: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    figures: Callable[[], Mapping[str, Any]] | None = None
    """Makes its figures, as `exports.everything` takes them; None while there are none."""


def begin(page: str) -> None:
    """A page begins to be drawn, as a whole."""
    st.session_state[SHOWN] = Shown(page)


def shown() -> Shown:
    """What has been drawn of the page; a file that is asked for later finds the rest in it, too."""
    return st.session_state[SHOWN]


def note(**parts: Any) -> None:
    """Write down what is drawn now; outside a page nobody asks for it."""
    if page := st.session_state.get(SHOWN):
        for name, value in parts.items():
            setattr(page, name, value)
