"""What is to be learned: exact answers, ideal attention, samplers, instances to draw.

    coupling    targets of Eq. 8 with a coupling ρ on [0, 1]²
    nearest     the nearest point of a set, by hard-max of −|u − v|²
    gravity     centres of gravity of segments
    selection   qSA, the average of selected vectors
    tasks       what the last three have in common
    fixed       the sequences that models are compared on, and those that are drawn
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from explorer.coupling import coupling_of
from explorer.spec import AnySpec, CouplingSpec, GravitySpec, NearestSpec, SelectionSpec, TaskSpec
from explorer.targets.coupling import CouplingTarget, softmax
from explorer.targets.fixed import (
    EVALUATION_SEED,
    EXAMPLE_SEED,
    evaluation_inputs,
    example_inputs,
)
from explorer.targets.gravity import GravityTarget
from explorer.targets.nearest import NearestTarget
from explorer.targets.selection import EQ_65, EQ_66, SelectionTarget
from explorer.targets.tasks import Task, TaskError

__all__ = [
    "EQ_65", "EQ_66", "EVALUATION_SEED", "EXAMPLE_SEED", "CouplingTarget", "GravityTarget",
    "NearestTarget", "SelectionTarget", "Task", "TaskError", "evaluation_inputs", "example_inputs",
    "softmax", "target_of", "task_of",
]  # fmt: skip


def target_of(
    spec: AnySpec, load_grid_by_hash: Callable[[str], np.ndarray] | None = None
) -> CouplingTarget | Task:
    """The target of a specification; raises CouplingError where its coupling cannot be built."""
    if isinstance(spec, CouplingSpec):
        return CouplingTarget(coupling_of(spec, load_grid_by_hash), spec.tau)
    return task_of(spec)


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
