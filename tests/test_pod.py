"""POD: designed values, closed forms, properties, and the control without weights."""

import math

import numpy as np
import pytest
import torch
from couplings import COUPLINGS, D3, DESIGNED, POWER
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import subspace_angles

from explorer.coupling import Designed, Formula, FormulaError, Samples, Truncated, pod
from explorer.coupling.couplings import Coupling
from explorer.coupling.pod import TOLERANCE, gauss

D3_SIGMA = [(math.sqrt(11) + math.sqrt(3)) / 4, 0.5, (math.sqrt(11) - math.sqrt(3)) / 4]


class Dense(Coupling):
    """The same coupling, known by its matrix only: a second way through the decomposition."""

    label = property(lambda self: self.coupling.label)
    nodes = property(lambda self: self.coupling.nodes)
    breaks_u = property(lambda self: self.coupling.breaks_u)
    breaks_v = property(lambda self: self.coupling.breaks_v)

    def __init__(self, coupling):
        self.coupling = coupling

    def matrix(self, u, v):
        return self.coupling.matrix(u, v)


@pytest.mark.parametrize("coupling", DESIGNED)
def test_designed_singular_values_come_back(coupling):
    p = pod(coupling)
    assert np.allclose(p.sigma, POWER, rtol=0, atol=1e-13)
    assert p.rank == 64 and p.error < 1e-12 and p.tolerance == TOLERANCE


@pytest.mark.parametrize("coupling", DESIGNED)
def test_designed_functions_come_back_up_to_sign(coupling):
    x = np.random.default_rng(3).random(50)
    p = pod(coupling)
    sign = np.sign(np.einsum("ki,i,ik->k", p.phi, p.wu, coupling.left_factor(p.u)))
    phi, psi = coupling.left_factor(x) / POWER, coupling.right_factor(x)
    assert np.allclose(p.left(x), sign * phi, rtol=0, atol=1e-10)
    assert np.allclose(p.right(x), sign * psi, rtol=0, atol=1e-10)


def test_a_designed_coupling_of_rank_3():
    p = pod(Designed((0.5, 2.0, 1.0), "legendre", "haar"), centred=True)
    assert np.allclose(p.sigma, [2, 1, 0.5], rtol=0, atol=1e-14) and p.rank == 3


CLOSED = {
    (D3, False): D3_SIGMA,
    (D3, True): [math.sqrt(3) / 2, 0.5],
    ("cos(2*pi*(u-v))", False): [0.5, 0.5],
    ("u*v", False): [1 / 3],
    ("u*v", True): [1 / 6],  # u (v − ½)
    ("u", True): [],
    ("2", False): [2],
    ("2", True): [],
}


@pytest.mark.parametrize(("formula", "centred"), CLOSED, ids=str)
def test_closed_forms(formula, centred):
    expected = CLOSED[formula, centred]
    p = pod(Formula(formula), centred=centred)
    assert p.rank == len(expected)
    assert np.allclose(p.sigma[: p.rank], expected, rtol=0, atol=1e-12)
    assert np.all(p.sigma[p.rank :] < 1e-13)


def test_distance_squared_loses_a_rank_by_centring():
    coupling = Formula("-(u-v)**2")
    assert (pod(coupling).rank, pod(coupling, centred=True).rank) == (3, 2)


@pytest.mark.parametrize("gauge", ["1e6*u", "exp(3*u) - 50", "1000"])
def test_centring_removes_every_function_of_u(gauge):
    p, q = pod(Formula(D3), centred=True), pod(Formula(f"{D3} + {gauge}"), centred=True)
    assert q.rank == 2 and np.allclose(p.sigma[:2], q.sigma[:2], rtol=0, atol=1e-9)


def test_smooth_formula_against_its_expansion():
    """exp(2uv) = Σ 2^k/k! u^k v^k: the SVD of the power series, a second implementation."""
    k = np.arange(40)
    coefficients = 2.0**k / np.array([math.factorial(n) for n in k], dtype=float)
    x, w = gauss((0.0, 1.0), 60)
    powers = np.sqrt(w)[:, None] * x[:, None] ** k
    expected = np.linalg.svd(powers * coefficients @ powers.T, compute_uv=False)[:8]
    assert np.allclose(pod(Formula("exp(2*u*v)")).sigma[:8], expected, rtol=0, atol=1e-12)


