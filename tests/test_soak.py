"""The slope of a server's memory: what it says of series whose slope is known."""

import numpy as np
import pytest

from explorer.bench.soak import growth


@pytest.mark.parametrize(("slope", "alike"), [(0.0, 0.0), (0.0, 0.8), (2.0, 0.0), (2.0, 0.8)])
def test_the_interval_holds_the_slope_nineteen_times_in_twenty(slope, alike):
    """Of independent noise, and of noise in which each sample is like the one before."""
    noise, x, held = np.random.default_rng(0), np.linspace(0, 30, 360), 0
    for _ in range(300):
        steps, series = noise.normal(size=x.size), np.zeros(x.size)
        for i in range(1, x.size):
            series[i] = alike * series[i - 1] + steps[i]
        found, low, high = growth(x, slope * x + series)
        held += low <= slope <= high
        assert low < found < high
    assert held >= 0.91 * 300


def test_a_leak_is_told_from_none():
    noise, x = np.random.default_rng(1).normal(size=360), np.linspace(0, 30, 360)
    assert growth(x, noise)[1] < 0 < growth(x, noise)[2]
    assert growth(x, 0.1 * x + noise)[1] > 0
