"""The specifications of trainings on memories (Wang & E, arXiv 2402.00522).

A token of a sequence is a pair: x_t in 1 … V, which may point back, and a value b_t. The answer is
a weighted sum of values that lie in the past: at fixed lags, where the tokens point, at all lags by
a kernel, or after the last token that was like this one. There is a kind of specification for each.
"""

# A sweep has lists of what its members have one of; a kind may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

from __future__ import annotations

from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, Field, model_validator

from explorer.spec.fields import (
    AS_LIST,
    Batch,
    Clip,
    HeadWidth,
    HiddenWidth,
    IndependentSweep,
    Seed,
    Specification,
    Steps,
    TrainingFields,
    ValueWidth,
    listed,
)

LONGEST = 1000  # sequence whose kernel heads of their own approximate
SEEN = 128  # tokens of a Transformer at most
Layers = Annotated[int, Field(ge=1, le=6, description="L, layers")]
Heads = Annotated[int, Field(ge=1, le=64, description="H, heads of each layer")]
Lag = Annotated[int, Field(ge=0, le=SEEN - 1)]
Length = Annotated[int, Field(ge=2, le=SEEN, description="τ, sequence length")]
Vocabulary = Annotated[int, Field(ge=2, le=32, description="V, different tokens")]
Jumps = Annotated[int, Field(ge=1, le=8, description="K, jumps that the tokens point")]
Values = Annotated[
    Literal["signs", "normal"], Field(description="b_t, independent: ±1 or standard normal")
]
Encoding = Annotated[
    Literal["learned", "sinusoidal", "log", "lin", "t5", "none"],
    Field(
        description="of positions: added to the tokens (learned, sinusoidal), or to the logits at "
        "distance s: −p log s (log), −p s (lin), a learned number for each s (t5)"
    ),
]


ENCODINGS: tuple[str, ...] = get_args(get_args(Encoding)[0])


class MemorySpec(TrainingFields, Specification, frozen=True):
    """A causal Transformer of several layers and heads on values in the past."""

    grid: ClassVar[None] = None  # there are no samples to fetch
    topic: ClassVar[Literal["memory"]] = "memory"
    noun: ClassVar[str] = "a memory"
    batched: ClassVar[frozenset[str]] = frozenset({"m_h", "seed"})
    telling_fields: ClassVar[tuple[str, ...]] = ("target", "layers", "heads", "encoding")
    recipe: ClassVar[Literal["memory", "decays"]] = "memory"
    tokens: ClassVar[int] = 1
    """V, of which each token is one; 1 where it does not matter."""
    encodings: ClassVar[tuple[str, ...]] = ENCODINGS
    """Those that its model can have."""
    first: ClassVar[int]
    """The first t with all its memories in the sequence: before it nothing is asked."""

    tau: Length = 32
    values: Values = "signs"
    layers: Layers = 2
    heads: Heads = 4
    m_h: HeadWidth = 16
    n: int = Field(default=64, ge=2, le=256, description="n, numbers of a token between layers")
    d_v: ValueWidth = 16
    m_ff: HiddenWidth = 128
    encoding: Encoding = "learned"
    dot_product: bool = Field(default=True, description="logits ⟨W_Q x_t, W_K x_s⟩, too")
    layer_norm: bool = Field(default=True, description="normalise before each part of a layer")
    optimizer: Literal["adam"] = Field(default="adam", description="optimiser")
    lr: float = Field(default=4e-3, gt=0, le=1000, description="learning rate")
    clip: Clip = 1.0
    batch: Batch = 64
    steps: Steps = 1500

    @property
    def d_in(self) -> int:
        """Features of a token: which one it is, and its value."""
        return (self.tokens if self.tokens > 1 else 0) + 1

    @model_validator(mode="after")
    def _memories_fit(self) -> MemorySpec:
        if self.first >= self.tau:
            raise ValueError(
                f"tau = {self.tau}: memories reach back {self.first} tokens, more than that are "
                "needed"
            )
        return self


class FixedMemorySpec(MemorySpec, frozen=True):
    """Fixed, M-sparse: y_t = Σ_i b_{t−T_i} / √M at given lags T_i."""

    interdependent_fields: ClassVar[frozenset[str]] = frozenset({"tau", "lags"})

    target: Literal["fixed_memory"] = Field(default="fixed_memory", description="kind of target")
    lags: tuple[Lag, ...] = Field(
        default=(3, 7), strict=False, min_length=1, max_length=16, description="T_i, ascending"
    )

    @property
    def first(self) -> int:
        return max(self.lags)

    @model_validator(mode="after")
    def _lags_ascend(self) -> FixedMemorySpec:
        if list(self.lags) != sorted(set(self.lags)):
            raise ValueError("lags: ascending numbers are allowed, each once")
        return self


