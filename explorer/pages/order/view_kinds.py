"""What the Order page says of each kind of target that can be altered: each answers all that `view`
asks. Every field of a view is required: an answer that is forgotten is an error at import that
names it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from explorer.coupling import GridLoader
from explorer.spec import KERNEL_FIELDS, AlterableSpec, AnySpec, CouplingSpec, LinearSpec, design_of
from explorer.spec.alterations import AlterationFields
from explorer.spec.fields import of_each
from explorer.targets import (
    KINDS,
    Kind,
    LinearTarget,
    alteration_of,
    coupling,
    kernel_of,
    linear,
    linear_target,
)
from explorer.theory.design import Design
from explorer.theory.linear import LinearFloors, complexity_of, linear_floors
from explorer.theory.propositions import Verdict, proposition_61, proposition_63

Spec = TypeVar("Spec", bound=AlterableSpec)


@dataclass(frozen=True, kw_only=True)
class OrderView(Generic[Spec]):
    """What there is to say of a kind of target that can be altered."""

    kind: Kind[Any, Any, Any]
    check: Callable[[Spec, GridLoader | None], object]
    """Raises SpecError or FormulaError where its target cannot be built."""
    learned: Callable[[Spec], object]
    """What is learned: equal for two that learn the same numbers, however these are named."""
    matrix: Callable[[Spec], np.ndarray | None]
    """K (τ, τ) of y = K x̃; None where y is not linear in the input."""
    kernel: Callable[[Spec], Mapping[str, Any]]
    """What the component is told of ρ(s): `kernel` ρ, the fields `rho` that make it, and `decay`,
    its decay length, None for ∞; each None where there is no kernel."""
    printed: Callable[[Spec], tuple[Any, Any] | None]
    """Kernel and order of the row of Table 2 or 3 that is about its target, if there can be one."""
    propositions: Callable[[Spec, Mapping[str, float], Verdict], list[Verdict]]
    """Those of Section 6 that are about its target, given the MSE of trained RNNs by what they are
    called, and what Prop. 6.2 says."""

    def floors(self, spec: Spec) -> LinearFloors | None:
        """The exact floors; None where none are known."""
        matrix = self.matrix(spec)
        return None if matrix is None else linear_floors(matrix)


# Linear targets, y = K x̃

RHO = tuple(name for name in KERNEL_FIELDS if name not in ("target", "tau"))
"""The fields of a specification that make ρ."""


@lru_cache(maxsize=512)
def _target(spec: LinearSpec) -> LinearTarget:
    return linear_target(spec)


def _kernel(spec: LinearSpec) -> dict[str, Any]:
    decay = complexity_of(spec)["before"]["c_1"]
    return {
        "kernel": kernel_of(spec).tolist(),
        "rho": {name: getattr(spec, name) for name in RHO},
        "decay": decay if math.isfinite(decay) else None,
    }


def _printed(spec: LinearSpec) -> tuple[Any, Any] | None:
    other = spec.kernel == "exponential" and spec.rate != 1
    if spec.tau != 32 or spec.filter is not None or other:
        return None
    return spec.kernel, spec.permutation


LINEAR = OrderView[LinearSpec](
    kind=linear.KIND,
    check=lambda spec, load_grid: linear_target(spec),
    learned=_target,
    matrix=lambda spec: _target(spec).matrix,
    kernel=_kernel,
    printed=_printed,
    propositions=lambda spec, rnns, second: [
        proposition_61(spec, rnns),
        second,
        proposition_63(spec),
    ],
)


# Targets of Eq. 8 with a coupling


def _check(spec: CouplingSpec, load_grid: GridLoader | None) -> None:
    Design(spec, load_grid).decomposition()
    coupling.KIND.build(spec, load_grid)


COUPLING = OrderView[CouplingSpec](
    kind=coupling.KIND,
    check=_check,
    learned=lambda spec: (design_of(spec), alteration_of(spec)),
    matrix=lambda spec: None,
    kernel=lambda spec: {"kernel": None, "rho": None, "decay": None},
    printed=lambda spec: None,
    propositions=lambda spec, rnns, second: [second],
)
VIEWS: dict[str, OrderView[Any]] = of_each(
    "views of alterable targets",
    [name for name, kind in KINDS.items() if issubclass(kind.Spec, AlterationFields)],
    {view.kind.name: view for view in (LINEAR, COUPLING)},
)
"""By the `target` of their specifications."""


def view_of(spec: AnySpec) -> OrderView[Any]:
    """What there is to say of the target of a specification that can be altered."""
    return VIEWS[spec.target]
