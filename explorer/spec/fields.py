"""What the kinds of specification share: version, rules of validation, ranges of fields."""

from __future__ import annotations

import json
import math
from itertools import product
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

VERSION = 1
MAX_MODELS = 4096  # of a sweep

Basis = Literal["sine", "shifted_sine", "fourier", "legendre", "haar"]
Activation = Literal["sine", "tanh", "gelu", "relu"]
SingularValue = Annotated[float, Field(ge=0, le=100)]
Alpha = Annotated[float, Field(ge=0, le=8)]
Rank = Annotated[int, Field(ge=1, le=64)] | None
HeadWidth = Annotated[int, Field(ge=1, le=64)]
HiddenWidth = Annotated[int, Field(ge=1, le=1024)]
Seed = Annotated[int, Field(ge=0, le=2**31 - 1)]


class SpecError(ValueError):
    """An invalid specification; `problems` holds one readable line per field."""

    def __init__(self, *problems: str):
        super().__init__("; ".join(problems))
        self.problems = problems


class Frozen(BaseModel):
    """A specification: flat, strict, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    measures: ClassVar[tuple[str, ...]] = ()
    """What is measured of a run beside its error, at every kept step."""


def _list(value: Any) -> Any:
    return value if isinstance(value, (list, tuple)) else [value]


def _canonical(values: tuple) -> tuple:
    """Ascending and without repetition; ∞ (None) comes last."""
    return tuple(sorted(set(values), key=lambda v: math.inf if v is None else v))


AS_LIST = (BeforeValidator(_list), AfterValidator(_canonical))
"""Annotations of a field of a sweep: a list, which may be written as a single value."""


def listed(*default: Any) -> Any:
    """A field of a sweep that holds a list."""
    return Field(default, strict=False, min_length=1, max_length=256)


def check_models(sweep: Any, swept: tuple[str, ...]) -> None:
    """Raises ValueError where a sweep is of too many models."""
    models = math.prod(len(getattr(sweep, name)) for name in swept)
    if models > MAX_MODELS:
        raise ValueError(f"sweep: {models} models, at most {MAX_MODELS} are trained")


def product_of(sweep: Any) -> list:
    """The specification of every training of a sweep; the last swept field varies fastest."""
    shared = sweep.model_dump(mode="json", include=set(sweep.member.model_fields) - {*sweep.swept})
    lists = [getattr(sweep, name) for name in sweep.swept]
    each = (shared | dict(zip(sweep.swept, own, strict=True)) for own in product(*lists))
    return [sweep.member.model_validate_json(json.dumps(values)) for values in each]
