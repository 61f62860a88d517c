"""The control that copies the complete address of a page."""

import streamlit as st

from explorer.spec import compact
from explorer.ui import attach, state
from explorer.ui.components import source

_LINK = st.components.v2.component("explorer_link", **source("link"))


def copy_link() -> None:
    """Copies the address, with the specification of this session where it does not stand there."""
    spec = state.current()
    unread = st.session_state.get(attach.own(state.READ)) if state.problems() else None
    data = {"spec": spec and compact(spec), "unread": unread}
    _LINK(key="copy link", data=data, width="content")
