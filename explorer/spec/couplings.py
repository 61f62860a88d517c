"""The specifications of trainings on a target of Eq. 8 with a coupling ρ(u, v)."""

# A sweep has lists of what its members have one of; a kind may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from explorer.families import SPECTRA, TERMS, check_fields
from explorer.spec.alterations import ALTERATION_FIELDS, AlterationFields
from explorer.spec.fields import (
    AS_LIST,
    WIDEST,
    Activation,
    Alpha,
    BasisName,
    HeadWidth,
    HiddenWidth,
    Init,
    NetworkFields,
    Rank,
    Seed,
    SingularValue,
    Specification,
    SpectrumName,
    Steps,
    Sweep,
    TrainingFields,
    WarmUp,
    listed,
    one_of,
)

SWEPT = ("alpha", "rank", "m_ff", "seed", "m_h")
"""The fields a sweep may have lists of; the last one varies fastest."""
PART_FIELDS = ("outer", "inner")
"""F and f."""
KNOWN = ("none", "rho", "inner", "outer", "rho inner", "rho outer", "inner outer")
"""The parts ρ, f and F of Eq. 8 that a head may be given, so that something is left to learn."""
HEAD_START_SHARE = 2
"""A head start lasts for one step in so many."""
LARGEST_SET = 100_000
WINDOW, PATIENCE, GAIN = 500, 6, 0.01
"""A training loss rests after so many windows, of so many steps at least, in a row in which its
mean has not fallen by this share."""

PartText = Annotated[str, Field(min_length=1, max_length=1000)]
PART_FORMS = "identity, abs, power p, tanh κ, clip a b, or a formula in x"


def features_of(inner: str) -> tuple[str, ...]:
    """f by its features, which stand between semicolons."""
    return tuple(text.strip() for text in inner.split(";"))


class CouplingFields(Specification, frozen=True):
    """ρ = Σ_k σ_k φ_k(u) ψ_k(v) by `spectrum` and bases, unless `formula` or `grid` gives it."""

    by_content: ClassVar[bool] = True
    noun: ClassVar[str] = "a coupling"
    formula_in: ClassVar[tuple[str, ...]] = ("u", "v")

    target: Literal["coupling"] = Field(default="coupling", description="kind of target, Eq. 8")

    tau: int = Field(default=16, ge=2, le=64, description="τ, sequence length")
    spectrum: SpectrumName = Field(
        default="power",
        description=", ".join(f"{name}: {each.form}" for name, each in SPECTRA.items()),
    )
    alpha: Alpha = Field(default=1.0, description="α, decay exponent of σ_k (power)")
    decay: float = Field(default=0.5, gt=0, lt=1, description="δ, ratio σ_(k+1)/σ_k (exponential)")
    c: float = Field(default=1.0, gt=0, le=20, description="c, the first singular value")
    rank: Rank = Field(default=None, description="rank r; null = ∞, at 64 terms")
    sigma: tuple[SingularValue, ...] | None = Field(
        default=None,
        strict=False,
        min_length=1,
        max_length=TERMS,
        description="σ_k one by one (list)",
    )
    left_basis: BasisName = Field(default="sine", description="φ_k, left singular functions")
    right_basis: BasisName = Field(
        default="shifted_sine", description="ψ_k, right singular functions"
    )
    formula: str | None = Field(
        default=None, min_length=1, max_length=1000, description="ρ as a formula in u and v"
    )
    grid: str | None = Field(
        default=None, pattern="^[0-9a-f]{64}$", description="ρ as samples: sha256 of a stored grid"
    )
    outer: PartText = Field(
        default="identity",
        description=f"F of Eq. 8: {PART_FORMS}; of several features abs, or a formula in x1, x2, …",
    )
    inner: PartText = Field(
        default="identity",
        description=f"f of Eq. 8: {PART_FORMS}; up to three features, between semicolons",
    )

    @model_validator(mode="after")
    def _one_way_to_give_the_coupling(self) -> CouplingFields:
        if self.formula is not None and self.grid is not None:
            raise ValueError("formula and grid: give ρ by one of them, not both")
        if ("sigma" in SPECTRA[self.spectrum].fields) != (self.sigma is not None):
            raise ValueError('sigma: goes with spectrum = "list", and spectrum = "list" needs it')
        if self.sigma is not None and not any(self.sigma):
            raise ValueError("sigma: at least one singular value must be above 0")
        return self


