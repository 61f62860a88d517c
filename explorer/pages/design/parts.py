"""The controls of F and f of Eq. 8, which Design and Train have among what is seldom chosen."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from explorer.coupling.formula import parse_expression
from explorer.pages.design import view_parts as view
from explorer.spec import CouplingSpec
from explorer.targets.coupling.features import MOST_FEATURES
from explorer.targets.coupling.outer import names_of
from explorer.ui import controls, formulas, specs
from explorer.ui.callbacks import uninterrupted

Way = Callable[[CouplingSpec], dict[str, Any] | None]
LABELS = {"F": "F, after attention", "f": "{}, of each token"}
HELP = {
    "F": r"$y_t=F(\sum_s\mathrm{softmax}[\rho(x_t,x_\cdot)](s)\,f(x_s))$ (Eq. 8). Theorem 4.1 "
    "asks for F to be Lipschitz.",
    "f": r"What attention averages in Eq. 8: $f(x_s)$ for tokens $x_s$ in $[0,1]$. F takes the "
    "mean of each of its features.",
}


def controls_of() -> None:
    """F and f: which, and its numbers or its formula."""
    spec = specs.of_couplings()
    for each in view.maps_of(spec):
        _map(each)
    with st.container(horizontal=True):
        _way("Add a feature", view.one_more, spec, f"f has at most {MOST_FEATURES} features.")
        if view.one_less(spec):
            _way("Remove the last feature", view.one_less, spec, "")


def _way(label: str, way: Way, spec: CouplingSpec, why: str) -> None:
    """A button to another number of features."""
    off = way(spec) is None
    st.button(
        label,
        type="tertiary",
        disabled=off,
        help=why if off else None,
        on_click=_counted,
        args=(way,),
    )


@uninterrupted
def _counted(way: Way) -> None:
    if changes := way(specs.of_couplings()):
        specs.change(changes)


def _map(each: view.Map) -> None:
    key = f"kind of {each.name}"
    controls.draw(
        st.selectbox,
        key,
        each.kind,
        LABELS[each.letter[0]].format(each.letter),
        each.kinds,
        format_func=lambda kind: each.kinds[kind][0],
        on_change=_chosen,
        args=(each.name, key),
        help=HELP[each.letter[0]],
    )
    if each.kind == "formula":
        arguments = formulas.ONE if each.q == 1 else formulas.Variables(each.variables, "x1*x2")
        label = f"{each.letter}({', '.join(names_of(each.q))}) ="
        formulas.field(f"field {each.name}", label, each.text, each.notes, _typed, arguments)
        return
    numbers = zip(view.numbers_of(each.text), view.NUMBERS[each.kind], strict=True)
    for i, (value, label) in enumerate(numbers):
        number_key = f"number {i} of {each.name}"
        moved = {"on_change": _moved, "args": (each.name, i, number_key)}
        controls.draw(st.number_input, number_key, value, label, step=0.1, **moved)


def _named(name: str) -> view.Map | None:
    """The map of a widget; None of a feature that has gone."""
    return next((each for each in view.maps_of(specs.of_couplings()) if each.name == name), None)


def _change(name: str, text: str) -> None:
    specs.change(view.changed(specs.of_couplings(), name, text))


@uninterrupted
def _chosen(name: str, key: str) -> None:
    if each := _named(name):
        _change(name, each.kinds[st.session_state[key]][1])


@uninterrupted
def _moved(name: str, i: int, key: str) -> None:
    each, value = _named(name), st.session_state[key]
    if each and value is not None:
        numbers = view.numbers_of(each.text)
        numbers[i] = value
        _change(name, " ".join([each.kind, *(f"{n:.12g}" for n in numbers)]))


@uninterrupted
def _typed(key: str) -> None:
    each = _named(key.removeprefix("field "))
    if each is None:
        return
    names = names_of(each.q)
    formula = formulas.read(key, each.text, names, lambda text: parse_expression(text, names))
    if formula is not None:
        _change(each.name, formula)
