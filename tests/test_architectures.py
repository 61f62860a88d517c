"""Which architecture remembers a kernel: closed forms, bounds against models made at random."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import airy
from streamlit_pages import app, ran, sentences

from explorer.charts import DARK, LIGHT
from explorer.pages.order import view_architectures as view
from explorer.pages.order.chart_architectures import parameters_chart, spectrum_chart
from explorer.spec import LinearSpec, SpecError, compact
from explorer.targets import kernel_of, parse
from explorer.theory.architectures import ARCHITECTURES, Points, compared
from explorer.theory.architectures.convolutional import (
    bond_spectra,
    padded,
    parameters_of,
    train,
    unfolding,
)
from explorer.theory.architectures.distances import log_head_bound, product_spectrum
from explorer.theory.architectures.positions import (
    exact_width,
    log_spectrum,
    one_head_bound,
    width_one_bound,
)
from explorer.theory.architectures.recurrent import state_bound

TAU = 64
S = np.arange(float(TAU))
BITS = (S.astype(int)[:, None] >> np.arange(6)) & 1
"""The bits of each lag, the lowest first, (64, 6)."""


def taps(*lags, tau=TAU):
    rho = np.zeros(tau)
    rho[list(lags)] = 1
    return rho


def sizes(kernel, error=0.0):
    """(low, found) sizes of each architecture."""
    return {name: one.need(error).size for name, one in compared(kernel).items()}


PRODUCT = np.prod(np.where(BITS, [0.5, 0.8, -0.3, 0.9, 0.2, 0.7], 1), axis=1)
RANDOM = np.random.default_rng(0).random(TAU)
COSINE = np.exp(-S / 16) * np.cos(S / 2)


# Closed forms


def test_an_exponential_is_one_of_everything():
    found = sizes(np.exp(-S / 8), 1e-18)
    assert found["rnn"] == found["cnn"] == found["attention"] == found["lin_heads"] == (1, 1)
    assert found["log_heads"] == (8, None)
    assert sizes((S + 1) ** -1.2, 1e-18)["log_heads"] == (1, 1)


@pytest.mark.parametrize("powers", [(0.3,), (0.0, 1.2), (0.3, 1.0, 2.5)])
def test_powers_need_as_many_log_heads_and_nothing_else_has_that_rank(powers):
    """ρ(ij − 1) of a sum of H powers of s+1 has rank H; every other family here has more."""
    rho = sum((-1) ** i * (S + 1) ** -p for i, p in enumerate(powers))
    spectrum = product_spectrum(rho)
    assert (spectrum > 1e-12 * spectrum[0]).sum() == len(powers)
    bound = log_head_bound(rho)
    assert bound[0] == 1 and (bound[: len(powers)] > 0).all() and not bound[len(powers) :].any()
    for other in (np.exp(-S / 8), COSINE, RANDOM):
        assert (log_head_bound(other)[: len(powers) + 1] > 0).all()


def test_a_tap_that_is_a_product_is_no_head_and_a_prime_tells_nothing():
    """36 = 2 · 18 = 3 · 12 has two rows of i ≤ 3, where 6 is a product three times."""
    assert log_head_bound(taps(35))[1] == pytest.approx(1 / 3)
    assert not log_head_bound(taps(36))[1:].any()


@given(st.integers(2, 130), st.integers(0, 10**6))
def test_no_log_heads_are_below_their_bound(tau, seed):
    """Random heads, and the kernel they make moved at random: no bound is above what they leave."""
    rng = np.random.default_rng(seed)
    heads = int(rng.integers(1, 9))
    p, c = rng.exponential(2, heads), rng.normal(size=heads)
    made = np.arange(1.0, tau + 1)[:, None] ** -p @ c
    rho = made + rng.exponential(0.1) * rng.normal(size=tau)
    left = np.square(made - rho).sum() / np.square(rho).sum()
    bound = log_head_bound(rho)
    assert bound[min(heads, len(bound) - 1)] <= left * (1 + 1e-9) + 1e-15
    assert (np.diff(bound) <= 1e-15).all() and bound[0] == pytest.approx(1)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_polynomial_has_one_more_of_both(degree):
    rho = (S / TAU - 0.4) ** degree
    found = sizes(rho, 1e-18)
    assert found["rnn"] == found["cnn"] == (degree + 1, degree + 1)
    assert found["lin_heads"][0] == degree + 1


def test_a_sine_has_two():
    found = sizes(np.sin(0.7 * S + 0.3), 1e-18)
    assert found["rnn"] == found["cnn"] == (2, 2)


@pytest.mark.parametrize("lag", [0, 1, 2, 10, 37, 43, 61, 62, 63])
def test_a_delay_has_one_channel_and_as_many_states_as_the_window_sees(lag):
    found = compared(taps(lag))
    states = min(lag + 1, TAU - lag)
    assert found["rnn"].need(1e-18).size == (states, states)
    assert found["rnn"].need(1e-18).how == "exact"
    assert found["cnn"].need(1e-18)[:2] == ((1, 1), (12, 12))
    low = 2 if 2 <= lag < TAU - 2 else 1
    assert found["attention"].need(1e-6).size == (low, 2 if 0 < lag < TAU - 1 else 1)
    assert width_one_bound(taps(lag)) == (0.5 if low == 2 else 0)
    np.testing.assert_allclose(found["rnn"].spectra[0], [1] * states + [0] * (32 - states))


def test_a_product_over_the_bits_has_one_channel_and_many_states():
    found = sizes(PRODUCT, 1e-18)
    assert found["cnn"] == (1, 1)
    assert found["rnn"][0] > 20


def test_two_delays():
    found = sizes(taps(5, 50), 1e-4)
    assert found["rnn"] == (20, 20) and found["cnn"] == (2, 2)
    assert found["attention"] == (2, 4)


@pytest.mark.parametrize("centre", [0, 30, 50])
def test_a_gaussian_is_a_head_of_width_two(centre):
    rho = np.exp(-((S - centre) ** 2) / 200)
    assert sizes(rho, 1e-18)["attention"][1] == 2
    assert exact_width(rho) == 2


def test_the_width_that_is_exact():
    assert exact_width(np.exp(-S / 3)) == exact_width(np.ones(TAU)) == 1
    assert exact_width(np.exp(np.cos(0.3 * S))) == 2
    assert exact_width(np.exp(0.1 * S + np.cos(0.3 * S))) == 3
    assert exact_width(-np.exp(-S / 3)) == 1
    assert exact_width(taps(3)) is None and exact_width(COSINE) is None
    assert (exact_width((S + 1) ** -1.0) or 0) > 5


# What was computed beforehand: parameters for 1 % of ‖ρ‖² are no more

BEFOREHAND = {
    "exponential": (np.exp(-S / 8), {"rnn": 2, "cnn": 12, "log_heads": 6, "lin_heads": 2}),
    "power": ((1 + S) ** -1.2, {"rnn": 4, "cnn": 34, "log_heads": 2, "lin_heads": 4}),
    "delay": (taps(37), {"rnn": 64, "cnn": 12, "attention": 9}),
    "cosine": (COSINE, {"rnn": 4, "cnn": 34}),
    "bump": (np.exp(-((S - 30) ** 2) / 32), {"rnn": 16, "cnn": 48, "attention": 9}),
    "bits": (PRODUCT, {"rnn": 32, "cnn": 12}),
    "taps": (taps(5, 50), {"rnn": 64, "cnn": 40, "attention": 18}),
    "random": (RANDOM, {"rnn": 64, "cnn": 152}),
}


@pytest.mark.parametrize("name", BEFOREHAND)
def test_no_more_parameters_than_were_known(name):
    rho, known = BEFOREHAND[name]
    found = compared(rho)
    for architecture, parameters in known.items():
        low, high = found[architecture].need(0.01).parameters
        assert high is not None, architecture
        assert low <= high <= parameters, architecture


SIGNED = ("delay", "cosine", "random")


@pytest.mark.parametrize("name", SIGNED)
def test_heads_by_distance_that_never_do(name):
    found = compared(BEFOREHAND[name][0])
    assert found["log_heads"].need(0.01).size[1] is None
    assert found["lin_heads"].need(0.01).size[1] is None


# Bounds are below every model


def kernel_of_states(rng, n):
    poles = rng.uniform(-1, 1, n)
    return (poles ** S[:, None]) @ rng.normal(size=n)


@pytest.mark.parametrize("rho", [RANDOM, COSINE, taps(5, 50)], ids=["random", "cosine", "taps"])
def test_no_kernel_of_n_states_is_below_the_bound(rho):
    """And one of n + 1 may be: it says something."""
    rng, bound = np.random.default_rng(1), state_bound(rho)
    for n in (1, 3, 8):
        for _ in range(20):
            other = kernel_of_states(rng, n)
            left = rho - other * (other @ rho) / (other @ other)
            assert left @ left / (rho @ rho) >= bound[n]
        mine = kernel_of_states(rng, n + 1)
        assert state_bound(mine)[n] > 0 and state_bound(mine)[n + 1] < 1e-15


def test_found_and_bound_are_in_order():
    for rho in (RANDOM, COSINE, airy(S - 10)[0], taps(0, 63), np.ones(TAU)):
        for one in compared(rho).values():
            for points in (one.best, one.bound):
                assert (np.diff(points.parameters) > 0).all() and (np.diff(points.error) <= 0).all()
            for error in (0.5, 0.1, 0.01, 1e-4):
                (low, high), (few, many), how = one.need(error)
                assert (high is None) == (many is None)
                assert low <= (high or low) and few <= (many or few)
                assert (how == "exact") == (low == high)


# The tensor train


def product_kernel(cores):
    """ρ(s) = w_K(s_K) ⋯ w_1(s_1), each w (2, M_k, M_{k−1}), multiplied out lag by lag."""
    made = []
    for lag in range(2 ** len(cores)):
        row = np.ones((1, 1))
        for k, core in enumerate(cores):
            row = core[(lag >> k) & 1] @ row
        made.append(row[0, 0])
    return np.array(made)


def random_train(bonds):
    rng, channels = np.random.default_rng(2), (1, *bonds, 1)
    return [rng.normal(size=(2, b, a)) for a, b in pairwise(channels)]


@pytest.mark.parametrize(
    "bonds", [(1, 1, 1, 1, 1), (2, 2, 2, 2, 2), (2, 3, 5, 3, 2), (1, 2, 3, 4, 2)]
)
def test_a_cnn_is_found_with_its_own_channels(bonds):
    cores = random_train(bonds)
    rho = product_kernel(cores)
    ranks = [int((sigma > 1e-12 * sigma[0]).sum()) for sigma in bond_spectra(rho)]
    assert ranks == [*bonds]
    one = compared(rho)["cnn"]
    assert one.need(1e-18).parameters == (sum(core.size for core in cores),) * 2
    np.testing.assert_allclose(train(rho, bonds), rho, atol=1e-12 * np.abs(rho).max())
    assert one.need(1e-18).size == (max(bonds), max(bonds))


def test_a_dilated_network_makes_that_kernel():
    """Its answer to an impulse, layer by layer: filters of two taps, dilations 1, 2, 4, …"""
    cores = random_train((2, 3, 2, 4, 2))
    now = np.zeros((TAU, 1))
    now[0] = 1
    for k, (near, far) in enumerate(cores):
        late = np.vstack([np.zeros((2**k, now.shape[1])), now])[:TAU]
        now = now @ near.T + late @ far.T
    np.testing.assert_allclose(now[:, 0], product_kernel(cores), atol=1e-12)


@pytest.mark.parametrize("bonds", [(1, 1, 1, 1, 1), (2, 2, 3, 2, 2), (2, 4, 7, 4, 2)])
def test_the_train_lies_between_its_bounds(bonds):
    error = np.square(train(RANDOM, bonds) - RANDOM).sum()
    left = [
        float(np.square(sigma[bond:]).sum())
        for sigma, bond in zip(bond_spectra(RANDOM), bonds, strict=True)
    ]
    assert max(left) <= error * (1 + 1e-12) and error <= sum(left) * (1 + 1e-12)


def test_parameters_of_channels():
    assert parameters_of((1,) * 5) == 12
    assert parameters_of((2,) * 5) == 40
    assert parameters_of((2, 4, 6, 4, 2)) == 136
    assert parameters_of(()) == 2


def test_a_window_that_is_no_power_of_two_is_continued():
    rho = np.exp(-np.arange(48.0) / 8)
    one = compared(rho)["cnn"]
    assert len(padded(rho)) == 64 and "48 is continued by 0 to 64" in one.note
    assert one.need(1e-18).size[0] == 1, "a CNN that goes on beyond the window has one channel"
    assert unfolding(rho, 5).shape == (1, 32), "only what lies within the window is a bound"
    assert compared(np.exp(-S))["cnn"].note == ""


# Signed kernels, and a head of width 1


def test_no_softmax_is_below_the_bound_of_one_sign():
    rng = np.random.default_rng(3)
    assert one_head_bound(np.array([1.0, -1.0])) == 0.5
    assert one_head_bound(RANDOM) == 0
    for rho in (COSINE, rng.normal(size=TAU)):
        for _ in range(50):
            weights = rng.random(TAU) ** 8
            left = rho - weights * (weights @ rho) / (weights @ weights)
            assert left @ left / (rho @ rho) >= one_head_bound(rho)
    assert "two heads" in compared(COSINE)["attention"].note
    assert "two heads" not in compared(RANDOM)["attention"].note
    assert compared(COSINE)["attention"].best.parameters[0] == 4


def worst_row(rho, q, k):
    """Of a head of width 1 with a scale for each row, its worst row."""
    errors = []
    for t in range(len(rho)):
        weights = np.exp(q[t] * k[: t + 1] - (q[t] * k[: t + 1]).max())
        row = rho[t::-1]
        left = row - weights * (row @ weights) / (weights @ weights)
        errors.append(left @ left / (rho @ rho))
    return max(errors)


def test_a_head_of_width_one_has_no_delay():
    """Whatever its queries and keys; of a falling kernel it has all rows."""
    rng = np.random.default_rng(4)
    for rho in (taps(5, tau=16), np.exp(-((np.arange(16.0) - 7) ** 2))):
        bound = width_one_bound(rho)
        assert bound > 0.1
        for size in (1, 5, 30):
            for _ in range(30):
                q, k = rng.normal(size=(2, 16)) * size
                assert worst_row(rho, q, k) >= bound - 1e-12
    falling = np.exp(-np.arange(16.0) / 3)
    assert width_one_bound(falling) == 0
    assert worst_row(falling, np.ones(16), np.arange(16.0) / 3) < 1e-20


def test_log_spectrum_is_the_triangle_without_its_rows_means():
    rho = (S + 1) ** -0.5
    logs = np.array([[np.log(rho[t - s]) for s in range(33)] for t in range(32, 64)])
    free = logs - logs.mean(axis=1, keepdims=True)
    sigma = log_spectrum(rho)
    assert sigma is not None
    np.testing.assert_allclose(sigma, np.linalg.svd(free)[1], atol=1e-10)


# What is refused, and small


@pytest.mark.parametrize(
    ("rho", "says"),
    [
        (np.zeros(8), "0 everywhere"),
        ([1.0, np.nan, 0.0], r"ρ\(1\) = nan"),
        ([1.0, np.inf], "must be finite"),
        ([1.0], "2 lags or more"),
        (np.ones((4, 4)), "2 lags or more"),
    ],
)
def test_what_is_no_kernel_is_refused(rho, says):
    with pytest.raises(ValueError, match=says):
        compared(rho)


@pytest.mark.parametrize("tau", [2, 3, 4, 5, 9])
def test_one_tap_of_a_short_window(tau):
    for lag in range(tau):
        found = compared(taps(lag, tau=tau))
        assert found["cnn"].need(1e-18).size == (1, 1)
        states = min(lag + 1, tau - lag)
        assert found["rnn"].need(1e-18).size == (states, states)


def test_the_scale_of_a_kernel_does_not_matter():
    for scale in (1e-150, 1e6, -3.0):
        assert sizes(scale * COSINE, 0.01) == sizes(COSINE, 0.01)


def test_larger_is_never_worse():
    points = Points.from_rows([(1, 1, 0.5), (2, 2, 0.7), (3, 3, 1e-25)])
    assert points.error.tolist() == [0.5, 0.5, 0.0]
    assert points.first(0.5) == (1, 1) and points.first(0.0) == (3, 3)
    assert Points.from_rows([(1, 1, 0.5)]).first(0.1) is None
    assert all(one.spectrum or name.endswith("heads") for name, one in ARCHITECTURES.items())


def test_the_kernels_of_a_delay_and_of_airy():
    delay = LinearSpec(kernel="delay", lag=7, tau=20)
    np.testing.assert_array_equal(kernel_of(delay), taps(7, tau=20))
    rho = kernel_of(LinearSpec(kernel="airy", lag=7, tau=20))
    assert rho[7] == pytest.approx(0.355028053887817, abs=1e-14)  # Ai(0) = 3^(−2/3) / Γ(2/3)
    assert np.argmax(rho) == 6 and rho[19] < 1e-12
    with pytest.raises(SpecError, match="lag: 20, must be below tau = 20"):
        parse({"target": "linear", "kernel": "delay", "lag": 20, "tau": 20})
    assert parse({"target": "linear", "lag": 20, "tau": 20}), "which another kernel does not read"


# What the page and the command say


DELAY = LinearSpec(kernel="delay", lag=37, tau=64)


def test_the_sentence_of_a_delay():
    assert view.sentence(DELAY, 0.01) == (
        "For delay of 37 to 1 % of ‖ρ‖², enough: a linear RNN or SSM of 27 states (38 to be exact "
        "at any length), a dilated CNN of 1 channel, attention with positions of width 2. Not "
        "enough: attention by distance of 8 log heads or 8 lin heads."
    )
    assert view.fewest(DELAY, 0.01) == "Fewest parameters found: 3, attention with positions."


def test_states_at_any_length_are_those_of_kernels_that_end():
    assert view.states_for_ever(DELAY) == 38
    assert view.states_for_ever(LinearSpec(kernel="taps", taps=(1.0, 0.0, 2.0, 0.0))) == 3
    for kernel in ("exponential", "power", "random", "airy"):
        assert view.states_for_ever(LinearSpec(kernel=kernel)) is None
    assert view.states_for_ever(LinearSpec(kernel="formula", formula="where(s < 3, 1, 0)")) is None


def test_a_causal_filter_makes_another_kernel_and_an_order_none():
    delayed = LinearSpec(filter=(0.0, 0.0, 1.0))
    rho = np.exp(-np.arange(32.0))
    np.testing.assert_allclose(view.kernel_shown(delayed), [0, 0, *rho[:-2]])
    ahead = LinearSpec(filter=(0.0, 1.0), filter_mode="ahead")
    for left in (LinearSpec(permutation="reverse"), ahead):
        np.testing.assert_allclose(view.kernel_shown(left), rho)


@pytest.mark.parametrize("kernel", ["exponential", "power", "random", "delay", "airy"])
def test_the_tables_of_every_family(kernel):
    spec = LinearSpec(kernel=kernel, tau=48)
    errors, sizes, spectra = view.errors(spec), view.sizes(spec, 0.01), view.spectra(spec)
    assert set(sizes["architecture"]) == set(view.SHORT.values())
    assert set(sizes["how"]) <= {"exact", "bound", "found"}
    for (_, what), curve in errors.groupby(["architecture", "what"]):
        assert (curve["parameters"].diff()[1:] > 0).all() and (curve["error"].diff()[1:] <= 0).all()
        assert (curve["error"] == 0).sum() <= 1, what
    assert spectra["value"].between(1e-6, 1).all() and spectra["panel"].nunique() in (4, 5)
    for palette in (LIGHT, DARK):
        parameters_chart(errors, 0.01, palette).to_dict()
        for _, panel in spectra.groupby("panel"):
            spectrum_chart(panel, palette).to_dict()


def test_the_command_says_what_the_page_says(explorer):
    text = json.dumps(DELAY.model_dump(mode="json"))
    answer = explorer("architectures", text, "--json").json
    assert answer["sentence"].startswith(view.sentence(DELAY, 0.01))
    assert answer["states_at_any_length"] == 38 and answer["tau"] == 64
    rnn = answer["architectures"]["rnn"]
    assert rnn["size"] == [27, 27] and rnn["parameters"] == [54, 54] and rnn["how"] == "exact"
    assert len(rnn["found"]["error"]) == len(rnn["found"]["size"]) == 32
    assert answer["architectures"]["log_heads"]["size"][1] is None
    lines = explorer("architectures", text, "--error", "0.5").out
    assert "to 50 % of ‖ρ‖²" in lines and "dilated CNN" in lines
    refused = explorer("architectures", "quick")
    assert refused.code == 2 and "without a kernel" in refused.err


def test_the_page_unfolds_it():
    at = app("order", spec=compact(DELAY))
    at.session_state["mathematics open"] = True
    at.session_state["unfolded Which architecture remembers it?"] = True
    at = ran(at)
    assert "a linear RNN or SSM of 27 states" in sentences(at)
    at.select_slider(key="picture remembered").set_value(1e-6)
    assert "to 0.0001 % of ‖ρ‖²" in sentences(ran(at))
    at.slider(key="field lag of order").set_value(3)
    assert "For delay of 3 to" in sentences(ran(at))
