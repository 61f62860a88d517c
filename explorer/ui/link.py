"""The control that copies the complete address of a page."""

from explorer.spec import compact
from explorer.ui import address, shortened, shown, state
from explorer.ui.components import registered

_LINK = registered("link")


def copy_link() -> None:
    """Copies the address, with the specification of this session where it does not stand there."""
    spec = state.begun()
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
