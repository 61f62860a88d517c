"""The specifications of trainings on linear targets y_t = Σ_{s≤t} ρ(s) x(t−s) (Section 6)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from explorer.spec import alterations
from explorer.spec.fields import (
    AS_LIST,
    VERSION,
    Activation,
    Alpha,
    Frozen,
    HeadWidth,
    HiddenWidth,
    Seed,
    check_models,
    listed,
    product_of,
)

Hidden = Annotated[int, Field(ge=1, le=256)]
ConvTaps = Annotated[int, Field(ge=0, le=16)]
KERNEL_FIELDS = ("target", "tau", "kernel", "rate", "alpha", "kernel_seed", "taps", "formula")
"""The fields that make the target before it is altered."""


class LinearSpec(Frozen):
    """Train a Transformer with position features, or a linear RNN, on a linear target.

    The kernel ρ is e^{-rate·s}, (s+1)^-α, drawn from U[0, 1], a list of taps, or a formula in s.
    With a permutation and a filter the model sees x(p(t)) and must answer H_t(θ*x).
    """

    grid: ClassVar[None] = None  # there are no samples to fetch
    together: ClassVar[frozenset[str]] = frozenset(
        {"tau", "kernel", "taps", "formula", *alterations.ALTERATION_FIELDS}
    )
    d_out: ClassVar[int] = 1

    version: Literal[1] = Field(VERSION, description="version of this specification")
    target: Literal["linear"] = Field("linear", description="kind of target, Eq. 69")
    tau: int = Field(32, ge=2, le=alterations.LONGEST, description="τ, sequence length")
    kernel: Literal["exponential", "power", "random", "taps", "formula"] = Field(
        "exponential", description="ρ(s) = e^(−rate·s), (s+1)^−alpha, U[0, 1], taps or formula"
    )
    rate: float = Field(1.0, ge=0, le=20, description="rate of ρ(s) = e^(−rate·s)")
    alpha: Alpha = Field(1.0, description="α of ρ(s) = (s+1)^−α")
    kernel_seed: Seed = Field(0, description="of the random ρ")
    taps: alterations.Taps | None = Field(None, description="ρ(0), ρ(1), …; 0 beyond (taps)")
    formula: str | None = Field(
        None, min_length=1, max_length=1000, description="ρ as a formula in s (formula)"
    )

    permutation: alterations.Permutation = alterations.permutation_field()
    permutation_seed: Seed = alterations.permutation_seed_field()
    filter: alterations.Filter = alterations.filter_field()
    filter_length: alterations.FilterLength = alterations.filter_length_field()
    filter_seed: Seed = alterations.filter_seed_field()
    filter_mode: alterations.FilterMode = alterations.filter_mode_field()

    model: Literal["transformer", "rnn"] = Field("transformer", description="what is trained")
    hidden: Hidden = Field(128, description="hidden units of the linear RNN")
    conv: ConvTaps = Field(
        0, description="taps of a learnable causal convolution before the Transformer; 0 = none"
    )
    positions: int = Field(8, ge=1, le=32, description="pairs cos, sin 2πjt/τ beside each input")
    m_h: HeadWidth = Field(32, description="m_h, width of queries and keys")
    n: int = Field(32, ge=1, le=256, description="n, dimension of f̂(x)")
    d_v: int = Field(32, ge=1, le=256, description="d_v, dimension of values")
    m_ff: HiddenWidth = Field(128, description="m_FF, width of f̂ and F̂")
    depth: int = Field(3, ge=1, le=6, description="linear layers of f̂ and of F̂")
    activation: Activation = Field("tanh", description="activation of f̂")
    activation_out: Activation = Field("tanh", description="activation of F̂")
    init: Literal["siren", "torch"] = Field("torch", description="initialisation of f̂")
    optimizer: Literal["soap", "adam"] = Field("soap", description="optimiser")
    lr: float = Field(1e-2, gt=0, le=1000, description="learning rate")
    clip: float = Field(1.0, gt=0, le=1e6, description="greatest norm of a gradient")
    warmup: int = Field(100, ge=0, le=10_000, description="steps of linear warm-up")
    schedule: Literal["cosine", "constant"] = Field("cosine", description="after the warm-up")
    batch: int = Field(32, ge=1, le=4096, description="fresh sequences a step (Transformer)")
    steps: int = Field(3000, ge=1, le=1_000_000, description="steps in all")
    seed: Seed = Field(0, description="start and data")

    @property
    def d_in(self) -> int:
        """Features of a token: its input, and its position."""
        return 1 + 2 * self.positions

    @model_validator(mode="after")
    def _one_kernel(self) -> LinearSpec:
        for name in ("taps", "formula"):
            if (self.kernel == name) != (getattr(self, name) is not None):
                raise ValueError(
                    f'{name}: goes with kernel = "{name}", and kernel = "{name}" needs it'
                )
        if self.taps is not None and len(self.taps) > self.tau:
            raise ValueError(f"taps: {len(self.taps)} values, at most tau = {self.tau} are allowed")
        if self.taps is not None and not any(self.taps):
            raise ValueError("taps: at least one must differ from 0")
        longest = max(self.conv) if isinstance(self.conv, tuple) else self.conv  # of a sweep
        if longest and self.model == "rnn":
            raise ValueError(f'conv = {longest}: goes with model = "transformer", of "rnn" it is 0')
        alterations.check_alterations(self)
        return self


class LinearSweep(LinearSpec):
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
    method: ClassVar[str] = "independent"
    fine_tune: ClassVar[int] = 0

    kernel_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    permutation_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    filter_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    conv: Annotated[tuple[ConvTaps, ...], *AS_LIST] = listed(0)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(32)
    hidden: Annotated[tuple[Hidden, ...], *AS_LIST] = listed(128)

    @model_validator(mode="after")
    def _few_enough(self) -> LinearSweep:
        check_models(self, self.swept)
        return self

    def members(self) -> list[LinearSpec]:
        """The specification of every training, the hidden units varying fastest."""
        return product_of(self)
