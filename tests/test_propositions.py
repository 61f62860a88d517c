"""Propositions 6.1 to 6.3: predicted, observed or in disagreement, from the numbers."""

import numpy as np
import pytest

from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets import linear_target
from explorer.theory.filters import tap_agreement
from explorer.theory.linear import linear_floors
from explorer.theory.propositions import (
    proposition_61,
    proposition_62,
    proposition_63,
    reordering_gaps,
)


def test_a_permuted_target_is_out_of_reach_of_an_rnn():
    spec = LinearSpec(permutation="block")
    least = linear_floors(linear_target(spec).matrix).causal
    assert proposition_61(spec).label == "predicted" and "0.0301" in proposition_61(spec).sentence
    assert proposition_61(spec, 1.01 * least).label == "observed"
    assert proposition_61(spec, 0.5 * least).label == "disagrees"
    assert proposition_61(LinearSpec()).label == "predicted"


def test_a_kernel_without_its_first_terms_may_stay_causal_in_another_order():
    """y_t = x(t−5): exchanging x(0) and x(1) needs no input to come, against the proposition."""
    order = (1, 0, *range(2, 8))
    spec = LinearSpec(tau=8, kernel="taps", taps=(0, 0, 0, 0, 0, 1.0), permutation=order)
    assert not np.triu(linear_target(spec).matrix, 1).any()
    assert proposition_61(spec).label == "disagrees"


@pytest.mark.parametrize(("after", "label"), [(2e-4, "observed"), (2e-2, "disagrees")])
def test_what_a_transformer_keeps_is_read_off_trained_errors(after, label):
    found = proposition_62(LinearSpec(permutation="block"), 1e-4, after)
    assert found.label == label and "positions only" in found.sentence


def test_content_queries_break_the_proof():
    spec = CouplingSpec(permutation="reverse", positions=4)
    assert proposition_62(spec).label == "disagrees" and "Eq. 90" in proposition_62(spec).sentence
    assert proposition_62(spec, 3.6e-6, 1.5e-2).label == "disagrees"
    assert proposition_62(LinearSpec()).label == "predicted"
    filtered = proposition_62(LinearSpec(filter="signed"), 1e-4, 0.2)
    assert filtered.label == "predicted" and "about orders" in filtered.sentence


def test_with_its_answers_reordered_a_coupling_stays_the_same():
    for order in ("reverse", "roll", (2, 0, 1, 3)):
        spec = CouplingSpec(permutation=order, positions=2, tau=4, rank=2)
        held, changed = reordering_gaps(spec)
        assert held < 1e-13 and changed > 0.1
    held, changed = reordering_gaps(CouplingSpec(permutation=(0, 1, 2, 3), positions=2, tau=4))
    assert held == changed == 0
    with pytest.raises(ValueError, match="an order is needed"):
        reordering_gaps(CouplingSpec())


def test_mixing_keeps_c_rnn_only_without_causality():
    assert "there is none" in proposition_63(LinearSpec(permutation="block")).sentence
    assert proposition_63(LinearSpec(filter=(1.0,))).label == "observed"  # changes nothing
    found = proposition_63(LinearSpec(filter="positive"))
    assert found.label == "disagrees" and "raises C₂" in found.sentence
    assert proposition_63(LinearSpec(filter="positive", filter_mode="ahead")).label == "disagrees"
    assert proposition_63(LinearSpec(filter=(0.5,))).label == "observed"  # shorter than its memory
    for out_of_scope in ({"filter": (2.0, 1.0)}, *(
        {"kernel": kernel, "filter": "average"} for kernel in ("power", "random")
    )):  # fmt: skip
        assert "says nothing" in proposition_63(LinearSpec(**out_of_scope)).sentence


def test_taps_are_compared_up_to_sign_and_scale():
    theta = np.array([0.5, -0.2, 0.1])
    assert tap_agreement(-3 * theta, theta) == pytest.approx(1)
    assert tap_agreement(np.append(theta, 0), theta) == pytest.approx(1)
    assert tap_agreement([1, 0, 0], theta) == pytest.approx(0.5 / np.linalg.norm(theta))
    assert tap_agreement([0, 0], theta) == 0
