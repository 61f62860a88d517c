"""The specification of this session: one truth, in the address and in the session.

Widgets do not own values. Each shows its field of the specification and, when moved, asks for a
changed one; what cannot be built is refused with its reason, and the last good one stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from explorer.coupling import FormulaError
from explorer.runs.database import StoreError
from explorer.spec import PRESETS, Spec, SpecError, amended, compact, design_of, parse_leniently
from explorer.ui import attach, registry
from explorer.views.design import decomposition

SPEC, READ, PROBLEMS = "spec", "address read", "problems"
REFUSED = (SpecError, FormulaError, StoreError)  # the last: its grid is not in this store


def begin(preset: str, of_run: Spec | None = None) -> Spec:
    """Call first in a page: the specification of the address, else `of_run`, else the preset.

    The address is read whenever it is not the one this session wrote last: at a cold link, and
    when the reader goes back.
    """
    text = st.query_params.get("spec")
    if SPEC not in st.session_state or text != st.session_state.get(READ):
        default = of_run or PRESETS[preset][1]
        _take(*((default, ()) if text is None else _read(text, default)))
        st.session_state[READ] = text
    attach.hold(spec=compact(st.session_state[SPEC]))
    return st.session_state[SPEC]


def change(changes: Mapping[str, Any], **params: str | None) -> None:
    """Take a changed specification, if it is valid and its coupling can be built; else say why.

    Other `params` of the address that change with it are written in the same step.
    """
    try:
        spec = amended(st.session_state[SPEC], **changes)
        build(spec)
    except REFUSED as error:
        st.session_state[PROBLEMS] = getattr(error, "problems", (str(error),))
        return
    _take(spec, ())
    attach.put(spec=compact(spec), **params)
    st.session_state[READ] = compact(spec)


def build(spec: Spec) -> None:
    """Raise SpecError or FormulaError where the coupling of a specification cannot be built."""
    decomposition(design_of(spec), True, grid_loader())


def grid_loader():
    """How an uploaded grid is fetched; None without a store."""
    try:
        return registry.store().grid
    except StoreError:
        return None


def show_problems(key: str = PROBLEMS) -> None:
    """What was refused in the address or in the last change, kept under `key`, in one box.

    Its place is always there: a box that goes would move another into it while the page is drawn.
    """
    with st.container():
        if problems := st.session_state.get(key):
            lines = "\n".join(f"- {_literally(problem)}" for problem in problems)
            st.warning(lines, icon=":material/warning:")


def _read(text: str, default: Spec) -> tuple[Spec, tuple[str, ...]]:
    """What a link says, with the problems met.

    Its broken fields take the defaults of the version, as its id demands; where they leave nothing
    of the link, the page's `default` opens. So it does for an attention task.
    """
    spec, problems = parse_leniently(text)
    if not isinstance(spec, Spec):
        return default, (*problems, f"target = {spec.target}: belongs to the Attention page")
    spec, more = _buildable(spec)
    problems = (*problems, *more)
    return (default if problems and spec == Spec() else spec), problems


def _buildable(spec: Spec) -> tuple[Spec, tuple[str, ...]]:
    """The specification, or without its formula or grid where that cannot be built here."""
    try:
        build(spec)
    except REFUSED as error:
        problems = getattr(error, "problems", (str(error),))
        return amended(spec, formula=None, grid=None), problems
    return spec, ()


def _take(spec: Spec, problems: tuple[str, ...]) -> None:
    st.session_state[SPEC] = spec
    st.session_state[PROBLEMS] = problems


def _literally(text: str) -> str:
    """Text that came from outside, as code: never as markup."""
    return "`" + text.replace("`", "ʼ").replace("\n", " ") + "`"
