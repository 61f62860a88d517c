"""Readings of which ψ_i goes with which φ_i: same spectrum, other truncation."""

import numpy as np
import pytest

from explorer.coupling import Designed, pod
from explorer.theory.pairings import PAIRINGS, Paired, truncation_slopes

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
