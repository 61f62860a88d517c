"""Where Theorem 4.1 loses: each inequality holds, and they lead from the error to the bound."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.coupling import Truncated
from explorer.families import BASES
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget
from explorer.targets.coupling import softmax
from explorer.theory.bound import Bound, Form
from explorer.theory.complexity import complexity
from explorer.theory.design import Design
from explorer.theory.floor import QUERIES, SAMPLES, centres, sequences, truncation_floor
from explorer.theory.losses import (
    DIAGONAL,
    FUNCTIONS,
    LIPSCHITZ,
    MEASURES,
    NO_SIGMA,
    ONCE_MORE,
    READOUT,
    SQUARED,
    SUPREMA,
    TOKENS,
    VALUES,
    losses,
    on_sequences,
)

FORMS: tuple[Form, ...] = ("printed", "squared", "absolute")
FORMULAS = ("minimum(u, v)", "-abs(u - v)", "exp(-8*(u - v)**2)", "3*u*v", "-8*(u - v)**2")
SEEN = 1e-6
"""Errors above it are known to nine digits: the answers themselves are of size 1."""


def grid(sha):
    return np.random.default_rng(int(sha, 16)).normal(size=(7, 9))


def measured(spec):
    design = Design(spec, grid if spec.grid else None)
    return design, complexity(spec, design.coupling, design.decomposition())


def chain(spec, form: Form = "printed"):
    return losses(*measured(spec), form)


SHAPES = {
    "tau": st.integers(2, 64),
    "m_h": st.integers(1, 64),
    "m_ff": st.sampled_from([1, 7, 128, 1024]),
}
BY_SPECTRUM = st.builds(
    CouplingSpec,
    left_basis=st.sampled_from(sorted(BASES)),
    right_basis=st.sampled_from(["shifted_sine", "sine", "haar", "legendre"]),
    spectrum=st.sampled_from(["power", "exponential"]),
    alpha=st.floats(0.55, 3),
    c=st.floats(0.05, 8),
    rank=st.sampled_from([None, 1, 5, 40]),
    **SHAPES,
)
BY_FORMULA = st.builds(CouplingSpec, formula=st.sampled_from(FORMULAS), **SHAPES)
BY_SAMPLES = st.builds(CouplingSpec, grid=st.sampled_from(["0" * 64, "1" * 64]), **SHAPES)
DESIGNS = st.one_of(BY_SPECTRUM, BY_FORMULA, BY_SAMPLES)


@settings(max_examples=120, deadline=None)
@given(DESIGNS, st.sampled_from(FORMS))
def test_the_factors_lead_from_the_error_to_the_bound(spec, form):
    """The bound by theory/bound.py and the error by theory/floor.py, each on its own."""
    design, found = measured(spec)
    steps = losses(design, found, form)
    c_2 = np.zeros(1) if found.c_2 is None else found.c_2
    bound = Bound(spec.tau, found.c_0, found.c_1, found.exponent.alpha, c_2, form=form)
    assert steps[-1].after == pytest.approx(float(bound(spec.m_h, spec.m_ff)), rel=1e-12)
    assert all(a.after == b.before for a, b in pairwise(steps))
    for step in steps:
        assert step.inequality.kind == "slip" or step.factor >= 1 - 1e-12, step
    error = spec.tau * float(truncation_floor(design.target, [spec.m_h]).mae[0])
    if steps[0].before > SEEN:
        product = math.prod(step.factor for step in steps)
        assert product == pytest.approx(float(bound(spec.m_h, spec.m_ff)) / error, rel=1e-9)
    elif steps[0].before:
        assert steps[0].before == pytest.approx(error, abs=1e-9)
    else:  # the floor is rounding, or the terms of an endless spectrum end
        assert design.keeps_all(spec.m_h) or spec.m_h >= design.decomposition().rank


@settings(max_examples=40, deadline=None)
@given(DESIGNS)
def test_softmax_loses_at_least_a_half_more(spec):
    """Its ℓ¹ constant is ½: a column of its Jacobian has Σ_s |∂a_s/∂ρ_j| = 2 a_j (1 − a_j)."""
    (step,) = (step for step in chain(spec) if step.inequality is LIPSCHITZ)
    assert step.factor >= 2 or step.before == 0


def test_eq_42_does_not_hold_with_f_at_its_own_token():
    """As printed, with |f(x_s)| beside |ρ − ρ̂|; with sup|f| taken out it does."""
    rho, other, f = np.zeros(2), np.array([0.5, 0.0]), np.array([0.0, 1.0])
    moved = np.abs(softmax(rho) - softmax(other))
    assert f @ moved > 0.1 and f @ np.abs(rho - other) == 0
    assert f.max() * moved.sum() <= f.max() * np.abs(rho - other).sum()


def test_both_sides_by_loops():
    """A second implementation, one output at a time, with the truncated coupling itself."""
    spec = CouplingSpec(tau=3, m_h=2, right_basis="legendre")
    design = Design(spec)
    ours, pod = on_sequences(design), design.decomposition()
    kept = CouplingTarget(Truncated(pod, 2), 3)
    x = np.concatenate([centres(cells) for cells in sequences(3)])
    error, apart, weights, logits, squares = 0.0, 0.0, 0.0, 0.0, 0.0
    for each, a, a_m in zip(x, design.target.attention(x), kept.attention(x), strict=True):
        rho, rho_m = design.coupling.matrix(each, each), kept.coupling.matrix(each, each)
        mean = design.coupling.matrix(each, pod.v) @ pod.wv
        for t in range(3):
            error += abs((a[t] - a_m[t]) @ each)
            for s in range(3):
                moved, lost = abs(a[t, s] - a_m[t, s]), abs(rho[t, s] - mean[t] - rho_m[t, s])
                apart, weights = apart + moved * each[s], weights + moved
                logits, squares = logits + lost, squares + lost**2
    found = (ours.error, ours.apart, ours.weights, ours.logits)
    assert found == pytest.approx(np.array([error, apart, weights, logits]) / SAMPLES, rel=1e-9)
    assert ours.root == pytest.approx(9 * math.sqrt(squares / (9 * SAMPLES)), rel=1e-9)


@pytest.mark.parametrize("tau", [2, 16])
def test_pairs_of_one_token_are_what_eq_46_leaves_out(tau):
    """With ψ = φ they see ∫(Σ_k σ_k (1 − cos 4πku))² du = (Σ σ_k)² + ½ Σ σ_k², k > m."""
    spec = CouplingSpec(tau=tau, m_h=8, right_basis="sine")
    sigma = Design(spec).decomposition().sigma[8:]
    tail, diagonal = sigma @ sigma, sigma.sum() ** 2 + sigma @ sigma / 2
    exact = math.sqrt(tail / (((tau - 1) * tail + diagonal) / tau))
    (step,) = (step for step in chain(spec) if step.inequality is DIAGONAL)
    assert step.factor == pytest.approx(exact, rel=0.05) and exact < 0.6
    (shifted,) = (s for s in chain(CouplingSpec(tau=tau)) if s.inequality is DIAGONAL)
    assert shifted.factor == pytest.approx(1, abs=0.15)


def test_the_slip_is_made_unless_the_root_is_kept():
    spec = CouplingSpec()
    made = {form: [s for s in chain(spec, form) if s.inequality is SQUARED] for form in FORMS}
    sigma = Design(spec).decomposition().sigma[8:]
    for form in ("printed", "squared"):
        (step,) = made[form]
        assert step.factor == pytest.approx(math.sqrt(sigma @ sigma)) and step.factor < 1
    assert made["absolute"] == []


@pytest.mark.parametrize(("m", "m_ff"), [(8, 128), (1, 1024)])
def test_the_networks_by_hand(m, m_ff):
    """The paper's sines: C_FF = √2·2πk, sup norm √2, σ_k = 1/k, τ = 16. Of eight terms none is
    nearer to its network than to 0, a single one is."""
    design, found = measured(CouplingSpec(m_h=m, m_ff=m_ff))
    after = {step.inequality: step.after for step in losses(design, found)}
    k = np.arange(1, m + 1)
    e = np.minimum(math.sqrt(2) * 2 * math.pi * k * math.sqrt(m / m_ff), 1)
    assert np.all(e == 1) if m == 8 else np.all(e < 1)
    first, readout = 256 * 2 * math.sqrt(2) / m, 16 / math.sqrt(m_ff)
    values = 256 * math.sqrt(m / m_ff)
    assert after[READOUT] == pytest.approx(first + readout, rel=1e-12)
    assert after[VALUES] == pytest.approx(first + readout + values, rel=1e-12)
    networks = {
        FUNCTIONS: readout + 256 * np.sum((2 * e + e**2) / k),
        NO_SIGMA: readout + 256 * np.sum(2 * e + e**2),
        SUPREMA: readout + 256 * np.sum(2 * math.sqrt(2) * e + e**2),
        TOKENS: 16 * readout + 256 * np.sum(2 * math.sqrt(2) * e + e**2),
    }
    for inequality, added in networks.items():
        assert after[inequality] == pytest.approx(first + values + added, rel=1e-12)
    assert after[ONCE_MORE] - first == pytest.approx(m * (after[MEASURES] - first), rel=1e-12)


def test_nothing_is_lost_of_an_error_of_0_before_the_decay_of_sigma():
    steps = chain(CouplingSpec(rank=6, m_h=7))
    zero = [step for step in steps if step.before == step.after == 0]
    assert len(zero) == 7 and all(step.factor == 1 for step in zero)
    assert steps[7].before == 0 and steps[7].factor == math.inf


def test_a_slip_says_what_stands_in_its_place():
    steps = chain(CouplingSpec())
    assert len(steps) == 17
    assert all((s.inequality.kind == "slip") == bool(s.inequality.mended) for s in steps)


def test_no_rate_no_chain():
    with pytest.raises(ValueError, match="α above ½"):
        chain(CouplingSpec(alpha=0.5))


def test_at_most_so_many_outputs_are_looked_at():
    """At τ = 64 as the floor does, whose error it is."""
    design = Design(CouplingSpec(tau=64))
    assert QUERIES < 64
    assert on_sequences(design).error == pytest.approx(64 * design.floor.mae[8], rel=1e-9)
