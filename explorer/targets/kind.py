"""What there is to know of a kind of target, once. Every field is required: a piece that is
forgotten is an error at import that names it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from explorer.coupling import GridLoader
from explorer.spec import AnySpec, AnySweep
from explorer.targets.task import Task, TaskPage

Presets = Mapping[str, tuple[str, AnySpec]]
Sweeps = Mapping[str, tuple[str, AnySweep]]


def nothing_more(spec: AnySpec) -> None:
    """`Kind.check` of a kind whose targets have all their answers."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of target, by the `target` of its specifications."""

    Spec: type
    Sweep: type
    build: Callable[[Any, GridLoader | None], Any]
    """The target of a specification; raises SpecError where it cannot be built."""
    check: Callable[[Any], None]
    """Raises SpecError where a target that was built has no answers all the same."""
    words: Callable[[Any], str]
    """What a specification learns, in a few words."""
    presets: Presets
    """Ready specifications by name, with what they are."""
    sweeps: Sweeps
    page: TaskPage | None
    """What the Attention page says of an attention task; None where another page shows it."""

    def __post_init__(self) -> None:
        if self.Sweep.member is not self.Spec:
            raise TypeError(f"{self.name}: the members of {self.Sweep.__name__} are another kind's")
        if (self.page is None) == (self.Spec.topic == "attention"):
            raise TypeError(f"{self.name}: an attention task has a page, and nothing else has one")
        if self.page is not None:
            self._check_task(self.page.target)

    def _check_task(self, target: type[Task]) -> None:
        if missing := sorted(getattr(target, "__abstractmethods__", ())):
            raise TypeError(f"{self.name}: {target.__name__} lacks {', '.join(missing)}")

    @property
    def name(self) -> str:
        return self.Spec.model_fields["target"].default
