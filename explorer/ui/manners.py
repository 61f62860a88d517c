"""What every page has of the browser beside its pictures: keys, the chosen theme, paper."""

import streamlit as st

from explorer.ui.components import source
from explorer.ui.pages import PAGES

_PAGE = st.components.v2.component("explorer_page", **source("page"), isolate_styles=False)


def everywhere() -> None:
    """Shortcuts work after a slider, a theme is remembered for all pages, print is clean."""
    _PAGE(key="page", data={"pages": list(PAGES)})
