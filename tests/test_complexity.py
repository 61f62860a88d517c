"""C₀, C₁, C₂: closed forms, second implementations, and what must not be finite."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Legendre
from scipy.fft import dct, dst

from explorer.coupling import Designed, Formula, coupling_of, pod
from explorer.coupling.pod import gauss
from explorer.families import BASES
from explorer.spec import CouplingSpec
from explorer.theory.complexity import (
    IDENTITY,
    complexity,
    complexity_0,
    complexity_2,
    numerical_sup_norms,
)

SIDES = ("left", "right")
COUNT = 24
X = np.arange(0, 4096) / 4096


def measured(given_alpha=None, **fields):
    spec = CouplingSpec(**fields)
    coupling = coupling_of(spec)
    return complexity(spec, coupling, pod(coupling, centred=True), given_alpha)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", BASES)
def test_sup_norms_of_the_bases(name, side):
    """Against dense sampling: exact where the maximum is a sample, else just above it."""
    dense = np.abs(BASES[name].functions(np.append(X, 1.0), COUNT, side)).max(axis=0)
    closed = BASES[name].sup_norms(COUNT, side)
    assert closed.shape == (COUNT,)
    assert np.all(dense <= closed + 1e-12) and np.allclose(dense, closed, rtol=5e-4)


def test_sup_norms_by_hand():
    assert BASES["sine"].sup_norms(2).tolist() == [math.sqrt(2)] * 2
    assert BASES["legendre"].sup_norms(3) == pytest.approx([1, math.sqrt(3), math.sqrt(5)])
    assert BASES["haar"].sup_norms(6, "right") == pytest.approx([1, *[2**0.5] * 2, *[2.0] * 3])
    assert BASES["fourier"].sup_norms(2) == pytest.approx([1, math.sqrt(2)])


@pytest.mark.parametrize(("left", "right"), [("sine", "legendre"), ("haar", "fourier")])
def test_numerical_sup_norms_of_a_designed_coupling(left, right):
    coupling = Designed(tuple(1.0 / np.arange(1, 9)), left, right)
    phi, psi = numerical_sup_norms(pod(coupling, centred=True))
    assert np.allclose(phi, BASES[left].sup_norms(8, "left"), rtol=1e-4)
    assert np.allclose(psi, BASES[right].sup_norms(8, "right"), rtol=1e-4)


def test_numerical_sup_norms_of_brownian_motion():
    """min(u, v) has φ_k = ψ_k = √2 sin (k−½)πx, by the boundary conditions of −f'' = λ⁻¹ f."""
    phi, psi = numerical_sup_norms(pod(Formula("minimum(u, v)")))
    assert np.allclose(phi[:20], math.sqrt(2), rtol=1e-3)
    assert np.allclose(psi[:20], math.sqrt(2), rtol=1e-3)


def test_c_0_is_a_maximum_with_1():
    assert complexity_0([], []) == 1
    assert complexity_0([0.2], [0.3]) == 1
    assert complexity_0([1.0, 3.0], [5.0, 2.0]) == 6  # of one k, not of each side apart


FINITE = [name for name, each in BASES.items() if each.barron and each.barron.infinite is None]


@pytest.mark.parametrize("name", FINITE)
@pytest.mark.parametrize("side", SIDES)
def test_barron_constants_of_the_bases(name, side):
    """∫ |ω||f̂| is at least sup|f'|, and at most the absolute sum of f' as cosines or as sines,
    which is as large for waves. The slopes are means over a cell, so none is above sup|f'|."""
    slopes = np.diff(BASES[name].functions(np.append(X, 1.0), COUNT, side), axis=0) * len(X)
    constants = BASES[name].barron_constants(COUNT, side) + 1e-8
    low = np.flatnonzero(~(constants >= np.abs(slopes).max(axis=0)))
    assert not len(low), f"{name}, {side}: Barron's constants of functions {low} are below sup|f'|"
    cosines, sines = (np.abs(series(slopes, type=2, axis=0)) / len(X) for series in (dct, dst))
    most = np.minimum(cosines.sum(axis=0) - cosines[0] / 2, sines.sum(axis=0))
    high = np.flatnonzero(~(constants <= most * (1 + 2e-3) + 2e-8))
    assert not (BASES[name].barron.exact and len(high)), (
        f"{name}, {side}: Barron's constants of functions {high} are above the sum of f'"
    )


def test_barron_constant_of_the_identity():
    """From above: x is the limit of sin(εx)/ε, whose moment is ε/ε = 1; from below: sup|f'| = 1."""
    distances = [np.abs(np.sin(epsilon * X) / epsilon - X).max() for epsilon in (1e-1, 1e-2, 1e-3)]
    assert np.allclose(distances, [1e-2 / 6, 1e-4 / 6, 1e-6 / 6], rtol=1e-2)
    assert IDENTITY == 1


def test_the_extension_matters():
    """x continued as a triangle wave of period 4 has atoms 8/(π² j²) at odd multiples of π/2: its
    moment is that of a square wave and diverges like the harmonic series."""
    odd = np.arange(1, 400_001, 2)
    moments = np.cumsum(8 / np.pi**2 / odd**2 * np.pi / 2 * odd)
    assert moments[-1] > 4 > IDENTITY
    growth = moments[[1999, 19_999, 199_999]]
    assert np.allclose(np.diff(growth), 2 / np.pi * np.log(10), rtol=1e-3)


def derivatives(k, order):
    """Of √(2k+1) P_k(2x−1) as a function of x."""
    return math.sqrt(2 * k + 1) * Legendre.basis(k, domain=[0, 1]).deriv(order)


