"""The 95 % interval of a truncation floor holds the truth about as often, whatever the design."""

import numpy as np
import pytest

from explorer.coupling import Designed, Formula, Samples, pod
from explorer.targets import CouplingTarget
from explorer.theory.floor import NORMAL_95, truncation_floor

REPETITIONS, SEQUENCES, M = 100, 256, [0, 1, 2, 3, 4]
K = np.arange(1, 65)


def designed(rank, alpha, *bases, c=1.0):
    return Designed(tuple((c * K[:rank] ** -alpha).tolist()), *bases)


DESIGNS = {
    "Legendre × Fourier, τ = 24": (designed(5, 1.5, "legendre", "fourier"), 24),
    "Haar": (designed(8, 1.0, "haar", "haar"), 16),
    "c = 0.2": (designed(6, 1.0, c=0.2), 16),
    "c = 3": (designed(6, 1.0, c=3.0), 16),
    "τ = 64": (designed(6, 2.0), 64),
    "τ = 4": (designed(6, 1.0), 4),
    "64 terms": (designed(64, 1.0), 16),
    "formula": (Formula("8*minimum(u, v)"), 16),
    "jump": (Formula("5*(u > v)"), 2),
    "upload": (Samples(np.random.default_rng(5).normal(size=(12, 9))), 16),
}


def repeated(name):
    """Floors of as many seeds as there are repetitions."""
    coupling, tau = DESIGNS[name]
    target, centred = CouplingTarget(coupling, tau), pod(coupling, centred=True)
    return [truncation_floor(target, M, SEQUENCES, seed, centred) for seed in range(REPETITIONS)]


def covered(errors, halves, truth):
    """Share of the intervals, (repetitions, M), that hold the truth (M,)."""
    return np.mean(np.abs(np.array(errors) - truth) <= np.array(halves), axis=0)


def shares(floors):
    """Of the intervals of nMSE, of those of MAE, and of nMSE with Var(y) taken as known. The truth
    is that of all sequences together: a hundred times as many."""
    variance = np.mean([floor.variance for floor in floors])
    truth = np.mean([floor.mse for floor in floors], axis=0) / variance
    absolute = np.mean([floor.mae for floor in floors], axis=0)
    known = [NORMAL_95 * floor.mse_se / floor.variance for floor in floors]
    nmse, mae = ([floor.interval(norm) for floor in floors] for norm in ("mse", "mae"))
    return (
        covered(*zip(*nmse, strict=True), truth),
        covered(*zip(*mae, strict=True), absolute),
        covered([floor.nmse for floor in floors], known, truth),
    )


@pytest.mark.parametrize("name", DESIGNS)
def test_intervals_cover_what_they_say(name):
    """95 % less three standard errors of a share of 100; errors of softmax have a long tail, which
    takes 1 to 4 % off at 256 sequences."""
    squared, absolute, _ = shares(repeated(name))
    assert np.all(squared >= 0.86) and squared.mean() >= 0.89
    assert np.all(absolute >= 0.86) and absolute.mean() >= 0.89


@pytest.mark.parametrize("name", ["Legendre × Fourier, τ = 24", "Haar", "c = 0.2"])
def test_an_interval_that_takes_the_variance_as_known_does_not(name):
    """The negative control: the variance of y comes from the same sequences as the error."""
    assert shares(repeated(name))[2].min() < 0.8


def test_the_standard_error_of_the_ratio_by_its_definition():
    """Second implementation: the deviation over sequences of e − nMSE·(y − ȳ)²."""
    from explorer.theory import floor as floors

    target = CouplingTarget(Designed((1.0, 0.5, 0.25)), 12)
    found = truncation_floor(target, [0, 1, 2], samples=300, seed=4)
    uniform = np.random.default_rng(4).random((300, 12))
    x = (np.floor(uniform * floors.CELLS) + 0.5) / floors.CELLS
    y = target.answer(x)
    v = np.mean((y - y.mean()) ** 2, axis=1)
    for m in (1, 2):
        y_m = CouplingTarget(Designed((1.0, 0.5, 0.25)[:m]), 12).answer(x)
        e = np.mean((y_m - y) ** 2, axis=1)
        nmse = e.mean() / v.mean()
        se = np.std(e - nmse * v, ddof=1) / np.sqrt(300) / v.mean()
        assert found.nmse[m] == pytest.approx(nmse, rel=1e-9)
        assert found.nmse_se[m] == pytest.approx(se, rel=1e-9)
