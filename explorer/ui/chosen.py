"""The pictures a reader has chosen, in the address as `?view=`: which k, which row, centred or not.

They change nothing that is computed or trained, so they are no part of the specification or its id.
"""

from __future__ import annotations

import json
from typing import Any, Literal

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from explorer.spec import valid_fields
from explorer.ui import attach

CHOSEN, READ, PROBLEMS = "chosen", "view read", "view problems"
LONGEST = 5000  # characters of `?view=` that are read
FROZEN = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Chosen(BaseModel):
    """What the Design page shows of a coupling, and how the Rates page reads errors."""

    model_config = FROZEN

    k: int = Field(1, ge=1, le=64)
    u: float = Field(0.3, ge=0, le=1)
    v: float = Field(0.8, ge=0, le=1)
    centred: bool = True
    tolerance: float | None = Field(None, gt=0, le=100)
    error: float = Field(0.01, gt=0, le=1)
    """What the Design page names a width for, in the `norm`."""
    map: Literal["kept", "residual", "term"] = "kept"
    """What stands beside ρ: its first m terms, the rest, or the term k."""
    budget: int | None = Field(None, ge=3, le=18)
    """log₁₀ of the parameters that Theorem 4.1 is given; None = as many as this model has."""
    form: Literal["printed", "squared", "absolute"] = "printed"
    """How the first term of Theorem 4.1 is read."""
    alpha: float | None = Field(None, gt=0, le=8)
    """The α of C₁^(α) in Theorem 4.1; None = the designed or the fitted one."""
    norm: Literal["mse", "mae"] = "mse"
    statistic: Literal["median", "best"] = "median"


class Mixing(BaseModel):
    """How the Order page mixes a coupling, ρ(u, a·u + b·v) seen through v − c·u (App. D.3)."""

    model_config = FROZEN

    a: float = Field(1.0, ge=-2, le=2)
    b: float = Field(1.0, ge=-2, le=2)
    c: float = Field(0.0, ge=-1, le=2)
    mixing_alpha: float = Field(1.0, ge=0.5, le=4)
    """α of C₁^(α)."""
    coupling: str | None = Field(None, max_length=4000)
    """The specification of a design, compact; None for the example of the paper."""


KINDS: dict[str, type[BaseModel]] = {"order": Mixing}
"""What is chosen on the pages of a kind of target; of the others `Chosen`."""


def begin() -> Any:
    """Call first in a page: what the address says, or else the defaults.

    A field that cannot be read is said and left at its default; the others are kept.
    """
    text = attach.param("view")
    if attach.own(CHOSEN) not in st.session_state or text != st.session_state[attach.own(READ)]:
        _take(text, *((_kind()(), ()) if text is None else read(text, _kind())))
    attach.complain("view", *st.session_state[attach.own(PROBLEMS)])
    return st.session_state[attach.own(CHOSEN)]


def read(text: str, kind: type[BaseModel] = Chosen) -> tuple[Any, tuple[str, ...]]:
    """What `?view=` holds, and what is wrong with it."""
    return valid_fields(kind, text, "view", LONGEST)


def written(chosen: BaseModel) -> str | None:
    """What `?view=` holds for it; None where nothing differs from the defaults."""
    differing = chosen.model_dump(exclude_defaults=True)
    return json.dumps(differing, separators=(",", ":"), sort_keys=True) if differing else None


def change(**changes: Any) -> None:
    """Choose other pictures; a value out of range is passed over."""
    kind = _kind()
    values = st.session_state.get(attach.own(CHOSEN), kind()).model_dump() | changes
    try:
        chosen = kind(**values)
    except ValidationError:
        return
    attach.put(view=written(chosen))
    _take(written(chosen), chosen, ())


def _kind() -> type[BaseModel]:
    return KINDS.get(attach.page().family, Chosen)


def _take(text: str | None, chosen: BaseModel, problems: tuple[str, ...]) -> None:
    for name, value in {CHOSEN: chosen, READ: text, PROBLEMS: problems}.items():
        st.session_state[attach.own(name)] = value
