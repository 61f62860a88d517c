"""Formulas as people type them: read freely, written in the old grammar, shown as understood."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from katex import refused_by_katex
from streamlit_pages import opened, ran, sentences

from explorer.coupling.formula import MAX_LENGTH, FormulaError, parse_expression
from explorer.coupling.typed import caret, understood
from explorer.coupling.typeset import LONGEST, typeset
from explorer.pages.design.view import formula_notes
from explorer.spec import CouplingSpec

TYPED = {
    "u^2": "u**2",
    "2^3^2": "2**3**2",
    "-u^2": "-u**2",
    "u² v³": "u**2*v**3",
    "2 pi u": "2*pi*u",
    "2u": "2*u",
    "2uv": "2*u*v",
    "3(u-v)": "3*(u - v)",
    "(u+v)(u-v)": "(u + v)*(u - v)",
    "u(1-v)": "u*(1 - v)",
    "2e^u": "2*e**u",
    "2e3u": "2e3*u",
    "|u-v|": "abs(u - v)",
    "2|u||v|": "2*abs(u)*abs(v)",
    "||u|-|v||": "abs(abs(u) - abs(v))",
    "|3(|u|-v)|": "abs(3*(abs(u) - v))",
    "e^(-4|x-y|)": "e**(-4*abs(u - v))",
    "max(x, y) - min(u,v)": "maximum(u, v) - minimum(u, v)",
    "sin 2": None,
    "ln(1+u)": "log(1 + u)",
    "sin(2πu)·cos(v) − 1": "sin(2*pi*u)*cos(v) - 1",
    "u ≤ v": "u <= v",
    "2 sin(u) exp(-v)": "2*sin(u)*exp(-v)",
}
"""What people type, and how it is written in the grammar: None where it is refused."""

REFUSED = {
    "2 3": 2,
    "u +": 3,
    "|u": 0,
    "(|u)|": 3,
    "|u|v|": 4,
    "u ** * v": 5,
    "sin u": 0,
    "w + 1": 0,
    "u @ v": 2,
    "__import__('os').system('id')": 11,
    "u.__class__": 1,
    "<script>": 0,
}
"""What is refused, and the character at which."""


@pytest.mark.parametrize(("text", "written"), TYPED.items())
def test_what_people_type_is_written_in_the_grammar(text, written):
    if written is None:
        with pytest.raises(FormulaError):
            understood(text)
    else:
        assert understood(text) == written == understood(written)


SIGNS = dict.fromkeys(["+", "-", "*", "/", "**", "<", "==", "^", "·"])
PARTS = ["u", "v", "x", "2", "0.5", "pi", "e", "(", ")", "|", ",", "max(", "sin(", "abs(", " ", "²"]
OLD = st.text(alphabet="uv0123456789.e+-*/()<>=, sincoexpwhrtqa_", max_size=40)


@given(OLD | st.lists(st.sampled_from([*SIGNS, *PARTS]), max_size=16).map("".join) | st.text())
@example("u+" * 600)
@example("|" * 200)
def test_any_text_is_understood_or_refused_at_a_place(text):
    """What the grammar takes is left as it is, so old specifications keep their ids; the rest is
    written in it or refused with a place in the text."""
    try:
        parse_expression(text, ("u", "v"))
        assert understood(text) == text
        return
    except FormulaError:
        pass
    try:
        written = understood(text)
    except FormulaError as error:
        assert error.position is None or 0 <= error.position <= len(text)
        above, _, below = caret(text, error).partition("\n")
        assert len(above) <= 27 and below.strip(" ") in ("", "^") and "`" not in above
        return
    assert len(written) <= MAX_LENGTH
    parse_expression(written, ("u", "v"))
    assert understood(written) == written


@pytest.mark.parametrize(("text", "position"), REFUSED.items())
def test_a_caret_stands_below_what_is_wrong(text, position):
    with pytest.raises(FormulaError) as refusal:
        understood(text)
    assert refusal.value.position == position
    above, below = caret(text, refusal.value).split("\n")
    at = below.index("^")
    assert above[at : at + 1] == (text[position : position + 1] if position < 24 else above[at])


TEX = {
    "exp(-4*abs(u - v))": r"e^{-4 \left|u-v\right|}",
    "2*pi*u": r"2 \pi u",
    "u*2": r"u\cdot 2",
    "u*(1 - v)": r"u \left(1-v\right)",
    "u - (v - 1)": r"u-\left(v-1\right)",
    "u - -v": r"u-\left(-v\right)",
    "-(-u)": r"-\left(-u\right)",
    "(-u)**2": r"{\left(-u\right)}^{2}",
    "-u**2": r"-{u}^{2}",
    "(u**2)**3": r"{\left({u}^{2}\right)}^{3}",
    "u/(1 + v)": r"\frac{u}{1+v}",
    "1e-9*u": r"1\cdot10^{-9} u",
    "minimum(u, v)": r"\min\left(u, v\right)",
    "where(u < v, 1, 0)": r"\begin{cases}1&[u< v]\\0&\text{else}\end{cases}",
    "sqrt(u) + log(v + 1)": r"\sqrt{u}+\ln\left(v+1\right)",
}


def test_a_formula_is_typeset_as_it_was_understood():
    found = {text: typeset(parse_expression(text, ("u", "v"))) for text in TEX}
    assert found == TEX
    every = ["tanh(u) + cosh(v) + sinh(u) + tan(u)", "sign(u) >= heaviside(v, 1)", "u <= (v != u)"]
    every = [typeset(parse_expression(text, ("u", "v"))) for text in every]
    assert refused_by_katex([*found.values(), *every, r"\frac{"]) == [r"\frac{"]


def test_a_formula_too_long_for_a_line_is_not_typeset():
    assert typeset(parse_expression("+".join(["u"] * (LONGEST // 2)), ("u", "v"))) is not None
    assert typeset(parse_expression("+".join(["u"] * (LONGEST // 2 + 2)), ("u", "v"))) is None


def test_an_equality_is_said_to_have_no_effect():
    assert len(formula_notes("u*v")) == 1 and "no effect" in formula_notes("u == v")[1]
    u = np.random.default_rng(0).random((2, 1000))
    assert not parse_expression("u == v", ("u", "v"))(*u).any(), "as it is for random tokens"


@pytest.mark.usefixtures("one_thread")
def test_a_typed_formula_is_shown_as_understood_and_a_wrong_one_where_it_is():
    at = opened("design", spec='{"formula":"u*v"}')
    at.text_input(key="field formula").set_value("e^(-4|x-y|)")
    ran(at)
    assert at.session_state["spec"] == CouplingSpec(formula="e**(-4*abs(u - v))")
    assert at.text_input(key="field formula").value == "e**(-4*abs(u - v))"
    assert any(r"\left|u-v\right|" in each.value for each in at.sidebar.caption)
    at.text_input(key="field formula").set_value("2 3")
    assert "2 3\n  ^" in sentences(ran(at)) and at.text_input(key="field formula").value == "2 3"
    assert at.session_state["spec"] == CouplingSpec(formula="e**(-4*abs(u - v))")
    at.text_input(key="field formula").set_value("2u")
    assert not ran(at).warning and at.session_state["spec"] == CouplingSpec(formula="2*u")
