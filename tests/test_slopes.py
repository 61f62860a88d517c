"""Slopes over seeds: exact on exact laws, intervals that cover, and what is no line."""

import numpy as np
import pytest
from scipy.stats import t as student

from explorer.theory.slopes import slope_over_seeds

M = np.array([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16.0])
X = np.log(M) - np.log(M).mean()


def noisy(rng, seeds, of_slopes=0.05, of_points=0.2, slope=-1.0):
    """Power laws of seeds whose slopes differ, with noise at each point, (seeds, 12)."""
    slopes = slope + of_slopes * rng.normal(size=(seeds, 1))
    return np.exp(slopes * X + of_points * rng.normal(size=(seeds, len(M))))


@pytest.mark.parametrize("statistic", ["best", "median"])
def test_an_exact_law_has_its_exponent_a_point_as_interval_and_is_a_line(statistic):
    found = slope_over_seeds(M, [0.1 * M**-3, 0.2 * M**-3, 0.4 * M**-3], statistic)
    assert found.slope == pytest.approx(-3, abs=1e-12)
    assert found.slope_ci == pytest.approx((-3, -3), abs=1e-9)
    assert found.straight and found.seeds == 3 and found.fit_range == (1, 16)
    assert [half[:2] for half in found.halves] == [(1, 6), (7, 16)]


def test_for_two_seeds_it_is_the_textbook_interval_of_their_mean():
    """Of two values the median is the mean, which for near ones is that of the logarithms."""
    slopes = np.array([-1.0, -1.2])
    mean = np.exp(slopes[:, None] * X)
    found = slope_over_seeds(M, mean, "median")
    half = student.ppf(0.975, 1) * slopes.std(ddof=1) / np.sqrt(2)
    low, high = found.slope_ci
    assert (high - low) / 2 == pytest.approx(half, rel=0.01)
    assert found.slope == pytest.approx(np.log(mean.mean(axis=0)) @ X / (X @ X), abs=1e-12)


def coverage(statistic, seeds, draws=200, off=0.0, **spread):
    """Share of intervals that hold the slope of the curve of so many seeds, plus `off`."""
    rng = np.random.default_rng(1)
    read = np.median if statistic == "median" else np.min
    many = [np.log(read(noisy(rng, seeds, **spread), axis=0)) @ X / (X @ X) for _ in range(1500)]
    truth, hits = np.mean(many) + off, 0
    for _ in range(draws):
        low, high = slope_over_seeds(M, noisy(rng, seeds, **spread), statistic).slope_ci
        hits += low <= truth <= high
    return hits / draws


@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize("spread", [{}, {"of_slopes": 0.0}])
def test_intervals_of_the_median_cover_as_often_as_they_say(seeds, spread):
    assert coverage("median", seeds, **spread) > 0.91


@pytest.mark.parametrize("seeds", [2, 3, 4])
def test_so_do_those_of_the_best_of_few(seeds):
    assert coverage("best", seeds) > 0.9


def test_intervals_do_not_cover_another_law():
    assert coverage("median", 5, off=0.5) < 0.1


def test_one_seed_has_no_interval_nor_have_seeds_that_lack_a_width():
    assert slope_over_seeds(M, [0.1 / M], "median").slope_ci is None
    two = np.array([0.1 / M, 0.2 / M])
    two[1, 3] = np.nan
    found = slope_over_seeds(M, two, "median")
    assert found.slope_ci is None and found.seeds == 1 and np.isfinite(found.slope)


def test_the_same_seeds_have_the_same_interval_in_any_order():
    errors = noisy(np.random.default_rng(3), 4)
    found = [slope_over_seeds(M, errors[order], "median") for order in ([0, 1, 2, 3], [3, 1, 0, 2])]
    assert found[0].slope_ci == pytest.approx(found[1].slope_ci, abs=1e-12)
    many = noisy(np.random.default_rng(3), 9)
    assert slope_over_seeds(M, many, "best") == slope_over_seeds(M, many, "best")


def called_bent(curve, draws=300):
    """Share of noisy curves that are said to be no line."""
    rng = np.random.default_rng(2)
    found = [
        slope_over_seeds(M, [np.exp(curve + 0.1 * rng.normal(size=len(M)))], "median").straight
        for _ in range(draws)
    ]
    return 1 - np.mean(found)


def test_lines_are_seldom_called_bent_and_bent_ones_often():
    assert called_bent(-X) < 0.07
    assert called_bent(-X - 0.3 * X**2) > 0.9, "a parabola"
    assert called_bent(np.maximum(-2 * X, -1.0)) > 0.9, "a plateau, as where training ends"


def test_three_widths_cannot_tell_a_line_and_two_are_no_fit():
    three = slope_over_seeds([1, 2, 4], [[1, 0.5, 0.4]], "median")
    assert three.straight is None and three.slope < 0
    assert slope_over_seeds([1, 2], [[1, 0.5]], "median") is None
    assert slope_over_seeds([2, 2, 2], [[1, 0.5, 0.2]], "median") is None


@pytest.mark.parametrize(
    ("x", "errors"),
    [
        ([1, 2, 3], [[1, 0, 2]]),
        ([0, 1, 2], [[1, 1, 2]]),
        ([1, 2, 3], [[1, 2]]),
        ([1, 2, 3], [1, 2, 3]),
        ([1, 2, 3], [[1, np.inf, 2]]),
    ],
)
def test_what_cannot_be_fitted_is_refused(x, errors):
    with pytest.raises(ValueError, match=r"above 0|must be \(seeds"):
        slope_over_seeds(x, errors, "median")
