"""The specifications of trainings on linear targets y_t = Σ_{s≤t} ρ(s) x(t−s) (Section 6)."""

# A sweep has lists of what its members have one of; a kind may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from explorer.families import KERNELS, check_fields
from explorer.spec.alterations import ALTERATION_FIELDS, LONGEST, AlterationFields, Taps
from explorer.spec.fields import (
    AS_LIST,
    Activation,
    Alpha,
    Clip,
    HeadWidth,
    IndependentSweep,
    KernelName,
    NetworkFields,
    Seed,
    Specification,
    Steps,
    TrainingFields,
    listed,
    values_of,
)

Hidden = Annotated[int, Field(ge=1, le=256, description="hidden units of the linear RNN")]
ConvTaps = Annotated[
    int,
    Field(
        ge=0,
        le=16,
        description="taps of a learnable causal convolution before the Transformer; 0 = none",
    ),
]


class KernelFields(Specification, frozen=True):
    """The kernel ρ is e^{-rate·s}, (s+1)^-α, drawn from U[0, 1], a delay, Airy's function, a list
    of taps, or a formula in s."""

    grid: ClassVar[None] = None  # there are no samples to fetch
    by_content: ClassVar[bool] = False
    noun: ClassVar[str] = "a linear target"
    formula_in: ClassVar[tuple[str, ...]] = ("s",)

    target: Literal["linear"] = Field(default="linear", description="kind of target, Eq. 69")
    tau: int = Field(default=32, ge=2, le=LONGEST, description="τ, sequence length")
    kernel: KernelName = Field(
        default="exponential",
        description="ρ(s), " + ", ".join(f"{name}: {each.title}" for name, each in KERNELS.items()),
    )
    rate: float = Field(default=1.0, ge=0, le=20, description="rate of ρ(s) = e^(−rate·s)")
    alpha: Alpha = Field(default=1.0, description="α of ρ(s) = (s+1)^−α")
    kernel_seed: Seed = Field(default=0, description="of the random ρ")
    lag: int = Field(
        default=10, ge=0, lt=LONGEST, description="ℓ, lag of a delay, front of an Airy kernel"
    )
    taps: Taps | None = Field(default=None, description="ρ(0), ρ(1), …; 0 beyond (taps)")
    formula: str | None = Field(
        default=None, min_length=1, max_length=1000, description="ρ as a formula in s (formula)"
    )

    @model_validator(mode="after")
    def _one_kernel(self) -> KernelFields:
        for name in ("taps", "formula"):
            if (name in KERNELS[self.kernel].fields) != (getattr(self, name) is not None):
                raise ValueError(
                    f'{name}: goes with kernel = "{name}", and kernel = "{name}" needs it'
                )
        if "lag" in KERNELS[self.kernel].fields and self.lag >= self.tau:
            raise ValueError(f"lag: {self.lag}, must be below tau = {self.tau}")
        if self.taps is not None and len(self.taps) > self.tau:
            raise ValueError(f"taps: {len(self.taps)} values, at most tau = {self.tau} are allowed")
        if self.taps is not None and not any(self.taps):
            raise ValueError("taps: at least one must differ from 0")
        return self


KERNEL_FIELDS = tuple(name for name in KernelFields.model_fields if name != "version")
"""The fields that make the target before it is altered."""

check_fields(KERNELS, KERNEL_FIELDS)


class LinearSpec(TrainingFields, NetworkFields, AlterationFields, KernelFields, frozen=True):
    """Train a Transformer with position features, or a linear RNN, on a linear target.

    With a permutation and a filter the model sees x(p(t)) and must answer H_t(θ*x).
    """

    lacking: ClassVar[str] = "without a kernel ρ(s)"
    d_out: ClassVar[int] = 1
    topic: ClassVar[Literal["order"]] = "order"
    telling_fields: ClassVar[tuple[str, ...]] = (
        "target",
        "model",
        "filter",
        "conv",
        "permutation",
        "steps",
    )
    interdependent_fields: ClassVar[frozenset[str]] = frozenset(
        {"tau", "kernel", "lag", "taps", "formula", *ALTERATION_FIELDS}
    )

    model: Literal["transformer", "rnn"] = Field(
        default="transformer", description="what is trained"
    )
    hidden: Hidden = 128
    conv: ConvTaps = 0
    positions: int = Field(
        default=8, ge=1, le=32, description="pairs cos, sin 2πjt/τ beside each input"
    )
    m_h: HeadWidth = 32
    activation: Activation = "tanh"
    clip: Clip = 1.0
    steps: Steps = 3000

    def plainer(self) -> dict[str, Any]:
        kernel = {} if self.formula is None else {"kernel": "exponential", "formula": None}
        return {"filter": None, **kernel}

    @property
    def units(self) -> int:
        """Hidden units of the RNN that is trained; 0 where it is a Transformer."""
        return self.hidden if self.model == "rnn" else 0

    @property
    def recipe(self) -> Literal["rnn", "linear"]:
        return "rnn" if self.model == "rnn" else "linear"

    @property
    def d_in(self) -> int:
        """Features of a token: its input, and its position."""
        return 1 + 2 * self.positions

    @model_validator(mode="after")
    def _no_convolution_before_an_rnn(self) -> LinearSpec:
        longest = values_of(self.conv)[-1]
        if longest and self.model == "rnn":
            raise ValueError(f'conv = {longest}: goes with model = "transformer", of "rnn" it is 0')
        return self


class LinearSweep(LinearSpec, IndependentSweep, frozen=True):
    """Many trainings: the product of the lists of the seeds, of conv, m_h and hidden."""

    member: ClassVar[type[LinearSpec]] = LinearSpec
    swept: ClassVar[tuple[str, ...]] = (
        "kernel_seed",
        "permutation_seed",
        "filter_seed",
        "conv",
        "seed",
        "m_h",
        "hidden",
    )
    kernel_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    permutation_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    filter_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    conv: Annotated[tuple[ConvTaps, ...], *AS_LIST] = listed(0)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(32)
    hidden: Annotated[tuple[Hidden, ...], *AS_LIST] = listed(128)
