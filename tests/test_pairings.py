"""Readings of which ψ_i goes with which φ_i: same spectrum, other truncation."""

import numpy as np
import pytest
from streamlit_pages import opened

from explorer.coupling import Designed, coupling_of, pod
from explorer.pages.rates.view_notes import readings
from explorer.spec import compact
from explorer.targets import PRESETS, SWEEPS
from explorer.theory.pairings import BY_FORMULA, PAIRINGS, Paired, truncation_slopes

SIGMA = tuple((1 / np.arange(1, 65)).tolist())


@pytest.mark.parametrize("name", PAIRINGS)
def test_a_pairing_keeps_the_singular_values_and_the_set_of_functions(name):
    order, right = PAIRINGS[name]
    paired = Paired(SIGMA, "sine", right, order=tuple(order.tolist()))
    assert sorted(order.tolist()) == list(range(64))
    np.testing.assert_allclose(pod(paired, centred=True).sigma[:64], SIGMA, atol=1e-12)


def test_a_pairing_is_of_its_own_functions():
    x = np.linspace(0, 1, 7)
    order = PAIRINGS["ψ in swapped pairs"][0]
    found = Paired(SIGMA, "sine", "sine", order=tuple(order.tolist())).right_factor(x)
    plain = Designed(SIGMA, "sine", "sine").right_factor(x)
    np.testing.assert_array_equal(found[:, :2], plain[:, 1::-1])
    assert not np.allclose(found, plain)


def test_the_slopes_of_the_facts():
    """Recomputed elsewhere: −.84, −1.02, −.89, −.75, −.59, with other sequences and orders."""
    found = list(truncation_slopes(1.0).values())
    np.testing.assert_allclose(found, [-0.84, -1.02, -0.89, -0.75, -0.59], atol=0.04)


@pytest.mark.parametrize("name", BY_FORMULA)
def test_a_reading_that_is_opened_is_the_pairing(name):
    """Exactly: its formula beside the sum of its terms, and σ_k = 1/k."""
    spec, order = readings()[name], tuple(BY_FORMULA[name].tolist())
    count, x = len(order), np.random.default_rng(1).random(50)
    paired = Paired(SIGMA[:count], "sine", "sine", order=order)
    found = coupling_of(spec)
    np.testing.assert_allclose(found.matrix(x, x), paired.matrix(x, x), rtol=0, atol=1e-12)
    np.testing.assert_allclose(pod(found, centred=True).sigma[:count], SIGMA[:count], atol=1e-10)
    assert sorted(order) == list(range(count)) != list(order)
    kept = {*type(spec).model_fields} - {"formula"}
    assert all(getattr(spec, field) == getattr(PRESETS["paper"][1], field) for field in kept)


def test_the_readings_are_offered_where_the_sweep_is_one_and_nowhere_else():
    for sweep, offered in (("rates-paper", True), ("fig1", False)):
        at = opened("rates", sweep=compact(SWEEPS[sweep][1]))
        labels = [each.proto.label for each in at.get("page_link")]
        assert ({f"Train {name}" for name in BY_FORMULA} <= {*labels}) == offered
