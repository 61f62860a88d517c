"""What the Real attention page has for who goes on reading: folded, and drawn when unfolded."""

from explorer.pages.real import budget, page, trained_here, width
from explorer.pages.real.view import RealView
from explorer.ui import controls


def panel(found: RealView) -> None:
    """A line that unfolds."""
    controls.folded(controls.PAPER, _more, found)


def _more(found: RealView) -> None:
    if not found.look.of.own:  # theirs are shipped
        budget.panel(found.look)
    page.layers_panel(found)
    width.panel(found.look)
    trained_here.panel(found.look)
