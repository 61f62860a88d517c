"""Formulas: values against Python's own arithmetic, and hostile texts that are refused."""

import math
import sys

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from explorer.coupling.formula import (
    MAX_LENGTH,
    FormulaError,
    pair_costs,
    parse_expression,
    parse_formula,
)

VALUES = {
    "u": 0.3,
    "u + 2*v": 1.7,
    "u - v - 1": -1.4,
    "2 - -u": 2.3,
    "+u": 0.3,
    "-u**2": -0.09,
    "(-u)**2": 0.09,
    "2**-u": 2**-0.3,
    "2**3**2": 512,
    "8/4/2": 1,
    "2*u**2*v": 2 * 0.09 * 0.7,
    "1.5e-1 + .5 + 2.": 2.65,
    "pi + e": math.pi + math.e,
    "sin(pi*u) + cos(v) + tan(u)": math.sin(math.pi * 0.3) + math.cos(0.7) + math.tan(0.3),
    "exp(u)*log(v)*sqrt(u)": math.exp(0.3) * math.log(0.7) * math.sqrt(0.3),
    "abs(u-v) + sign(u-v)": 0.4 - 1,
    "tanh(u) + cosh(v) + sinh(u)": math.tanh(0.3) + math.cosh(0.7) + math.sinh(0.3),
    "minimum(u, v) - maximum(u, v)": -0.4,
    "heaviside(v-u) + heaviside(0) + heaviside(u-v) + heaviside(u-u, 1)": 2.5,
    "where(u < v, 5, 7)": 5,
    "where(u - u, 5, 7)": 7,
    "(u < v) + 2*(u <= v) + 4*(u > v) + 8*(u >= v) + 16*(u == v) + 32*(u != v)": 35,
    "\n  u\t+ 1 ": 1.3,
}


@pytest.mark.parametrize(("text", "expected"), VALUES.items())
def test_values(text, expected):
    value = parse_formula(text)(np.float64(0.3)[None], np.float64(0.7)[None])
    assert value == pytest.approx(expected, rel=1e-14)


