"""What verdicts say of few points, of one seed, of a width at the cliff."""

import pytest

from explorer.pages.rates.view_text import is_bent, verdict
from explorer.pages.train.view import at_the_cliff
from explorer.spec import amended
from explorer.targets import PRESETS, parse, parse_sweep
from explorer.theory import sweep as theory
from explorer.theory.design import Design
from explorer.theory.propositions import _digits


def groups_of(widths, seeds, error):
    sweep = parse_sweep({"formula": "minimum(u, v)", "m_h": widths, "seed": list(range(seeds))})
    rows = [
        {"alpha": 1.0, "rank": None, "m_ff": 128, "m_h": m, "seed": s, "nmse": error(m) * (1 + s)}
        for m in widths
        for s in range(seeds)
    ]
    targets = {key: Design(spec).target for key, spec in theory.designs(sweep).items()}
    return sweep, rows, theory.summary(sweep, rows, targets)["groups"]


@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.parametrize("widths", [[1, 2, 4, 8], [1, 2, 3, 4, 6, 8, 12, 16]])
def test_a_verdict_of_rates_ends_where_its_sentence_ends(widths, seeds):
    sweep, rows, groups = groups_of(widths, seeds, lambda m: m**-2.0)
    said = verdict(sweep, groups, "mse", len(rows))
    assert said.endswith(".") and not said.endswith("; .") and "; ;" not in said


def test_four_points_of_one_seed_are_not_said_to_bend():
    bend = {1: 1.0, 2: 0.3, 4: 0.085, 8: 0.0225, 16: 0.0056, 32: 0.0013, 64: 0.0002}
    _, _, (few,) = groups_of([1, 2, 4, 8], 1, bend.get)
    few = few | {"straight": False}
    assert not is_bent(few)
    assert is_bent(few | {"seeds": [3] * 4}), "seeds that agree can"


@pytest.mark.parametrize(
    ("value", "text"), [(189_123.0, "189,000"), (0.0512, "0.0512"), (12.34, "12.3")]
)
def test_large_constants_are_written_without_an_exponent(value, text):
    assert _digits(value) == text


def test_a_width_at_the_cliff_is_told_of_the_head_start():
    """Seeds 0, 5 and 6 of {"rank": 6, "m_h": 6} are caught; the preset has a head start."""
    bare = parse({"rank": 6, "m_h": 6})
    assert "head_start = 4" in at_the_cliff(Design(bare))
    for quiet in (
        amended(bare, head_start=4),
        amended(bare, m_h=7),
        amended(bare, m_h=5),
        amended(PRESETS["train"][1], rank=6, m_h=6),
        parse({"rank": 1, "m_h": 1}),
    ):
        assert not at_the_cliff(Design(quiet))
