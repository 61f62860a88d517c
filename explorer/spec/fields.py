"""What the kinds of specification share: version, rules of validation, fields and their ranges."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    model_validator,
)
from pydantic_core import core_schema

from explorer.families import ACTIVATIONS, BASES, KERNELS, SPECTRA, TERMS

VERSION = 1
MAX_MODELS = 4096  # of a sweep
WIDEST = 64  # head


def one_of(names: Iterable[str]) -> GetPydanticSchema:
    """The annotation of a text that is one of these names; the schema lists them."""
    choices = core_schema.literal_schema([*names])
    return GetPydanticSchema(lambda source, handler: choices)


Answer = TypeVar("Answer")
BasisName = Annotated[str, one_of(BASES)]
SpectrumName = Annotated[str, one_of(SPECTRA)]
KernelName = Annotated[str, one_of(KERNELS)]
SingularValue = Annotated[float, Field(ge=0, le=100)]
Alpha = Annotated[float, Field(ge=0, le=8)]
Rank = Annotated[int, Field(ge=1, le=TERMS)] | None
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]

HeadWidth = Annotated[int, Field(ge=1, le=WIDEST, description="m_h, width of queries and keys")]
ValueWidth = Annotated[int, Field(ge=1, le=256, description="d_v, dimension of values")]
HiddenWidth = Annotated[int, Field(ge=1, le=1024, description="m_FF, width of f̂ and F̂")]
Topic = Literal["coupling", "attention", "order", "real", "memory"]
RecipeName = Literal[
    "coupling", "positioned", "linear", "rnn", "attention", "encoder", "memory", "decays"
]
ActivationName = Annotated[str, one_of(ACTIVATIONS)]
Activation = Annotated[ActivationName, Field(description="activation of f̂")]
ActivationOut = Annotated[ActivationName, Field(description="activation of F̂")]
Init = Annotated[Literal["siren", "torch"], Field(description="initialisation of f̂")]
Clip = Annotated[float, Field(gt=0, le=1e6, description="greatest norm of a gradient")]
WarmUp = Annotated[int, Field(ge=0, le=10_000, description="steps of linear warm-up")]
Batch = Annotated[int, Field(ge=1, le=4096, description="fresh sequences a step")]
Steps = Annotated[int, Field(ge=1, le=1_000_000, description="steps in all")]


def of_each(what: str, names: Iterable[str], answers: Mapping[str, Answer]) -> dict[str, Answer]:
    """`answers` in the order of the names of what they are about; raises TypeError where one is
    missing, or one too many."""
    wrong = sorted({*names} ^ {*answers})
    if wrong:
        raise TypeError(f"{what}: {', '.join(wrong)}")
    return {name: answers[name] for name in names}


class SpecError(ValueError):
    """An invalid specification; `problems` holds one readable line per field."""

    def __init__(self, *problems: str):
        super().__init__("; ".join(problems))
        self.problems = problems


class Specification(BaseModel, frozen=True):
    """What every specification has: flat, strict, without unknown fields."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    topic: ClassVar[Topic]
    """What the pages that show it are about: "coupling", "attention" tasks, "order" for linear
    targets and couplings that are altered, "real" for pictures and words, or "memory"."""
    noun: ClassVar[str]
    """What its target is, with an article."""
    batched: ClassVar[frozenset[str]] = frozenset({"m_h"})
    """The fields in which models that a CPU trains in one batch may differ."""
    recipe: ClassVar[RecipeName]
    """How it is trained and looked at, a key of `models.networks` and `training.recipes`."""
    lacking: ClassVar[str] = ""
    """What is to be said of a specification where one of this kind is needed; see `narrowed`."""
    altered: ClassVar[bool] = False
    """Whether order, filter or positions make more of it than a plain target of Eq. 8."""
    by_kernel: ClassVar[bool] = False
    """Whether the kernel in C trains it, in place of torch."""
    telling_fields: ClassVar[tuple[str, ...]] = ("target",)
    """What a shipped run should share with it to be shown in its place, the first ones first."""
    formula_in: ClassVar[tuple[str, ...]] = ()
    """The variables of its `formula`, where it has that field."""
    extra_metrics: ClassVar[tuple[str, ...]] = ()
    """What is measured of a run beside its error, at every kept step."""
    interdependent_fields: ClassVar[frozenset[str]] = frozenset()
    """The fields that may not fit each other although each is in its range."""

    version: Literal[1] = Field(default=VERSION, description="version of this specification")
    target: str
    tau: int

    def idle_fields(self) -> set[str]:
        """The fields that do nothing in this specification."""
        return set()

    def uses(self, name: str) -> bool:
        """Whether it has a field that does something."""
        return name in type(self).model_fields and name not in self.idle_fields()

    own_set: ClassVar[int] = 0
    """Sequences of the training set of a run; 0 where every batch is fresh."""
    rests: ClassVar[bool] = False
    """Whether training ends where its loss rests."""
    started_until: ClassVar[int] = 0
    """The last step of a head start, in which what is trained is wider than in the end."""

    def at(self, step: int) -> Self:
        """The specification whose parameters are trained in this step, from 1 on."""
        return self

    def phase(self, step: int) -> tuple[int, int]:
        """After which step the schedule that a step belongs to began, and how many it has."""
        return 0, cast("TrainingFields", self).steps

    def plainer(self) -> dict[str, Any]:
        """What to change where its target cannot be built."""
        return {}


