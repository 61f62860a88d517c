"""What the sentences of the shipped talk say without a number, or with an interval that a number
does not show; its numbers are claims of explorer/claims/talk.py."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from explorer.pages.attention import view_without_aux as without_aux
from explorer.pages.attention.view_board import answered, example, respond, state_of, tokens
from explorer.pages.attention.view_head import Head
from explorer.pages.talk.scenes import parse_talk, plain
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


def scene(words):
    """The scene with these words in its title."""
    (found,) = [each for each in talk().scenes if words in each.title]
    return found


def said(words, step):
    return plain(scene(words).steps[step - 1].words)


def nmse(run):
    return open_stream(run).record.row.metrics["nmse"]


# A coupling and what truncation leaves of it


@pytest.mark.parametrize(
    ("step", "m", "words"),
    [(2, 3, "With three terms about a third"), (3, 8, "With eight, about an eighth.")],
)
def test_m_terms_leave_about_one_mth_of_what_one_leaves(step, m, words):
    floor = Design(CouplingSpec()).floor
    left, off = floor.nmse / floor.nmse[1], floor.nmse_se / floor.nmse
    assert words in said("narrow", step)
    assert left[m] == pytest.approx(1 / m, rel=3 * float(off[m] + off[1]))
    assert abs(left[m] - 1 / m) < min(1 / m - 1 / (m + 1), 1 / (m - 1) - 1 / m), "no other fraction"


@pytest.mark.parametrize("alpha", [0.8, 1.0, 1.5, 2.0])
def test_the_squares_left_out_add_up_like_the_rate_of_the_theorem(alpha):
    """Σ_{k>m} k^(−2α) against m^−(2α−1)/(2α−1), by the sum itself and an integral for its end."""
    assert r"m_h^{-(2\alpha-1)}" in said("narrow", 4) and r"\alpha>1/2" in said("narrow", 4)
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


# The runs that its slider turns to


def test_the_heads_of_the_training_differ_in_the_width_alone_and_start_four_wider():
    specs = {m: open_stream(f"asset-cliff-{m}").record.spec for m in range(1, 17)}
    assert {spec.head_start for spec in specs.values()} == {4}
    assert "four dimensions wider" in said("training", 1) and "Half way it is cut" in said(
        "training", 3
    )
    assert {spec.started_until / spec.steps for spec in specs.values()} == {0.5}
    alike = {spec.model_copy(update={"m_h": 1}) for spec in specs.values()}
    assert len(alike) == 1 and {spec.m_h for spec in specs.values()} == set(specs)


def test_the_speaker_is_told_which_of_them_is_caught():
    caught = [m for m in range(6, 17) if nmse(f"asset-cliff-{m}") > STUCK]
    notes = scene("training").notes
    assert [f"$m_h={m}$ is caught" in notes for m in caught] == [True] and caught == [11]


def test_five_dimensions_leave_an_error_and_six_find_all_singular_values():
    assert nmse("asset-cliff-5") > 100 * nmse("asset-cliff-6")
    record = open_stream("asset-cliff-6").record
    found = record.snapshot(record.steps[-1])[1]["sigma_hat"]
    np.testing.assert_allclose(found, 1 / np.arange(1, 7), rtol=0.02)


def test_a_random_head_has_nothing_of_rho():
    """Correlation after one step with what it has learned in the end, which leaves little."""
    record = open_stream("asset-cliff-5").record
    first, last = (record.snapshot(step)[1]["rho_hat"].ravel() for step in (1, record.steps[-1]))
    assert nmse("asset-cliff-5") < 0.01
    assert abs(np.corrcoef(first, last)[0, 1]) < 0.1
    assert "Its coupling is noise" in said("training", 1)


# Figure 1


def test_the_slope_is_near_theory_at_1_and_less_steep_at_2_and_half_for_the_absolute_error():
    rows = [row for row in shipped_sweep("fig1").rows if row["rank"] is None]
    fitted = {
        norm: {group["alpha"]: _slope(group) for group in groups(rows, norm, "median")}
        for norm in ("mse", "mae")
    }
    assert fitted["mse"][1.0] == pytest.approx(-1, abs=0.1)
    assert -3 + 0.5 < fitted["mse"][2.0] < -2
    assert r"near theory's at $\alpha=1$, less steep at $\alpha=2$" in scene("How fast").notes
    for alpha, slope in fitted["mse"].items():
        assert fitted["mae"][alpha] == pytest.approx(slope / 2, rel=0.1)
    assert "absolute error is about half" in said("How fast", 5)


def _slope(group):
    return np.polyfit(np.log(group["m_h"]), np.log(group["error"]), 1)[0]


def test_the_error_falls_off_a_cliff_at_the_rank():
    rows = [row for row in shipped_sweep("fig1").rows if row["rank"] is not None]
    for group in groups(rows, "mse", "median"):
        assert group["drop_at_rank"] > 100 and group["knee"]["m_h"] == group["rank"]


# A trained head on the board of the vote


@cache
def looked(step):
    """Weights of the row that a step of "One row" shows, and its ideal ones."""
    spec = open_stream("asset-attention-nearest").record.spec
    head = Head(spec, weights.of_archive(ASSETS / "attention-nearest.zip"))
    state = state_of(spec, json.loads(scene("One row").view(step - 1).params["view"]))
    x = tokens(spec, state.board)
    return respond(head, x, state.settings)[1][state.row], task_of(spec).attention(x)[state.row]


def test_the_row_that_is_built_up_is_a_circle_and_looks_at_squares_alone():
    spec = open_stream("asset-attention-nearest").record.spec
    state = state_of(spec, json.loads(scene("One row").view(0).params["view"]))
    assert state.row == 0 and len(state.board.points) == 2 * spec.tau, "circles first, then squares"
    assert looked(4)[0].shape == (spec.tau,)


def test_divided_by_thirty_several_squares_share_a_row_and_undivided_one_has_it():
    (spread, ideal), (sharp, _) = looked(4), looked(5)
    assert (spread > 0.1).sum() >= 3 and spread.argmax() == sharp.argmax() == ideal.argmax()
    assert sharp.max() > 0.95


def test_the_steps_of_a_row_differ_in_what_is_built_up_alone():
    shown = [scene("One row").view(step).params["view"] for step in range(6)]
    assert len(set(shown[:4])) == 1 and len(set(shown[4:])) == 1
    assert [scene("One row").panels(step)[1] for step in range(6)] == [
        *("query", "key", "product", "weights", "weights", "answer")
    ]


def test_the_second_of_two_heads_answers_right_and_looks_elsewhere():
    row = open_stream("asset-attention-cog-adam-plain").record.row
    assert (row.spec.optimizer, row.spec.aux) == ("adam", False)
    assert row.metrics["r2"] > 0.99 and row.metrics["agreement"] < 0.8
    pair = without_aux.pair(without_aux.shipped(), "cog-adam")
    assert pair.without.looking < pair.without.seeds


def test_its_answer_stays_whatever_points_its_kept_weights_are_given():
    """The step that gives it others is no lucky choice; the first head's answers follow."""
    page = scene("Two heads")
    gaps = {}
    for name in ("cog-adam", "cog-adam-plain"):
        spec = open_stream(f"asset-attention-{name}").record.spec
        head = Head(spec, weights.of_archive(ASSETS / f"attention-{name}.zip"))
        state = state_of(spec, json.loads(page.view(2).params["view"]))
        assert state.held == example(spec).board and state.board != state.held
        row, before = state.row, respond(head, tokens(spec, state.held), state.settings)[0]
        moved = np.random.default_rng(0).uniform(-1, 1, (40, *np.shape(state.board.points)))
        boards = [state.board.model_copy(update={"points": tuple(p)}) for p in moved.round(2)]
        states = [state.model_copy(update={"board": board}) for board in boards]
        said = [answered(spec, head, each)["predicted"][row, 0] for each in states]
        wanted = [answered(spec, head, each)["answer"][row, 0] for each in states]
        gaps[name] = np.abs(np.subtract(said, wanted)).max(), np.ptp(np.append(said, before[row]))
    assert gaps["cog-adam"][0] < 0.1 and gaps["cog-adam"][1] > 0.8
    assert gaps["cog-adam-plain"][0] > 0.8 and gaps["cog-adam-plain"][1] < 0.1


