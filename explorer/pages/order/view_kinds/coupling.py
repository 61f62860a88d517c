"""Targets of Eq. 8 with a coupling."""

from explorer.coupling import GridLoader
from explorer.pages.order.view_kinds.view import OrderView
from explorer.spec import CouplingSpec, design_of
from explorer.targets import alteration_of, coupling
from explorer.theory.design import Design


def _check(spec: CouplingSpec, load_grid: GridLoader | None) -> None:
    Design(spec, load_grid).decomposition()
    coupling.KIND.build(spec, load_grid)


VIEW = OrderView[CouplingSpec](
    kind=coupling.KIND,
    check=_check,
    learned=lambda spec: (design_of(spec), alteration_of(spec)),
    matrix=lambda spec: None,
    kernel=lambda spec: {"kernel": None, "rho": None, "decay": None},
    printed=lambda spec: None,
    propositions=lambda spec, rnns, second: [second],
)
