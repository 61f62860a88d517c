"""What the Memory page says of each kind of memory: a file for each, which answers all that `view`
asks."""

from typing import Any

from explorer.pages.memory.view_kinds import adaptive, essential, fixed, induction
from explorer.pages.memory.view_kinds.view import Law, Least, MemoryView
from explorer.spec import MemorySpec
from explorer.spec.fields import of_each
from explorer.targets import MEMORIES

_VIEWS = (fixed.VIEW, adaptive.VIEW, essential.VIEW, induction.VIEW)
VIEWS: dict[str, MemoryView[Any]] = of_each(
    "views of memories", MEMORIES, {view.kind.name: view for view in _VIEWS}
)
"""By the `target` of their specifications."""


def view_of(spec: MemorySpec) -> MemoryView[Any]:
    """What there is to say of the memory of a specification."""
    return VIEWS[spec.target]


__all__ = ["VIEWS", "Law", "Least", "MemoryView", "view_of"]
