"""The fields that alter a target: the order in which its input is seen, and a filter before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, cast

from pydantic import BaseModel, Field, model_validator

from explorer.spec.fields import Seed, Specification

LONGEST = 128  # τ of any target that can be altered, and so taps of a filter
LARGEST_TAP = 1000.0

Index = Annotated[int, Field(ge=0, le=LONGEST - 1)]
Order = Annotated[tuple[Index, ...], Field(strict=False, min_length=2, max_length=LONGEST)]
OrderName = Literal["block", "roll", "reverse", "random"]
Tap = Annotated[float, Field(ge=-LARGEST_TAP, le=LARGEST_TAP)]
Taps = Annotated[tuple[Tap, ...], Field(strict=False, min_length=1, max_length=LONGEST)]
FilterName = Literal["delay", "difference", "average", "positive", "signed"]
FilterMode = Literal["causal", "ahead", "centred", "circular"]
FilterLength = Annotated[int, Field(ge=1, le=LONGEST)]
Permutation = Order | OrderName | None
Filter = Taps | FilterName | None


class AlterationFields(BaseModel, frozen=True):
    """p and θ: the model sees x(p(t)) and must answer H_t(θ*x) of the original x."""

    lacking: ClassVar[str] = "whose input has no order"
    by_content: ClassVar[bool]
    """Whether what a query asks for hangs on what its token holds, not on its place alone."""
    any_taps: ClassVar[bool] = True
    """Whether a filter may lead out of [0, 1]."""

    permutation: Permutation = Field(
        default=None, description="order p, 0-based, or its name; the model sees x(p(t))"
    )
    permutation_seed: Seed = Field(default=0, description='of permutation = "random"')
    filter: Filter = Field(
        default=None, description="taps θ(0), θ(1), … or their name; the target is H(θ*x)"
    )
    filter_length: FilterLength = Field(
        default=5, description="taps of filters named average, positive and signed"
    )
    filter_seed: Seed = Field(default=0, description='of filter = "positive" and "signed"')
    filter_mode: FilterMode = Field(
        default="causal",
        description="(θ*x)(t) = Σ θ(s) x(t−s); ahead: x(t+s); centred; circular: mod τ",
    )

    @model_validator(mode="after")
    def _alterations_fit(self) -> AlterationFields:
        """Refuses an order that is no permutation of 0 … τ−1, and a filter that is zero or longer
        than the sequence."""
        order, taps = self.permutation, self.filter
        tau = cast(Specification, self).tau  # these fields are mixed into one
        if isinstance(order, tuple):
            check_order(order, tau)
        if isinstance(taps, tuple):
            if len(taps) > tau:
                raise ValueError(f"filter: {len(taps)} taps, at most tau = {tau} are allowed")
            if not any(taps):
                raise ValueError("filter: at least one tap must differ from 0")
        elif taps in ("average", "positive", "signed") and self.filter_length > tau:
            raise ValueError(
                f"filter_length = {self.filter_length}: at most tau = {tau} taps are allowed"
            )
        return self


ALTERATION_FIELDS = tuple(AlterationFields.model_fields)


def check_order(order: Sequence[int], tau: int) -> None:
    """Raises ValueError for what is no permutation of 0 … τ−1."""
    if fault := faults(order, tau):
        raise ValueError(
            f"permutation: allowed is each of 0 to {tau - 1} once (tau = {tau}), "
            f"got {len(order)} numbers; {fault}"
        )


def faults(order: Sequence[int], tau: int) -> str:
    """What keeps this from being a permutation of 0 … τ−1; "" where it is one."""
    wrong = {
        "missing": sorted(set(range(tau)) - set(order)),
        "repeated": sorted(p for p in set(order) if order.count(p) > 1),
        "too large": sorted(p for p in set(order) if p >= tau),
    }
    return "; ".join(f"{what}: {_some(which)}" for what, which in wrong.items() if which)


def _some(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:5])) + (", …" if len(numbers) > 5 else "")
