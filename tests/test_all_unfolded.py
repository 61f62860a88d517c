"""Every page with all its folds open: nothing in them ends on an error."""

import pytest
from streamlit_pages import app, ran

from explorer.ui.pages import PAGES


def folds_of(at):
    """The keys of what opens on demand; its id has them behind a hash."""
    return {each.proto.id.split("-", 2)[2] for each in at.expander if each.proto.id}


@pytest.mark.parametrize("page", PAGES)
def test_all_folds_of_a_page_are_drawn(page):
    at, opened = ran(app(page)), set()
    while new := folds_of(at) - opened:
        opened |= new
        for key in new:
            at.session_state[key] = True
        ran(at)
    assert page in ("runs", "talk") or len(opened) > 3
