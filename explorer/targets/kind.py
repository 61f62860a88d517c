"""What there is to know of a kind of target, once. Every field is required: a piece that is
forgotten is an error at import that names it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from explorer.coupling import GridLoader
from explorer.spec import AnySpec, AnySweep, TaskSpec, TaskSweep
from explorer.targets.task import Task, TaskPage

Spec_co = TypeVar("Spec_co", bound=AnySpec, covariant=True)
Sweep_co = TypeVar("Sweep_co", bound=AnySweep, covariant=True)
Target_co = TypeVar("Target_co", covariant=True)


def nothing_more(spec: AnySpec) -> None:
    """`Kind.check` of a kind whose targets have all their answers."""


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[Spec_co, Sweep_co, Target_co]):
    """A kind of target, by the `target` of its specifications."""

    Spec: type[Spec_co]
    Sweep: type[Sweep_co]
    build: Callable[[Any, GridLoader | None], Target_co]
    """The target of a specification; raises SpecError where it cannot be built."""
    check: Callable[[Any], None]
    """Raises SpecError where a target that was built has no answers all the same."""
    words: Callable[[Any], str]
    """What a specification learns, in a few words."""
    presets: Mapping[str, tuple[str, Spec_co]]
    """Ready specifications by name, with what they are."""
    sweeps: Mapping[str, tuple[str, Sweep_co]]

    def __post_init__(self) -> None:
        if self.Sweep.member is not self.Spec:
            raise TypeError(f"{self.name}: the members of {self.Sweep.__name__} are another kind's")
        if missing := [
            name for name in ("topic", "recipe", "noun") if not hasattr(self.Spec, name)
        ]:
            raise TypeError(f"{self.name}: {self.Spec.__name__} lacks {', '.join(missing)}")

    @property
    def name(self) -> str:
        return self.Spec.model_fields["target"].default


@dataclass(frozen=True, kw_only=True)
class TaskKind(Kind[TaskSpec, TaskSweep, Task]):
    """A kind of attention task."""

    page: TaskPage
    """What the Attention page says of it."""

    def __post_init__(self) -> None:
        super().__post_init__()
        page, target = self.page, self.page.target
        names = {*dir(target), *getattr(target, "__dataclass_fields__", ())}
        missing = {
            *getattr(target, "__abstractmethods__", ()),
            *Task.__annotations__.keys() - names,
        }
        if missing:
            raise TypeError(f"{self.name}: {target.__name__} lacks {', '.join(sorted(missing))}")
        if odd := [name for name in page.shipped if not re.fullmatch("[a-z0-9-]+", name)]:
            raise TypeError(f"{self.name}: a head's name has a-z, 0-9 and -, not {', '.join(odd)}")
        heads = {each.preset for each in page.shipped.values()}
        asked = {self.name, *heads, *page.without_aux, *page.without_aux.values()}
        for what, unknown in (
            ("field", page.controls.keys() - self.Spec.model_fields.keys()),
            ("preset", asked - self.presets.keys()),
            ("sweep", {each.preset for each in page.width_sweeps.values()} - self.sweeps.keys()),
        ):
            if unknown:
                raise TypeError(f"{self.name}: it has no {what} {', '.join(sorted(unknown))}")
