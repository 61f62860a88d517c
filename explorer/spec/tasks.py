"""What the specifications of trainings on the attention tasks of App. B.1 share."""

# A sweep has lists of what its members have one of.
# pyright: reportIncompatibleVariableOverride=false

from abc import abstractmethod
from inspect import isabstract
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from explorer.spec.fields import (
    AS_LIST,
    Activation,
    ActivationOut,
    Batch,
    Clip,
    HeadWidth,
    HiddenWidth,
    IndependentSweep,
    NetworkFields,
    Seed,
    Specification,
    TrainingFields,
    listed,
)

Length = Annotated[int, Field(ge=2, le=32)]
Dimension = Annotated[int, Field(ge=1, le=4, description="d, dimension of the points")]
Sharpness = Annotated[float, Field(ge=0.01, le=100, description="e^λ at the start; λ is learned")]


class TaskSpec(TrainingFields, NetworkFields, Specification, frozen=True):
    """The head of Eq. 53 with A = softmax(e^λ QKᵀ), and how it is trained."""

    grid: ClassVar[None] = None  # a task has no samples to fetch
    topic: ClassVar[Literal["attention"]] = "attention"
    recipe: ClassVar[Literal["attention"]] = "attention"
    noun: ClassVar[str] = "an attention task"
    lacking: ClassVar[str] = "no attention task"
    telling_fields: ClassVar[tuple[str, ...]] = ("target", "aux", "optimizer")
    extra_metrics: ClassVar[tuple[str, ...]] = ("agreement", "attention_error", "value_error")

    d: Dimension = 2
    m_ff: HiddenWidth = 64
    activation: Activation = "gelu"
    activation_out: ActivationOut = "gelu"
    aux: bool = Field(default=True, description="learn sequences of one token, too: pins F̂∘W_V∘f̂")
    sharpness: Sharpness = 10.0
    clip: Clip = 1.0
    batch: Batch = 128

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        required = [name for name, field in cls.model_fields.items() if field.is_required()]
        if required and not isabstract(cls):
            raise TypeError(f"{cls.__name__}: {', '.join(required)} must have a default")

    @property
    @abstractmethod
    def d_in(self) -> int:
        """Features of a token."""

    @property
    @abstractmethod
    def d_out(self) -> int:
        """Numbers of an answer."""

    def remedies(self) -> list[str]:
        return [*super().remedies(), f"sharpness (now {self.sharpness:g})"]


class TaskSweep(TaskSpec, IndependentSweep, frozen=True):
    """Many trainings on one task. The sweep of a task has its fields, and lists of some of them."""

    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST]
