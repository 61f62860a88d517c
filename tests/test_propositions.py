"""Propositions 6.1 to 6.3: predicted, observed or in disagreement, from the numbers."""

import numpy as np
import pytest

from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets import linear_target
from explorer.theory.filters import tap_agreement
from explorer.theory.linear import linear_floors
from explorer.theory.propositions import (
    Pairs,
    proposition_61,
    proposition_62,
    proposition_63,
    reordering_gaps,
)


def test_a_permuted_target_is_out_of_reach_of_an_rnn():
    spec = LinearSpec(permutation="block")
    least = linear_floors(linear_target(spec).matrix).causal
    assert proposition_61(spec).label == "predicted" and "0.0301" in proposition_61(spec).sentence
    found = proposition_61(spec, {"seed 0": 1.01 * least, "seed 1": 1.3 * least})
    assert found.label == "observed" and "The best of 2 RNNs (seed 0)" in found.sentence
    assert proposition_61(spec, {"seed 0": 0.5 * least}).label == "disagrees"
    assert proposition_61(LinearSpec()).label == "predicted"


def test_a_kernel_without_its_first_terms_may_stay_causal_in_another_order():
    """y_t = x(t−5): exchanging x(0) and x(1) needs no input to come, against the proposition."""
    order = (1, 0, *range(2, 8))
    spec = LinearSpec(tau=8, kernel="taps", taps=(0, 0, 0, 0, 0, 1.0), permutation=order)
    assert not np.triu(linear_target(spec).matrix, 1).any()
    assert proposition_61(spec).label == "disagrees"


@pytest.mark.parametrize("mode", ["ahead", "centred", "circular"])
def test_a_target_whose_filter_reads_ahead_is_not_called_causal(mode):
    """In its own order, too, no causal model is right."""
    for order in (None, tuple(range(32))):
        spec = LinearSpec(filter="average", filter_mode=mode, permutation=order)
        assert linear_floors(linear_target(spec).matrix).causal > 1e-3
        found = proposition_61(spec)
        assert "the target is causal" not in found.sentence and "reads ahead" in found.sentence
    assert "the target is causal" in proposition_61(LinearSpec(filter="average")).sentence
    one = LinearSpec(filter=(0.5, 0.5), filter_mode="centred")  # of two taps none reads ahead
    assert "the target is causal" in proposition_61(one).sentence


@pytest.mark.parametrize(("after", "label"), [(2e-4, "observed"), (2e-2, "disagrees")])
def test_what_a_transformer_keeps_is_read_off_trained_errors(after, label):
    spec = LinearSpec(permutation="block")
    found = proposition_62(spec, Pairs({4: 1e-4}, {4: after}, 300))
    assert found.label == label and "positions only" in found.sentence
    assert found.sentence.startswith("One seed (4), 300 steps by the same settings")


def test_medians_and_their_spread_are_said():
    before, after = {0: 1e-4, 1: 2e-4, 2: 9e-4}, {2: 3e-4, 1: 1e-4, 0: 4e-4}
    found = proposition_62(LinearSpec(permutation="roll"), Pairs(before, after, 3000))
    assert "Medians of the same 3 seeds (0, 1, 2), 3000 steps" in found.sentence
    assert "2.0e-4 (1.0e-4 to 9.0e-4) before and 3.0e-4" in found.sentence
    assert "× 1.5 (seed by seed × 0.33 to 4;" in found.sentence and found.label == "observed"
    for other in ({}, {0: 1.0}, {0: 1.0, 1: 1.0, 3: 1.0}):
        with pytest.raises(ValueError, match="one of each"):
            Pairs(before, other, 3000)


def test_unequal_trainings_get_no_verdict():
    found = proposition_62(LinearSpec(permutation="random"), None, "3 trained before and 1 after")
    assert found.label == "not yet comparable" and "3 trained before" in found.sentence
    assert proposition_62(LinearSpec(permutation="random")).label == "predicted"


def test_content_queries_break_the_proof():
    spec = CouplingSpec(permutation="reverse", positions=4)
    assert proposition_62(spec).label == "disagrees" and "Eq. 90" in proposition_62(spec).sentence
    assert proposition_62(spec, Pairs({0: 3.6e-6}, {0: 1.5e-2}, 9)).label == "disagrees"
    assert proposition_62(LinearSpec()).label == "predicted"
    filtered = proposition_62(LinearSpec(filter="signed"), Pairs({0: 1e-4}, {0: 0.2}, 9))
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
    assert proposition_63(LinearSpec(filter=(1.0,))).label == "observed"  # changes nothing
    found = proposition_63(LinearSpec(filter="positive"))
    assert found.label == "disagrees" and "raises C₂" in found.sentence
    assert proposition_63(LinearSpec(filter="positive", filter_mode="ahead")).label == "disagrees"
    assert proposition_63(LinearSpec(filter=(0.5,))).label == "observed"  # shorter than its memory


def test_an_order_is_no_filter():
    alone = proposition_63(LinearSpec(permutation="block"))
    assert alone.label == "predicted"
    assert "there is none. An order is not one" in alone.sentence
    assert "order" not in proposition_63(LinearSpec()).sentence
    for taps in ((1.0,), (0.5,), "positive"):
        plain = proposition_63(LinearSpec(filter=taps))
        both = proposition_63(LinearSpec(filter=taps, permutation="block"))
        assert both.label == plain.label and both.sentence.endswith(plain.sentence)
        assert "an order is not one" in both.sentence


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kernel": "power"}, "γ = ∞"),
        ({"kernel": "random"}, "γ = ∞"),
        ({"rate": 0}, "γ = ∞"),
        ({"kernel": "taps", "taps": (1.0, 0.5)}, "of a kernel that ends γ is 0"),
        ({"kernel": "formula", "formula": "3*exp(-s)"}, "C₂ is 3 at γ = 1 (fitted on the window)"),
        ({"filter": (2.0, 1.0)}, "Σ|θ| ≤ 1, which is 3"),
    ],
)
def test_the_condition_that_fails_is_named_and_no_other(fields, words):
    found = proposition_63(LinearSpec(**{"filter": "average", **fields}))
    assert "It says nothing here" in found.sentence and words in found.sentence
    assert found.label == "predicted" and found.sentence.count("it needs") == 1


def test_taps_are_compared_up_to_sign_and_scale():
    theta = np.array([0.5, -0.2, 0.1])
    assert tap_agreement(-3 * theta, theta) == pytest.approx(1)
    assert tap_agreement(np.append(theta, 0), theta) == pytest.approx(1)
    assert tap_agreement([1, 0, 0], theta) == pytest.approx(0.5 / np.linalg.norm(theta))
    assert tap_agreement([0, 0], theta) == 0
