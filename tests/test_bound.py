"""Theorem 4.1's bound and its optimum: by hand, by brute force, and what the slip breaks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.coupling import coupling_of, pod
from explorer.models.named import shapes
from explorer.spec import CouplingSpec
from explorer.targets import target_of
from explorer.theory.bound import (
    Bound,
    ModelDims,
    budget_curve,
    evaluated,
    optimum,
    parameters,
    widest_ff,
)
from explorer.theory.complexity import complexity
from explorer.theory.floor import truncation_floor
from explorer.theory.rates import complexity_1, power_fit

K = np.arange(1, 65)
C_2 = 2 + 2 * math.sqrt(2) * math.pi * np.arange(65) * np.arange(1, 66)  # of the paper's sines
SHAPE = ModelDims(32, 32, 3)
SHAPES = st.builds(ModelDims, st.integers(1, 40), st.integers(1, 40), st.integers(2, 5))


def paper_bound(alpha=1.0, c=1.0, form="printed", c_2=C_2):
    return Bound(16, 2 * math.sqrt(2), c, alpha, c_2, form=form)


def bound_of(spec, form="printed"):
    coupling = coupling_of(spec)
    found = complexity(spec, coupling, pod(coupling, centred=True))
    return Bound(spec.tau, found.c_0, found.c_1, found.exponent.alpha, found.c_2, form=form)


BOUNDS = st.builds(
    paper_bound,
    st.floats(0.55, 3),
    st.floats(0.01, 10),
    st.sampled_from(["printed", "absolute"]),
    st.sampled_from([C_2, C_2 * 1e-3, C_2 * 1e-6]),
)


def test_equation_17_by_hand():
    """τ² C₀ (C₁/m_h + C₂(m_h) m_h^1.5 / m_FF^0.5) at m_h = 8, m_FF = 128."""
    second = (2 + 2 * math.sqrt(2) * math.pi * 72) * 8**1.5 / 128**0.5
    by_hand = 256 * 2 * math.sqrt(2) * (1 / 8 + second)
    assert bound_of(CouplingSpec())(8, 128) == pytest.approx(by_hand, rel=1e-12)
    assert paper_bound()(8, 128) == pytest.approx(by_hand, rel=1e-12)


def test_arrays_broadcast_and_add_up():
    bound, m_h, m_ff = paper_bound(), np.arange(1, 33)[:, None], np.array([10, 1e6, np.inf])
    assert bound(m_h, m_ff).shape == (32, 3)
    assert np.allclose(bound(m_h, m_ff), bound.first(m_h) + bound.second(m_h, m_ff))
    assert np.array_equal(bound(m_h, np.inf), bound.first(m_h))
    one = [[bound(int(a), float(b)) for b in m_ff] for a in m_h[:, 0]]
    assert np.allclose(bound(m_h, m_ff), one)


@given(BOUNDS, st.integers(1, 63), st.floats(1, 1e12))
def test_how_the_terms_move(bound, m_h, m_ff):
    assert bound.first(m_h + 1) < bound.first(m_h)
    assert bound.second(m_h + 1, m_ff) > bound.second(m_h, m_ff)
    assert bound.second(m_h, 4 * m_ff) == pytest.approx(bound.second(m_h, m_ff) / 2)


def test_c_2_ends_with_the_rank():
    bound = paper_bound(c_2=np.array([2.0, 5.0, 9.0]))
    assert bound.second(7, 1) / bound.second(2, 1) == pytest.approx((7 / 2) ** 1.5)


@pytest.mark.parametrize("alpha", [0.75, 1.0, 2.0])
@pytest.mark.parametrize(
    ("form", "slope"),
    [
        ("printed", lambda a: -(2 * a - 1)),
        ("squared", lambda a: -(2 * a - 1)),
        ("absolute", lambda a: 0.5 - a),
    ],
)
def test_rates_of_the_first_term(alpha, form, slope):
    fit = power_fit(np.arange(1, 33), paper_bound(alpha, form=form).first(np.arange(1, 33)))
    assert fit.slope == pytest.approx(slope(alpha), abs=1e-9)
    assert abs(fit.slope - slope(alpha + 0.1)) > 0.05


def test_the_second_term_grows_like_the_sum_of_constants():
    """Σ_{k≤m} 2πk m^1.5 is of order m^3.5 for sines."""
    m_h = np.arange(16, 65)
    assert power_fit(m_h, paper_bound().second(m_h, 1)).slope == pytest.approx(3.5, abs=0.05)


@given(st.lists(st.floats(0, 5), min_size=1, max_size=64), st.floats(0.51, 4), st.integers(1, 70))
def test_the_squared_form_bounds_the_tail(values, alpha, m):
    """Σ_{k>m} σ_k² ≤ C₁² Σ_{k>m} k^-2α ≤ C₁² m^-(2α−1)/(2α−1), for any spectrum."""
    sigma = np.sort(values)[::-1]
    c_1 = complexity_1(sigma, alpha)
    squared = Bound(1, 1.0, c_1, alpha, C_2, form="squared").first(m)
    assert np.sum(sigma[m:] ** 2) <= squared * (1 + 1e-9) + 1e-300


def test_the_printed_form_does_not():
    """Negative control: rank 4, σ = 1, α = 12. At m_h = 3 one term of four is missing, and the
    printed term says 4¹²/3²³ < 2e-4; even √ of it is below the tail of 1."""
    sigma, alpha = np.ones(4), 12.0
    c_1 = complexity_1(sigma, alpha)
    printed, squared, absolute = (
        float(Bound(1, 1.0, c_1, alpha, C_2, form=form).first(3))
        for form in ("printed", "squared", "absolute")
    )
    tail = np.sum(sigma[3:] ** 2)
    assert printed < 2e-4 < tail <= squared and absolute == pytest.approx(math.sqrt(squared))


@pytest.mark.parametrize("fields", [{}, {"alpha": 2.0}, {"alpha": 1.5, "c": 0.3}])
def test_the_absolute_form_bounds_what_truncation_loses(fields):
    """With perfect feed-forward networks (m_FF = ∞), in the norm of the theorem, Σ_t |·|."""
    spec = CouplingSpec(**fields)
    lost = truncation_floor(target_of(spec), range(1, 17), samples=256).mae * spec.tau
    first = bound_of(spec, "absolute").first(np.arange(1, 17))
    assert np.all(lost < first)
    assert np.all(first > 10 * lost)  # and how loose it is


@pytest.mark.parametrize("alpha", [0.5, 0.2, float("nan")])
def test_no_rate_without_a_summable_square(alpha):
    with pytest.raises(ValueError, match="above ½"):
        paper_bound(alpha)


def counted(shape, m_h, m_ff):
    """The parameters of the model itself, from the shapes of its tensors."""
    n, d_v, depth = shape
    spec = CouplingSpec(m_h=m_h, m_ff=m_ff, n=n, d_v=d_v, depth=depth)
    return sum(math.prod(tensor) for tensor in shapes(spec).values())


@given(SHAPES, st.integers(1, 64), st.integers(1, 1024))
def test_parameters_are_those_of_the_model(shape, m_h, m_ff):
    assert parameters(shape, m_h, m_ff) == counted(shape, m_h, m_ff)


def test_parameters_of_the_default_model():
    """f̂ 1-128-128-32, F̂ 32-128-128-1, W_Q and W_K 8 × 32, W_V 32 × 32."""
    f = 2 * 128 + 128 * 129 + 129 * 32
    out = 33 * 128 + 128 * 129 + 129
    assert parameters(SHAPE, 8, 128) == f + out + 2 * 8 * 32 + 32 * 32 == 43_297


@given(SHAPES, st.integers(1, 64), st.integers(1, 10**18))
def test_the_widest_network_of_a_budget(shape, m_h, budget):
    m_ff = widest_ff(shape, m_h, budget)
    assert parameters(shape, m_h, m_ff + 1) > budget
    assert m_ff == 0 or parameters(shape, m_h, m_ff) <= budget


def test_one_layer_has_no_width():
    with pytest.raises(ValueError, match="hidden layer"):
        parameters(ModelDims(32, 32, 1), 8, 128)


def test_n_makes_room_for_the_theorem():
    """n ≥ 2 m_h + 1: φ̂_k, ψ̂_k and f̂ side by side."""
    assert SHAPE.widened(15) == SHAPE and SHAPE.widened(16).n == 33


@settings(deadline=None, max_examples=40)
@given(BOUNDS, SHAPES, st.integers(300, 30_000))
def test_the_optimum_by_brute_force(bound, shape, budget):
    """Every m_h up to 12 with every m_FF below 400."""
    m_ff = np.arange(1, 400)
    counts = np.stack([parameters(shape.widened(m_h), m_h, m_ff) for m_h in range(1, 13)])
    bounds = np.where(counts <= budget, bound(np.arange(1, 13)[:, None], m_ff), np.inf)
    best, m_h = bounds.min(), 1 + bounds.min(axis=1).argmin()
    if best == np.inf:
        with pytest.raises(ValueError, match="smallest model"):
            optimum(bound, shape, budget, widest=12)
        return
    found = optimum(bound, shape, budget, widest=12)
    if found.m_ff < 400:
        assert (found.bound, found.m_h) == (pytest.approx(best, rel=1e-12), m_h)
    else:
        assert found.bound < best * (1 + 1e-12)


@settings(deadline=None, max_examples=60)
@given(BOUNDS, SHAPES, st.integers(10_000, 10**16))
def test_no_feasible_neighbour_is_better_and_more_budget_never_worse(bound, shape, budget):
    found = optimum(bound, shape, budget)
    assert found.parameters <= budget
    assert found.bound == pytest.approx(found.first + found.second)
    for m_h in {max(found.m_h - 1, 1), found.m_h, min(found.m_h + 1, 64)}:
        for m_ff in (found.m_ff - 1, found.m_ff, found.m_ff + 1, 2 * found.m_ff):
            if m_ff > 0 and parameters(shape.widened(m_h), m_h, m_ff) <= budget:
                assert bound(m_h, m_ff) >= found.bound * (1 - 1e-12)
    assert optimum(bound, shape, budget + budget // 3).bound <= found.bound


def test_the_optimum_moves_with_the_budget():
    """Not the trivial answer: the optimal m_h grows, and it is inside, not at an end."""
    widths = [optimum(paper_bound(), SHAPE, 10**power).m_h for power in range(4, 19)]
    assert widths == sorted(widths) and widths[0] == 1 and widths[-1] == 4


def test_a_budget_below_the_smallest_model():
    with pytest.raises(ValueError, match="smallest model has"):
        optimum(paper_bound(), SHAPE, 500)
    assert budget_curve(SHAPE, 500).shape == (0, 2)


def test_evaluated_counts_the_widened_model():
    at = evaluated(paper_bound(), SHAPE, 20, 128)
    assert at.parameters == counted(ModelDims(41, 32, 3), 20, 128)
    assert at.bound == paper_bound()(20, 128)