DESIGN_FIELDS = tuple(name for name in CouplingFields.model_fields if name != "version")
"""The fields that make the target; the others say how it is learned."""

check_fields(SPECTRA, DESIGN_FIELDS)


class CouplingSpec(AlterationFields, TrainingFields, NetworkFields, CouplingFields, frozen=True):
    """Train the Transformer of Eq. 5 on a target of Eq. 8 with a coupling ρ(u, v) on [0, 1]².

    The target may be altered (Section 6); the model then needs `positions` beside its tokens.
    """

    any_taps: ClassVar[bool] = False
    lacking: ClassVar[str] = "without a coupling ρ(u, v) on [0, 1]²"
    d_out: ClassVar[int] = 1
    model: ClassVar[Literal["transformer"]] = "transformer"
    conv: ClassVar[int] = 0
    units: ClassVar[int] = 0
    interdependent_fields: ClassVar[frozenset[str]] = frozenset(
        {"tau", "spectrum", "sigma", "formula", "grid", "engine", "schedule", "stop", "frozen"}
        | {*PART_FIELDS, *ALTERATION_FIELDS}
    )

    m_h: HeadWidth = 8
    activation: Activation = "sine"
    init: Init = "siren"
    warmup: WarmUp = 200
    steps: Steps = 1200
    tokens: Literal["centred", "raw"] = Field(
        default="centred", description="what f̂ sees of x in [0, 1]: 2x − 1, or x as it is"
    )
    answers: Literal["standardised", "raw"] = Field(
        default="standardised",
        description="what is learned: y by its mean and deviation, or as it is",
    )
    head_start: int = Field(
        default=0,
        ge=0,
        le=16,
        description="widths the head has beside m_h in the first half of the steps, after which "
        "it is cut to the m_h leading terms of what it has learned",
    )
    sequences: int = Field(
        default=0,
        ge=0,
        le=LARGEST_SET,
        description="N, size of the training set: batches go round through its sequences, larger "
        "ones meet some of them twice; 0 = fresh ones at every step",
    )
    stop: Literal["steps", "rest"] = Field(
        default="steps",
        description="training ends with its last step, or before where the training loss rests "
        "(training/rest.py)",
    )
    frozen: Annotated[str, one_of(KNOWN)] = Field(
        default="none",
        description="parts of Eq. 8 that the head is given in place of its own: rho (scores), "
        "inner (f, values) and outer (F)",
    )
    positions: int = Field(
        default=0, ge=0, le=32, description="pairs cos, sin 2πjt/τ beside each input; 0 = none"
    )
    engine: Literal["torch", "native", "wasm"] = Field(
        default="torch",
        description="whose arithmetic trains it, on which its bits hang: PyTorch's, or that of the "
        "kernel in C as this machine's own code or as WebAssembly",
    )

    @model_validator(mode="after")
    def _engine_fits(self) -> CouplingSpec:
        if self.altered and self.engine != "torch":
            raise ValueError(
                f'engine = "{self.engine}": allowed is "torch" where permutation, filter or '
                "positions alter the coupling"
            )
        if self.has_parts and self.engine != "torch":
            raise ValueError(
                f'engine = "{self.engine}": allowed is "torch" where outer or inner is not the '
                "identity, which is all that the kernel knows"
            )
        if self.known and (self.altered or self.engine != "torch"):
            raise ValueError(
                f'frozen = "{self.frozen}": allowed where engine = "torch", and no permutation, '
                "filter or positions alter the coupling"
            )
        return self

    @model_validator(mode="after")
    def _widths_and_steps_fit(self) -> CouplingSpec:
        if self.d_v < (q := len(self.features)):
            raise ValueError(
                f"d_v: f has {q} features, which the values of a head have room for from d_v = {q} "
                "on"
            )
        if self.rests and self.schedule != "constant":
            raise ValueError(
                'stop = "rest": allowed where schedule = "constant": by a falling rate every loss '
                "comes to rest with the last step"
            )
        return self

    @property
    def own_set(self) -> int:
        return self.sequences

    @property
    def rests(self) -> bool:
        return self.stop == "rest"

    @property
    def extra_metrics(self) -> tuple[str, ...]:
        return ("train_nmse",) * bool(self.sequences) + ("rested",) * self.rests

    @property
    def d_in(self) -> int:
        """Features of a token: its value, and its position where it has one."""
        return 1 + 2 * self.positions

    @property
    def altered(self) -> bool:
        return self.permutation is not None or self.filter is not None or self.positions > 0

    @property
    def has_parts(self) -> bool:
        """Whether F or f is not the identity."""
        return any(getattr(self, name) != "identity" for name in PART_FIELDS)

    @property
    def features(self) -> tuple[str, ...]:
        """f: [0, 1] → ℝ^q, by its features."""
        return features_of(self.inner)

    @property
    def known(self) -> frozenset[str]:
        """The parts that are given: some of rho, inner and outer."""
        return frozenset(self.frozen.split()) - {"none"}

    @property
    def by_kernel(self) -> bool:
        return self.engine != "torch"

    @property
    def started_until(self) -> int:
        """The last step of the wider head; 0 where there is none."""
        no_other = self.altered or "rho" in self.known
        return 0 if no_other or not self.head_start else self.steps // HEAD_START_SHARE

    def at(self, step: int) -> Self:
        if max(step, 1) > self.started_until:
            return self
        m_h = min(self.m_h + self.head_start, WIDEST)
        return self.model_copy(update={"m_h": m_h, "head_start": 0})

    @property
    def topic(self) -> Literal["coupling", "order"]:
        return "order" if self.altered else "coupling"

    @property
    def recipe(self) -> Literal["coupling", "positioned"]:
        return "positioned" if self.altered else "coupling"

    def idle_fields(self) -> set[str]:
        of_spectra = {name for spectrum in SPECTRA.values() for name in spectrum.fields}
        idle: set[str] = {"head_start", "engine"} if self.altered else set()
        idle |= {"head_start"} if "rho" in self.known else set()
        idle |= {"activation_out"} if "outer" in self.known else set()
        if self.formula or self.grid:
            return {"spectrum", "left_basis", "right_basis", "rank"} | of_spectra | idle
        return of_spectra - {*SPECTRA[self.spectrum].fields} | idle

    def plainer(self) -> dict[str, Any]:
        plain = dict.fromkeys(PART_FIELDS, "identity")
        return {"formula": None, "grid": None, "filter": None, **plain}

    def remedies(self) -> list[str]:
        large = self.formula or self.grid or self.c > 1
        return [*super().remedies(), *(["the size of ρ"] if large else [])]


