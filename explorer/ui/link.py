"""The control that copies the complete address of a page."""

import streamlit as st

from explorer.spec import compact
from explorer.ui import address, shortened, shown, state
from explorer.ui.components import source

_LINK = st.components.v2.component("explorer_link", **source("link"))


def copy_link() -> None:
    """Copies the address, with the specification of this session where it does not stand there."""
    spec = state.current()
    text = spec and compact(spec)
    data = {
        "spec": text,
        "unread": address.unread(state.SPEC),
        "longest": shortened.LONGEST,
        "prefix": shortened.MARK,
        "mark": text and shortened.mark_of(text),
    }
    shown.note(address=address.text(spec=text))
    _LINK(key="copy link", data=data, width="content")
