"""Every other interval of 95 %: it holds what is true about as often. Those of slopes have their
tests in test_slopes.py, of least squares in test_rates.py, of floors in a file of their own."""

import numpy as np
import pytest
from scipy.stats import binom

from explorer.bench.soak import growth
from explorer.pages.real.view_budget import interval
from explorer.theory.filters import sign_evidence
from explorer.theory.labelled import decay_over_seeds
from explorer.theory.memory_sweep import mean_of
from explorer.theory.rates import interval_of_share as of_shares
from explorer.views.text import share_text

DRAWS = 400
LEAST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / DRAWS)


def share(held):
    """How often of DRAWS times, each with random numbers of its own."""
    return np.mean([held(np.random.default_rng(seed)) for seed in range(DRAWS)])


def lies(ends, truth):
    return ends[0] <= truth <= ends[1]


@pytest.mark.parametrize("seeds", [3, 5, 8])
@pytest.mark.parametrize("noise", ["normal", "laplace"])
def test_geometric_means_over_seeds(seeds, noise):
    """Of errors that differ by factors without a bias, however few."""
    assert (
        share(lambda rng: lies(mean_of(np.exp(getattr(rng, noise)(size=seeds))).interval, 1))
        > LEAST
    )


def test_the_control_a_normal_interval_of_three_seeds_is_too_narrow():
    def held(rng):
        logs = rng.normal(size=3)
        return abs(logs.mean()) <= 1.96 * logs.std(ddof=1) / np.sqrt(3)

    assert share(held) < 0.9


def test_a_mean_of_seeds_in_two_modes_is_not_covered():
    """Where seeds either find it or do not, no interval of a mean is right: seeds are shown."""

    def held(rng):
        errors = np.where(rng.random(5) < 0.1, 1e-4, 1.0) * np.exp(0.05 * rng.normal(size=5))
        return lies(mean_of(errors).interval, 1e-4**0.1)

    assert share(held) < 0.8


@pytest.mark.parametrize("inputs", [6, 12])
def test_what_a_cut_adds_over_inputs(inputs):
    assert (
        share(lambda rng: lies([e[0] for e in interval(rng.normal(size=(inputs, 1)))[1:]], 0))
        > LEAST
    )


@pytest.mark.parametrize(("positive", "signed"), [(4, 4), (3, 6)])
def test_the_ratio_of_signed_to_positive_filters(positive, signed):
    def held(rng):
        logs = rng.normal(0, 0.4, positive), rng.normal(np.log(8), 1.0, signed)
        filters = ({i: [float(e)] for i, e in enumerate(np.exp(of))} for of in logs)
        return lies(sign_evidence(*filters, [1.0]).interval, 8)

    assert share(held) > LEAST


@pytest.mark.parametrize("alike", [0.0, 0.6])
def test_growth_of_memory_over_time(alike):
    """Samples that follow each other are alike: by a first-order autoregression."""

    def held(rng):
        noise, x = rng.normal(size=200), np.linspace(0, 10, 200)
        for i in range(1, 200):
            noise[i] += alike * noise[i - 1]
        return lies(growth(x, 2 * x + noise)[1:], 2)

    assert share(held) > 0.9


@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_the_exponent_of_a_fall_with_a_floor(noise):
    """Five seeds of 3·m^−0.8 + 1, where both terms are told."""
    m = np.array([1, 2, 4, 8, 16, 32, 64])

    def held(rng):
        errors = (3 * m**-0.8 + 1) * np.exp(noise * rng.normal(size=(5, len(m))))
        return lies(decay_over_seeds(m, errors).b_ci, 0.8)

    assert np.mean([held(np.random.default_rng(seed)) for seed in range(60)]) > 0.86


RATES = (0.0, 1e-4, 0.003, 0.05, 0.3, 0.5, 0.9, 0.992, 0.9999, 1.0)


@pytest.mark.parametrize("draws", [1, 20, 512, 1000, 4096])
@pytest.mark.parametrize("rate", RATES)
def test_shares_of_draws_that_are_right_or_wrong(rate, draws):
    """Exactly, by the probabilities of every outcome: never below 95 %, wherever the rate is."""
    right = np.arange(draws + 1)
    held = [lies(of_shares(count / draws, draws), rate) for count in right]
    assert binom.pmf(right, draws, rate)[held].sum() >= 0.95 - 1e-9


def test_the_control_a_normal_interval_of_a_share_near_1_is_too_narrow():
    draws, rate = 512, 0.9992
    shares = np.arange(draws + 1) / draws
    held = np.abs(shares - rate) <= 1.96 * np.sqrt(shares * (1 - shares) / draws)
    assert binom.pmf(np.arange(draws + 1), draws, rate)[held].sum() < 0.6


@pytest.mark.parametrize("rows", ["6", "1 to 3"])
@pytest.mark.parametrize("alike", [0.05, 1.0, 50.0])
@pytest.mark.parametrize("rate", [0.3, 0.787, 0.958, 0.998])
def test_shares_of_rows_of_sequences_however_alike_they_are(rate, alike, rows):
    """Rows of a sequence are right with a probability of its own, beta about the rate: nearly 0 or
    1 where `alike` is small. A sequence has a point's rows, or prediction tokens as they come."""

    def held(rng):
        of = rng.beta(rate * alike, (1 - rate) * alike, size=512)
        counts = np.full(512, 6) if rows == "6" else rng.integers(1, 4, size=512)
        share = rng.binomial(counts, of).sum() / counts.sum()
        return lies(of_shares(share, 512), rate)

    assert share(held) > LEAST - 0.02 * (rows != "6"), "sequences of other lengths weigh more"


def test_an_interval_of_rows_taken_for_draws_would_be_too_narrow():
    """The control: rows of a sequence are alike, so that 512 sequences of 6 are not 3072 draws."""

    def held(rng):
        of = rng.beta(0.3 * 0.05, 0.7 * 0.05, size=512)
        return lies(of_shares(rng.binomial(6, of).sum() / 3072, 3072), 0.3)

    assert share(held) < 0.75


def test_shares_are_written_with_their_interval():
    assert share_text(0.7868, 4096) == "78.7 % (95 %: 77.4 to 79.9)"
    assert share_text(1.0, 4096) == "100.0 % (95 %: 99.9 to 100.0)"
