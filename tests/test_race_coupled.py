"""The race on a coupling: its best affine map, what that leaves, and who needs content."""

import json

import numpy as np
import pytest
import torch
from streamlit_pages import app, ran, sentences

from explorer.pages.order import view_race as view
from explorer.runs import jobs
from explorer.spec import CouplingSpec, LinearSpec, compact
from explorer.targets import PRESETS, plain_target
from explorer.theory.architectures import compared
from explorer.theory.architectures.coupled import OUTER, Coupled, coupled, sequences_of
from explorer.theory.architectures.race import ENTRANTS, Race, known_of
from explorer.theory.design import Design
from explorer.training.race import Training
from explorer.ui import registry

DESIGN = PRESETS["design"][1]
MEAN = CouplingSpec(tau=2, formula="0*u*v")
"""All weights are equal."""


def race(spec, **fields):
    kernel, target = coupled(Design(spec))
    return Race(tuple(kernel.tolist()), coupled=target, **fields)


def inputs(tau, count=4096):
    return OUTER * (2 * np.random.default_rng(7).random((count, tau)) - 1)


# The best affine map


def test_a_mean_is_linear_and_leaves_nothing():
    kernel, target = coupled(Design(MEAN.model_copy(update={"tau": 5})))
    assert target.left < 1e-24 and target.mean == pytest.approx(0.5, abs=0.01)
    np.testing.assert_allclose(kernel, kernel[0])
    assert target.deviation == pytest.approx(1 / np.sqrt(12 * 5), rel=0.02)


def test_what_is_left_of_a_square_is_exact():
    """H = ((x₁ + x₂)/2)²: with z the mean less ½, Var z = 1/24 and E z⁴ = 1/240, all but z² is
    affine, and Var z² / (Var z + Var z²) is left."""
    target = coupled(Design(MEAN.model_copy(update={"outer": "power 2"})))[1]
    square = 1 / 240 - 1 / 24**2
    exact = square / (1 / 24 + square)
    assert 0 < abs(target.left - exact) < 1.5 * target.within < 0.01


def test_a_long_window_takes_fewer_sequences_and_says_so():
    """Others of as many find the same; of up to 16 tokens there are as many as ever."""
    assert [sequences_of(tau) for tau in (2, 16, 64)] == [32768, 32768, 8192]
    spec = DESIGN.model_copy(update={"tau": 64})
    target = coupled(Design(spec))[1]
    x = inputs(64, 2**13)
    y = target.answers(None)(x)
    two = np.column_stack([np.ones(len(x)), x[:, -1], x[:, :-1].mean(1)])
    other = np.linalg.lstsq(two, y, rcond=None)[1][0] / len(x) / y.var()
    assert abs(other - target.left) < 2 * target.within < 0.03
    assert "8,192 sequences" in view.beyond(race(spec))


def test_no_affine_map_of_all_tokens_is_better():
    """Of as many numbers as tokens, on the same sequences no more than their noise is gained."""
    kernel, target = coupled(Design(DESIGN))
    x = inputs(DESIGN.tau)
    y = target.answers(None)(x)
    free = np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), y, rcond=None)[1][0]
    assert 0 < np.mean((y - x @ kernel[::-1]) ** 2) - free / len(x) < 3 * DESIGN.tau / len(x)
    assert np.mean((y - x @ kernel[::-1]) ** 2) == pytest.approx(target.left, rel=0.05)


def test_answers_are_the_last_of_the_target():
    target = coupled(Design(DESIGN))[1]
    x = inputs(DESIGN.tau, 8)
    last = plain_target(DESIGN).answer(0.5 + x / (2 * OUTER))[:, -1]
    expected = (last - target.mean) / target.deviation
    np.testing.assert_allclose(target.answers(None)(x), expected, atol=1e-12)
    np.testing.assert_allclose(target.answers(None)(torch.tensor(x)).numpy(), expected, atol=1e-12)


def test_one_answer_for_all_is_refused():
    with pytest.raises(ValueError, match="the same answer"):
        coupled(Design(MEAN.model_copy(update={"tau": 16, "outer": "clip 0.95 1"})))


# The race


