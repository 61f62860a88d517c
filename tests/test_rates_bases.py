"""ψ = φ beside the half shift: what is said of their rates is what the shipped numbers bear."""

import numpy as np
import pytest

from explorer.pages.rates import view as rates
from explorer.pages.rates.view_bases import bases_note, compared, unattentive
from explorer.spec import CouplingSpec, amended
from explorer.targets import parse_sweep, target_of
from explorer.theory.itself import by_itself
from explorer.views import sweeps
from explorer.views.sweeps import Finished


def group(slope, interval):
    return {"slope": slope, "slope_ci": interval, "statistic": "median of 3 seeds"}


def slopes_by_seed(name, alpha):
    """Of each seed's own errors without end, by numpy."""
    rows = [r for r in sweeps.shipped(name).rows if (r["alpha"], r["rank"]) == (alpha, None)]
    found = []
    for seed in sorted({row["seed"] for row in rows}):
        own = [(row["m_h"], row["nmse"]) for row in rows if row["seed"] == seed]
        found.append(np.polyfit(*np.log(np.array(sorted(own))).T, 1)[0])
    return np.array(found)


def note(name, norm="mse", statistic="median"):
    (text,) = bases_note(sweeps.shipped(name), norm, statistic)
    return text


def test_the_diagonal_has_the_seeds_and_the_recipe_of_figure_1():
    same, shifted = sweeps.shipped("diagonal").sweep, sweeps.shipped("fig1").sweep
    assert amended(same, right_basis="shifted_sine", rank=shifted.rank) == shifted
    assert len(same.seed) >= 3


def test_at_alpha_1_every_seed_is_flatter_with_psi_equal_to_phi():
    same, shifted = slopes_by_seed("diagonal", 1.0), slopes_by_seed("fig1", 1.0)
    assert same.min() - shifted.max() > 0.4, "flatter by four tenths of the rate or more"
    assert np.all(np.abs(shifted + 1) < 0.2) and np.all(same > -0.6)


def test_medians_of_three_seeds_do_not_tell_the_slopes_apart_and_the_page_says_so():
    """At α = 1 their interval is half an exponent wide; at α = 2 the seeds' slopes overlap."""
    same, shifted = slopes_by_seed("diagonal", 2.0), slopes_by_seed("fig1", 2.0)
    assert same.min() < shifted.max() and shifted.min() < same.max()
    for name in ("diagonal", "fig1"):
        assert note(name).count("not told apart") == 2


def test_no_law_is_drawn_or_printed_where_psi_is_phi():
    shown = rates.rates_view(sweeps.shipped("diagonal"), "mse", "median")
    assert [g["predicted_slope"] for g in shown.groups] == [None, None]
    assert "theory" not in shown.verdict and set(rates.lines(shown.groups)["line"]) == {
        "truncation"
    }
    figure = rates.rates_view(sweeps.shipped("fig1"), "mse", "median")
    assert {g["predicted_slope"] for g in figure.groups if g["rank"] is None} == {-1, -3}


@pytest.mark.parametrize(
    ("same", "shifted", "says"),
    [
        (group(-0.1, [-0.5, 0.3]), group(-0.9, [-1.0, -0.8]), "less steep with ψ = φ"),
        (group(-0.5, [-0.9, -0.1]), group(-0.9, [-1.0, -0.8]), "not told apart"),
        (group(-1.9, [-2.0, -1.8]), group(-0.9, [-1.0, -0.8]), "steeper with ψ = φ"),
        (group(-0.1, None), group(-0.9, [-1.0, -0.8]), "of one seed"),
    ],
)
def test_slopes_are_told_apart_by_their_intervals(same, shifted, says):
    same, shifted = (g | {"straight": True} for g in (same, shifted))
    assert says in compared({1.0: same}, {1.0: shifted})
    assert compared({1.0: same}, {2.0: shifted}) == ""


def test_only_equal_recipes_are_compared():
    other = amended(sweeps.shipped("diagonal").sweep, steps=600)
    (text,) = bases_note(Finished(other, sweeps.shipped("diagonal").rows), "mse", "median")
    assert "Fitted slopes" not in text and "gives itself" in text


@pytest.mark.parametrize(
    "sweep",
    [{"formula": "u*v"}, {"right_basis": "haar"}, {"rank": 2}, {"spectrum": "exponential"}],
)
def test_nothing_is_said_of_other_couplings(sweep):
    assert not [*bases_note(Finished(parse_sweep(sweep), ()), "mse", "median")]


def test_a_token_that_sees_all_alike_knows_its_share():
    """ρ = 0: y is the mean of τ uniform tokens, of which x_t explains 1/τ."""
    for tau in (4, 16):
        found = by_itself(target_of(CouplingSpec(formula="0*u", tau=tau)), 4096)
        assert found.attention == pytest.approx(1 / tau)
        assert found.nmse == pytest.approx(1 - 1 / tau, rel=0.05)


def test_a_token_that_sees_only_itself_knows_all():
    found = by_itself(target_of(CouplingSpec(formula="-1e5*(u-v)**2", tau=4)))
    assert found.attention > 0.97 and found.nmse < 0.01


def test_with_psi_equal_to_phi_a_token_looks_at_itself():
    """Against the mean of y in narrow cells of x_t, by other sequences."""
    rng = np.random.default_rng(7)
    for right, share in (("sine", 0.75), ("shifted_sine", 0.026)):
        target = target_of(CouplingSpec(right_basis=right))
        x = rng.random((4096, 16))
        y, cell = np.asarray(target.answer(x)).ravel(), (400 * x.ravel()).astype(int)
        mean = np.bincount(cell, y, 400) / np.bincount(cell, minlength=400)
        found = by_itself(target)
        assert found.attention == pytest.approx(share, rel=0.02)
        assert found.nmse == pytest.approx(np.mean((y - mean[cell]) ** 2) / y.var(), rel=0.15)


def test_models_that_learned_no_attention_are_counted():
    rows = [
        {"m_ff": m_ff, "nmse": nmse}
        for m_ff, nmse in [
            (4, 0.3),
            (4, 0.15),
            (4, 0.02),
            (8, 0.139),
            (8, 0.14),
            (128, 0.01),
            (128, None),
        ]
    ]
    said = unattentive(rows, 0.155)
    assert "3 of 6 models" in said and "2 of 3 at 4, 1 of 2 at 8." in said
    assert unattentive(rows[-2:], 0.155) == ""


def test_the_plateau_of_training_is_what_a_token_says_alone():
    """Half shift, α = 1: a start that is stuck ends at it, and none of Figure 1 does."""
    alone = by_itself(target_of(CouplingSpec())).nmse
    rows = [row for row in sweeps.shipped("budget").rows if row["m_ff"] in (16, 32)]
    near = [row["nmse"] for row in rows if 0.85 * alone < row["nmse"] < 1.15 * alone]
    between = [row["nmse"] for row in rows if 0.1 < row["nmse"] < 0.85 * alone]
    assert near and not between
    assert unattentive(sweeps.shipped("fig1").rows, alone) == ""
