"""What every page has of the browser beside its pictures: keys, the chosen theme, paper."""

from explorer.ui.components import registered
from explorer.ui.pages import PAGES

_PAGE = registered("page", isolate_styles=False)


def everywhere() -> None:
    """Shortcuts work after a slider, a theme is remembered for all pages, print is clean."""
    _PAGE(key="page", data={"pages": list(PAGES)})
