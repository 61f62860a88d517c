"""Truncation floors: a naive second implementation, rates with a negative control, the cliff."""

import numpy as np
import pytest
from couplings import D3, POWER

from explorer.coupling import Designed, Formula, Samples, Truncated, pod
from explorer.targets import CouplingTarget
from explorer.theory import floor as floors
from explorer.theory.floor import truncation_floor, width_for
from explorer.theory.pairings import Paired
from explorer.theory.rates import power_fit

K = np.arange(1, 65)
M = range(1, 17)


def designed(alpha, right="shifted_sine"):
    return CouplingTarget(Designed(tuple((K**-alpha).tolist()), "sine", right), 16)


def sequences(seed, samples, tau):
    """The sequences of a floor: uniform random numbers, at the centres of their cells."""
    uniform = np.random.default_rng(seed).random((samples, tau))
    return (np.floor(uniform * floors.CELLS) + 0.5) / floors.CELLS


def rate_holds(alpha, right):
    """Whether the squared error falls like m^-(2α−1), to 7%, the shortfall of a finite tail."""
    slope = power_fit(M, truncation_floor(designed(alpha, right), M, samples=4096).mse).slope
    return abs(slope + (2 * alpha - 1)) < 0.07 * (2 * alpha - 1)


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0])
def test_squared_error_falls_with_the_rate_of_the_theorem(alpha):
    assert rate_holds(alpha, "shifted_sine")


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0])
def test_the_rate_fails_where_the_terms_add_up_on_the_diagonal(alpha):
    """Negative control ψ = φ: every s = t meets Σ σ_k φ_k(u)², which L² does not control."""
    assert not rate_holds(alpha, "sine")


@pytest.mark.parametrize("alpha", [1.0, 1.5, 2.0])
def test_absolute_error_falls_about_half_as_fast(alpha):
    floor = truncation_floor(designed(alpha), M, samples=4096)
    ratio = power_fit(M, floor.mae).slope / power_fit(M, floor.mse).slope
    assert 0.5 < ratio < 0.6


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [(1.0, [1.7e-1, 4.6e-2, 2.3e-2, 1.0e-2]), (2.0, [3.1e-2, 5.7e-4, 8.3e-5, 1.1e-5])],
)
def test_golden_numbers(alpha, printed):
    """nMSE at m = 1, 4, 8, 16, from an independent computation with its own sequences."""
    floor = truncation_floor(designed(alpha), [1, 4, 8, 16], samples=4096)
    assert np.allclose(floor.nmse, printed, rtol=0.1)


def test_against_the_target_with_fewer_terms():
    """Second implementation: a new target for every m; and every statistic by its definition."""
    target, m = designed(1.0), [5, 0, 2, 5]
    floor = truncation_floor(target, m, samples=300, seed=4)
    x = sequences(4, 300, 16)
    y = target.answer(x)
    for i, terms in enumerate(m):
        coupling = Designed(POWER[:terms]) if terms else Formula("0")
        error = CouplingTarget(coupling, 16).answer(x) - y
        for per_sequence, mean, se in (
            (np.mean(error**2, -1), floor.mse[i], floor.mse_se[i]),
            (np.mean(np.abs(error), -1), floor.mae[i], floor.mae_se[i]),
        ):
            assert mean == pytest.approx(per_sequence.mean(), rel=1e-9)
            assert se == pytest.approx(per_sequence.std(ddof=1) / np.sqrt(300), rel=1e-9)
    assert floor.variance == pytest.approx(y.var(), rel=1e-12) and floor.m.tolist() == m


@pytest.mark.parametrize(
    "coupling",
    [Formula("exp(-8*(u+v-1)**2) + 5*u"), Samples(np.random.default_rng(0).normal(size=(6, 8)))],
    ids=["formula", "samples"],
)
def test_against_the_truncated_coupling(coupling):
    target = CouplingTarget(coupling, 5)
    x = sequences(0, 200, 5)
    centred = pod(coupling, centred=True)
    floor = truncation_floor(target, [1, 3], samples=200)
    for m, mse in zip((1, 3), floor.mse, strict=True):
        answer = CouplingTarget(Truncated(centred, m), 5).answer(x)
        assert mse == pytest.approx(np.mean((answer - target.answer(x)) ** 2), rel=1e-9)


