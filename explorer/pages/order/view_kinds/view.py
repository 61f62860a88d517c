"""What the Order page asks of a kind of target. Every field is required: an answer that is
forgotten is an error at import that names it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from explorer.coupling import GridLoader
from explorer.spec import AlterableSpec
from explorer.targets import Kind
from explorer.theory.linear import LinearFloors, linear_floors
from explorer.theory.propositions import Verdict

Spec = TypeVar("Spec", bound=AlterableSpec)


@dataclass(frozen=True, kw_only=True)
class OrderView(Generic[Spec]):
    """What there is to say of a kind of target that can be altered."""

    kind: Kind[Any, Any, Any]
    check: Callable[[Spec, GridLoader | None], None]
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
