"""Floors of linear maps, complexity of kernels, n-state kernels, mixing: exact answers."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.linalg import block_diag

from explorer.coupling import Designed, Formula, Samples
from explorer.coupling.couplings import CouplingError
from explorer.coupling.pod import svd
from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets import kernel_of, linear_target, named_taps, toeplitz
from explorer.theory.linear import (
    decay_length_of,
    linear_floors,
    rnn_complexity,
    subdiagonal_means,
    windowed_complexity,
)
from explorer.theory.mixing import (
    EXACT,
    EXACT_CENTRED,
    EXAMPLE,
    PRINTED,
    falling_range,
    filtered,
    mixable,
    mixed_spectrum,
)
from explorer.theory.rates import complexity_1
from explorer.theory.states import Projection, best_state_kernels

CASES = [
    {},
    {"permutation": "block"},
    {"permutation": "roll"},
    {"permutation": "reverse"},
    {"permutation": "random"},
    {"filter": "signed"},
    {"filter": "signed", "filter_mode": "ahead"},
    {"filter": "positive", "filter_mode": "centred"},
    {"filter": [1, -2], "filter_mode": "circular"},
    {"kernel": "random", "permutation": "block", "filter": "average", "filter_mode": "ahead"},
    {"kernel": "power", "tau": 9, "permutation": "reverse"},
    {"tau": 2, "permutation": [1, 0]},
]


def least_squares_error(matrix, columns_of):
    """Error of the best linear map of given columns, by least squares on the moments of x̃.

    E[(1, x̃)(1, x̃)ᵀ] is written down, factored, and y = K x̃ regressed on the columns allowed for
    each t: `columns_of(t)` is a matrix (τ+1, k) of what a model may weigh, step by step.
    """
    tau = len(matrix)
    moments = block_diag(1.0, np.eye(tau) / 12)
    moments[1:, 1:] += 0.25
    moments[0, 1:] = moments[1:, 0] = 0.5
    root = np.linalg.cholesky(moments).T
    designs = [root @ columns_of(t) for t in range(tau)]
    wanted = [root @ np.append(0.0, matrix[t]) for t in range(tau)]
    return designs, wanted


def own_fit(matrix, columns_of):
    """Every step has weights of its own."""
    designs, wanted = least_squares_error(matrix, columns_of)
    pairs = zip(designs, wanted, strict=True)
    rest = [y - a @ np.linalg.lstsq(a, y, rcond=None)[0] for a, y in pairs]
    return float(np.mean([r @ r for r in rest]))


def shared_fit(matrix, shared_of, offset_per_step):
    """All steps share their weights, but for an offset each if so wished."""
    tau = len(matrix)
    designs, wanted = least_squares_error(matrix, shared_of)
    a, y = np.concatenate(designs), np.concatenate(wanted)
    if offset_per_step:
        ones, _ = least_squares_error(matrix, lambda t: np.eye(tau + 1)[:, :1])
        a = np.concatenate([a, block_diag(*ones)], axis=1)
    rest = y - a @ np.linalg.lstsq(a, y, rcond=None)[0]
    return float(rest @ rest) / tau


def lags(tau):
    """Column s of step t is x̃(t−s)."""

    def columns(t):
        found = np.zeros((tau + 1, tau))
        for s in range(t + 1):
            found[1 + t - s, s] = 1
        return found

    return columns


@pytest.mark.parametrize("values", CASES, ids=map(str, CASES))
def test_floors_are_least_squares_on_the_covariance(values):
    matrix = linear_target(LinearSpec(**values)).matrix
    tau, found = len(matrix), linear_floors(matrix)
    one = np.eye(tau + 1)
    assert abs(found.causal - own_fit(matrix, lambda t: one[:, : t + 2])) < 1e-10
    assert abs(found.time_invariant - shared_fit(matrix, lags(tau), True)) < 1e-10
    assert abs(found.constant_per_step - own_fit(matrix, lambda t: one[:, :1])) < 1e-10
    assert abs(found.constant - shared_fit(matrix, lambda t: one[:, :1], False)) < 1e-10
    assert found.causal <= found.time_invariant + 1e-15 <= found.constant_per_step + 2e-15
    assert found.constant_per_step <= found.constant + 1e-15


def test_floors_by_simulation_and_beside_those_of_the_facts():
    x = np.random.default_rng(0).random((200_000, 32))
    for name, causal, invariant in (("block", 0.0301, 0.0526), ("roll", 0.0301, 0.0301)):
        target = linear_target(LinearSpec(permutation=name))
        found = linear_floors(target.matrix)
        assert found.causal == pytest.approx(causal, abs=5e-5)
        assert found.time_invariant == pytest.approx(invariant, abs=5e-5)
        y, seen = target.answer(x), target.seen(x)
        causal_part = (seen - 0.5) @ np.tril(target.matrix).T
        assert np.var(y - y.mean(axis=0) - causal_part) == pytest.approx(found.causal, rel=0.01)
        assert np.var(y) == pytest.approx(found.constant, rel=0.01)
    plain = linear_floors(linear_target(LinearSpec()).matrix)
    assert plain.causal == 0 and plain.time_invariant < 1e-30
    assert plain.constant == pytest.approx(0.0988, abs=5e-5)
    assert plain.constant_per_step == pytest.approx(0.0959, abs=5e-5)


def test_what_the_as_printed_convention_leaves():
    """x(t+s) needs inputs to come, and causal filters need none."""
    for sign, seed in product(("positive", "signed"), range(4)):
        values = {"filter": sign, "filter_seed": seed}
        ahead = linear_floors(linear_target(LinearSpec(**values, filter_mode="ahead")).matrix)
        causal = linear_floors(linear_target(LinearSpec(**values)).matrix)
        assert 0.005 < ahead.causal < 0.05
        assert causal.time_invariant < 1e-30


def test_means_of_subdiagonals_are_those_of_the_kernel():
    kernel = np.random.default_rng(0).random(9)
    np.testing.assert_allclose(subdiagonal_means(toeplitz(kernel)), kernel, atol=1e-15)
    with pytest.raises(ValueError, match="square"):
        linear_floors(np.ones((2, 3)))


@pytest.mark.parametrize("gamma", [0.5, 1.0, 3.0])
def test_complexity_of_an_exponential(gamma):
    """|ρ(s)| = e^{-s/γ}: C_RNN = γ, as Prop. 6.3 says; as Eq. 76 is printed it is 1 + γ."""
    found = rnn_complexity(np.exp(-np.arange(32) / gamma), gamma)
    assert found.c_rnn == pytest.approx(gamma) and found.c_2 == pytest.approx(1)
    assert found.c_rnn_printed == pytest.approx(1 + gamma)
    assert found.windowed == pytest.approx(gamma)


@pytest.mark.parametrize("seed", range(4))
def test_mixing_keeps_the_decay_and_raises_the_magnitude(seed):
    """‖θ‖₁ ≤ 1: C₂ grows, up to e^{(l−1)/γ} under causal mixing, where Prop. 6.3 has at most 1."""
    gamma, taps = 1.0, named_taps("positive", 5, seed)
    before = kernel_of(LinearSpec())
    after = linear_target(LinearSpec(filter=taps)).matrix[:, 0]
    np.testing.assert_allclose(after, np.convolve(taps, before)[:32], atol=1e-15)
    found = rnn_complexity(after, gamma)
    assert 1 < found.c_2 <= math.exp(4 / gamma) and found.c_1 == gamma
    ahead = np.convolve(taps[::-1], np.exp(-np.arange(40.0)))[4:36]  # Σ θ(s') ρ(s+s'), Eq. 97
    assert rnn_complexity(ahead, gamma).c_2 <= 1
    np.testing.assert_allclose(ahead / before, ahead[0])  # only const · ρ is left of it


def test_windowed_complexity_is_the_least_of_all_rates():
    rng = np.random.default_rng(0)
    for kernel in (rng.random(32), rng.normal(size=7), 1 / (np.arange(64) + 1), np.eye(5)[3]):
        beta, t = np.geomspace(0.02, 2000, 20_001), np.arange(len(kernel))
        with np.errstate(over="ignore"):
            brute = np.min(beta * np.max(np.exp(t / beta[:, None]) * np.abs(kernel), axis=1))
        found = windowed_complexity(kernel)
        assert found <= brute * (1 + 1e-12) and found == pytest.approx(brute, rel=2e-3)
    assert windowed_complexity(np.eye(4)[0]) == 0


def test_decay_lengths_and_their_limits():
    def gamma(kernel, **fields):
        return decay_length_of(LinearSpec(kernel=kernel, **fields))

    assert gamma("exponential", rate=2.0) == 0.5
    assert gamma("exponential", rate=0.0) == gamma("power") == gamma("random") == math.inf
    assert gamma("taps", taps=(1.0, 0.5)) == 0 and gamma("formula", formula="exp(-s)") is None
    ends = rnn_complexity(np.array([1.0, 1.0, 0.0]), 0.0)
    assert ends.c_rnn == math.inf and ends.c_rnn_printed == pytest.approx(math.e)
    assert rnn_complexity(np.array([2.0, 0, 0]), 0.0).c_rnn == 0
    assert rnn_complexity(1 / (np.arange(9) + 1), math.inf).c_rnn == math.inf
    with pytest.raises(ValueError, match="decay length"):
        rnn_complexity(np.ones(3), -1.0)


# n hidden units


def exponentials(tau, *pairs):
    s = np.arange(tau)
    return sum((c * lam**s for c, lam in pairs), np.zeros(tau)).real


@pytest.mark.parametrize(
    ("kernel", "order"),
    [
        (exponentials(32, (1, math.exp(-1))), 1),
        (exponentials(32, (1, 0.9), (-2, 0.3)), 2),
        (exponentials(32, (1, 0.7 * np.exp(0.5j)), (1, 0.7 * np.exp(-0.5j)), (0.5, -0.4)), 3),
        (np.arange(32) * 0.8 ** np.arange(32), 2),  # a double root
        (np.convolve((0.3, -0.2, 0.1, 0.4), np.exp(-np.arange(32)))[:32], 4),
    ],
)
def test_sums_of_exponentials_are_found_with_as_many_states(kernel, order):
    found = best_state_kernels(kernel, range(1, order + 2))
    assert (found.mse[order - 1 :] < 1e-20).all() and (found.mse[: order - 1] > 1e-6).all()
    assert (found.lower[order - 1 :] < 1e-20).all() and (found.lower[: order - 1] > 0).all()


KERNEL_LIST = {
    "power": 1 / (np.arange(32) + 1.0),
    "random": np.random.default_rng(0).random(32),
    "odd": np.random.default_rng(1).random(15),
}


@pytest.mark.parametrize("name", KERNEL_LIST)
def test_errors_fall_within_their_bounds_and_end_at_half_the_window(name):
    kernel = KERNEL_LIST[name]
    tau = len(kernel)
    found = best_state_kernels(kernel, range(1, (tau + 1) // 2 + 1))
    assert (found.mse >= found.lower - 1e-25).all() and (np.diff(found.mse) <= 1e-15).all()
    assert found.mse[-1] == 0 and found.l1[-1] == 0
    for n, k, mse in zip(found.states, found.kernels, found.mse, strict=True):
        error = np.sum((toeplitz(kernel) - toeplitz(k)) ** 2) / 12 / tau
        assert mse == pytest.approx(error, rel=1e-9, abs=1e-25)
        if 2 * n + 1 < tau:  # k̂ has n states: its Hankel matrix has rank n
            hankel = np.array([[k[i + j] for j in range(n + 1)] for i in range(tau - n)])
            sigma = np.linalg.svd(hankel, compute_uv=False)
            assert sigma[n] < 1e-6 * sigma[0]


@pytest.mark.parametrize(
    "spec",
    [
        LinearSpec(permutation="block"),
        LinearSpec(filter="signed", filter_length=16),
        LinearSpec(kernel="random"),
        LinearSpec(filter="delay"),
    ],
    ids=["block", "signed", "random", "delay"],
)
def test_more_states_are_never_worse_where_some_are_left_out(spec):
    """A kernel of six states is one of eight; and both norms stay within their bounds."""
    found = best_state_kernels(
        linear_floors(linear_target(spec).matrix).kernel, (1, 2, 3, 4, 5, 6, 8, 10, 12, 16)
    )
    assert (np.diff(found.mse) <= 1e-15).all()
    assert (found.l1_lower <= found.l1 + 1e-12).all() and (found.l1 <= found.l1_upper).all()


def test_the_bounds_of_the_other_norm_by_hand():
    """ρ = (1, 0, 0, 0.5, 0, …): one tap kept leaves 0.5; its Hankel matrix has σ₂ > 0."""
    kernel = np.array([1.0, 0, 0, 0.5, 0, 0, 0])
    found = best_state_kernels(kernel, (1, 2, 4))
    assert found.l1_upper == pytest.approx([0.5, 0.5, 0.0])
    sigma = np.linalg.svd([[1, 0, 0, 0.5], [0, 0, 0.5, 0], [0, 0.5, 0, 0], [0.5, 0, 0, 0]])[1]
    assert found.l1_lower == pytest.approx([sigma[1], sigma[2], 0.0])
    assert found.l1[0] <= 0.5 and found.l1[-1] == 0


def test_the_jacobian_of_variable_projection_by_differences():
    rng = np.random.default_rng(0)
    kernel, root, a = rng.random(20), rng.random(20) + 0.1, rng.normal(size=5)
    found = Projection.from_recurrence(kernel, root, a).jacobian()
    for j, step in enumerate(1e-6 * np.eye(5)):
        ends = (Projection.from_recurrence(kernel, root, a + s * step).residual for s in (1, -1))
        np.testing.assert_allclose(found[:, j], np.subtract(*ends) / 2e-6, atol=1e-7)


def test_two_states_are_no_worse_than_a_search_over_two_exponentials():
    kernel = KERNEL_LIST["power"]
    root = np.sqrt(np.arange(32, 0, -1) / 12 / 32)
    poles = np.linspace(0.02, 1.0, 99)
    best = math.inf
    for i, first in enumerate(poles):
        for second in poles[:i]:
            a = root[:, None] * np.stack([first ** np.arange(32), second ** np.arange(32)], axis=1)
            rest = root * kernel - a @ np.linalg.lstsq(a, root * kernel, rcond=None)[0]
            best = min(best, float(rest @ rest))
    found = best_state_kernels(kernel, [1, 2]).mse[1]
    assert found <= best <= 1.05 * found


# Mixing, App. D.3


def gram_spectrum(a, b):
    """σ of 1 + 2 sin 2πu sin 2π(au + bv), by exact integrals of trigonometric products.

    ρ = L(u) R(v)ᵀ with L = (1, 2 sin 2πu sin 2πau, 2 sin 2πu cos 2πau), R = (1, cos 2πbv,
    sin 2πbv), so σ² are the eigenvalues of G_L G_R.
    """

    def integral(terms):
        """∫₀¹ of Σ c e^{iωu}."""
        return sum(c * (1 if w == 0 else (np.exp(1j * w) - 1) / (1j * w)) for c, w in terms).real

    def sine(w):
        return [(-0.5j, w), (0.5j, -w)]

    def cosine(w):
        return [(0.5, w), (0.5, -w)]

    def times(f, g, scale=1):
        return [(scale * c * d, w + x) for c, w in f for d, x in g]

    one, two_pi = [(1, 0)], 2 * np.pi
    left = [one, *(times(sine(two_pi), of(two_pi * a), 2) for of in (sine, cosine))]
    right = [one, cosine(two_pi * b), sine(two_pi * b)]
    grams = (
        np.array([[integral(times(f, g)) for g in side] for f in side]) for side in (left, right)
    )
    upper = [np.linalg.cholesky(gram).T for gram in grams]
    return np.linalg.svd(upper[0] @ upper[1].T, compute_uv=False)


def test_d3_to_twelve_digits_where_the_paper_prints_three():
    found = mixed_spectrum(EXAMPLE, 1, 1)
    np.testing.assert_allclose(found.sigma(), EXACT, atol=1e-12)
    np.testing.assert_allclose(found.sigma(centred=True), EXACT_CENTRED, atol=1e-12)
    matrix = block_diag([[1, 1 / math.sqrt(2)], [0, -1 / 2]], [[1 / 2]])
    np.testing.assert_allclose(np.linalg.svd(matrix, compute_uv=False), EXACT, atol=1e-15)
    assert max(abs(np.array(PRINTED) - EXACT)) > 2e-3
    tail = [EXACT[0] ** 2 + 0.25 + EXACT[2] ** 2, 0.25 + EXACT[2] ** 2, EXACT[2] ** 2, 0]
    np.testing.assert_allclose(found.tail(), tail, atol=1e-12)


@pytest.mark.parametrize("a", [1, 0.37, -0.8, 2, 0.1, 1.9])
@pytest.mark.parametrize("b", [1, 1.3, -0.6])
def test_the_spectrum_of_any_mixture(a, b):
    found = mixed_spectrum(EXAMPLE, a, b).sigma()
    np.testing.assert_allclose(found, gram_spectrum(a, b), atol=1e-12)


def test_deconvolution_brings_the_rank_back():
    assert len(mixed_spectrum(EXAMPLE, 0, 1).sigma()) == 2
    assert len(mixed_spectrum(EXAMPLE, 1, 1).sigma()) == 3
    back = mixed_spectrum(EXAMPLE, 1, 1, c=1)
    np.testing.assert_allclose(back.sigma(), [1, 1], atol=1e-12)
    imperfect = mixed_spectrum(EXAMPLE, 1, 1, c=0.9).sigma()
    np.testing.assert_allclose(imperfect, [1.010, 0.986, 0.087], atol=5e-4)
    ridge = Formula("exp(-8*(u + v - 1)**2)")
    assert len(mixed_spectrum(ridge, 0, 1).sigma()) == 13
    assert len(mixed_spectrum(ridge, -1, 1).sigma()) == 1


SUM = Formula("exp(cos(2*pi*(u + v)))")


@pytest.mark.parametrize(("a", "b"), [(1, 1), (0.5, 1), (-0.6, 1), (1.5, 2), (0.25, -1)])
def test_the_best_filter_undoes_a_mixture(a, b):
    found = filtered(EXAMPLE, a, b, 1.0, 1)
    if b == 1:
        assert found.best == pytest.approx(a / b, abs=1e-3)
    assert found.least < 1e-6 < found.without
    assert found.least <= found.left.min() + 1e-9


def test_a_filter_makes_one_term_of_what_hangs_on_a_sum_or_a_difference():
    """Softmax sees exp(cos 2π(u + v)) with terms without end, −(u − v)² with two."""
    sum_, apart = filtered(SUM, 0, 1, 1.0, 1), filtered(Formula("-(u - v)**2"), 0, 1, 1.0, 1)
    assert (sum_.best, apart.best) == (1.0, -1.0)
    assert max(sum_.least, apart.least) < 1e-12 < min(sum_.without, apart.without)
    assert sum_.exact and not apart.exact, "v − u is not uniform on [0, 1]"


@pytest.mark.parametrize("m", [1, 3])
def test_no_filter_is_better_than_none_for_a_product_of_waves(m):
    """Orthonormal in u and v as it is: what is mixed in moves to other functions of u alone."""
    found = filtered(Designed((1.0, 0.5, 0.25, 0.125)), 0, 1, 1.0, m)
    assert found.best == 0 and found.least == found.without


@pytest.mark.parametrize("c", [0.4, -0.7])
def test_what_a_filter_leaves_bounds_what_is_left_of_the_pairs_that_occur(c):
    """exp(−4(u − v)²) behind v + c·u, by another quadrature: on the rectangle of all values as
    reported, and less on the parallelogram of the pairs that occur."""
    x, weight = (of / 2 for of in np.polynomial.legendre.leggauss(200))
    u, root, length = x + 0.5, np.sqrt(weight), 1 + abs(c)
    v = min(0, c) + length * u - c * u[:, None]
    rho = np.exp(-4 * (u[:, None] - v) ** 2) * np.sqrt(length)
    centred = rho - (rho @ weight)[:, None]
    left, sigma, right = np.linalg.svd(root[:, None] * centred * root)
    found = mixed_spectrum(Formula("exp(-4*(u - v)**2)"), 0, 1, c).left(2)
    assert found == pytest.approx(float((sigma[2:] ** 2).sum()), rel=1e-8)
    rest = centred - (left[:, :2] * sigma[:2] @ right[:2]) / root[:, None] / root
    occurs = (v >= 0) & (v <= 1)
    assert 0 < weight @ (rest**2 * occurs) @ weight < found


def test_a_matrix_on_which_lapack_gives_up_is_turned_over(monkeypatch):
    plain, matrix = np.linalg.svd, np.random.default_rng(0).normal(size=(5, 3))

    def gives_up(of, **how):
        if of.shape == matrix.shape:
            raise np.linalg.LinAlgError("SVD did not converge")
        return plain(of, **how)

    monkeypatch.setattr(np.linalg, "svd", gives_up)
    left, sigma, right = svd(matrix)
    assert (left.shape, right.shape) == ((5, 3), (3, 3))
    np.testing.assert_allclose(left * sigma @ right, matrix, atol=1e-14)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.svd(matrix)


def test_c_1_falls_while_the_rank_rises():
    low, high = falling_range()
    assert high == pytest.approx(2.284, abs=5e-4)
    for alpha in (low - 0.05, low + 0.05, 1.0, high - 0.05, high + 0.05):
        before = mixed_spectrum(EXAMPLE, 0, 1, alpha=alpha).c_1
        after = mixed_spectrum(EXAMPLE, 1, 1, alpha=alpha)
        assert after.c_1 == pytest.approx(complexity_1(np.array(EXACT), alpha))
        assert (after.c_1 < before) == (low < alpha < high)


def test_couplings_that_end_at_the_unit_square_are_refused():
    for coupling in (Samples(np.ones((3, 3))), Designed((1.0, 0.5), "legendre", "haar")):
        with pytest.raises(CouplingError, match="beyond"):
            mixed_spectrum(coupling, 1, 1)
    with pytest.raises(CouplingError, match="samples end there"):
        mixable(CouplingSpec(grid="0" * 64))
    designed = mixed_spectrum(mixable(CouplingSpec(rank=2)), 0, 1)
    np.testing.assert_allclose(designed.sigma(), [1, 0.5], atol=1e-12)
