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
LONGEST = 500  # characters of `?view=` that are read


class Chosen(BaseModel):
    """What the Design page shows of a coupling, and how the Rates page reads errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    k: int = Field(1, ge=1, le=64)
    u: float = Field(0.3, ge=0, le=1)
    v: float = Field(0.8, ge=0, le=1)
    centred: bool = True
    tolerance: float | None = Field(None, gt=0, le=100)
    error: float = Field(0.01, gt=0, le=1)
    """The nMSE for which the page names a width."""
    norm: Literal["mse", "mae"] = "mse"
    statistic: Literal["median", "best"] = "median"


def begin() -> Chosen:
    """Call first in a page: what the address says, or else the defaults.

    An address that cannot be read is passed over: a picture is not worth a message.
    """
    text = attach.param("view")
    if CHOSEN not in st.session_state or text != st.session_state.get(READ):
        st.session_state[CHOSEN] = _parsed(text) if text else Chosen()
        st.session_state[READ] = text
    return st.session_state[CHOSEN]


def change(**changes: Any) -> None:
    """Choose other pictures; a value out of range is passed over."""
    values = st.session_state.get(CHOSEN, Chosen()).model_dump() | changes
    try:
        chosen = Chosen(**values)
    except ValidationError:
        return
    differing = chosen.model_dump(exclude_defaults=True)
    text = json.dumps(differing, separators=(",", ":"), sort_keys=True) if differing else None
    attach.put(view=text)
    st.session_state[CHOSEN] = chosen
    st.session_state[READ] = text


def _parsed(text: str) -> Chosen:
    try:
        return Chosen.model_validate_json(text[:LONGEST])
    except ValidationError:
        return Chosen()
