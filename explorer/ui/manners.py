"""What every page has of the browser beside its pictures: keys, the chosen theme, paper, and what
comes into view when it is asked for from elsewhere on the page."""

import streamlit as st

from explorer.ui import here, mathematics, registry
from explorer.ui.components import registered
from explorer.ui.pages import PAGES

_PAGE = registered("page", isolate_styles=False)
SCROLL_REQUEST = "brought into view"


def everywhere() -> None:
    """Shortcuts work after a slider, print is clean; a theme is remembered for all pages, and so is
    whether the mathematics is open and where they train."""
    cookies = (
        (*mathematics.COOKIE.values(), mathematics.is_open()),
        (*here.COOKIE.values(), here.is_chosen() != registry.is_public()),
    )
    brought = st.session_state.get(SCROLL_REQUEST)
    _PAGE(key="page", data={"pages": tuple(PAGES), "brought": brought, "cookies": cookies})


def bring(key: str) -> None:
    """The part of the page with this key comes into view, once it is drawn anew."""
    number = (st.session_state.get(SCROLL_REQUEST) or {}).get("number", 0)
    st.session_state[SCROLL_REQUEST] = {"key": key.replace(" ", "-"), "number": number + 1}
