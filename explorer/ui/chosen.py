"""The pictures a reader has chosen, in the address as `?view=`: which k, which row, centred or not.

They change nothing that is computed or trained, so they are no part of the specification or its id.
"""

from __future__ import annotations

import json
from typing import Any, Literal

import streamlit as st
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from explorer.ui import attach

CHOSEN, READ = "chosen", "view read"
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
    """The nMSE for which the page names a width."""
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

    An address that cannot be read is passed over: a picture is not worth a message.
    """
    text = attach.param("view")
    key, read = attach.own(CHOSEN), attach.own(READ)
    if key not in st.session_state or text != st.session_state.get(read):
        st.session_state[key] = _parsed(text) if text else _kind()()
        st.session_state[read] = text
    return st.session_state[key]


def change(**changes: Any) -> None:
    """Choose other pictures; a value out of range is passed over."""
    key, kind = attach.own(CHOSEN), _kind()
    values = st.session_state.get(key, kind()).model_dump() | changes
    try:
        chosen = kind(**values)
    except ValidationError:
        return
    differing = chosen.model_dump(exclude_defaults=True)
    text = json.dumps(differing, separators=(",", ":"), sort_keys=True) if differing else None
    attach.put(view=text)
    st.session_state[key] = chosen
    st.session_state[attach.own(READ)] = text


def _kind() -> type[BaseModel]:
    return KINDS.get(attach.family(), Chosen)


def _parsed(text: str) -> BaseModel:
    try:
        return _kind().model_validate_json(text[:LONGEST])
    except ValidationError:
        return _kind()()
