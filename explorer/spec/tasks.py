"""The specifications of trainings on the attention tasks of App. B.1, one class a task."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

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
    Steps,
    TrainingFields,
    ValueWidth,
    listed,
)

Length = Annotated[int, Field(ge=2, le=32)]
LongLength = Annotated[int, Field(ge=3, le=24)]
Dimension = Annotated[int, Field(ge=1, le=4, description="d, dimension of the points")]
Indices = Annotated[int, Field(ge=1, le=8)]
Segments = Annotated[int, Field(ge=1, le=6)]
Sharpness = Annotated[float, Field(ge=0.01, le=100, description="e^λ at the start; λ is learned")]
SEGMENT = 3  # tokens of the shortest segment: its prediction token and two points


class TaskSpec(TrainingFields, NetworkFields, Specification):
    """What the tasks share: the head of Eq. 53 with A = softmax(e^λ QKᵀ), and how it is trained."""

    grid: ClassVar[None] = None  # a task has no samples to fetch
    family: ClassVar[str] = "attention"
    recipe: ClassVar[str] = "attention"
    extra_metrics: ClassVar[tuple[str, ...]] = ("agreement", "attention_error", "value_error")

    d: Dimension = 2
    m_ff: HiddenWidth = 64
    activation: Activation = "gelu"
    activation_out: ActivationOut = "gelu"
    aux: bool = Field(True, description="learn sequences of one token, too: pins F̂∘W_V∘f̂")
    sharpness: Sharpness = 10.0
    clip: Clip = 1.0
    batch: Batch = 128

    def remedies(self) -> list[str]:
        return [*super().remedies(), f"sharpness (now {self.sharpness:g})"]


class NearestSpec(TaskSpec):
    """Each token (u_t, v_t) asks for the v_s that is nearest to its u_t (Eq. 54)."""

    target: Literal["nearest"] = Field("nearest", description="kind of target")
    tau: Length = Field(6, description="τ, sequence length")
    m_h: HeadWidth = 4
    d_v: ValueWidth = 2
    steps: Steps = 1500

    @property
    def d_in(self) -> int:
        """Features of a token: u and v."""
        return 2 * self.d

    @property
    def d_out(self) -> int:
        return self.d


class GravitySpec(TaskSpec):
    """Prediction tokens ask for |x̄| of their segment, points for their own |x_t| (Eq. 57 to 62)."""

    interdependent_fields: ClassVar[frozenset[str]] = frozenset({"tau", "segments"})

    target: Literal["cog"] = Field("cog", description="kind of target")
    tau: LongLength = Field(10, description="τ, sequence length, prediction tokens included")
    segments: Segments = Field(3, description="segments of a sequence at most")
    curriculum: float = Field(
        0.3, ge=0, le=1, description="share of the steps in which the points' domain grows"
    )
    emphasis: float = Field(3.0, gt=0, le=100, description="weight of prediction rows in the loss")
    sharpness: Sharpness = 4.0
    m_h: HeadWidth = 16
    d_v: ValueWidth = 4
    steps: Steps = 2000

    @model_validator(mode="after")
    def _segments_fit(self) -> GravitySpec:
        most, tau = _values(self.segments)[-1], _values(self.tau)[0]
        if SEGMENT * most > tau:
            raise ValueError(
                f"segments = {most}: a prediction token and two points each need "
                f"tau of at least {SEGMENT * most}, got {tau}"
            )
        return self

    @property
    def d_in(self) -> int:
        """Features of a token: x, m, whether it asks, one-hot position and segment."""
        return self.d + 2 + self.tau + self.segments

    @property
    def d_out(self) -> int:
        return 1


class SelectionSpec(TaskSpec):
    """qSA: each token (v_t, s_t) asks for the mean of v over its k indices s_t (Eq. 63)."""

    target: Literal["qsa"] = Field("qsa", description="kind of target")
    tau: Length = Field(8, description="τ, sequence length")
    d: Dimension = Field(2, description="d, dimension of the vectors")
    k: Indices = Field(3, description="k, indices of a token")
    m_h: HeadWidth = 8
    d_v: ValueWidth = 2
    steps: Steps = 500

    @property
    def d_in(self) -> int:
        """Features of a token: v, how often it asks for each position, one-hot position."""
        return self.d + 2 * self.tau

    @property
    def d_out(self) -> int:
        return self.d


def _values(value: Any) -> tuple:
    """A field, or the list of it in a sweep, ascending."""
    return value if isinstance(value, tuple) else (value,)


class NearestSweep(NearestSpec, IndependentSweep):
    """Many trainings: the product of the lists of τ, d, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = NearestSpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "d", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(6)
    d: Annotated[tuple[Dimension, ...], *AS_LIST] = listed(2)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(4)


class GravitySweep(GravitySpec, IndependentSweep):
    """Many trainings: the product of the lists of τ, the segments, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = GravitySpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "segments", "seed", "m_h")

    tau: Annotated[tuple[LongLength, ...], *AS_LIST] = listed(10)
    segments: Annotated[tuple[Segments, ...], *AS_LIST] = listed(3)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(16)


class SelectionSweep(SelectionSpec, IndependentSweep):
    """Many trainings: the product of the lists of τ, k, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = SelectionSpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "k", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(8)
    k: Annotated[tuple[Indices, ...], *AS_LIST] = listed(3)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(8)
