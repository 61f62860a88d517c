"""What is to be learned: exact answers, ideal attention, samplers, instances to draw.

coupling    targets of Eq. 8 with a coupling ρ on [0, 1]²
nearest     the nearest point of a set, by hard-max of −|u − v|²
gravity     centres of gravity of segments
selection   qSA, the average of selected vectors
tasks       what the last three have in common
linear      y_t = Σ ρ(s) x(t−s), as a matrix on what the model sees
altered     targets of Eq. 8 seen in another order, or through a filter
alterations orders and filters themselves
fixed       the sequences that models are compared on, and those that are drawn
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from explorer.coupling import CouplingError, FormulaError, coupling_of, pod
from explorer.spec import (
    AnySpec,
    CouplingSpec,
    GravitySpec,
    LinearSpec,
    NearestSpec,
    SelectionSpec,
    TaskSpec,
)
from explorer.targets.alterations import (
    FILTERS,
    ORDERS,
    Alteration,
    alteration_of,
    filter_matrix,
    named_order,
    named_taps,
)
from explorer.targets.altered import AlteredTarget, altered_target
from explorer.targets.coupling import CouplingTarget, softmax
from explorer.targets.fixed import (
    EVALUATION_SEED,
    EXAMPLE_SEED,
    PICTURE,
    evaluation_inputs,
    example_inputs,
)
from explorer.targets.gravity import GravityTarget
from explorer.targets.linear import LinearError, LinearTarget, kernel_of, linear_target, toeplitz
from explorer.targets.nearest import NearestTarget
from explorer.targets.selection import EQ_65, EQ_66, SelectionTarget
from explorer.targets.tasks import Task, TaskError

__all__ = [
    "EQ_65",
    "EQ_66",
    "EVALUATION_SEED",
    "EXAMPLE_SEED",
    "FILTERS",
    "ORDERS",
    "PICTURE",
    "Alteration",
    "AlteredTarget",
    "AnyTarget",
    "CouplingTarget",
    "GravityTarget",
    "LinearError",
    "LinearTarget",
    "NearestTarget",
    "SelectionTarget",
    "Task",
    "TaskError",
    "alteration_of",
    "checked_target",
    "evaluation_inputs",
    "example_inputs",
    "filter_matrix",
    "kernel_of",
    "linear_target",
    "named_order",
    "named_taps",
    "softmax",
    "target_of",
    "task_of",
    "toeplitz",
]


AnyTarget = CouplingTarget | AlteredTarget | LinearTarget | Task


def target_of(
    spec: AnySpec, load_grid_by_hash: Callable[[str], np.ndarray] | None = None
) -> AnyTarget:
    """The target of a specification; raises CouplingError where its coupling cannot be built, and
    another SpecError where its kernel or its alteration cannot."""
    if isinstance(spec, LinearSpec):
        return linear_target(spec)
    if not isinstance(spec, CouplingSpec):
        return task_of(spec)
    plain = CouplingTarget(coupling_of(spec, load_grid_by_hash), spec.tau)
    return altered_target(spec, plain) if spec.altered else plain


def checked_target(
    spec: AnySpec, load_grid_by_hash: Callable[[str], np.ndarray] | None = None
) -> AnyTarget:
    """`target_of`, where its formula is finite at every node of its POD, too: raises what that does
    before anything is trained on it or drawn of it."""
    target = target_of(spec, load_grid_by_hash)
    if isinstance(spec, CouplingSpec) and spec.formula is not None:
        try:
            pod(coupling_of(spec), centred=True)
        except FormulaError as error:
            raise CouplingError(f"formula = {spec.formula!r}: {error}") from None
    return target


def task_of(spec: TaskSpec) -> Task:
    """The task of a specification."""
    match spec:
        case NearestSpec():
            return NearestTarget(spec.tau, spec.d)
        case GravitySpec():
            return GravityTarget(spec.tau, spec.d, spec.segments)
        case SelectionSpec():
            return SelectionTarget(spec.tau, spec.d, spec.k)
    raise TypeError(f"no task is made of {type(spec).__name__}")
