"""What the sentences of the shipped talk say without a number, or with an interval that a number
does not show; its numbers are claims of explorer/claims/talk.py."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from explorer.pages.attention import view_without_aux as without_aux
from explorer.pages.attention.view_board import respond, state_of, tokens
from explorer.pages.attention.view_head import Head
from explorer.pages.talk.scenes import parse_talk
from explorer.pages.train.view import flatness
from explorer.runs import weights
from explorer.spec import CouplingSpec
from explorer.targets import task_of
from explorer.theory.design import Design
from explorer.theory.sweep import groups
from explorer.ui.live import open_stream
from explorer.views.sweeps import shipped as shipped_sweep

ASSETS = Path(__file__).parents[1] / "assets"
STUCK = 1e-4  # nMSE: a head as wide as the rank that leaves more is caught


@cache
def talk():
    return parse_talk((ASSETS / "talk.json").read_text("utf-8"))


def said(scene, step):
    return talk().scenes[scene - 1].steps[step - 1].words


def nmse(run):
    return open_stream(run).record.row.metrics["nmse"]


# Scenes 2 and 3: a coupling and what truncation leaves of it


@pytest.mark.parametrize(
    ("step", "m", "words"),
    [(2, 3, "Three terms leave about a third"), (3, 8, "Eight leave about an eighth")],
)
def test_m_terms_leave_about_one_mth_of_what_one_leaves(step, m, words):
    floor = Design(CouplingSpec()).floor
    left, off = floor.nmse / floor.nmse[1], floor.nmse_se / floor.nmse
    assert words in said(3, step)
    assert left[m] == pytest.approx(1 / m, rel=3 * float(off[m] + off[1]))
    assert abs(left[m] - 1 / m) < min(1 / m - 1 / (m + 1), 1 / (m - 1) - 1 / m), "no other fraction"


@pytest.mark.parametrize("alpha", [0.8, 1.0, 1.5, 2.0])
def test_the_squares_left_out_add_up_like_the_rate_of_the_theorem(alpha):
    """Σ_{k>m} k^(−2α) against m^−(2α−1)/(2α−1), by the sum itself and an integral for its end."""
    assert r"m_h^{-(2\alpha-1)}" in said(3, 4) and r"\alpha>1/2" in said(3, 4)
    last = 100_000
    k = np.arange(1, last + 1)
    end = last ** (1 - 2 * alpha) / (2 * alpha - 1)
    m = np.array([100, 200, 400])
    tail = np.array([(k[k > each] ** (-2 * alpha)).sum() + end for each in m])
    slope = np.polyfit(np.log(m), np.log(tail), 1)[0]
    assert slope == pytest.approx(-(2 * alpha - 1), rel=0.02)


def test_nothing_is_lost_from_width_six_on():
    design = Design(CouplingSpec(rank=6))
    assert design.exact_rank == 6 and design.left_by(6) < 1e-20 < design.left_by(5)


# Scene 4: the runs that its slider turns to


def test_the_heads_of_scene_4_differ_in_the_width_alone_and_start_four_wider():
    specs = {m: open_stream(f"asset-cliff-{m}").record.spec for m in range(1, 17)}
    assert {spec.head_start for spec in specs.values()} == {4}
    assert "four dimensions wider" in said(4, 1) and "Half way it is cut" in said(4, 3)
    assert {spec.started_until / spec.steps for spec in specs.values()} == {0.5}
    alike = {spec.model_copy(update={"m_h": 1}) for spec in specs.values()}
    assert len(alike) == 1 and {spec.m_h for spec in specs.values()} == set(specs)


def test_the_speaker_is_told_which_of_them_is_caught():
    caught = [m for m in range(6, 17) if nmse(f"asset-cliff-{m}") > STUCK]
    notes = talk().scenes[3].notes
    assert [f"$m_h={m}$ is caught" in notes for m in caught] == [True] and caught == [11]


def test_five_dimensions_leave_an_error_and_six_find_all_singular_values():
    assert nmse("asset-cliff-5") > 100 * nmse("asset-cliff-6")
    record = open_stream("asset-cliff-6").record
    found = record.snapshot(record.steps[-1])[1]["sigma_hat"]
    np.testing.assert_allclose(found, 1 / np.arange(1, 7), rtol=0.02)


# Scene 5: Figure 1


def test_the_slope_is_near_theory_at_1_and_less_steep_at_2_and_half_for_the_absolute_error():
    rows = [row for row in shipped_sweep("fig1").rows if row["rank"] is None]
    fitted = {
        norm: {group["alpha"]: _slope(group) for group in groups(rows, norm, "median")}
        for norm in ("mse", "mae")
    }
    assert fitted["mse"][1.0] == pytest.approx(-1, abs=0.1)
    assert -3 + 0.5 < fitted["mse"][2.0] < -2
    assert r"near theory's at $\alpha=1$, less steep at $\alpha=2$" in said(5, 3)
    for alpha, slope in fitted["mse"].items():
        assert fitted["mae"][alpha] == pytest.approx(slope / 2, rel=0.1)
    assert "about half that slope" in said(5, 4)


def _slope(group):
    return np.polyfit(np.log(group["m_h"]), np.log(group["error"]), 1)[0]


def test_the_error_falls_off_a_cliff_at_the_rank():
    rows = [row for row in shipped_sweep("fig1").rows if row["rank"] is not None]
    for group in groups(rows, "mse", "median"):
        assert group["drop_at_rank"] > 100 and group["knee"]["m_h"] == group["rank"]


# Scene 6: a trained head on the shown sequence


@cache
def looked(temperature, order=None):
    """Answers (6, 2) and weights (6, 6) of the shipped head on scene 6's points."""
    spec = open_stream("asset-attention-nearest").record.spec
    head = Head(spec, weights.of_archive(ASSETS / "attention-nearest.zip"))
    board = talk().scenes[5].steps[1].change["view"]["board"]
    state = state_of(
        spec, {"board": board, "settings": {"temperature": temperature, "order": order}}
    )
    x = tokens(spec, state.board)
    return (*respond(head, x, state.settings), task_of(spec).attention(x))