class SweepSpec(CouplingSpec, Sweep, frozen=True):
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
        default="independent",
        description="each model from its own start, or truncated from the widest",
    )
    fine_tune: int = Field(default=300, ge=1, le=100_000, description="steps after a truncation")

    @property
    def topic(self) -> Literal["coupling"]:
        return "coupling"  # none is altered

    @model_validator(mode="after")
    def _method_fits(self) -> SweepSpec:
        if self.altered:
            raise ValueError(
                "permutation, filter, positions: altered couplings are trained one by one, "
                "a sweep has none"
            )
        if self.rests and self.method == "top_down":
            raise ValueError(
                'stop = "rest": allowed where method = "independent"; what is cut from the widest '
                "models is trained for fine_tune steps"
            )
        if "rho" in self.known and self.method == "top_down":
            raise ValueError(
                f'frozen = "{self.frozen}": allowed where method = "independent"; a given ρ is not '
                "cut"
            )
        if self.by_kernel and self.method == "top_down":
            raise ValueError(
                f'engine = "{self.engine}": allowed is "torch" where method = "top_down" cuts the '
                "widest models"
            )
        return self

    def idle_fields(self) -> set[str]:
        cut_anyway: set[str] = {"head_start"} if self.method == "top_down" else set()
        return super().idle_fields() | cut_anyway