def test_a_linear_error_is_that_on_sequences():
    """Population loss and mean squared error on the answers are one."""
    asked = race(DESIGN, steps=3, seeds=2)
    training = Training(asked, ENTRANTS["lin_heads"])
    *_, lap = training.laps()
    x = inputs(DESIGN.tau, 2**14)
    made = np.sqrt(1 - asked.left) * training.kernels()
    measured = ((x @ made[:, ::-1].T - asked.answers()(x)[:, None]) ** 2).mean(0)
    np.testing.assert_allclose(lap.errors, measured, rtol=0.05)


def test_no_linear_entrant_gets_below_the_floor_and_the_head_does():
    asked = race(DESIGN, seeds=2, steps=400)
    known = known_of(asked, compared(np.array(asked.kernel)))
    assert {known[name].bound is None for name, one in ENTRANTS.items() if one.linear} == {False}
    *_, linear = Training(asked, ENTRANTS["cnn"]).laps()
    *_, head = Training(asked, ENTRANTS["head"]).laps()
    assert (linear.errors >= asked.left * (1 - 1e-9)).all()
    np.testing.assert_allclose(linear.errors, asked.left, rtol=0.01)
    assert known["head"] == (None, None) and (head.errors < asked.left / 2).all()


def test_the_head_is_eq_5_and_has_no_positions():
    training = Training(race(DESIGN, size=3, by="width", seeds=1), ENTRANTS["head"])
    w, a, v, u, b, q, c = (one.detach().numpy()[0] for one in training.parameters)
    x = inputs(DESIGN.tau, 4)
    logits = np.einsum(
        "bn,bsn->bs", np.sin(x[:, -1:] @ w + a) @ v, np.sin(x[..., None] * u + b) @ q
    )
    weights = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    made = training.model.kernel(torch.tensor(x)[None], *training.parameters).detach()[0].numpy()
    np.testing.assert_allclose(made, c * (weights * x).sum(1), atol=1e-12)
    other = np.concatenate([x[:, 5:-1], x[:, :5], x[:, -1:]], axis=1)
    same = training.model.kernel(torch.tensor(other)[None], *training.parameters).detach()[0]
    np.testing.assert_allclose(same.numpy(), made, atol=1e-12)


def test_a_coupled_race_comes_back_from_its_text():
    asked = race(DESIGN)
    assert Race.parse(asked.text()) == asked and isinstance(asked.coupled, Coupled)
    assert view.beyond(Race(asked.kernel)) == "" and "no exact floor" in view.beyond(asked)


def test_the_command_races_on_a_coupling(explorer, monkeypatch):
    monkeypatch.setattr(
        "explorer.theory.architectures.race.ENTRANTS",
        {name: ENTRANTS[name] for name in ("lin_heads", "head")},
    )
    answer = explorer("race", json.dumps({"target": "coupling", "tau": 4}), "--json").json
    assert "no affine map" in answer["beyond"].lower() and [*answer["entrants"]] == [
        "lin_heads",
        "head",
    ]
    assert answer["entrants"]["head"]["label"] == "no floor known"
    assert answer["entrants"]["lin_heads"]["label"] == "observed"
    assert explorer("race", json.dumps({"target": "retrieval"})).code == 2


def test_a_race_on_samples_finds_them_in_the_store():
    store = registry.store()
    sha = store.put_grid(np.add.outer(np.arange(4.0), np.arange(5.0) ** 2) / 8)
    spec = CouplingSpec(tau=4, grid=sha)
    asked = view.race_for(spec, store.grid, 10, "parameters", False)
    assert asked.sequences and Training(asked, ENTRANTS["head"], store.grid).errors().shape == (5,)


def test_the_page_races_on_the_coupling_of_the_design_page():
    at = app("order", spec=compact(LinearSpec(tau=16)), view=json.dumps({"race_coupling": True}))
    at = ran(at)
    assert "No affine map of the sequence leaves less than 0.618" in sentences(at)
    at.button(key="race").click()
    at = ran(at)
    asked, store = view.coupled_race_of(DESIGN, None, 40, "parameters"), registry.store()
    assert jobs.waiting(store) == [f"race-{asked.id}"]
    with_gates = [toggle.key for toggle in at.toggle]
    assert "picture race_sequences" not in with_gates, "they always race there"
