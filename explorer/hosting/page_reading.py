"""What a visitor sends, read by a process of its own (reader.py) and charged to the visitor.

The own app reads in its own process: the file is the reader's, and a first file need not wait for a
process to start.
"""

import hashlib
from typing import Any, cast

import numpy as np
import streamlit as st

from explorer.coupling.attention import Attention, Kind, checked, parse_attention
from explorer.coupling.grid import GridError, parse_cells, parse_grid, read_grid
from explorer.hosting import page_pace, reader
from explorer.runs import archive
from explorer.runs.zips import ArchiveError
from explorer.spec import AnySpec, SpecError, full_json
from explorer.ui import registry, specs
from explorer.ui.topics import view_of

LAST = "matrix read last"


def grid(data: bytes, name: str, d: int = 1) -> np.ndarray:
    """`parse_grid`, or `parse_cells` of tokens with d numbers; raises GridError."""
    if not _apart():
        return parse_grid(data, name) if d == 1 else parse_cells(data, name, d)
    _, (values,) = _read("grid", data, GridError, name=name, d=d)
    return parse_grid(values, "grid.npy")


def attention(data: bytes, name: str, kind: Kind) -> Attention:
    """`parse_attention`, once for all reruns of a page; raises GridError."""
    asked = hashlib.sha256(data).digest(), name, kind
    if st.session_state.get(LAST, (None,))[0] != asked:
        st.session_state[LAST] = asked, _attention(data, name, kind)
    return st.session_state[LAST][1]


def _attention(data: bytes, name: str, kind: Kind) -> Attention:
    if not _apart():
        return parse_attention(data, name, kind)
    holds, parts = _read("attention", data, GridError, name=name, holds=kind)
    values, *step = (read_grid(part, "npy", "matrix") for part in parts)
    return Attention(cast(Kind, holds), checked(holds, values).values, *step)


def import_archive(data: bytes) -> str:
    """`archive.import_` into the store of who asks; raises ArchiveError, StoreError."""
    store = registry.store()
    if not _apart():
        return archive.import_(store, data)
    limits = registry.settings().limits.model_dump()
    said, parts = _read("zip", data, ArchiveError, limits=limits)
    return archive.put(store, archive.Brought.model_validate_json(said), parts)


def build(spec: AnySpec) -> None:
    """`specs.build` of what has no file: a formula's values at all nodes take half a second."""
    if _apart() and view_of(spec).is_cut:
        _read("formula", full_json(spec).encode(), SpecError)
    else:
        specs.build(spec)


def _apart() -> bool:
    return registry.is_public() and reader.BOUNDED


def _read(
    kind: str, data: bytes, refusal: type[Exception], **asked: Any
) -> tuple[Any, reader.Parts]:
    """Raises a `refusal` in words for the sender, whose seconds it has taken all the same."""
    with page_pace.aside():
        answer = reader.readers(1 if registry.parent() else reader.AT_ONCE).read(
            kind, data, **asked
        )
    if shares := registry.shares():
        shares.charge(registry.owner(), answer.seconds)
    if answer.problem:
        raise refusal(answer.problem)
    return answer.value, answer.parts
