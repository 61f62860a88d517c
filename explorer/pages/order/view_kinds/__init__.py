"""What the Order page says of each kind of target that can be altered: a file for each, which
answers all that `view` asks."""

from typing import Any

from explorer.pages.order.view_kinds import coupling, linear
from explorer.pages.order.view_kinds.view import OrderView
from explorer.spec import AnySpec
from explorer.spec.alterations import AlterationFields
from explorer.spec.fields import of_each
from explorer.targets import KINDS

_ALTERABLE = [name for name, kind in KINDS.items() if issubclass(kind.Spec, AlterationFields)]
VIEWS: dict[str, OrderView[Any]] = of_each(
    "views of alterable targets",
    _ALTERABLE,
    {view.kind.name: view for view in (linear.VIEW, coupling.VIEW)},
)
"""By the `target` of their specifications."""


def view_of(spec: AnySpec) -> OrderView[Any]:
    """What there is to say of the target of a specification that can be altered."""
    return VIEWS[spec.target]


__all__ = ["VIEWS", "OrderView", "view_of"]
