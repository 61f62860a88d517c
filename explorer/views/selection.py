"""What a reader may select of the pictures of a page."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from explorer.coupling.formula import parse_expression
from explorer.coupling.several import variables
from explorer.spec.racing import MOST, By
from explorer.targets.memory import falling

RELATED = ("x1", "x2", "x3", "t")
"""What an H may be typed in."""
FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Selection(BaseModel):
    """What the Design page shows of a coupling, and how the Rates page reads errors."""

    model_config = FROZEN

    k: int = Field(default=1, ge=1, le=64)
    u: float = Field(default=0.3, ge=0, le=1)
    v: float = Field(default=0.8, ge=0, le=1)
    centred: bool = True
    tolerance: float | None = Field(default=None, gt=0, le=100)
    """What counts as rank, absolute; None = the POD's own."""
    error: float = Field(default=0.01, gt=0, le=1)
    """What the Design page names a width for, in the `norm`."""
    map: Literal["kept", "residual", "term"] = "kept"
    """What stands beside ρ: its first m terms, the rest, or the term k."""
    budget: int | None = Field(default=None, ge=3, le=18)
    """log₁₀ of the parameters that Theorem 4.1 is given; None = as many as this model has."""
    form: Literal["printed", "squared", "absolute"] = "printed"
    """How the first term of Theorem 4.1 is read."""
    alpha: float | None = Field(default=None, ge=0.05, le=8)
    """The α of C₁^(α) in Theorem 4.1; None = the designed or the fitted one."""
    ff: float | None = Field(default=None, ge=1, le=12)
    """log₁₀ of the m_FF at which its two errors are drawn; None = that of this model."""
    relation: str | None = Field(default=None, max_length=1000)
    """The H that Theorem A.3 is asked for; None = a product, folded,"""
    places: Literal[2, 3] = 2
    """of so many tokens,"""
    digits: int = Field(default=2, ge=1, le=3)
    """by so many digits of each."""
    several: str | None = Field(default=None, max_length=1000)
    """The ρ of tokens with more than one number; None = −|u − v|², folded,"""
    several_from: Literal["formula", "bases", "file"] = "formula"
    """or, of as many, products of the bases of the design, or samples"""
    several_grid: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    """of this hash; None = which are still to be brought;"""
    numbers: Literal[2, 3] = 2
    """each token has so many;"""
    several_m: int = Field(default=2, ge=1, le=64)
    """by so many terms,"""
    axis_u: int = Field(default=1, ge=1, le=3)
    axis_v: int = Field(default=1, ge=1, le=3)
    """along these of them,"""
    held: float = Field(default=0.5, ge=0, le=1)
    """where all the others are this."""
    same: Literal["gauge", "scale", "shift", "rotation", "monotone"] = "gauge"
    """The family of representations of one H beside Theorem 4.1,"""
    along: float | None = Field(default=None, ge=-1e6, le=1e6)
    """and the position in it; None = the one that all numbers of the page are of."""
    norm: Literal["mse", "mae"] = "mse"
    statistic: Literal["median", "best"] = "median"
    all_lines: bool = False
    """Whether Rates draws the rank-optimal kernel and the exact tail of ρ, too."""

    rank_from: int | None = Field(default=None, ge=1, le=64)
    """The least of the finite ranks whose series alone Rates draws; None = those of all ranks."""

    @field_validator("relation", "several")
    @classmethod
    def _is_a_formula(cls, text: str | None, field: ValidationInfo) -> str | None:
        if text is not None:
            parse_expression(text, RELATED if field.field_name == "relation" else variables(3))
        return text


class Mixing(BaseModel):
    """How the Order page mixes a coupling, ρ(u, a·u + b·v) behind a filter v + c·u (App. D.3)."""

    model_config = FROZEN

    a: float = Field(default=1.0, ge=-2, le=2)
    b: float = Field(default=1.0, ge=-2, le=2)
    c: float = Field(default=0.0, ge=-1, le=2)
    mixing_alpha: float = Field(default=1.0, ge=0.5, le=4)
    """α of C₁^(α)."""
    filtered_for: int = Field(default=1, ge=0, le=16)
    """What the best filter leaves least of: what this rank leaves, or C₁^(α) for 0."""
    coupling: str | None = Field(default=None, max_length=4000)
    """The specification of a design, compact; None for the example of the paper."""


class Racing(BaseModel):
    """Which architectures the Order page compares, and how it races them."""

    model_config = FROZEN

    remembered: float = Field(default=0.01, ge=1e-12, le=1)
    """What may be left of ‖ρ‖²."""
    race_by: By = "parameters"
    race_size: int = Field(default=40, ge=1, le=MOST)
    """Each has so much of it."""
    race_sequences: bool = False
    """Whether those race that see sequences, too."""
    race_coupling: bool = False
    """Whether they race on the coupling of the Design page, not on the kernel."""
    race_step: int | None = Field(default=None, ge=0)
    """The step whose kernels are drawn; None = the last."""


class Ordering(Mixing, Racing):
    """What the Order page shows beside its target."""


class Remembering(BaseModel):
    """What the Memory page shows beside the run."""

    model_config = FROZEN

    fall: falling.Fall = "power"
    """The kernel whose best approximations are drawn, with the numbers that make it,"""
    exponent: float = Field(default=0.5, ge=0, le=8)
    time: float = Field(default=20.0, ge=0.1, le=1000)
    share: float = Field(default=0.5, ge=0, le=1)
    formula: str = Field(default=falling.Kernel().formula, max_length=1000)
    count: int = Field(default=2, ge=1, le=8)
    """by so many heads."""
    order: int = Field(default=1, ge=1, le=4)
    """n of the rates of Theorems 3.1, 4.4 and 5.1,"""
    encoding: Literal["log", "lin"] = "log"
    """of heads with this encoding."""

    @field_validator("formula")
    @classmethod
    def _is_a_kernel(cls, formula: str) -> str:
        falling.check(formula)
        return formula

    @property
    def kernel(self) -> falling.Kernel:
        """What is approximated."""
        fields = falling.Kernel._fields
        return falling.Kernel(*(getattr(self, name) for name in fields)).plain()
