"""The one table of kinds of target, and what is asked of it."""

from explorer.spec import AnySpec, AnySweep, TaskSpec
from explorer.targets import coupling, labelled, linear, memory, tasks
from explorer.targets.coupling import AlteredTarget, CouplingTarget
from explorer.targets.kind import GridLoader, Kind, TaskKind
from explorer.targets.labelled import Labelled
from explorer.targets.linear import LinearTarget
from explorer.targets.memory import Memory, MemoryKind
from explorer.targets.task import Task

AnyTarget = CouplingTarget | AlteredTarget | LinearTarget | Task | Labelled | Memory

TASKS: dict[str, TaskKind] = {kind.name: kind for kind in tasks.kinds()}
"""The attention tasks."""
MEMORIES: dict[str, MemoryKind] = {kind.name: kind for kind in memory.KINDS}
"""The kinds of memory."""
KINDS: dict[str, Kind[AnySpec, AnySweep, AnyTarget]] = {
    coupling.KIND.name: coupling.KIND,
    **TASKS,
    linear.KIND.name: linear.KIND,
    labelled.PICTURES_KIND.name: labelled.PICTURES_KIND,
    labelled.NUMBER_WORDS_KIND.name: labelled.NUMBER_WORDS_KIND,
    **MEMORIES,
}
"""Every kind of target, by the `target` of its specifications."""
TASK_PRESETS: dict[str, tuple[str, TaskSpec]] = {
    name: preset for kind in TASKS.values() for name, preset in kind.presets.items()
}
"""Ready specifications of attention tasks."""
PRESETS: dict[str, tuple[str, AnySpec]] = {
    name: preset for kind in KINDS.values() for name, preset in kind.presets.items()
}
"""Ready specifications of every kind by name, with what they are."""
SWEEPS: dict[str, tuple[str, AnySweep]] = {
    name: sweep for kind in KINDS.values() for name, sweep in kind.sweeps.items()
}
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
