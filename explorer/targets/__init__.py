"""What is to be learned: exact answers, ideal attention, samplers, instances to draw.

kind        what there is to know of a kind of target, and kinds, the one table of them
reading     from JSON to the specification of its kind
coupling/   targets of Eq. 8 with a coupling ρ on [0, 1]², plain or altered
linear/     y_t = Σ ρ(s) x(t−s), as a matrix on what the model sees
labelled/   pictures and number words, known by examples
memory/     values in the past: at fixed lags, where tokens point, by a kernel
tasks/      the attention tasks, a file for each; task, what one is
alterations orders and filters themselves
fixed       the sequences that models are compared on, and those that are drawn
"""

from explorer.targets.alterations import (
    FILTERS,
    ORDERS,
    Alteration,
    alteration_of,
    filter_matrix,
    named_order,
    named_taps,
)
from explorer.targets.coupling import AlteredTarget, CouplingTarget, plain_target, softmax
from explorer.targets.coupling.chosen import Parts, parts_of
from explorer.targets.coupling.parts import Part, part_of
from explorer.targets.fixed import (
    EVALUATION_SEED,
    EXAMPLE_SEED,
    PICTURE,
    evaluation_inputs,
    example_inputs,
)
from explorer.targets.kind import GridLoader, Kind, TaskKind
from explorer.targets.kinds import (
    KINDS,
    MEMORIES,
    PRESETS,
    SWEEPS,
    TASK_PRESETS,
    TASKS,
    AnyTarget,
    checked_target,
    target_of,
    task_of,
)
from explorer.targets.labelled import Labelled
from explorer.targets.linear import LinearError, LinearTarget, kernel_of, linear_target, toeplitz
from explorer.targets.memory import Memory, MemoryKind
from explorer.targets.reading import coupling_sweep, parse, parse_leniently, parse_sweep
from explorer.targets.task import Task, TaskError, TaskInput, TaskPage
