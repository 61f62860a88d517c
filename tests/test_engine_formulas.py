"""Formulas in the kernel against numpy: functions, edges, and any formula of the grammar."""

import re

import numpy as np
import pytest

from explorer.coupling import Formula
from explorer.coupling.formula import MAX_DEPTH, FormulaError, parse_expression
from explorer.engine import Model
from explorer.engine.home import KERNEL
from explorer.engine.program import program_of
from explorer.spec import CouplingSpec

SMALL = {"m_h": 1, "m_ff": 1, "n": 1, "d_v": 1, "batch": 1, "depth": 1}


def unchecked(text):
    """A formula that need not be finite."""
    formula = Formula("u")
    object.__setattr__(formula, "expression", parse_expression(text, ("u", "v")))
    return formula


def both(home, text, x):
    """ρ(x_t, x_s) by the kernel, in float32, and by numpy in float64."""
    formula = unchecked(text)
    model = Model(CouplingSpec(**SMALL, tau=len(x)), formula, home)
    with np.errstate(all="ignore"):
        return model.coupling(x), formula.matrix(x.astype(float), x.astype(float))


RANGES = {
    **{f"{name}(u)": [0.1, 3, 1e3, 1e6, 1e20, 1e38] for name in ("sin", "cos", "tan")},
    "exp(u)": [1e-6, 1, 80],
    **{f"{name}(u)": [1e-6, 1, 3, 40, 80] for name in ("sinh", "cosh", "tanh")},
    "log(abs(u))": [1e-38, 1e-6, 1, 3, 1e38],
    "sqrt(abs(u))": [1e-38, 1, 1e38],
    "abs(u)**1.7": [1e-3, 1, 1e15],
    "abs(u)**-(1/3)": [1e-3, 1, 1e15],
    "u**3": [1e-3, 1, 1e10],
    "u**2": [1e-3, 1, 1e10],
    "1.25**u": [1e-3, 1, 100],
}
"""Functions, and the sizes of their arguments."""


@pytest.mark.parametrize("text", RANGES)
def test_a_function_is_that_of_numpy_to_double_precision(home, text):
    """What numpy makes of eight numbers is written into the formula, which tells what is left."""
    for seed, size in enumerate(RANGES[text]):
        x = (size * np.random.default_rng(seed).uniform(-1, 1, 8)).astype(np.float32)
        exact = parse_expression(text, ("u",))(x.astype(float))
        known = "0"
        for place, value in zip(x.tolist(), exact.tolist(), strict=True):
            known = f"where(u == {place!r}, {value!r}, {known})"
        left, _ = both(home, f"1e12*({text} - {known})", x)
        assert np.all(np.abs(left[:, 0]) < 0.2 * np.maximum(np.abs(exact), 1e-3)), (size, left)


EDGES = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 1e-3, 200.0, -200.0, 3e38, -3e38]
EDGES += [np.inf, -np.inf, np.nan, 1e-45, -1e-45]


@pytest.mark.parametrize(
    "text",
    [
        *(f"u {operator} v" for operator in ("+", "-", "*", "/", "**")),
        *(f"u {operator} v" for operator in ("<", "<=", ">", ">=", "==", "!=")),
        *("1e300*u + 1e300*v", "exp(u)**v", "(1e-300*u)**v", "-u", "heaviside(u)"),
        *("minimum(u, v)", "maximum(u, v)", "heaviside(u, v)", "where(u, v, 7)", "where(v, 7, u)"),
        *(f"{name}(u)" for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sign")),
        *(f"{name}(u)" for name in ("tanh", "cosh", "sinh")),
        *("exp(7*u)", "exp(-u*3.5)*1e300*1e10", "log(u*1e-305)", "cosh(3.551*u)", "sinh(3.551*u)"),
        *("tanh(1e-20*u)*1e20", "sinh(1e-20*u)*1e20", "tan(1e270*u)", "sin(u*1e-300)*1e300"),
    ],
)
def test_edges_are_those_of_numpy(home, text):
    """Infinities, nan, denormal numbers and the signs of zeros."""
    x = np.array(EDGES, np.float32)
    for asked in (text, f"1/({text})"):
        found, exact = both(home, asked, x)
        with np.errstate(over="ignore", under="ignore"):
            exact = exact.astype(np.float32)
        assert np.allclose(found, exact, rtol=1e-6, atol=1e-44, equal_nan=True), (
            asked,
            [(x[i], x[j], found[i, j], exact[i, j]) for i, j in np.argwhere(found != exact)[:5]],
        )


UNARY = ("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sign", "tanh", "cosh", "sinh")
BINARY = ("+", "-", "*", "/", "**", "<", "<=", ">", ">=", "==", "!=")


def any_formula(random, depth):
    """A text of the grammar."""

    def inner():
        return any_formula(random, depth - 1)

    kind = random.integers(7) if depth else 0
    if kind == 0:
        return random.choice(["u", "v", "pi", "e", "2", "0.3", f"{random.uniform(0, 4):.3g}"])
    if kind == 1:
        return f"{random.choice(UNARY)}({inner()})"
    if kind == 2:
        return f"-({inner()})"
    if kind == 3:
        name = random.choice(["minimum", "maximum", "heaviside"])
        return f"{name}({inner()}, {inner()})"
    if kind == 4:
        return random.choice([f"where({inner()}, {inner()}, {inner()})", f"heaviside({inner()})"])
    return f"({inner()}) {random.choice(BINARY)} ({inner()})"


def test_any_formula_is_that_of_python(home):
    """Where it is allowed, at random tokens."""
    random, allowed = np.random.default_rng(11), 0
    while allowed < 150:
        text, x = any_formula(random, 4), random.random(16, np.float32)
        try:
            Formula(text)
        except FormulaError:
            continue
        allowed += {"u", "v"} <= {*re.findall(r"\b[uv]\b", text)}
        found, exact = both(home, text, x)
        smallest = np.finfo(np.float32).tiny
        assert np.all(np.abs(found - exact) <= 1e-5 * np.abs(exact) + smallest), text


@pytest.mark.parametrize(
    "text",
    [
        "where(u,v," * 87 + "u**" * 12 + "v" + ")" * 87,
        "where(u*v,v," * 75 + "u" + ")" * 75,
        "u-v-" * 249 + "u",
        "u**" * 98 + "v",
        "minimum(v,u+" * 49 + "1" + ")" * 49,
    ],
)
def test_the_deepest_formulas_fit(home, text):
    found, exact = both(home, text, np.linspace(0.1, 0.9, 7, dtype=np.float32))
    assert np.allclose(found, exact, rtol=1e-6)


def test_the_stack_of_the_kernel_holds_two_for_each_level_of_a_formula():
    (stack,) = re.findall(r"#define STACK (\d+)", (KERNEL / "formula.h").read_text("utf-8"))
    assert int(stack) == 2 * MAX_DEPTH + 2


def test_what_holds_one_variable_is_computed_once_a_token():
    words, of_u, of_v = program_of(parse_expression("sin(u)*sin(v) + sin(u)*v + 2", ("u", "v")))
    assert (of_u, of_v) == (1, 1) and len(words) < 32
