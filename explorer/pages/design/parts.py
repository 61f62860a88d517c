"""The controls of F and f of Eq. 8, which Design and Train have among what is seldom chosen."""

import streamlit as st

from explorer.coupling.formula import parse_expression
from explorer.pages.design.view_parts import KINDS, NUMBERS, kind_of, notes, numbers_of
from explorer.spec import CouplingSpec
from explorer.targets.parts import VARIABLE
from explorer.ui import controls, formulas, specs
from explorer.ui.callbacks import uninterrupted
from explorer.views.glossary import typeset

LETTERS = {"outer": "F, after attention", "inner": "f, of each token"}
HELP = {
    "outer": r"$y_t=F(\sum_s\mathrm{softmax}[\rho(x_t,x_\cdot)](s)\,f(x_s))$ (Eq. 8). Theorem 4.1 "
    "asks for F to be Lipschitz.",
    "inner": r"What attention averages in Eq. 8: $f(x_s)$ for tokens $x_s$ in $[0,1]$.",
}


def controls_of() -> None:
    """F and f: which, and its numbers or its formula."""
    spec = specs.of_couplings()
    for name in LETTERS:
        _part(spec, name)


def _part(spec: CouplingSpec, name: str) -> None:
    text, key = getattr(spec, name), f"kind of {name}"
    kind = kind_of(text)
    controls.show(key, kind)
    st.selectbox(
        typeset(LETTERS[name]),
        KINDS,
        format_func=_title,
        key=key,
        on_change=_chosen,
        args=(name, key),
        help=HELP[name],
    )
    if kind == "formula":
        formulas.field(
            f"field {name}", f"{LETTERS[name][0]}(x) =", text, notes, _typed, formulas.ONE
        )
        return
    for i, (value, label) in enumerate(zip(numbers_of(text), NUMBERS[kind], strict=True)):
        of = f"number {i} of {name}"
        controls.show(of, value)
        st.number_input(label, key=of, step=0.1, on_change=_moved, args=(name, i, of))


def _title(kind: str) -> str:
    return KINDS[kind][0]


@uninterrupted
def _chosen(name: str, key: str) -> None:
    specs.change({name: KINDS[st.session_state[key]][1]})


@uninterrupted
def _moved(name: str, i: int, key: str) -> None:
    text = getattr(specs.of_couplings(), name)
    numbers = numbers_of(text)
    if (value := st.session_state[key]) is not None:
        numbers[i] = value
        specs.change({name: " ".join([kind_of(text), *(f"{n:.12g}" for n in numbers)])})


@uninterrupted
def _typed(key: str) -> None:
    name = key.removeprefix("field ")
    before = getattr(specs.of_couplings(), name)
    formula = formulas.read(key, before, VARIABLE, lambda text: parse_expression(text, VARIABLE))
    if formula is not None:
        specs.change({name: formula})
