"""The specifications of trainings on the attention tasks of App. B.1, one class a task."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from explorer.spec.fields import (
    AS_LIST,
    VERSION,
    Activation,
    Frozen,
    HeadWidth,
    HiddenWidth,
    Seed,
    check_models,
    listed,
    product_of,
)

Length = Annotated[int, Field(ge=2, le=32)]
LongLength = Annotated[int, Field(ge=3, le=24)]
Dimension = Annotated[int, Field(ge=1, le=4)]
Indices = Annotated[int, Field(ge=1, le=8)]
Segments = Annotated[int, Field(ge=1, le=6)]
Sharpness = Annotated[float, Field(ge=0.01, le=100)]
SEGMENT = 3  # tokens of the shortest segment: its prediction token and two points


class TaskSpec(Frozen):
    """What the tasks share: the head of Eq. 53 with A = softmax(e^λ QKᵀ), and how it is trained."""

    grid: ClassVar[None] = None  # a task has no samples to fetch
    measures: ClassVar[tuple[str, ...]] = ("agreement", "attention_error", "value_error")
    together: ClassVar[frozenset[str]] = frozenset()

    version: Literal[1] = Field(VERSION, description="version of this specification")
    target: str
    tau: int
    d: Dimension = Field(2, description="d, dimension of the points")
    m_h: HeadWidth
    n: int = Field(32, ge=1, le=256, description="n, dimension of f̂(x)")
    d_v: int
    aux: bool = Field(True, description="learn sequences of one token, too: pins F̂∘W_V∘f̂")
    sharpness: Sharpness = Field(10.0, description="e^λ at the start; λ is learned")
    m_ff: HiddenWidth = Field(64, description="m_FF, width of f̂ and F̂")
    depth: int = Field(3, ge=1, le=6, description="linear layers of f̂ and of F̂")
    activation: Activation = Field("gelu", description="activation of f̂")
    activation_out: Activation = Field("gelu", description="activation of F̂")
    init: Literal["siren", "torch"] = Field("torch", description="initialisation of f̂")
    optimizer: Literal["soap", "adam"] = Field("soap", description="optimiser")
    lr: float = Field(1e-2, gt=0, le=1000, description="learning rate")
    clip: float = Field(1.0, gt=0, le=1e6, description="greatest norm of a gradient")
    warmup: int = Field(100, ge=0, le=10_000, description="steps of linear warm-up")
    schedule: Literal["cosine", "constant"] = Field("cosine", description="after the warm-up")
    batch: int = Field(128, ge=1, le=4096, description="fresh sequences a step")
    steps: int
    seed: Seed = Field(0, description="start and data")


class NearestSpec(TaskSpec):
    """Each token (u_t, v_t) asks for the v_s that is nearest to its u_t (Eq. 54)."""

    target: Literal["nearest"] = Field("nearest", description="kind of target")
    tau: Length = Field(6, description="τ, sequence length")
    m_h: HeadWidth = Field(4, description="m_h, width of queries and keys")
    d_v: int = Field(2, ge=1, le=256, description="d_v, dimension of values")
    steps: int = Field(1500, ge=1, le=1_000_000, description="steps in all")

    @property
    def d_in(self) -> int:
        """Features of a token: u and v."""
        return 2 * self.d

    @property
    def d_out(self) -> int:
        return self.d


class GravitySpec(TaskSpec):
    """Prediction tokens ask for |x̄| of their segment, points for their own |x_t| (Eq. 57 to 62)."""

    together: ClassVar[frozenset[str]] = frozenset({"tau", "segments"})

    target: Literal["cog"] = Field("cog", description="kind of target")
    tau: LongLength = Field(10, description="τ, sequence length, prediction tokens included")
    segments: Segments = Field(3, description="segments of a sequence at most")
    curriculum: float = Field(
        0.3, ge=0, le=1, description="share of the steps in which the points' domain grows"
    )
    emphasis: float = Field(3.0, gt=0, le=100, description="weight of prediction rows in the loss")
    sharpness: Sharpness = Field(4.0, description="e^λ at the start; λ is learned")
    m_h: HeadWidth = Field(16, description="m_h, width of queries and keys")
    d_v: int = Field(4, ge=1, le=256, description="d_v, dimension of values")
    steps: int = Field(2000, ge=1, le=1_000_000, description="steps in all")

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
    m_h: HeadWidth = Field(8, description="m_h, width of queries and keys")
    d_v: int = Field(2, ge=1, le=256, description="d_v, dimension of values")
    steps: int = Field(500, ge=1, le=1_000_000, description="steps in all")

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


class TaskSweep(Frozen):
    """What the sweeps of tasks share: each model is trained from its own start."""

    member: ClassVar[type[TaskSpec]]
    swept: ClassVar[tuple[str, ...]]
    """The fields that may be lists; m_h, the last one, varies fastest."""
    method: ClassVar[str] = "independent"
    fine_tune: ClassVar[int] = 0

    @model_validator(mode="after")
    def _few_enough(self) -> TaskSweep:
        check_models(self, self.swept)
        return self

    def members(self) -> list[TaskSpec]:
        """The specification of every training."""
        return product_of(self)


class NearestSweep(NearestSpec, TaskSweep):
    """Many trainings: the product of the lists of τ, d, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = NearestSpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "d", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(6)
    d: Annotated[tuple[Dimension, ...], *AS_LIST] = listed(2)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(4)


class GravitySweep(GravitySpec, TaskSweep):
    """Many trainings: the product of the lists of τ, the segments, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = GravitySpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "segments", "seed", "m_h")

    tau: Annotated[tuple[LongLength, ...], *AS_LIST] = listed(10)
    segments: Annotated[tuple[Segments, ...], *AS_LIST] = listed(3)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(16)


class SelectionSweep(SelectionSpec, TaskSweep):
    """Many trainings: the product of the lists of τ, k, seed and m_h."""

    member: ClassVar[type[TaskSpec]] = SelectionSpec
    swept: ClassVar[tuple[str, ...]] = ("tau", "k", "seed", "m_h")

    tau: Annotated[tuple[Length, ...], *AS_LIST] = listed(8)
    k: Annotated[tuple[Indices, ...], *AS_LIST] = listed(3)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(8)