def test_kinked_kernel():
    """min(u, v), the covariance of Brownian motion: σ_k = 1/((k − ½)π)²."""
    k = np.arange(1, 65)
    exact = 1 / ((k - 0.5) * np.pi) ** 2
    p = pod(Formula("minimum(u, v)"))
    assert np.abs(p.sigma[:5] - exact[:5]).max() < 1e-5 * exact[0]
    assert np.abs(p.sigma - exact).max() < p.error < 1e-5  # the error stated is honest
    assert p.tolerance == p.error and p.rank is None


def test_step_kernel_states_its_error():
    """heaviside(u − v), Volterra's integral: σ_k = 1/((k − ½)π)."""
    exact = 1 / ((np.arange(1, 65) - 0.5) * np.pi)
    p = pod(Formula("heaviside(u - v)"))
    assert 1e-6 < np.abs(p.sigma - exact)[:20].max() < p.error < 1e-3


def test_unweighted_uniform_grid_is_no_pod():
    """Negative control: the SVD of plain samples grows with the grid, 63 instead of 1."""
    u = np.linspace(0, 1, 64)
    coupling = Formula("2*sin(2*pi*u)*sin(2*pi*v)")
    naive = np.linalg.svd(coupling.matrix(u, u), compute_uv=False)[0]
    assert naive == pytest.approx(63) and pod(coupling).sigma[0] == pytest.approx(1, abs=1e-13)


def test_too_few_nodes_are_seen_in_the_error():
    coupling = Designed(POWER)
    p = pod(coupling, nodes=100)
    assert p.error > 1e-4 and len(p.u) == 100
    assert np.abs(p.sigma - POWER).max() < p.error


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("coupling", COUPLINGS)
def test_properties(coupling, centred):
    p = pod(coupling, centred=centred)
    rho = coupling.matrix(p.u, p.v)
    if centred:
        rho = rho - (rho @ p.wv)[:, None]
    energy = np.einsum("i,ij,j->", p.wu, rho**2, p.wv)
    assert np.allclose(p.tail_energy()[0], energy, rtol=1e-11, atol=1e-25)
    assert np.all(np.diff(p.tail_energy()) <= 0) and np.all(np.diff(p.sigma) <= 0)
    assert len(p.tail_energy()) == len(p.sigma) + 1
    known = len(p.sigma) if p.rank is None else p.rank
    for functions, w in ((p.phi[:known], p.wu), (p.psi[:known], p.wv)):
        assert np.allclose((functions * w) @ functions.T, np.eye(known), rtol=0, atol=1e-11)
    if centred:
        assert np.abs(p.psi[:known] @ p.wv).max(initial=0) < 1e-6
    rest = rho - (p.phi.T * p.sigma) @ p.psi
    lost = np.einsum("i,ij,j->", p.wu, rest**2, p.wv)
    assert np.allclose(lost, p.tail_energy()[-1], rtol=1e-10, atol=1e-24 * (1 + energy))


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_signs_are_fixed(coupling):
    p = pod(coupling)
    for phi in p.phi:
        size = np.abs(phi)
        assert phi[np.flatnonzero(size >= size.max() / 2)[0]] > 0


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("coupling", COUPLINGS)
def test_nystrom_extension_agrees_at_the_nodes(coupling, centred):
    p = pod(coupling, centred=centred)
    known = p.sigma > 1e-3 * p.sigma[0]
    if p.rank == 0:
        known[:] = False
    assert np.allclose(p.left(p.u)[:, known], p.phi.T[:, known], rtol=0, atol=1e-9)
    assert np.allclose(p.right(p.v)[:, known], p.psi.T[:, known], rtol=0, atol=1e-9)
    batch = np.random.default_rng(0).random((2, 3, 4))
    assert p.left(batch).shape == p.right(batch).shape == (2, 3, 4, len(p.sigma))


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(
    "coupling", [Designed(POWER, "fourier", "haar"), Samples(np.eye(9, 6) + 0.1)], ids=repr
)
def test_factors_and_full_matrix_give_one_decomposition(coupling, centred):
    p, q = pod(coupling, centred=centred), pod(Dense(coupling), centred=centred)
    count = min(len(p.sigma), len(q.sigma))
    assert np.allclose(p.sigma[:count], q.sigma[:count], rtol=0, atol=1e-13)
    assert p.rank == (q.rank or 64)
    angles = subspace_angles((p.psi * np.sqrt(p.wv))[:5].T, (q.psi * np.sqrt(q.wv))[:5].T)
    assert angles.max() < 1e-7
    x = np.random.default_rng(1).random(9)
    rho_5 = [(d.left(x) * d.sigma)[:, :5] @ d.right(x)[:, :5].T for d in (p, q)]
    assert np.allclose(*rho_5, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "values", [np.eye(2), np.random.default_rng(5).normal(size=(6, 11))], ids=["eye", "random"]
)
def test_two_nodes_a_panel_are_exact_for_samples(values):
    p, q = pod(Samples(values)), pod(Samples(values), nodes=6)
    assert len(p.u) == 2 * (len(values) + 1)
    count = min(values.shape)
    assert np.allclose(p.sigma[:count], q.sigma[:count], rtol=0, atol=1e-14)


