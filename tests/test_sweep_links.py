"""Every link to a valid sweep opens, on an empty store and on one with its rows."""

from itertools import product

import numpy as np
import pytest
from streamlit_pages import app

from explorer.charts.axes import drawable, log_domain, log_scale, powers
from explorer.spec import compact
from explorer.targets import parse_sweep
from explorer.views.sweeps import numbers_text

PAIRS = {"alpha": [1.0, 2.0], "rank": [2, None], "m_ff": [16, 32], "seed": [0, 1], "m_h": [1, 2]}


def opens(sweep):
    at = app("rates", sweep=compact(sweep)).run()
    assert not at.exception, (sweep, [box.message for box in at.exception])
    assert not at.warning, (sweep, at.warning[0].value)
    assert at.text_input(key="sweep m_h").value == numbers_text(sweep.m_h)


@pytest.mark.parametrize("pairs", product([False, True], repeat=len(PAIRS)))
def test_every_combination_of_lists_opens_on_an_empty_store(pairs):
    lists = {
        name: values if two else values[:1]
        for (name, values), two in zip(PAIRS.items(), pairs, strict=True)
    }
    opens(parse_sweep(lists))


MANY = [*range(12), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(12, 200))]


@pytest.mark.parametrize("seed", MANY)
def test_random_sweeps_open_on_an_empty_store(seed):
    opens(random_sweep(np.random.default_rng(seed)))


def random_sweep(rng):
    """Any kind of coupling, any lists of up to three."""

    def some(values):
        return rng.permutation(values)[: rng.integers(1, 4)].tolist()

    given = {
        "power": {"alpha": some([0.0, 0.5, 1.0, 2.0, 8.0]), "rank": some([1, 2, 6, 64]) + [None]},
        "exponential": {"decay": 0.5, "rank": some([1, 3, 64])},
        "list": {"sigma": (rng.random(rng.integers(1, 9)) * 2).tolist()},
        "formula": {"formula": str(rng.choice(["u", "2*cos(2*pi*(u-v))", "minimum(u,v)"]))},
    }
    kind = str(rng.choice(list(given)))
    widths = {"m_h": some([1, 2, 3, 5, 8, 16, 64]), "m_ff": some([4, 16, 64])}
    widths |= {"seed": some([0, 1, 7])}
    basis = {"left_basis": str(rng.choice(["sine", "legendre", "haar"]))}
    spectrum = {} if kind == "formula" else {"spectrum": kind} | basis
    return parse_sweep(given[kind] | spectrum | widths | {"tau": int(rng.choice([2, 4, 16]))})


def test_axes_over_nothing_that_a_logarithm_knows():
    import pandas as pd

    for values in ([], [np.nan] * 4, [0.0, -1.0], [np.inf, np.nan]):
        none = pd.Series(values, dtype=float)
        assert drawable(none).empty and powers(none).to_dict()["values"] == []
        assert log_domain(none).to_dict() == log_domain(pd.Series([1.0])).to_dict()
        assert log_scale(none).to_dict() == log_scale(pd.Series([1.0])).to_dict()
    some = pd.Series([np.nan, 0.0, 1e-3, 10.0, np.inf])
    assert powers(some).to_dict() == powers(pd.Series([1e-3, 10.0])).to_dict()