class NetworkFields(BaseModel, frozen=True):
    """Widths and functions of f̂, F̂ and of the attention between them."""

    m_h: HeadWidth
    n: int = Field(default=32, ge=1, le=256, description="n, dimension of f̂(x)")
    d_v: ValueWidth = 32
    m_ff: HiddenWidth = 128
    depth: int = Field(default=3, ge=1, le=6, description="linear layers of f̂ and of F̂")
    activation: Activation
    activation_out: ActivationOut = "tanh"
    init: Init = "torch"


class TrainingFields(BaseModel, frozen=True):
    """Optimiser, its course, and the data."""

    optimizer: Literal["soap", "adam"] = Field(default="soap", description="optimiser")
    lr: float = Field(default=1e-2, gt=0, le=1000, description="learning rate")
    warmup: WarmUp = 100
    schedule: Literal["cosine", "constant"] = Field(
        default="cosine", description="after the warm-up"
    )
    batch: Batch = 32
    steps: Steps
    seed: Seed = Field(default=0, description="start and data")

    def remedies(self) -> list[str]:
        """What may be lowered where the loss is no longer finite, in words."""
        return [f"lr (now {self.lr:g})"]


def _list(value: Any) -> Any:
    return value if type(value) in (list, tuple) else [value]


def _canonical(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Ascending and without repetition; ∞ (None) comes last."""
    return tuple(sorted(set(values), key=lambda v: math.inf if v is None else v))


AS_LIST = (BeforeValidator(_list), AfterValidator(_canonical))
"""Annotations of a field of a sweep: a list, which may be written as a single value."""


def listed(*default: Any) -> Any:
    """A field of a sweep that holds a list."""
    return Field(default=default, strict=False, min_length=1, max_length=256)


def values_of(field: Any) -> tuple[Any, ...]:
    """The value of a field, or the list of them in a sweep, ascending."""
    return cast("tuple[Any, ...]", field) if isinstance(field, tuple) else (field,)


class Sweep(Specification, frozen=True):
    """Many trainings: the product of the lists of some fields; all else is shared."""

    member: ClassVar[type[Specification]]
    swept: ClassVar[tuple[str, ...]]
    """The fields that may be lists; the last one varies fastest."""

    @model_validator(mode="after")
    def _few_enough(self) -> Sweep:
        models = math.prod(len(getattr(self, name)) for name in self.swept)
        if models > MAX_MODELS:
            raise ValueError(f"sweep: {models} models, at most {MAX_MODELS} are trained")
        return self

    def members(self) -> list[Any]:
        """The specification of every training, the last swept field varying fastest."""
        shared = self.model_dump(mode="json", include={*self.member.model_fields} - {*self.swept})
        lists = [getattr(self, name) for name in self.swept]
        each = (shared | dict(zip(self.swept, own, strict=True)) for own in product(*lists))
        return [self.member.model_validate_json(json.dumps(values)) for values in each]


class IndependentSweep(Sweep, frozen=True):
    """A sweep whose models are each trained from their own start."""

    method: ClassVar[str] = "independent"
    fine_tune: ClassVar[int] = 0
