"""The parts of the Design page that open on demand: where they stand, what their pictures report,
the way to the theorem. A page imports what they show once its mathematics is unfolded."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.ui import chrome, exchange, mathematics, selection
from explorer.ui.callbacks import uninterrupted
from explorer.ui.selection import Selection

THEORY, REPRESENTATION, SEVERAL = "theory", "representation", "several"
THEOREM, SLICES = "theorem", "slices"
"""The pictures of the theorem, and of couplings of several numbers."""
TAKEN = {THEOREM: ("ff", "along"), SLICES: ("several_m", "held")}
"""What the reader turns to in them."""


def begin() -> Selection:
    """Call first in the page: takes what the reader has turned to, and opens what a link names."""
    for picture in TAKEN:
        exchange.take(picture, _turned)
    selected = selection.current()
    mathematics.open_for({selected.ff, selected.along} != {None}, THEORY)
    mathematics.open_for(selected.relation is not None, REPRESENTATION)
    several = selected.several is not None or selected.several_from != "formula"
    mathematics.open_for(several, SEVERAL)
    return selected


def _turned(said: Mapping[str, Any]) -> None:
    named = (name for names in TAKEN.values() for name in names)
    selection.change(**{name: said[name] for name in named if name in said})


def way() -> None:
    """A button to the theorem from the top of the page: it opens, and comes into view."""
    st.button(
        "Theorem 4.1 ↓",
        type="tertiary",
        width="content",
        on_click=_come,
        help="What the paper's bound says about this coupling.",
    )


@uninterrupted
def _come() -> None:
    mathematics.unfold()
    st.session_state[THEORY] = True
    chrome.bring(THEORY)
