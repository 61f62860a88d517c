"""A training set of N sequences, and training until its loss rests."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from random_words import philox
from streamlit_pages import app, ran

from explorer.coupling import coupling_of
from explorer.engine import Model, native, wasm
from explorer.pages.rates import view as rates
from explorer.pages.rates.view_drawing import rates_drawing
from explorer.pages.train import view as train_view
from explorer.reproduce.request import Request, trained
from explorer.runs import archive, layout
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, SpecError, SweepSpec, amended, compact
from explorer.targets import PRESETS, SWEEPS, parse, parse_sweep, target_of
from explorer.targets.fixed import training_set
from explorer.theory.design import Design
from explorer.training import Ensemble, models_of, rest, train
from explorer.training.rest import Rest
from explorer.views.pictures import ON_OWN, curve_table
from explorer.views.sweeps import shipped
from explorer.views.text import number

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = CouplingSpec(
    rank=2, m_h=3, m_ff=8, n=6, d_v=4, tau=6, batch=7, steps=40, schedule="constant", warmup=0
)
FINITE = amended(SMALL, sequences=10)
RESTS = amended(FINITE, stop="rest", lr=1e-3, steps=200)


def ensemble_of(*specs) -> Any:
    return models_of(specs, [target_of(spec) for spec in specs], "cpu")


def same(one, other):
    return all(torch.equal(one[name], other[name]) for name in one | other)


def test_the_set_of_a_seed_is_that_of_philox_and_a_larger_one_begins_with_it():
    found = training_set(77, 9, 6)
    for j, row in enumerate(found):
        assert np.array_equal(row, philox(77, 2, j, 6))
    assert np.array_equal(training_set(77, 1000, 6)[:9], found) and found.dtype == np.float32
    assert not np.array_equal(training_set(78, 9, 6), found)
    assert abs(training_set(0, 4096, 16).mean() - 0.5) < 4 / math.sqrt(12 * 4096 * 16)


@pytest.mark.parametrize("home", [native, wasm])
@pytest.mark.parametrize("step", [0, 3, 999_999])
@pytest.mark.parametrize("sequences", [1, 5, 7, 10, 100_000])
def test_every_engine_takes_the_same_sequences_round_and_round(home, step, sequences):
    spec = amended(SMALL, sequences=sequences, seed=3, steps=1_000_000)
    model = Model(spec, coupling_of(spec), home())
    model.take(model.state, step)
    x, _ = model.fresh()
    which = (step * spec.batch + np.arange(spec.batch)) % sequences
    assert np.array_equal(x, training_set(3, sequences, spec.tau)[which])
    ensemble = ensemble_of(spec)
    ensemble.step = step
    assert np.array_equal(ensemble.batch()[0][0].numpy(), x)


def test_seeds_have_sets_of_their_own_and_an_altered_coupling_sees_them_reordered():
    ensemble = ensemble_of(FINITE, amended(FINITE, seed=5))
    assert np.array_equal(ensemble.batch()[0][1].numpy(), training_set(5, 7, 6))
    altered = amended(FINITE, positions=1, permutation="reverse")
    seen = ensemble_of(altered).batch()[0][0]
    assert np.array_equal(seen.flip(-1).numpy(), training_set(0, 7, 6))


@pytest.mark.parametrize("engine", ["torch", "native", "wasm"])
def test_the_training_error_is_that_on_the_set(engine):
    spec = amended(FINITE, engine=engine)
    *_, last = train(spec)
    metrics = last.evaluate()
    alone = ensemble_of(amended(spec, engine="torch"))
    alone.load_weights(last.state())
    error, _ = alone.recipe._errors(alone.weights, 0, torch.from_numpy(training_set(0, 10, 6)))
    variance = metrics["mse"] / metrics["nmse"]
    assert metrics["train_nmse"] == pytest.approx(float(error.square().mean()) / variance, rel=1e-4)
    assert set(spec.extra_metrics) == {"train_nmse"}


@pytest.mark.parametrize("home", [native, wasm])
def test_the_kernel_measures_it_as_torch_does(home):
    model = Model(FINITE, coupling_of(FINITE), home())
    model.advance(20)
    ensemble = ensemble_of(FINITE)
    for name, weight in ensemble.weights.items():
        weight.copy_(torch.from_numpy(model.weights[name].copy()))
    found = ensemble.recipe.metrics(ensemble.weights, 0, 512)
    variance = found["mse"] / found["nmse"]
    assert model.training_error(10) / variance == pytest.approx(found["train_nmse"], rel=1e-3)


def test_one_sequence_is_learned_by_heart():
    spec = amended(FINITE, sequences=1, steps=400, optimizer="adam", m_ff=16)
    *_, last = train(spec)
    metrics = last.evaluate()
    assert metrics["train_nmse"] < 1e-3 < 1e-2 < metrics["nmse"]


@pytest.mark.parametrize("sequences", [-1, 100_001, 1.5])
def test_other_sizes_are_refused_by_name(sequences):
    with pytest.raises(SpecError, match="sequences"):
        parse({"sequences": sequences})


def test_what_was_trained_before_these_fields_keeps_its_id():
    assert compact(CouplingSpec()) == compact(parse({"sequences": 0, "stop": "steps"}))
    assert compact(CouplingSpec()) == '{"version":1}' and not CouplingSpec().extra_metrics


# The loss rests


def windows(*means):
    """A rule that has seen these windows, and the step it says."""
    found = Rest(RESTS, 1, torch.device("cpu"))
    for i, mean in enumerate(means):
        for step in range(i * found.window + 1, (i + 1) * found.window + 1):
            found.add(step, torch.tensor([mean]))
    return int(found.since[0]) / found.window


def test_a_window_is_whole_passes_of_500_steps_or_more():
    size = {0: 500, 1: 500, 32: 500, 33: 500, 96: 501, 4096: 512, 100_000: 3125}
    for sequences, steps in size.items():
        spec = amended(SMALL, sequences=sequences, batch=32)
        assert rest.window_of(spec) == steps, sequences


def test_a_loss_rests_after_six_windows_in_which_it_fell_by_less_than_a_hundredth():
    falls = [0.98**i for i in range(20)]
    assert windows(*falls) == 0
    assert windows(*falls, *[falls[-1]] * 5) == 0
    assert windows(*falls, *[falls[-1]] * 6) == 26
    assert windows(1.0, 2.0, 0.995, 1.0, 1.0, 1.0, 1.0) == 7, "a rise is no improvement"


def test_slow_progress_counts_against_the_last_improvement():
    """By 0.2 % a window a hundredth takes six: the fall since then counts, not that of a window."""
    assert windows(*[0.998**i for i in range(60)]) == 0
    assert windows(*[0.9985**i for i in range(60)]) > 0


def test_it_is_refused_where_the_rate_falls_or_widths_are_cut():
    with pytest.raises(SpecError, match="schedule"):
        amended(RESTS, schedule="cosine")
    with pytest.raises(SpecError, match="fine_tune"):
        parse_sweep({"stop": "rest", "schedule": "constant", "method": "top_down"})
    assert SweepSpec(stop="rest", schedule="constant").members()[0].stop == "rest"


@pytest.fixture
def soon(monkeypatch):
    """Short windows, of which two without progress are enough."""
    monkeypatch.setattr(rest, "WINDOW", 4)
    monkeypatch.setattr(rest, "PATIENCE", 2)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("engine", ["torch", "wasm"])
def test_a_run_at_rest_has_taken_its_last_step(engine):
    spec = amended(RESTS, engine=engine, lr=1e-9)
    steps = [snapshot.step for snapshot in train(spec)]
    assert steps == [*range(1, 12), 200], "three windows of four steps, then the last one"
    *_, last = train(spec)
    assert last.evaluate()["rested"] == 12 and last.step == last.steps
    assert layout.problem(spec, last.state()) is None
    *_, falling = train(amended(RESTS, engine=engine, lr=3e-3, steps=12))
    assert falling.evaluate()["rested"] == 0


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("engine", ["torch", "wasm"])
def test_models_that_rest_stay_while_others_go_on_and_a_resumed_batch_is_the_same(engine):
    specs = [amended(RESTS, engine=engine, seed=seed, lr=0.05, steps=300) for seed in range(3)]
    states, batch = [], ensemble_of(*specs)
    for _ in batch.run():
        states.append(batch.state())
    since = batch.rest.since.tolist()
    assert all(since) and len({*since}) > 1, "they rest one after the other"
    first = since.index(min(since))
    at = states[min(since) - 1]
    for name, weight in batch.weights.items():
        assert torch.equal(weight[first], at[f"weights.{name}"][first]), name
    for begun in (2, min(since), max(since) - 1):
        again = ensemble_of(*specs)
        again.load(states[begun - 1])
        for _ in again.run():
            pass
        assert same(again.state(), batch.state())
    assert [row["rested"] for row in batch.evaluate_all()] == since


def test_a_head_start_is_left_out():
    spec = amended(RESTS, head_start=2, steps=2000)
    found = Rest(spec, 1, torch.device("cpu"))
    for step in range(1, 1001):
        found.add(step, torch.ones(1))
    assert not float(found.total) and found.until == 1000


def test_a_kept_state_of_another_rule_is_not_taken():
    assert "rest.total" not in Ensemble([SMALL], [target_of(SMALL)]).state()
    held = Ensemble([RESTS], [target_of(RESTS)]).state()
    assert "rest.least" in (layout.problem(SMALL, held) or "")


def test_a_training_set_and_an_end_are_chosen_on_train():
    at = ran(app("train"))
    assert "field stop" not in {each.key for each in at.selectbox}, "its rate falls"
    at.selectbox(key="field schedule").set_value("constant")
    ran(at).selectbox(key="field stop").set_value("rest")
    ran(at).select_slider(key="field sequences").set_value(64)
    spec = ran(at).session_state["spec"]
    assert (spec.stop, spec.sequences) == ("rest", 64)
    at.selectbox(key="field schedule").set_value("cosine")
    assert "every loss comes to rest" in ran(at).warning[0].value
    assert at.session_state["spec"] == spec


@pytest.mark.parametrize("spec", [FINITE, RESTS, amended(SMALL, outer="tanh 2", inner="abs")])
def test_what_is_measured_of_a_run_travels(tmp_path, spec):
    store, other = Store(tmp_path / "one"), Store(tmp_path / "other")
    with store.take(store.create(spec), "cpu") as lease:
        ended = execute(store, lease.row)
    moved = other.get(archive.import_(other, archive.export(store, ended.run)))
    assert moved.metrics == ended.metrics | {"claimed": True}
    assert len(ended.metrics) > 5, "some beside those of every run"


# What the pages say


def test_the_recipe_as_printed_is_the_reading_of_app_c_on_a_set_until_it_rests():
    paper, on_a_set = PRESETS["paper"][1], PRESETS["paper-set"][1]
    assert amended(paper, sequences=1024, stop="rest", steps=60_000) == on_a_set
    first = SWEEPS["rates-printed"][1].members()[0]
    assert amended(on_a_set, m_h=5, rank=6, engine="native") == first


def test_the_shipped_training_errors_are_medians_of_five_seeds():
    found = shipped("finite")
    read = rates.rates_view(found, "mse", "median")
    (group,) = read.groups
    for m, error in zip(group["m_h"], group["on_own"], strict=True):
        own = [row["train_nmse"] for row in found.rows if row["m_h"] == m]
        assert len(own) == 5 and error == pytest.approx(np.median(own))
    drawn = rates.lines(read.groups)
    on_own = drawn[drawn["line"] == "error on the training set"]
    assert on_own["error"].tolist() == group["on_own"]
    (series,) = rates_drawing(found, read)["panels"][0]["series"]
    assert [error for _, error in series["on_own"]] == group["on_own"]
    absolute = rates.rates_view(found, "mae", "median")
    assert absolute.groups[0]["on_own"] == [None] * 5, "an absolute one is not measured"


def test_from_256_sequences_every_seed_learns_them_better_than_fresh_ones():
    """The estimation error: at every width and in each of the five seeds."""
    rows = shipped("finite").rows
    assert len(rows) == 25 and all(row["nmse"] > 2 * row["train_nmse"] for row in rows)


def test_the_note_tells_width_data_and_training_apart_by_the_numbers_drawn():
    read = rates.rates_view(shipped("finite"), "mse", "median")
    (said,) = [note for note in read.notes if note.startswith("**Width, data, training")]
    group = read.groups[0]
    for name in ("truncation", "on_own", "error"):
        assert number(group[name][0]) in said and number(group[name][-1]) in said
    fresh = rates.rates_view(shipped("fig1"), "mse", "median")
    assert not any("Width, data" in note for note in fresh.notes)


def test_the_note_on_the_printed_recipe_counts_who_came_to_rest():
    rows = shipped("printed").rows
    said = train_view.flatness()
    assert len(rows) == 10 and f"{sum(r['rested'] > 0 for r in rows)} of 10 trainings" in said
    for m in (5, 6):
        error = np.median([row["nmse"] for row in rows if row["m_h"] == m])
        assert f"{number(error)} at m_h = {m}" in said


def test_a_run_says_both_errors_and_when_it_rested():
    spec = amended(RESTS, steps=200)
    metrics = {"mse": 0.01, "mae": 0.1, "nmse": 0.04, "r2": 0.96, "train_nmse": 0.02}
    at_rest = SimpleNamespace(spec=spec, steps=200, step=200, status="finished", run="x-1")
    at_rest.metrics = at_rest.outcome = metrics | {"rested": 120.0}
    at_rest.device = "cpu"
    said = train_view.verdict(at_rest, Design(spec))  # pyright: ignore[reportArgumentType]
    assert "after 120 steps" in said and "0.040 on fresh sequences, 0.020 on its own 10" in said
    facts = train_view.facts(at_rest)  # pyright: ignore[reportArgumentType]
    assert facts["training loss"] == "rests from step 120 on"
    assert facts["nMSE on its own sequences"] == number(0.02, 3)


def test_the_curve_of_a_run_has_the_error_on_its_own_sequences(tmp_path):
    store = Store(tmp_path)
    record = trained(Request(store, tmp_path), amended(FINITE, steps=20))
    table = curve_table(record)
    own = table[table["curve"] == ON_OWN]
    assert own["step"].tolist() == record.snapshot_steps.tolist() and (own["error"] > 0).all()
    fresh = trained(Request(store, tmp_path), amended(SMALL, steps=20))
    assert ON_OWN not in set(curve_table(fresh)["curve"])