@pytest.mark.parametrize("k", range(1, 21))
def test_barron_bound_of_legendre(k):
    """|f(1) − f(0)| + ‖f''‖₂/√3 by quadrature; it lies above the absolute sum of the cosine
    series of f', which lies above sup|f'| = f'(1)."""
    x, w = gauss((0.0, 1.0), 40)
    f, slope = derivatives(k, 0), derivatives(k, 1)
    bend = math.sqrt(w @ derivatives(k, 2)(x) ** 2) if k > 1 else 0.0
    bound = BASES["legendre"].barron_constants(k, "right")[k - 1]
    assert bound == pytest.approx(abs(f(1.0) - f(0.0)) + bend / math.sqrt(3), rel=1e-9)
    middles = (np.arange(20_000) + 0.5) / 20_000
    series = np.abs(dct(slope(middles), type=2)) / 20_000
    moment = series[1:].sum() + series[0] / 2
    assert slope(1.0) <= moment * (1 + 1e-3) <= bound * (1 + 2e-3)


def test_legendre_bound_is_sharp_for_the_straight_line():
    """√3 (2x − 1) is 2√3 times the identity, up to a constant."""
    assert BASES["legendre"].barron_constants(2) == pytest.approx([0, 2 * math.sqrt(3) * IDENTITY])


def test_jumps_have_no_barron_constant():
    assert np.all(np.isinf(BASES["haar"].barron_constants(5, "right")))
    assert BASES["haar"].barron_constants(2, "left").tolist() == [0, np.inf]


def test_the_default_design():
    """σ_k = 1/k with sines: C₀ = 2√2, C₁^(1) = 1, C₂(k) = 2 + 2√2 π k(k+1)."""
    found = measured()
    k = np.arange(65)
    assert found.c_0 == pytest.approx(2 * math.sqrt(2))
    assert found.c_1 == pytest.approx(1) and found.exponent == (1.0, "designed")
    assert np.allclose(found.c_2, 2 + 2 * math.sqrt(2) * math.pi * k * (k + 1), rtol=1e-13)
    assert found.fitted.alpha == pytest.approx(1)


def test_c_2_follows_the_order_of_the_singular_values():
    """The POD orders by σ: here harmonics 2, 1 and 4, and no third."""
    sigma = (0.3, 1.0, 0.0, 0.2)
    found = measured(spectrum="list", sigma=sigma)
    harmonics = [2, 3, 7]
    assert np.allclose(found.c_2[1:], 2 + 4 * math.sqrt(2) * math.pi * np.array(harmonics))
    plain = complexity_2(BASES["sine"].barron_constants(4), BASES["sine"].barron_constants(4))
    assert not np.allclose(found.c_2, plain[:4])


def test_c_0_of_the_terms_there_are():
    """Legendre functions grow: C₀ is that of the last term, and of no zero one."""
    fields = {"left_basis": "legendre", "right_basis": "legendre", "spectrum": "list"}
    found = measured(**fields, sigma=(1.0, 0.5, 0.0))
    assert found.c_0 == pytest.approx(math.sqrt(3) + math.sqrt(5))


@pytest.mark.parametrize(
    ("fields", "source", "alpha"),
    [
        ({"alpha": 1.5, "rank": 3}, "designed", 1.5),
        ({"alpha": 0.4}, "designed", 0.4),
        ({"alpha": 0.4, "rank": 3}, "any", 2.0),
        ({"spectrum": "exponential", "decay": 0.95}, "any", 2.0),
        ({"spectrum": "exponential"}, "any", 2.0),
        ({"formula": "-(u - v)**2"}, "any", 2.0),
        ({"formula": "minimum(u, v)"}, "fitted", pytest.approx(2, abs=0.05)),
        ({"formula": "u"}, "any", 2.0),
    ],
)
def test_which_alpha(fields, source, alpha):
    exponent = measured(**fields).exponent
    assert (exponent.source, exponent.alpha) == (source, alpha)
    assert measured(1.25, **fields).exponent == (1.25, "given")


def test_c_1_at_the_fitted_alpha_and_its_interval():
    found = measured(formula="minimum(u, v)")
    at, low, high = found.c_1_fitted
    assert low <= at <= high and found.c_1 == at
    assert measured(3.0, formula="minimum(u, v)").c_1 > high
    assert measured(formula="-(u - v)**2").c_1_fitted is None


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"left_basis": "haar"}, "Haar"),
        ({"right_basis": "haar", "rank": 1}, "Haar"),
        ({"formula": "u*v"}, "known as numbers only"),
    ],
)
def test_where_c_2_is_not_available(fields, why):
    found = measured(**fields)
    assert found.c_2 is None and why in found.c_2_reason
    assert found.c_0 > 1 and found.c_1 > 0


def test_the_constant_of_haar_alone_is_no_obstacle():
    found = measured(left_basis="haar", right_basis="sine", rank=1)
    assert found.c_2 == pytest.approx([2, 2 + math.sqrt(2) * 2 * math.pi])


@settings(max_examples=25, deadline=None)
@given(st.floats(-3, 3), st.floats(-3, 3), st.sampled_from([0.5, 1.0, 3.0]))
def test_the_centred_coupling_has_the_smallest_singular_values(a, b, power):
    """Among all ρ + g(u), which softmax cannot tell apart: so the infimum of Eq. 12 is there."""
    rho = "exp(-2*(u - v)**2)"
    centred = pod(Formula(rho), centred=True).sigma[:6]
    other = pod(Formula(f"{rho} + {a!r} + {b!r}*u**{power!r}")).sigma[:6]
    assert np.all(centred <= other + 1e-9)


def test_a_raw_pod_is_refused():
    spec = CouplingSpec()
    with pytest.raises(ValueError, match="centred"):
        complexity(spec, coupling_of(spec), pod(coupling_of(spec)))
