"""The best heads for a kernel, found without training, beside other ways to find them."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares, minimize

from explorer.targets.memory.falling import Kernel, rho
from explorer.theory.best_heads import best_heads, best_of_each

pytestmark = pytest.mark.usefixtures("one_thread")
LOG_P = math.log(1e-5), math.log(60.0)
POWER, EXPONENTIAL = rho(Kernel("power")), rho(Kernel("exponential"))


def columns(log_p, length, encoding):
    s = np.arange(1, length + 1)
    phi = -np.log(s) if encoding == "log" else 1.0 - s
    return np.exp(np.outer(phi, np.exp(log_p)))


def left_by(log_p, kernel, encoding):
    """‖ρ − κ‖² / ‖ρ‖² and κ of distinct heads, by a QR of all lags."""
    q = np.linalg.qr(columns(log_p, len(kernel), encoding))[0]
    kappa = q @ (q.T @ kernel)
    return np.square(kernel - kappa).sum() / np.square(kernel).sum(), kappa


def direct(kernel, heads, encoding, starts=6):
    """The least error of a search over log p in the space of all lags, by SciPy; where two p come
    together, its columns are all but alike, and what it says is rounding."""
    found = []
    for share in np.linspace(0.3, 1.0, starts):
        first, last = (-5, 3) if encoding == "log" else (math.log(0.3 / len(kernel)), 3)
        begin = first + share * (last - first) * np.linspace(0, 1, heads + 2)[1:-1]
        fit = least_squares(
            lambda log_p: kernel - left_by(log_p, kernel, encoding)[1],
            begin,
            bounds=LOG_P,
            xtol=1e-12,
            ftol=1e-12,
            gtol=1e-12,
        )
        if np.diff(np.sort(fit.x)).min(initial=1) > 1e-3:
            found.append(left_by(fit.x, kernel, encoding)[0])
    return min(found, default=1.0)


@pytest.mark.parametrize(
    ("kernel", "encoding", "errors"),
    [
        (POWER, "lin", {1: 2.5e-1, 2: 2.8e-2, 3: 2.7e-3, 4: 2.3e-4, 6: 1.2e-6}),
        (EXPONENTIAL, "log", {1: 2.5e-1, 2: 8.8e-2, 3: 3.4e-2, 4: 1.4e-2, 6: 2.5e-3}),
    ],
)
def test_the_best_heads_leave_what_was_found_before(kernel, encoding, errors):
    """By another program; its 3.1e-3 of six log heads was a local minimum."""
    each = best_of_each(kernel, 8, encoding)
    found = {heads: each[heads - 1].error for heads in errors}
    assert found == pytest.approx(errors, rel=0.04)


def test_on_a_power_each_further_lin_head_takes_away_as_large_a_factor():
    """No number of heads is caught in a local minimum."""
    errors = [best.error for best in best_of_each(POWER, 8, "lin")]
    ratios = [before / after for before, after in pairwise(errors)]
    assert all(8 < ratio < 17 for ratio in ratios) and ratios == sorted(ratios)


@pytest.mark.parametrize(("kernel", "encoding"), [(POWER, "log"), (EXPONENTIAL, "lin")])
def test_a_kernel_of_its_own_kind_is_exact(kernel, encoding):
    best = best_heads(kernel, 1, encoding)
    assert best.error < 1e-20 and best.p == pytest.approx([0.5 if encoding == "log" else 0.05])
    np.testing.assert_allclose(best.kernel, kernel, atol=1e-12)
    assert best_heads(kernel, 5, encoding).error < 1e-20


@pytest.mark.parametrize("encoding", ["log", "lin"])
def test_two_heads_find_a_sum_of_two(encoding):
    kernel = columns(np.log([0.1, 1.5]), 300, encoding) @ [1.0, -2.0]
    best = best_heads(kernel, 2, encoding)
    assert best.error < 1e-20
    np.testing.assert_allclose(best.p, [0.1, 1.5], rtol=1e-6)


KERNELS = {
    "a far power": Kernel("power", exponent=1.7),
    "a slow power": Kernel("power", exponent=0.1),
    "a fast exponential": Kernel("exponential", time=2.0),
    "a slow exponential": Kernel("exponential", time=300.0),
    "a mixture": Kernel("mixture", exponent=1.0, time=50.0, share=0.3),
    "another mixture": Kernel("mixture", exponent=0.5, time=5.0, share=0.9),
    "a wave": Kernel("formula"),
    "a bell": Kernel("formula", formula="exp(-(s / 100)**2)"),
    "a delay": Kernel("formula", formula="s * exp(-s / 30)"),
    "a box": Kernel("formula", formula="where(s < 50, 1, 0)"),
}


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("encoding", ["log", "lin"])
def test_no_direct_solve_over_all_lags_leaves_less(kernel, encoding):
    """Of up to four heads; and what is said of an error holds for the κ that goes with it."""
    exact = rho(kernel)
    each = best_of_each(exact, 4, encoding)
    for heads in (1, 2, 3, 4):
        found = each[heads - 1]
        assert found.error <= direct(exact, heads, encoding) + 1e-8
        left = np.square(exact - found.kernel).sum() / np.square(exact).sum()
        assert left == pytest.approx(found.error, abs=1e-14)
        log_p = np.log(np.maximum(found.p, 1e-9))
        if len(set(np.round(log_p, 1))) == heads:  # else its columns are all but alike
            assert left_by(log_p, exact, encoding)[0] == pytest.approx(left, abs=1e-8)


@pytest.mark.parametrize("heads", [1, 2, 3])
def test_a_search_without_slopes_agrees(heads):
    """A simplex search over p, with c by the normal equations, from another start."""
    best = best_heads(POWER, heads, "lin")
    tight = {"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}
    start = np.log(best.p) + np.linspace(-0.4, 0.3, heads)
    found = minimize(
        lambda log_p: left_by(log_p, POWER, "lin")[0], start, method="Nelder-Mead", options=tight
    )
    assert abs(best.error - found.fun) < 1e-8


def test_heads_that_coincide_are_a_limit_of_distinct_ones():
    """Two log heads on e^(−s/20): the nearer their p, the nearer the limit, from above."""
    best = best_heads(rho(Kernel("formula")), 2, "log")
    assert best.p[0] == best.p[1]

    def error(apart):
        return left_by(np.log(best.p) + [-apart, apart], rho(Kernel("formula")), "log")[0]

    gaps = [error(apart) - best.error for apart in (0.08, 0.04, 0.02, 0.01)]
    assert all(gap > 0 for gap in gaps)
    np.testing.assert_allclose(np.divide(gaps[:-1], gaps[1:]), 4, rtol=0.2)  # by the square


def left_in_50_digits(p, kernel, encoding):
    """‖ρ − κ‖² / ‖ρ‖² of heads, equal p the limit, by Gram and Schmidt; without a rounding."""
    with mpmath.workdps(50):
        s = range(1, len(kernel) + 1)
        phi = [-mpmath.log(each) if encoding == "log" else mpmath.mpf(1 - each) for each in s]
        left, spanned = [mpmath.mpf(float(value)) for value in kernel], []
        for i, rate in enumerate(p):
            power = list(p[:i]).count(rate)
            column = [f**power * mpmath.exp(mpmath.mpf(float(rate)) * f) for f in phi]
            for unit in spanned:
                along = mpmath.fdot(unit, column)
                column = [c - along * u for c, u in zip(column, unit, strict=True)]
            length = mpmath.sqrt(mpmath.fdot(column, column))
            unit = [c / length for c in column]
            spanned.append(unit)
            along = mpmath.fdot(unit, left)
            left = [value - along * u for value, u in zip(left, unit, strict=True)]
        return float(mpmath.fdot(left, left) / mpmath.fsum(float(v) ** 2 for v in kernel))


HARD = ["exp(s / 50)", "sin(s / 20)", "where(s > 5, 1, 0)", "where(s == 200, 1, 0)", "s - 100"]


@pytest.mark.parametrize("formula", HARD)
@pytest.mark.parametrize("encoding", ["log", "lin"])
def test_what_is_said_is_no_rounding(formula, encoding):
    """Where heads are all but alike, or see next to nothing, their differences are rounding, which
    a search would go for: it told of errors that no heads leave."""
    kernel = rho(Kernel("formula", formula=formula), 200)
    for heads in (4, 7):
        best = best_heads(kernel, heads, encoding)
        exact = left_in_50_digits(best.p, kernel, encoding)
        assert best.error >= 0.98 * exact - 1e-10


@pytest.mark.parametrize("formula", ["s", "s * s", "exp(s / 100)", "s - 500", "1"])
@pytest.mark.parametrize("encoding", ["log", "lin"])
def test_what_grows_is_a_polynomial_of_heads_of_p_0(formula, encoding):
    """Of log s, or of s: heads never leave more than that."""
    kernel = rho(Kernel("formula", formula=formula))
    s = np.arange(1, 1001)
    x = np.log(s) if encoding == "log" else s.astype(float)
    q = np.linalg.qr(np.polynomial.chebyshev.chebvander(2 * x / x[-1] - 1, 7))[0]
    for heads, best in enumerate(best_of_each(kernel, 8, encoding), 1):
        left = kernel - q[:, :heads] @ (q[:, :heads].T @ kernel)
        bound = np.square(left).sum() / np.square(kernel).sum()
        assert best.error <= 1.02 * bound + 1e-10


@pytest.mark.parametrize("size", [1e-320, 1e-150, 1e6])
def test_the_size_of_a_kernel_changes_no_share(size):
    kernel = np.full(50, size) * np.r_[1, np.zeros(24), -np.ones(25)]
    found, plain = best_of_each(kernel, 3, "lin"), best_of_each(np.sign(kernel), 3, "lin")
    assert [each.error for each in found] == pytest.approx([each.error for each in plain])


@settings(max_examples=25, deadline=None)
@given(
    length=st.integers(2, 60),
    seed=st.integers(0, 99),
    encoding=st.sampled_from(["log", "lin"]),
)
def test_more_heads_never_leave_more_whatever_the_kernel(length, seed, encoding):
    kernel = np.random.default_rng(seed).normal(size=length)
    errors = [best.error for best in best_of_each(kernel, 8, encoding)]
    assert len(errors) == 8 and np.isfinite(errors).all() and errors[0] <= 1
    assert all(after <= before + 1e-8 for before, after in pairwise(errors))
    if length <= 4:
        assert errors[-1] < 1e-8, "as many heads as lags tell all of them"