@pytest.mark.parametrize("m", [0, 1, 7, 64, 100])
@pytest.mark.parametrize("of", [np.asarray, torch.as_tensor], ids=["numpy", "torch"])
def test_truncation_of_a_designed_coupling_drops_its_last_terms(m, of):
    coupling = Designed(POWER)
    x = np.random.default_rng(2).random((3, 6))
    found = Truncated(pod(coupling), m).matrix(of(x), of(x))
    expected = Designed(POWER[:m]).matrix(x, x) if m else np.zeros((3, 6, 6))
    assert np.allclose(np.asarray(found), expected, rtol=0, atol=1e-11)


def test_truncation_is_a_coupling_with_a_pod():
    p = pod(Formula(D3))
    q = pod(Truncated(p, 2))
    assert q.rank == 2 and np.allclose(q.sigma[:2], D3_SIGMA[:2], rtol=0, atol=1e-12)
    assert pod(Truncated(p, 0)).rank == 0


@settings(deadline=None)
@given(st.lists(st.floats(0, 5), min_size=1, max_size=12))
def test_any_list_of_singular_values_comes_back_sorted(sigma):
    p = pod(Designed(tuple(sigma), "fourier", "legendre"))
    assert np.allclose(p.sigma, sorted(sigma, reverse=True), rtol=0, atol=1e-12)
    assert np.allclose(p.tail_energy()[0], np.square(sigma).sum(), rtol=1e-12)
    assert np.isfinite(p.left(p.u)).all() and np.isfinite(p.right(p.v)).all()


def test_the_tolerance_is_absolute_and_may_be_given():
    coupling = Designed(tuple(0.5 ** np.arange(64)))
    assert pod(coupling).rank == 34  # 2^-33 = 1.2e-10
    assert pod(coupling, tolerance=0.1).rank == 4
    assert pod(Designed(tuple(1e-3 * 0.5 ** np.arange(64)))).rank == 24


def test_not_finite_at_a_finer_node_is_refused():
    coupling = Formula("sqrt(0.99 - u)")  # finite where new formulas are probed
    with pytest.raises(FormulaError, match=r"not finite at u = 0\.99"):
        pod(coupling)


@pytest.mark.parametrize("count", [1, 2, 33])
def test_gauss_is_exact_for_polynomials_on_panels(count):
    x, w = gauss((0.0, 0.25, 1.0), count)
    assert len(x) == 2 * count and np.all(np.diff(x) > 0)
    for degree in (0, 1, 2 * count - 1):
        assert w @ x**degree == pytest.approx(1 / (degree + 1), rel=1e-13)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 0