def test_divided_by_ten_some_rows_spread_and_answers_drift():
    assert talk().scenes[5].steps[1].change["view"]["settings"]["temperature"] == 10
    (plain, _, _), (warm, spread, _) = looked(1.0), looked(10.0)
    drift = np.linalg.norm(warm - plain, axis=1)
    wide = spread.max(axis=1) < 0.9
    assert 1 < wide.sum() < 6 and "some rows spread" in said(6, 2)
    assert drift[wide].min() > 0.04 > 0.01 > drift[~wide].max(), (
        "their answers drift, and others not"
    )


def test_a_hard_maximum_answers_nearly_as_before_and_an_order_moves_along():
    (plain, sharp, ideal), (hard, one, _) = looked(1.0), looked(0.0)
    assert (one.max(axis=1) == 1).all() and np.abs(hard - plain).max() < 0.01
    assert (sharp.argmax(1) == ideal.argmax(1)).all()
    moved, _, _ = looked(1.0, (3, 0, 5, 1, 4, 2))
    np.testing.assert_allclose(moved, plain, atol=1e-12)


def test_the_head_of_the_notes_answers_right_and_looks_elsewhere():
    row = open_stream("asset-attention-cog-adam-plain").record.row
    assert (row.spec.optimizer, row.spec.aux) == ("adam", False)
    assert row.metrics["r2"] > 0.99 and row.metrics["agreement"] < 0.8
    pair = without_aux.pair(without_aux.shipped(), "cog-adam")
    assert pair.without.looking < pair.without.seeds


# Scene 7: order and filters, at the recipe shown


def test_an_exchange_gives_causal_models_a_floor_and_signs_cost_this_transformer_more():
    errors = {
        name: open_stream(f"asset-order-{name}").record.row.metrics["mse"]
        for name in ("quick", "quick-plain", "rnn", "rnn-block", "filter", "filter-conv")
    }
    assert errors["rnn-block"] > 0.03 > 1e-3 > errors["quick"]
    assert errors["filter"] > 10 * errors["quick"] > 10 * errors["filter-conv"]
    shown = open_stream("asset-order-filter").record.spec
    assert (shown.seed, shown.filter_seed, shown.steps) == (0, 2, 3000)
    assert max(errors["rnn"], errors["quick-plain"]) < 1e-4, "both learn the fading memory"
    assert "at this recipe" in said(7, 3)


def test_proposition_62_is_seen_where_positions_couple_and_not_where_content_does():
    table = pd.read_csv(ASSETS / "order-table2.csv").query("model == 'Transformer'")
    positions = table.groupby("row")["nmse"].median()
    content = pd.read_csv(ASSETS / "order-prop62.csv").groupby("order")["nmse"].median()
    assert positions["block exchange"] < 5 * positions["original"]
    assert content["in reverse"] > 1000 * content["in order"]
    assert "Proposition 6.2 holds where the coupling depends on positions" in talk().scenes[6].notes


# Train: the recipe as printed


def test_how_flat_the_recipe_as_printed_is():
    cells = {}
    for row in shipped_sweep("paper").rows:
        cells.setdefault((row["rank"], row["seed"]), {})[row["m_h"]] = row["nmse"]
    most = [
        max(max(of.values()) / min(of.values()) for (rank, _), of in cells.items() if rank == r)
        for r in (6, None)
    ]
    assert f"× {most[0]:.1f} at r = 6 and {most[1]:.1f} at r = ∞ (3 seeds)" in flatness()
    drops = [of[5] / of[6] for (rank, _), of in cells.items() if rank == 6]
    assert max(drops) < 2 and "no cliff" in flatness()
