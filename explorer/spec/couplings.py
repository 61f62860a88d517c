"""The specifications of trainings on a target of Eq. 8 with a coupling ρ(u, v)."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from explorer.spec import alterations
from explorer.spec.fields import (
    AS_LIST,
    VERSION,
    Activation,
    Alpha,
    Basis,
    Frozen,
    HeadWidth,
    HiddenWidth,
    Rank,
    Seed,
    SingularValue,
    check_models,
    listed,
    product_of,
)

DESIGN_FIELDS = (
    "target",
    "tau",
    "spectrum",
    "alpha",
    "decay",
    "c",
    "rank",
    "sigma",
    "left_basis",
    "right_basis",
    "formula",
    "grid",
)
"""The fields that make the target; the others say how it is learned."""

SWEPT = ("alpha", "rank", "m_ff", "seed", "m_h")
"""The fields a sweep may have lists of; the last one varies fastest."""


class CouplingSpec(Frozen):
    """Train the Transformer of Eq. 5 on a target of Eq. 8 with a coupling ρ(u, v) on [0, 1]².

    ρ = Σ_k σ_k φ_k(u) ψ_k(v) by `spectrum` and bases, unless `formula` or `grid` gives it. The
    target may be altered (Section 6); the model then needs `positions` beside its tokens.
    """

    d_out: ClassVar[int] = 1
    together: ClassVar[frozenset[str]] = frozenset(
        {"tau", "spectrum", "sigma", "formula", "grid", *alterations.ALTERATION_FIELDS}
    )

    version: Literal[1] = Field(VERSION, description="version of this specification")
    target: Literal["coupling"] = Field("coupling", description="kind of target, Eq. 8")

    tau: int = Field(16, ge=2, le=64, description="τ, sequence length")
    spectrum: Literal["power", "exponential", "list"] = Field(
        "power", description="σ_k = c·k^-α, σ_k = c·decay^(k−1), or the list sigma"
    )
    alpha: Alpha = Field(1.0, description="α, decay exponent of σ_k (power)")
    decay: float = Field(0.5, gt=0, lt=1, description="ratio σ_(k+1)/σ_k (exponential)")
    c: float = Field(1.0, gt=0, le=20, description="c, the first singular value")
    rank: Rank = Field(None, description="rank r; null = ∞, at 64 terms")
    sigma: tuple[SingularValue, ...] | None = Field(
        None, strict=False, min_length=1, max_length=64, description="σ_k one by one (list)"
    )
    left_basis: Basis = Field("sine", description="φ_k, left singular functions")
    right_basis: Basis = Field("shifted_sine", description="ψ_k, right singular functions")
    formula: str | None = Field(
        None, min_length=1, max_length=1000, description="ρ as a formula in u and v"
    )
    grid: str | None = Field(
        None, pattern="^[0-9a-f]{64}$", description="ρ as samples: sha256 of a stored grid"
    )

    m_h: HeadWidth = Field(8, description="m_h, width of queries and keys")
    n: int = Field(32, ge=1, le=256, description="n, dimension of f̂(x)")
    d_v: int = Field(32, ge=1, le=256, description="d_v, dimension of values")
    m_ff: HiddenWidth = Field(128, description="m_FF, width of f̂ and F̂")
    depth: int = Field(3, ge=1, le=6, description="linear layers of f̂ and of F̂")
    activation: Activation = Field("sine", description="activation of f̂")
    activation_out: Activation = Field("tanh", description="activation of F̂")
    init: Literal["siren", "torch"] = Field("siren", description="initialisation of f̂")
    tokens: Literal["centred", "raw"] = Field(
        "centred", description="what f̂ sees of x in [0, 1]: 2x − 1, or x as it is"
    )
    answers: Literal["standardised", "raw"] = Field(
        "standardised", description="what is learned: y by its mean and deviation, or as it is"
    )
    optimizer: Literal["soap", "adam"] = Field("soap", description="optimiser")
    lr: float = Field(1e-2, gt=0, le=1000, description="learning rate")
    warmup: int = Field(200, ge=0, le=10_000, description="steps of linear warm-up")
    schedule: Literal["cosine", "constant"] = Field("cosine", description="after the warm-up")
    batch: int = Field(32, ge=1, le=4096, description="fresh sequences a step")
    steps: int = Field(1200, ge=1, le=1_000_000, description="steps in all")
    seed: Seed = Field(0, description="start and data")

    permutation: alterations.Permutation = alterations.permutation_field()
    permutation_seed: Seed = alterations.permutation_seed_field()
    filter: alterations.Filter = alterations.filter_field()
    filter_length: alterations.FilterLength = alterations.filter_length_field()
    filter_seed: Seed = alterations.filter_seed_field()
    filter_mode: alterations.FilterMode = alterations.filter_mode_field()
    positions: int = Field(
        0, ge=0, le=32, description="pairs cos, sin 2πjt/τ beside each input; 0 = none"
    )

    @property
    def d_in(self) -> int:
        """Features of a token: its value, and its position where it has one."""
        return 1 + 2 * self.positions

    @property
    def altered(self) -> bool:
        """Whether order, filter or positions make this more than a plain target of Eq. 8."""
        return self.permutation is not None or self.filter is not None or self.positions > 0

    @model_validator(mode="after")
    def _alterations_fit(self) -> CouplingSpec:
        alterations.check_alterations(self)
        return self

    @model_validator(mode="after")
    def _one_way_to_give_the_coupling(self) -> CouplingSpec:
        if self.formula is not None and self.grid is not None:
            raise ValueError("formula and grid: give ρ by one of them, not both")
        if (self.spectrum == "list") != (self.sigma is not None):
            raise ValueError('sigma: goes with spectrum = "list", and spectrum = "list" needs it')
        if self.sigma is not None and not any(self.sigma):
            raise ValueError("sigma: at least one singular value must be above 0")
        return self


class SweepSpec(CouplingSpec):
    """Many trainings: the product of the lists of α, rank, m_FF, seed and m_h; all else is shared.

    A list may be written as a single value. The same lists in another order are the same sweep.
    """

    member: ClassVar[type[CouplingSpec]] = CouplingSpec
    swept: ClassVar[tuple[str, ...]] = SWEPT

    alpha: Annotated[tuple[Alpha, ...], *AS_LIST] = listed(1.0)
    rank: Annotated[tuple[Rank, ...], *AS_LIST] = listed(None)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(8)
    m_ff: Annotated[tuple[HiddenWidth, ...], *AS_LIST] = listed(128)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    method: Literal["independent", "top_down"] = Field(
        "independent", description="each model from its own start, or truncated from the widest"
    )
    fine_tune: int = Field(300, ge=1, le=100_000, description="steps after a truncation")

    @model_validator(mode="after")
    def _few_enough(self) -> SweepSpec:
        check_models(self, SWEPT)
        return self

    @model_validator(mode="after")
    def _plain(self) -> SweepSpec:
        if self.altered:
            raise ValueError(
                "permutation, filter, positions: altered couplings are trained one by one, "
                "a sweep has none"
            )
        return self

    def members(self) -> list[CouplingSpec]:
        """The specification of every training, m_h varying fastest."""
        return product_of(self)
