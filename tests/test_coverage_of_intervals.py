"""Every other interval of 95 %: it holds what is true about as often. Those of slopes have their
tests in test_slopes.py, of least squares in test_rates.py, of floors in a file of their own."""

import numpy as np
import pytest

from explorer.bench.soak import growth
from explorer.pages.real.view_budget import interval
from explorer.theory.decay import decay_over_seeds
from explorer.theory.filters import sign_evidence
from explorer.theory.memory_sweep import mean_of

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
