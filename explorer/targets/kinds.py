"""The one table of kinds of target, and what is asked of it."""

from explorer.families import table
from explorer.spec import AnySpec, AnySweep, TaskSpec
from explorer.targets import coupling, labelled, linear, memory, tasks
from explorer.targets.coupling import AlteredTarget, CouplingTarget
from explorer.targets.kind import GridLoader, Kind, TaskKind
from explorer.targets.labelled import Labelled
from explorer.targets.linear import LinearTarget
from explorer.targets.memory import Memory, MemoryKind
from explorer.targets.task import Task

AnyTarget = CouplingTarget | AlteredTarget | LinearTarget | Task | Labelled | Memory

TASKS: dict[str, TaskKind] = table("task", ((kind.name, kind) for kind in tasks.kinds()))
"""The attention tasks."""
MEMORIES: dict[str, MemoryKind] = {kind.name: kind for kind in memory.KINDS}
"""The kinds of memory."""
ALL: tuple[Kind[AnySpec, AnySweep, AnyTarget], ...] = (
    coupling.KIND,
    *TASKS.values(),
    linear.KIND,
    labelled.PICTURES_KIND,
    labelled.NUMBER_WORDS_KIND,
    *MEMORIES.values(),
)
KINDS = table("kind", ((kind.name, kind) for kind in ALL))
"""Every kind of target, by the `target` of its specifications."""
TASK_PRESETS: dict[str, tuple[str, TaskSpec]] = {
    name: preset for kind in TASKS.values() for name, preset in kind.presets.items()
}
"""Ready specifications of attention tasks."""
PRESETS = table("preset", (item for kind in ALL for item in kind.presets.items()))
"""Ready specifications of every kind by name, with what they are."""
SWEEPS = table("sweep", (item for kind in ALL for item in kind.sweeps.items()))
"""Ready sweeps by name, beside the single runs of PRESETS."""


def target_of(spec: AnySpec, load_grid: GridLoader | None = None) -> AnyTarget:
    """The target of a specification; raises CouplingError where its coupling cannot be built, and
    another SpecError where its kernel or its alteration cannot."""
    return KINDS[spec.target].build(spec, load_grid)


def checked_target(spec: AnySpec, load_grid: GridLoader | None = None) -> AnyTarget:
    """`target_of`, where its formula is finite at every node of its POD, too: raises what that does
    before anything is trained on it or drawn of it."""
    target = target_of(spec, load_grid)
    KINDS[spec.target].check(spec)
    return target


def task_of(spec: TaskSpec) -> Task:
    """The task of a specification."""
    return TASKS[spec.target].build(spec, None)
