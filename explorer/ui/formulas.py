"""The field of a formula as people type it: below it what was understood, or where it is wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from explorer.coupling import FormulaError
from explorer.coupling.typed import caret, understood
from explorer.ui import controls
from explorer.ui.words import as_code

TYPED = (
    "numbers, + − × / ^, |…|, pi, e, comparisons, and sin cos tan exp log sqrt abs min max sign "
    "tanh cosh sinh heaviside where. A product needs no sign"
)
"""What a formula may hold."""


@dataclass(frozen=True)
class Variables:
    """What a formula is of, and one without the sign of a product."""

    are: str
    example: str


ONE = Variables("x", "sin(3x)")
COUPLING = Variables("u and v (or x and y) in [0, 1]", "exp(-3|u - v|)")


def field(
    key: str,
    label: str,
    formula: str,
    notes: Callable[[str], Sequence[str]],
    on_change: Callable[[str], None],
    variables: Variables,
) -> None:
    """The field of a `formula`; `notes` say how it was understood, in lines of Markdown. What is
    typed goes with the key to `on_change`, which calls `read`."""
    refused = refusal(key, formula)
    st.text_input(
        label,
        controls.show(key, formula) if refused is None else refused[0],
        key=key,
        on_change=on_change,
        args=(key,),
        max_chars=1000,
        placeholder=variables.example,
        help=f"{variables.are}, {TYPED}: {variables.example}.",
    )
    if refused is not None:
        text, error = refused
        st.warning(f"```\n{caret(text, error)}\n```\n{as_code(str(error).partition(';')[0])}")
    elif formula and (lines := notes(formula)):
        st.caption("  \n".join(lines))


def refusal(key: str, formula: str | None) -> tuple[str, FormulaError] | None:
    """The text that was typed in place of a formula and not taken, and why."""
    before, text, error = st.session_state.get(_refused(key), (None, "", None))
    return (text, error) if error and before == formula else None


def read(
    key: str, before: str, variables: tuple[str, ...], check: Callable[[str], object]
) -> str | None:
    """What was typed, in the grammar of specifications; None where that or `check` refuses it: the
    field says so for as long as the formula of `before` stands."""
    text = st.session_state[key]
    st.session_state.pop(_refused(key), None)
    try:
        formula = understood(text, variables)
        check(formula)
    except FormulaError as error:
        st.session_state[_refused(key)] = (before, text, error)
        return None
    return formula


def _refused(key: str) -> str:
    return f"{key} refused"