# Order and filters, at the recipe shown


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
    assert "at this recipe" in said("mixing", 1)


def test_proposition_62_is_seen_where_positions_couple_and_not_where_content_does():
    table = pd.read_csv(ASSETS / "order-table2.csv").query("model == 'Transformer'")
    positions = table.groupby("row")["nmse"].median()
    content = pd.read_csv(ASSETS / "order-prop62.csv").groupby("order")["nmse"].median()
    assert positions["block exchange"] < 5 * positions["original"]
    assert content["in reverse"] > 1000 * content["in order"]
    assert "Proposition 6.2 holds where the coupling depends on positions" in scene("mixing").notes


# Memory: two layers


def test_the_last_layer_looks_at_both_stops_and_the_first_at_one():
    """In the mean of all tokens with a whole way, the most that a head gives each of its stops."""
    record = open_stream("asset-memory-jumps").record
    arrays = record.snapshot(record.steps[-1])[1]
    most, steps = arrays["attention"].max(axis=1), 1 + arrays["tokens"][:, :-1].argmax(axis=1)
    first = record.spec.jumps * record.spec.vocabulary
    near = {t: t - steps[t] for t in range(first, len(steps))}
    far = {t: s - steps[s] for t, s in near.items()}
    at = {
        (layer, name): np.mean([most[layer, t, s] for t, s in stops.items()])
        for layer in (0, 1)
        for name, stops in (("near", near), ("far", far))
    }
    assert min(at[1, "near"], at[1, "far"]) > 0.7
    assert at[0, "near"] > 0.7 and at[0, "far"] < 0.5
    assert "on the two stops" in said("remembered", 4)


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