class AdaptiveMemorySpec(MemorySpec, frozen=True):
    """K-adaptive: p_0 = t, p_{k+1} = p_k − x_{p_k}, y_t = b_{p_K}."""

    interdependent_fields: ClassVar[frozenset[str]] = frozenset({"tau", "jumps", "vocabulary"})

    target: Literal["adaptive_memory"] = Field(
        default="adaptive_memory", description="kind of target"
    )
    jumps: Jumps = 2
    vocabulary: Vocabulary = 4

    @property
    def tokens(self) -> int:
        return self.vocabulary

    @property
    def first(self) -> int:
        return self.jumps * self.vocabulary


class EssentialMemorySpec(MemorySpec, frozen=True):
    """Essentially sparse: y_t = Σ_{s ≥ 1} ρ(s) b_{t−s}, by a kernel ρ that falls.

    With heads alone (`model`) κ(s), a sum over heads (`kappa`), is trained on ‖ρ − κ‖², which is
    the mean squared error without any data.
    """

    interdependent_fields: ClassVar[frozenset[str]] = frozenset({"tau", "model", "encoding"})
    first: ClassVar[int] = 1

    target: Literal["essential_memory"] = Field(
        default="essential_memory", description="kind of target"
    )
    tau: int = Field(default=32, ge=2, le=LONGEST, description="τ, sequence length")
    fall: Literal["power", "exponential"] = Field(
        default="power", description="ρ(s) = s^−exponent or e^(−s/time)"
    )
    exponent: float = Field(default=0.5, ge=0, le=8, description="of ρ(s) = s^−exponent")
    time: float = Field(default=20.0, gt=0, le=1000, description="of ρ(s) = e^(−s/time)")
    model: Literal["transformer", "heads"] = Field(
        default="transformer", description="what is trained"
    )
    kappa: Literal["softmax", "scaled", "plain"] = Field(
        default="softmax",
        description="how heads alone are written: Σ c_h softmax_s(p_h φ), the same with c in units "
        "of Σρ (scaled), or Σ c_h e^{p_h φ(s)} (plain)",
    )

    @property
    def recipe(self) -> Literal["memory", "decays"]:
        return "decays" if self.model == "heads" else "memory"

    @property
    def encodings(self) -> tuple[str, ...]:
        return ("log", "lin") if self.model == "heads" else ENCODINGS

    @model_validator(mode="after")
    def _heads_decay(self) -> EssentialMemorySpec:
        if self.encoding not in self.encodings:
            raise ValueError(f'encoding = "{self.encoding}": heads alone have "log" or "lin"')
        if self.model == "transformer" and self.tau > SEEN:
            raise ValueError(f"tau = {self.tau}: at most {SEEN} tokens are seen by a Transformer")
        return self

    def idle_fields(self) -> set[str]:
        idle = {"time" if self.fall == "power" else "exponent"}
        return idle | (HEADS_ALONE if self.model == "heads" else {"kappa"})


HEADS_ALONE = {
    *("values", "layers", "m_h", "n", "d_v", "m_ff"),
    *("dot_product", "layer_norm", "batch"),
}
"""What heads without anything else have none of."""


class InductionSpec(MemorySpec, frozen=True):
    """Induction: y_t is the value after the last token that was like x_t; 0 where none was."""

    first: ClassVar[int] = 0

    target: Literal["induction"] = Field(default="induction", description="kind of target")
    vocabulary: Vocabulary = 4

    @property
    def tokens(self) -> int:
        return self.vocabulary


class MemorySweep(MemorySpec, IndependentSweep, frozen=True):
    """Many trainings on one kind of memory. The sweep of a kind has its fields, and perhaps lists
    of some of them."""

    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)


class MemoryLists(BaseModel, frozen=True):
    """What the sweep of each kind here has lists of: layers, heads and seeds."""

    swept: ClassVar[tuple[str, ...]] = ("layers", "heads", "seed")
    layers: Annotated[tuple[Layers, ...], *AS_LIST] = listed(2)
    heads: Annotated[tuple[Heads, ...], *AS_LIST] = listed(4)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)


class FixedMemorySweep(MemoryLists, FixedMemorySpec, MemorySweep, frozen=True):
    """Of fixed memories."""

    member: ClassVar[type[FixedMemorySpec]] = FixedMemorySpec


class AdaptiveMemorySweep(MemoryLists, AdaptiveMemorySpec, MemorySweep, frozen=True):
    """Of jumps, also over how many there are."""

    member: ClassVar[type[AdaptiveMemorySpec]] = AdaptiveMemorySpec
    swept: ClassVar[tuple[str, ...]] = ("jumps", *MemoryLists.swept)
    jumps: Annotated[tuple[Jumps, ...], *AS_LIST] = listed(2)

    @property
    def first(self) -> int:
        return max(self.jumps) * self.vocabulary


class EssentialMemorySweep(MemoryLists, EssentialMemorySpec, MemorySweep, frozen=True):
    """Of kernels."""

    member: ClassVar[type[EssentialMemorySpec]] = EssentialMemorySpec


class InductionSweep(MemoryLists, InductionSpec, MemorySweep, frozen=True):
    """Of induction."""

    member: ClassVar[type[InductionSpec]] = InductionSpec
