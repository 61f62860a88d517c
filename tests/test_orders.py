"""The hardest order for a linear RNN: the floor it is searched by, and the search."""

from itertools import permutations

import numpy as np
import pytest

from explorer.spec import LinearSpec, amended
from explorer.targets import linear_target
from explorer.theory.linear import linear_floors
from explorer.theory.orders import hardest_order, rnn_floor

SMALL = LinearSpec(tau=6)
TARGETS = {
    "exponential": SMALL,
    "power": amended(SMALL, kernel="power"),
    "random": amended(SMALL, kernel="random"),
    "signed filter": amended(SMALL, filter="signed", filter_length=3),
    "constant": amended(SMALL, rate=0.0),
}


def floor_of(matrix, order):
    return linear_floors(matrix[:, list(order)]).time_invariant


@pytest.mark.parametrize("spec", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_search_finds_the_hardest_of_all_orders(spec, seed):
    matrix = linear_target(spec).matrix
    hardest = max(floor_of(matrix, order) for order in permutations(range(spec.tau)))
    found = hardest_order(matrix, seed, work=1e5)
    assert floor_of(matrix, found) == pytest.approx(hardest, rel=1e-9)
    assert rnn_floor(matrix, found) == pytest.approx(hardest, rel=1e-9)


@pytest.mark.parametrize("spec", [LinearSpec(), LinearSpec(filter="signed")], ids=["", "filtered"])
def test_it_is_an_order_that_the_target_takes(spec):
    """The floor is that of the target itself; another seed may find another order."""
    matrix = linear_target(spec).matrix
    found = hardest_order(matrix, 3, work=3e6)
    assert sorted(found) == list(range(spec.tau)) and found == hardest_order(matrix, 3, work=3e6)
    hard = linear_floors(linear_target(amended(spec, permutation=found)).matrix).time_invariant
    assert hard == pytest.approx(rnn_floor(matrix, found), rel=1e-12)
    for named in ("block", "roll", "reverse", "random"):
        other = linear_floors(linear_target(amended(spec, permutation=named)).matrix)
        assert hard > other.time_invariant


def test_a_search_without_work_keeps_the_order_as_it_is():
    """A negative control: nothing but the search makes an order hard."""
    matrix = linear_target(SMALL).matrix
    assert hardest_order(matrix, work=0) == (0, 1, 2, 3, 4, 5)
    with pytest.raises(ValueError, match="square"):
        hardest_order(np.ones((2, 3)))