@pytest.mark.parametrize(
    ("coupling", "rank"),
    [
        (Designed(POWER[:6]), 6),
        (Designed(POWER), 64),
        (Formula(D3), 2),
        (Formula("7*u + 3"), 0),
        (Samples(np.arange(12.0).reshape(3, 4)), 1),
        (Designed((1.0, 0.5), "haar", "haar"), 2),
    ],
    ids=str,
)
def test_nothing_is_lost_from_the_centred_rank_on(coupling, rank):
    widths = [max(rank - 1, 0), rank, rank + 1, 500]
    floor = truncation_floor(CouplingTarget(coupling, 8), widths, samples=100)
    assert np.all(floor.mse[1:] < 1e-22)
    assert rank == 0 or floor.mse[0] > 1e-7


def test_the_chunks_leave_no_trace(monkeypatch):
    target = designed(1.5)
    whole = truncation_floor(target, [2, 9], samples=150)
    monkeypatch.setattr(floors, "CHUNK", 7)
    parts = truncation_floor(target, [2, 9], samples=150)
    assert np.allclose(whole.mse, parts.mse, rtol=1e-12, atol=0)


def test_standard_errors_cover_other_seeds():
    """Means of 20 seeds scatter as the standard error says (χ² with 19 degrees of freedom)."""
    runs = [truncation_floor(designed(1.0), [4], samples=200, seed=seed) for seed in range(20)]
    scatter = np.var([run.mse[0] for run in runs], ddof=1)
    ratio = scatter / np.mean([run.mse_se[0] ** 2 for run in runs])
    assert 8.9 / 19 < ratio < 32.9 / 19  # 95%


@pytest.mark.parametrize("m", [[], [-1], [0.5], [[1]], ["a"]])
def test_bad_widths_are_refused(m):
    with pytest.raises(ValueError, match="whole numbers from 0"):
        truncation_floor(designed(1.0), m)


def test_a_standard_error_needs_two_sequences():
    with pytest.raises(ValueError, match="at least 2"):
        truncation_floor(designed(1.0), [1], samples=1)


@pytest.mark.parametrize("name", ["sine", "haar", "legendre"])
def test_of_a_long_sequence_sixteen_outputs_say_what_all_do(name, monkeypatch):
    """H_t is one function of x_t and the others: fewer outputs, the same mean."""
    target = CouplingTarget(Designed(POWER[:20], name, name), 40)
    some = truncation_floor(target, [1, 8], samples=400)
    monkeypatch.setattr(floors, "QUERIES", 40)
    every = truncation_floor(target, [1, 8], samples=400)
    assert np.all(np.abs(some.mse - every.mse) < 3 * np.hypot(some.mse_se, every.mse_se))
    assert np.all(some.mse_se > every.mse_se) and some.variance != every.variance


@pytest.mark.parametrize(
    "coupling",
    [
        Designed(POWER, "legendre", "legendre"),
        Formula("minimum(u, v)"),
        Formula("heaviside(u - 0.3)*heaviside(v - 0.71)"),
    ],
    ids=["wild", "kink", "jump"],
)
def test_cells_move_a_floor_by_less_than_its_standard_error(coupling, monkeypatch):
    target = CouplingTarget(coupling, 8)
    coarse = truncation_floor(target, [0, 1, 4], samples=400)
    monkeypatch.setattr(floors, "CELLS", 50_000)
    fine = truncation_floor(target, [0, 1, 4], samples=400)
    assert np.all(np.abs(coarse.mse - fine.mse) <= 0.2 * fine.mse_se + 1e-12)


