"""Rate fits: exact laws, the exact finite tail, intervals that cover, controls that do not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import linregress

from explorer.coupling import Designed, Formula, pod
from explorer.theory.rates import complexity_1, decay_exponent, power_fit

M = np.arange(1, 17)
K = np.arange(1, 65)


@given(st.floats(-4, 4), st.floats(1e-3, 1e3))
def test_a_power_law_is_fitted_exactly(slope, factor):
    fit = power_fit(M, factor * M**slope)
    assert fit.slope == pytest.approx(slope, abs=1e-12)
    assert fit.intercept == pytest.approx(np.log(factor), abs=1e-12)
    assert fit.fit_range == (1, 16)
    assert np.allclose(fit.at(M), factor * M**slope, rtol=1e-11)


@pytest.mark.parametrize(("alpha", "slope"), [(1.0, -0.975), (2.0, -2.606)])
def test_the_exact_tail_of_64_terms_is_not_quite_its_exponent(alpha, slope):
    """Σ_{i=m+1}^{64} i^-2α on m = 1 … 16, and the same from the POD of the coupling."""
    tail = [np.sum(K[m:] ** (-2 * alpha)) for m in M]
    assert power_fit(M, tail).slope == pytest.approx(slope, abs=6e-4)
    energy = pod(Designed(tuple(K**-alpha))).tail_energy()
    assert np.allclose(energy[M], tail, rtol=1e-11)


def coverage(confidence, slope=-1.0):
    """Share of 400 noisy power laws of exponent −1 whose interval holds `slope`."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        fit = power_fit(M, np.exp(0.2 * rng.normal(size=16)) / M, confidence)
        hits += fit.slope_ci[0] <= slope <= fit.slope_ci[1]
    return hits / 400


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_intervals_cover_as_often_as_they_say(confidence):
    spread = 3 * np.sqrt(confidence * (1 - confidence) / 400)
    assert abs(coverage(confidence) - confidence) < spread


def test_intervals_do_not_cover_a_wrong_law():
    assert coverage(0.95, slope=-1.4) < 0.05


def test_interval_by_the_textbook():
    """Three points, one degree of freedom: t_.975 = 12.7062."""
    y = np.array([1.0, 0.4, 0.3])
    fit = power_fit([1, 2, 4], y)
    half = 12.706204736 * linregress(np.log([1, 2, 4]), np.log(y)).stderr
    assert fit.slope_ci == pytest.approx((fit.slope - half, fit.slope + half), rel=1e-9)


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([1, 2], [1, 2], "at least 3"),
        ([1, 2, 3], [1, 2], "at least 3"),
        ([1, 2, 3], [1, 0, 2], "above 0"),
        ([0, 1, 2], [1, 1, 2], "above 0"),
        ([1, 2, 3], [1, np.nan, 2], "finite"),
    ],
)
def test_what_cannot_be_fitted_is_refused(x, y, why):
    with pytest.raises(ValueError, match=why):
        power_fit(x, y)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=64), st.floats(0, 3))
def test_complexity_is_the_smallest_constant(sigma, alpha):
    k = np.arange(1, len(sigma) + 1)
    c = complexity_1(sigma, alpha)
    bound = c * k**-alpha
    assert np.all(np.asarray(sigma) <= bound * (1 + 1e-12))
    assert np.any(np.isclose(sigma, bound, rtol=1e-12, atol=0)) or c == 0


def test_complexity_of_a_power_law_is_its_factor():
    assert complexity_1(3 * K**-1.5, 1.5) == pytest.approx(3)
    assert complexity_1([], 1.0) == 0


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_decay_of_a_designed_coupling(alpha):
    decay = decay_exponent(pod(Designed(tuple(K**-alpha), "legendre", "haar", endless=True)))
    assert decay.alpha == pytest.approx(alpha, abs=1e-9)
    assert decay.fit_range == (4, 64)


def test_decay_of_known_kernels():
    """min(u, v) decays like k^-2 and the step like k^-1: intervals near, not at, each other's."""
    brownian = decay_exponent(pod(Formula("minimum(u, v)")))
    step = decay_exponent(pod(Formula("heaviside(u - v)")))
    assert brownian.alpha == pytest.approx(2, abs=0.1) and step.alpha == pytest.approx(1, abs=0.05)
    assert step.alpha_ci[1] < brownian.alpha_ci[0]


def test_a_finite_rank_has_no_decay():
    assert decay_exponent(pod(Formula("-(u-v)**2"))) is None
    assert decay_exponent(pod(Designed(tuple(0.5**K)))) is None