ARITHMETIC = st.recursive(
    st.sampled_from(["u", "v", "2", "0.5", "3.25"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("({})**2".format),
    ),
    max_leaves=12,
)


@given(ARITHMETIC)
@example("((((3.25)**2)**2)**2)**2")
def test_arithmetic_reads_as_in_python(text):
    """Second implementation: Python itself, on texts made here."""
    try:
        parsed = parse_formula(text)
    except FormulaError as error:
        x = np.linspace(0, 1, 33)
        assert "beyond 1e6" in str(error)
        assert np.abs(eval(text, {"u": x[:, None], "v": x})).max() > 0.9e6
        return
    expected = eval(text, {"u": 0.3, "v": 0.7})
    value = float(parsed(np.array([0.3]), np.array([0.7]))[0])
    assert value == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("text", ["3", "u", "v", "u*v", "where(u < 0.5, 1, v)", "heaviside(0.1)"])
@pytest.mark.parametrize("of", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
def test_every_formula_broadcasts(text, of):
    u, v = of(np.linspace(0.1, 0.9, 12).reshape(3, 4, 1)), of(np.linspace(0.1, 0.9, 5))
    assert parse_formula(text)(u, v).shape == (3, 4, 5)


@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torch_equals_numpy_in_its_own_precision(text, dtype):
    u, v = np.linspace(0.1, 0.9, 6)[:, None], np.linspace(0.15, 0.95, 5)
    found = parse_formula(text)(torch.as_tensor(u, dtype=dtype), torch.as_tensor(v, dtype=dtype))
    assert found.dtype == dtype
    tolerance = 1e-13 if dtype == torch.float64 else 2e-5
    expected = parse_formula(text)(u, v)
    assert np.allclose(found.numpy(), expected, rtol=tolerance, atol=tolerance)


HOSTILE = {
    "": "empty",
    " \t\n": "empty",
    "u.__class__": "character 2",
    "().__class__": "character 3",
    "__import__('os').system('id')": "character 12",
    "__import__(u)": "unknown name '__import__'",
    "eval(u)": "unknown name 'eval'",
    "x + 1": "unknown name 'x'.*allowed are u, v",
    "lambda: u": "':' is not allowed",
    "[u for u in v]": r"'\[' is not allowed",
    "{u: v}": "'{' is not allowed",
    "f'{u}'": "unknown name|not allowed",
    "'u'": "not allowed",
    '"u"': "not allowed",
    "u if u else v": "operator before 'if'",
    "True": "unknown name 'True'",
    "u and v": "operator before 'and'",
    "not u": "unknown name 'not'",
    "u @ v": "'@' is not allowed",
    "u // v": "character 4",
    "u % v": "not allowed",
    "u; v": "not allowed",
    "u = v": "write == to compare",
    "u := v": "not allowed",
    "u^2": r"character 2.*write \*\* for powers",
    "u²": "write",
    "π*u": "write pi",
    "𝑢 + ｖ": "not allowed",
    "u − v": "write -",
    "٣": "not allowed",
    "u\0v": "not allowed",
    "2j": "operator before 'j'",
    "2u": r"products need a \*",
    "1_000": "operator before '_000'",
    "0x10": "operator before 'x10'",
    "u v": "operator before 'v'",
    "(u": "expected \\).*character 1.*the end",
    "u)": "operator before '\\)'",
    "u +": "at the end",
    "* u": "character 1",
    "()": "character 2",
    "sin": "parentheses",
    "sin u": "parentheses",
    "sin()": "takes 1 arguments, not 0",
    "sin(u, v)": "takes 1 arguments, not 2",
    "where(u, v)": "takes 3 arguments, not 2",
    "heaviside(u, v, 1)": "takes 1 or 2 arguments, not 3",
    "sin(x=u)": "unknown name 'x'|not allowed",
    "sin(*u)": "character 5",
    "sin(u": "expected \\)",
    "u(v)": "operator before '\\('",
    "0 < u < 1": "chained",
    "1e400": "too large",
    "1/(u-u)": "not finite at u = 0.01515, v = 0.01515",
    "log(abs(u-v))": "not finite at u = 0.01515, v = 0.01515",
    "sqrt(u-0.5)": "not finite at u = 0.01515, v = 0.01515: it gives nan",
    "where(u < 0.5, 1, sqrt(v-0.5))": "not finite at u = 0.5, v = 0.01515",
    "9**9**9**9": "not finite",
    "exp(exp(exp(9)))": "not finite",
    "-" * 900 + "u": "nested too deeply",
    "u" + "**u" * 300: "nested too deeply",
    "(" * 450 + "u" + ")" * 450: "nested too deeply",
    "sin(" * 150 + "u" + ")" * 150: "nested too deeply",
    "(" * 10_000 + "u" + ")" * 10_000: "at most 1000",
    "u+" * 50_000: "at most 1000",
    "9" * 999: "too large",
    "a" * 999: "unknown name 'aaaaaaaaaaaaaaaaaaaa…'",
}


@pytest.mark.parametrize(("text", "why"), HOSTILE.items(), ids=range(len(HOSTILE)))
def test_hostile_texts_are_refused(text, why):
    with pytest.raises(FormulaError, match=f"(?s){why}") as refusal:
        parse_formula(text)
    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize("value", [None, 3, b"u", ["u"]])
def test_only_texts_are_formulas(value):
    with pytest.raises(FormulaError, match="text in u and v"):
        parse_formula(value)


@given(st.text(alphabet="uv0123456789.e+-*/()<>=, sincoexpwhrtqa_", max_size=60) | st.text())
def test_any_text_is_parsed_or_refused(text):
    try:
        expression = parse_formula(text)
    except FormulaError:
        return
    assert np.isfinite(expression(np.array([0.25]), np.array([0.75]))).shape == (1,)


def test_long_formulas_evaluate_without_recursion():
    terms = (MAX_LENGTH - 1) // 2
    expression = parse_formula("u" + "+u" * terms)
    limit = sys.getrecursionlimit()
    frames, frame = 0, sys._getframe()
    while frame:
        frames, frame = frames + 1, frame.f_back
    try:
        sys.setrecursionlimit(frames + 40)
        value = expression(np.array([1.0]), np.array([0.0]))
    finally:
        sys.setrecursionlimit(limit)
    assert value == terms + 1


def test_depth_is_counted_by_nesting_not_by_length():
    assert parse_formula("+".join(["(u*(v+1))"] * 90))(np.ones(1), np.zeros(1)) == 90


def test_a_formula_beyond_the_size_of_samples_is_refused():
    with pytest.raises(FormulaError, match="beyond 1e6"):
        parse_formula("1e200*u*v")
    assert parse_formula("1e6*u*v") is not None


def total_cost(text):
    return sum(pair_costs(parse_expression(text, ("u", "v"))).values())


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("3*sin(u)**7*exp(v)", 1.0),  # the last product alone is of pairs
        ("sin(u)*cos(u)**9 + 2**v", 1.0),
        ("sin(u*v)", 21.0),
        ("(u - v)**2", 2.0),
        ("(u - v)**3", 101.0),
        ("u**v", 100.0),
        ("2**(u*v)", 101.0),
        ("where(u < v, 1, exp(u - v))", 5.0 + 5.0 + 1.0 + 10.0),
        ("sin(u) + sin(u)", 0.0),
    ],
)
def test_a_cost_counts_what_is_computed_for_pairs(text, cost):
    assert total_cost(text) == cost


def test_fifty_five_sines_are_taken_and_eighty_powers_refused_with_their_cost():
    """What is taken keeps a core, and nobody waiting: forty-nine sin(k·10⁵(u + v)) at τ = 64, by
    the table 1.1 µs a pair and by the clock twice that, as sines of large numbers are, take Design
    3.0 seconds of a processor, once; fourteen powers with denormal results 1.5. They are many short
    operations of NumPy: no other thread waited for longer than 10 ms."""
    sines = "+".join(f"sin({k}*u*v+{k})" for k in range(1, 56))
    assert parse_formula(sines).text == sines
    with pytest.raises(FormulaError, match=r"about 8\.2 µs .* 8\.0 of them for \*\*; at most 1\.5"):
        parse_formula("+".join(["(u*v)**999"] * 80))
    with pytest.raises(FormulaError, match="µs"):
        parse_formula("+".join(["u**v"] * 199))
