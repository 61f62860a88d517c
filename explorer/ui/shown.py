"""What the page on the screen shows: what a file of its picture holds.

The page writes it down while it is drawn; a fragment that is drawn again writes its part anew.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import streamlit as st

SHOWN = "shown"


PARAGRAPH = "\n\n"
Offer = tuple[Mapping[str, Any], Mapping[str, Any]]
"""Header and arrays, beside those of the picture."""


class More(NamedTuple):
    """A picture below the first."""

    data: bytes
    """What its component was given."""
    words: str
    """What is said of it, Markdown."""


@dataclass(eq=False)
class Shown:
    """A page as it is drawn: texts are Markdown, formulas LaTeX."""

    page: str
    address: str = ""
    component: str = ""
    """The component of its picture; "" where the page has none."""
    data: bytes = b""
    """What that was given."""
    more: dict[str, More] = field(default_factory=dict)
    """The pictures below it, by component."""
    line: str = ""
    """What is said below its question."""
    verdict: str = ""
    """What its numbers say; the first paragraph stands alone, the others are in its fold."""
    badge: str = ""
    formulas: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """What its address names that cannot be shown: something else stands in its place."""
    offer: Callable[[], Offer] | None = None
    """What a browser needs to train what its picture shows (ui/here.py); None where none can."""
    of_browser: bool = False
    """Whether its picture has what one reader's browser alone has trained, or begins to."""
    alone: Mapping[str, Any] = field(default_factory=dict)
    """What its component has to be given besides where no Python answers it."""
    figures: Callable[[], Mapping[str, Any]] | None = None
    """Makes its figures, as `exports.everything` takes them; None while there are none."""

    def given(self, component: str) -> bytes:
        """What a component of the page was given; raises KeyError for one that is not drawn."""
        return self.data if component == self.component else self.more[component].data


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


def note_problems(*problems: str) -> None:
    """Write down what is wrong with the address."""
    if page := st.session_state.get(SHOWN):
        page.problems += problems


def note_more(component: str, data: bytes, words: str, figures: Callable[[], Any]) -> None:
    """Write down another picture of the page, and its figures after those that are there."""
    if page := st.session_state.get(SHOWN):
        page.more[component] = More(data, words)
        before = page.figures
        page.figures = lambda: {**(before() if before else {}), **figures()}
