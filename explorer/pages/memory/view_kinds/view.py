"""What the Memory page asks of a kind of memory. Every field is required: an answer that is
forgotten is an error at import that names it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from explorer.spec import MemorySpec
from explorer.targets import MemoryKind
from explorer.theory.best_heads import Falling
from explorer.theory.theorems import Answer, Memories, Statement

Spec = TypeVar("Spec", bound=MemorySpec)
Axis = Literal["T", "M", "m"]


class Least(NamedTuple):
    """The least nMSE of a model, and what it is called; None where none is known."""

    nmse: float | None = None
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Law(Generic[Spec]):
    """What the theorems say of a kind of memory, up to constants C(n)."""

    memories: Callable[[Spec], Memories]
    """What its target is to the theorems."""
    theorem: Callable[[Spec, Falling], Statement]
    """The one about its target, by heads of an encoding."""
    axis: Axis
    """What the rate is drawn against: T, how far the furthest memory is, or M, how many kernels
    there are."""
    here: Callable[[Spec], int]
    """Where its target is on that axis."""
    rate: Callable[[Spec, int, int, int, Falling], float]
    """The attention's part of the error over C(n), with so many heads, at another place of that
    axis, of the order n."""
    tex: Callable[[Falling], str]
    """The same as LaTeX."""
    layers: Callable[[Spec], str]
    """How many layers are enough."""
    further: Callable[[Spec, int, Falling], tuple[str, ...]]
    """What else there is to say, of the order n."""

    def ask(self, spec: Spec, n: int, encoding: Falling) -> Answer:
        """Whether the theorem speaks of a target, and if not, why."""
        theorem = self.theorem(spec, encoding)
        holds, why = theorem.ask(self.memories(spec), n)
        return Answer(holds, "" if holds else silent(theorem, why))


@dataclass(frozen=True, kw_only=True)
class MemoryView(Generic[Spec]):
    """What there is to say of a kind of memory."""

    kind: MemoryKind
    name: str
    """In a list."""
    preset: str
    """What it opens with."""
    says: str
    """Its class in words."""
    tex: Callable[[Spec], str]
    """Its target, as LaTeX."""
    drawn: Callable[[Spec], Mapping[str, Any]]
    """What a live picture is told of its target: jumps or lags."""
    least: Callable[[Spec], Least]
    """What a model leaves at least."""
    known: Callable[[Spec], str]
    """What theory says of the model before it is trained."""
    law: Law[Spec] | None
    """None where the paper has no theorem about it."""

    @property
    def title(self) -> str:
        """Its class, at the beginning of a sentence."""
        title = self.kind.title
        return f"{title[:1].upper()}{title[1:]}"


def silent(statement: Statement, why: str) -> str:
    """That a statement says nothing of a target, and what it asks that is not so."""
    return f"{statement.name} says nothing here: {why}."


def told(statement: Statement, memories: Memories, n: int) -> str:
    """What a statement says of a target, or why it says nothing."""
    holds, why = statement.ask(memories, n)
    if not holds:
        return silent(statement, why)
    return f"By {statement.layers}, {statement.says} ({statement.name})."


def scaled(lags: tuple[int, ...] | range, furthest: int) -> list[int]:
    """Lags in the same proportions, the last one as far as asked; at least 1."""
    return [max(1, round(lag * furthest / max(1, *lags))) for lag in lags]


def reach(encoding: Falling) -> str:
    """How the rate hangs on the distance T_i, as LaTeX."""
    return r"e^{0.01T_i}" if encoding == "lin" else r"T_i^{1.01}"