def test_couplings_far_beyond_the_reach_of_exp_have_a_floor():
    target = CouplingTarget(Designed((100.0,) * 40, "legendre", "legendre"), 6)
    floor = truncation_floor(target, [1, 39, 40], samples=100)
    assert np.isfinite(floor.nmse).all() and floor.mse[1] > 0 and floor.mse[2] < 1e-20


def test_many_sequences_of_many_widths_take_no_memory(monkeypatch):
    """Sums are kept, not errors: 10⁴ sequences at 1025 widths were 10⁷ numbers and more."""
    import tracemalloc

    target = CouplingTarget(Designed(POWER[:3]), 4)
    tracemalloc.start()
    truncation_floor(target, range(1025), samples=10_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


@pytest.mark.parametrize(("norm", "name", "error"), [("mse", "nmse", 0.01), ("mae", "mae", 0.008)])
def test_the_width_for_an_error_has_the_interval_of_the_floor(norm, name, error):
    floor = truncation_floor(designed(1.0), range(33))
    m, low, high = width_for(floor, error, norm=norm)
    left, half = getattr(floor, name), 1.96 * getattr(floor, f"{name}_se")
    assert low <= m <= high and low < high
    assert left[m] <= error < left[m - 1]
    assert left[low] - half[low] <= error < left[low - 1] - half[low - 1]
    assert left[high] + half[high] <= error < left[high - 1] + half[high - 1]
    others = (truncation_floor(designed(1.0), range(33), seed=seed) for seed in range(1, 9))
    inside = [low <= width_for(other, error, norm=norm).m <= high for other in others]
    assert sum(inside) >= 6, "other sequences name a width of the interval"
    assert width_for(floor, 1e-9, norm=norm) == (None, None, None)
    assert width_for(floor, 1e-9, rank=40, norm=norm) == (40, 40, 40)


TIED = [
    ((1.0,) * 6, "legendre", "haar"),
    ((1.0, 0.5, 0.5, 0.5, 0.2), "haar", "haar"),
    ((0.5, 1.0, 0.0, 0.5, 0.5), "sine", "shifted_sine"),
]


@pytest.mark.parametrize(("sigma", "left", "right"), TIED, ids=str)
def test_where_sigma_are_equal_the_first_terms_are_the_first_of_the_design(sigma, left, right):
    """An SVD turns them at will: ρ_m as it is drawn was another one than that of its floor."""
    whole, order = np.array(sigma), np.argsort(-np.array(sigma), kind="stable")
    target = CouplingTarget(Designed(sigma, left, right), 16)
    x = sequences(3, 4000, 16)
    y = target.answer(x)
    floor = truncation_floor(target, range(1, len(sigma)), samples=4000, seed=4)
    for m, nmse, se in zip(floor.m, floor.nmse, floor.nmse_se, strict=True):
        kept = np.where(np.isin(np.arange(len(sigma)), order[:m]), whole, 0.0)
        cut = CouplingTarget(Designed(tuple(kept.tolist()), left, right), 16).answer(x)
        error = (y - cut) ** 2
        half = 1e-12 + 5 * (se + error.std() / len(x) ** 0.5 / y.var())
        assert abs(error.mean() / y.var() - nmse) < half


def test_a_pairing_of_equal_sigma_keeps_its_own_functions():
    """A design whose ψ_k are those of another place is not turned to the ones of its basis."""
    paired = Paired((1.0,) * 4, "sine", "sine", order=(1, 0, 3, 2))
    modes = pod(paired, centred=True)
    x = np.linspace(0, 1, 50)
    kept = modes.left(x)[:, :1] * modes.sigma[:1] @ modes.right(x)[:, :1].T
    assert np.allclose(kept, 2 * np.sin(2 * np.pi * x)[:, None] * np.sin(4 * np.pi * x), atol=1e-12)
    assert np.allclose(truncation_floor(CouplingTarget(paired, 8), [4], samples=64).nmse, 0)
