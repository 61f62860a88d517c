"""Sweeps: the specification, the units, the store's rows, executors, and what the rows say."""

import json
import os
import signal
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from types import ModuleType

import numpy as np
import pytest
import torch

from explorer import reproduce
from explorer.analysis import learned_coupling
from explorer.charts import LIGHT
from explorer.charts.export import export
from explorer.coupling import pod
from explorer.pages.rates.chart import rates_chart
from explorer.pages.rates.view import lines, points, rates_view
from explorer.pages.rates.view_text import group_lines
from explorer.reproduce import fig1
from explorer.runs import database, executors, sweep_rows, sweeps
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, SpecError, amended, compact, full_json, spec_id
from explorer.targets import SWEEPS, parse_sweep, target_of
from explorer.theory import sweep as theory
from explorer.theory.optimum import Sample, optimal_kernel
from explorer.theory.rates import power_fit
from explorer.training import Ensemble, train
from explorer.views.sweeps import Finished

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "warmup": 5, "steps": 20}
SWEEP = parse_sweep(SMALL | {"m_h": [3, 1, 2], "rank": [None, 2], "seed": [0, 1]})


# The specification


def test_a_sweep_is_the_product_of_its_lists():
    members = SWEEP.members()
    cells = [(m.rank, m.seed, m.m_h) for m in members]
    assert cells == [(r, s, m) for r in (2, None) for s in (0, 1) for m in (1, 2, 3)]
    assert {(m.tau, m.steps) for m in members} == {(4, 20)}
    assert all(type(m) is CouplingSpec for m in members)


def test_order_repetition_and_single_values_make_no_other_sweep():
    again = parse_sweep(SMALL | {"seed": [1, 0, 1], "rank": [2, None], "m_h": [1, 2, 3]})
    assert again == SWEEP and spec_id(again) == spec_id(SWEEP)
    assert parse_sweep({"m_h": 4}) == parse_sweep({"m_h": [4]})
    assert parse_sweep(compact(SWEEP)) == parse_sweep(full_json(SWEEP)) == SWEEP
    assert amended(SWEEP, m_h=[5]).m_h == (5,)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"m_h": [1, 900]}, "m_h, entry 2 = 900: allowed is a list of 1 to 256, each a whole"),
        ({"m_h": []}, "m_h = \\[\\]"),
        ({"rank": ["x"]}, "or null"),
        ({"tau": [4, 8]}, "tau"),
        ({"seed": list(range(256)), "m_h": list(range(1, 65))}, "16384 models, at most 4096"),
        ({"colour": 1}, "colour: unknown field"),
        ({"fine_tune": 0}, "fine_tune = 0"),
    ],
)
def test_bad_sweeps_are_refused(values, says):
    with pytest.raises(SpecError, match=says):
        parse_sweep(values)


@pytest.mark.parametrize("name", SWEEPS)
def test_ready_sweeps_are_valid(name):
    text, sweep = SWEEPS[name]
    assert text and parse_sweep(full_json(sweep)) == sweep


def test_figure_1_is_12_widths_6_targets_3_seeds():
    fig1 = SWEEPS["fig1"][1]
    assert len(fig1.members()) == 12 * 6 * 3
    assert len(theory.designs(fig1)) == 6


# Units and rows


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
@pytest.mark.parametrize("method", ["independent", "top_down"])
def test_units_hold_every_missing_model_once(device, method):
    sweep = amended(SWEEP, method=method, m_ff=[16, 8])
    members = sweep.members()
    done = {spec_id(member) for member in members[:4]}
    found = sweeps.units(sweep, done, device)
    left = [spec_id(member) for unit in found for member in unit.members]
    assert sorted(left) == sorted({spec_id(member) for member in members[4:]})
    assert all(len({member.m_ff for member in unit.members}) == 1 for unit in found)
    assert len(found) == (2 if device == "cuda:0" else 7)
    assert all(sweeps.Unit.from_text(unit.text()) == unit for unit in found)


def test_a_unit_gives_what_separate_training_gives():
    unit = sweeps.units(SWEEP)[0]
    rows = sweeps.train_unit(unit.text())
    for member, row in zip(unit.members, rows, strict=True):
        alone = Ensemble([member], [target_of(member)])
        for _ in alone.run():
            pass
        assert row["nmse"] == pytest.approx(alone.evaluate_all()[0]["nmse"], rel=0.05)
        assert row["spec_id"] == spec_id(member) and row["status"] == "finished"
        assert row["sigma"] == pytest.approx(learned_coupling(member, alone.weights).sigma, rel=0.1)
        assert json.loads(json.dumps(row, allow_nan=False)) == row


@pytest.mark.parametrize("method", ["independent", "top_down"])
def test_the_widest_of_its_kind_is_cut_to_every_smaller_rank(method):
    unit = sweeps.units(amended(SWEEP, method=method, fine_tune=5))[0]
    rows = {row["m_h"]: row for row in sweeps.train_unit(unit.text())}
    assert rows[1]["surgery"] is rows[2]["surgery"] is None
    assert len(rows[3]["surgery"]["nmse"]) == len(rows[3]["surgery"]["mae"]) == 2
    one, two = rows[3]["surgery"]["nmse"]
    assert one > two * 0.9 and two == pytest.approx(rows[3]["nmse"], rel=0.5)


def test_steps_are_heard_with_the_losses_of_every_member():
    heard = []
    unit = sweeps.units(amended(SWEEP, method="top_down", fine_tune=5))[0]
    sweeps.train_unit(unit.text(), on_step=lambda *said: heard.append(said))
    assert [said[1:3] for said in heard] == [(step, 25) for step in range(1, 26)]
    begun = [~torch.isnan(losses) for *_, losses in heard]
    assert begun[0].tolist() == [False, False, True] and begun[-1].all()


def test_a_single_run_is_the_first_member():
    member = SWEEP.members()[0]
    *_, last = train(member)
    row = sweeps.train_unit(sweeps.Unit((member,), "independent", 1).text())[0]
    assert row["mse"] == last.evaluate()["mse"]


@pytest.mark.parametrize("optimizer", ["adam", "soap"])
def test_a_diverged_model_has_no_numbers(optimizer):
    wild = {"activation": "relu", "activation_out": "relu", "optimizer": optimizer, "lr": 1000.0}
    sweep = parse_sweep(SMALL | wild | {"steps": 400, "warmup": 0, "schedule": "constant"})
    row = sweeps.train_unit(sweeps.units(sweep)[0].text())[0]
    assert row["status"] == "diverged" and row["nmse"] is None
    assert theory.groups([row]) == []
    assert "All 1 diverged" in rates_view(Finished(sweep, (row,)), "mse", "median").verdict


class Cut(Exception):
    """What interrupts a sweep here."""


def test_an_interrupted_sweep_repeats_nothing(monkeypatch):
    store, trained, whole = Store(), [], sweeps.train_unit

    def counted(text, *rest):
        if len(trained) == 6 and not resumed:
            raise Cut
        rows = whole(text, *rest)
        trained.extend(row["spec_id"] for row in rows)
        return rows

    resumed = False
    monkeypatch.setattr(sweeps, "train_unit", counted)
    with pytest.raises(Cut):
        sweeps.run(store, SWEEP)
    assert len(sweep_rows.read(store, spec_id(SWEEP))) == 6
    resumed = True
    heard = []
    rows = sweeps.run(store, SWEEP, on_rows=lambda done, of: heard.append((done, of)))
    assert heard == [(6, 12), (9, 12), (12, 12)]
    assert [row["spec_id"] for row in rows] == [spec_id(member) for member in SWEEP.members()]
    assert len(trained) == len(set(trained)) == 12
    assert sweep_rows.all_sweeps(store) == [(spec_id(SWEEP), full_json(SWEEP), 12)]


def test_a_row_that_is_there_stays():
    store = Store()
    identity = sweep_rows.register(store, SWEEP)
    for nmse in (1.0, 2.0):
        sweep_rows.insert(store, identity, [{"spec_id": "a" * 12, "nmse": nmse}])
    assert sweep_rows.read(store, identity)["a" * 12]["nmse"] == 1.0


def test_a_store_of_version_1_is_brought_up_to_date(tmp_path):
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.executescript(f"BEGIN;{database.SCHEMA}PRAGMA user_version = 1;COMMIT;")
        db.execute("INSERT INTO ids VALUES ('0123456789ab', 7)")
        db.commit()
    store = Store(tmp_path)
    assert sweep_rows.all_sweeps(store) == []
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (database.SCHEMA_VERSION,)
        assert db.execute("SELECT n FROM ids").fetchone() == (7,)
    Store(tmp_path)


# Executors


@pytest.fixture
def clean_main(monkeypatch):
    """Streamlit's AppTest leaves its script as __main__, which every spawned process would run."""
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))


@pytest.mark.usefixtures("clean_main")
def test_processes_of_this_machine():
    store = Store()
    with executors.executor_named("local", 2) as pool:
        rows = sweeps.run(store, SWEEP, pool)
    assert [row["m_h"] for row in rows] == [member.m_h for member in SWEEP.members()]


def _fail(*_):
    raise MemoryError("too wide")


def test_a_unit_that_fails_leaves_the_rows_and_says_how_to_go_on(monkeypatch):
    store = Store()
    with ThreadPoolExecutor(1) as pool, pytest.raises(sweeps.SweepError, match=r"too wide.*again"):
        monkeypatch.setattr(sweeps, "train_unit", _fail)
        sweeps.run(store, SWEEP, pool)
    assert sweep_rows.read(store, spec_id(SWEEP)) == {}


@pytest.mark.parametrize("name", ["slurm", "dask:", "dask"])
def test_other_executors_are_refused(name):
    with (
        pytest.raises(SpecError, match=r"local or dask:ADDRESS"),
        executors.executor_named(name, 1),
    ):
        pass


@pytest.mark.usefixtures("one_thread")
def test_a_dask_cluster_trains_what_this_process_does(tmp_path):
    """A cluster in threads of this process, which starts none; one of processes is slow."""
    distributed = pytest.importorskip("distributed", reason="the extra `distributed` is missing")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        executors.executor_named(f"dask:{cluster.scheduler_address}", 1) as pool,
    ):
        rows = sweeps.run(Store(tmp_path), SWEEP, pool)
    for row, mine in zip(rows, sweeps.run(Store(), SWEEP), strict=True):
        assert (row["spec_id"], row["nmse"]) == (mine["spec_id"], mine["nmse"])


@pytest.mark.slow
@pytest.mark.usefixtures("clean_main")
def test_a_killed_dask_worker_loses_nothing_and_repeats_nothing():
    distributed = pytest.importorskip("distributed", reason="the extra `distributed` is missing")
    sweep = amended(SWEEP, seed=[0, 1, 2], steps=150)
    store, heard = Store(), []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        pids = [worker.pid for worker in cluster.workers.values()]

        def kill_one(done, of):
            if done and not heard:
                os.kill(pids[0], signal.SIGKILL)
            if done:
                heard.append(done)

        with executors.executor_named(f"dask:{cluster.scheduler_address}", 1) as pool:
            rows = sweeps.run(store, sweep, pool, on_rows=kill_one)
    expected = [spec_id(member) for member in sweep.members()]
    assert [row["spec_id"] for row in rows] == expected and len(set(expected)) == 18
    assert heard == [3, 6, 9, 12, 15, 18]
    here = sweeps.train_unit(sweeps.units(sweep)[0].text())
    for row, mine in zip(rows, here, strict=False):
        assert row["nmse"] == pytest.approx(mine["nmse"], rel=1e-3)


# What the rows say


def made_up(alpha, rank, law, widths=(1, 2, 3, 4, 6, 8, 16), seeds=3):
    return [
        {
            "alpha": alpha,
            "rank": rank,
            "m_ff": 128,
            "seed": seed,
            "m_h": m,
            "nmse": law(m) * (1 + seed),
            "mae": law(m) ** 0.5,
        }
        for seed in range(seeds)
        for m in widths
    ]


def test_the_slope_of_a_power_law_is_its_exponent():
    group = theory.groups(made_up(2.0, None, lambda m: 0.1 * m**-3.0))[0]
    assert group["slope"] == pytest.approx(-3, abs=1e-12) and group["fit_range"] == [1, 16]
    assert group["seeds"] == [3] * 7 and group["statistic"] == "best of 3 seeds"
    assert group["median"] == pytest.approx([2 * best for best in group["best"]])
    halved = theory.groups(made_up(2.0, None, lambda m: 0.1 * m**-3.0), "mae")[0]
    assert halved["slope"] == pytest.approx(-1.5, abs=1e-12) and halved["norm"] == "mae"
    flat = theory.groups(made_up(2.0, None, lambda m: 0.1))[0]
    assert flat["slope"] == pytest.approx(0, abs=1e-12) and flat["knee"] is None


def test_the_knee_is_found_and_the_fit_ends_before_it():
    law = lambda m: 0.1 / m if m < 6 else 1e-7  # noqa: E731
    group = theory.groups(made_up(1.0, 6, law, widths=range(1, 9)))[0]
    assert group["knee"] == {"m_h": 6, "ratio": pytest.approx(2e5)}
    assert group["drop_at_rank"] == pytest.approx(2e5)
    assert group["fit_range"] == [1, 5] and group["slope"] == pytest.approx(-1, abs=1e-12)


@pytest.mark.parametrize(("alpha", "slope"), [(1.0, -0.975), (2.0, -2.606)])
def test_the_exact_tail_is_the_sum_of_what_is_left(alpha, slope):
    """64 terms are not infinitely many, nor is m = 1 far out: its slope is not quite −(2α−1)."""
    m, k = np.arange(1, 17), np.arange(1, 65.0)
    tail = theory.exact_tail(pod(target_of(CouplingSpec(alpha=alpha)).coupling, centred=True), m)
    np.testing.assert_allclose(tail, [np.sum(k[i:] ** (-2 * alpha)) for i in m], rtol=1e-9)
    assert power_fit(m, tail).slope == pytest.approx(slope, abs=5e-4)
    assert theory.predicted_slope(alpha) == -(2 * alpha - 1)


def test_an_error_that_is_the_tail_has_slope_one_against_it():
    target = target_of(CouplingSpec())
    widths = [1, 2, 4, 8, 16]
    tail = dict(zip(widths, theory.floors(target, widths)["tail"], strict=True))
    rows = made_up(1.0, None, lambda m: 0.3 * tail[m], widths)
    sweep = parse_sweep({"m_h": widths})
    found = theory.summary(sweep, rows, {(1.0, None): target})
    group = found["groups"][0]
    assert group["tail_slope"] == pytest.approx(1, abs=1e-9)
    assert group["predicted_slope"] == -1 and found["slope"] == group["slope"]
    assert len(group["truncation"]) == 5
    squared = theory.summary(
        sweep, made_up(1.0, None, lambda m: tail[m] ** 2, widths), {(1.0, None): target}
    )
    assert squared["groups"][0]["tail_slope"] == pytest.approx(2, abs=1e-9)


# The rank-optimal kernel


def test_its_gradient_is_that_of_finite_differences():
    target = target_of(CouplingSpec(rank=3, tau=5))
    found = pod(target.coupling, centred=True)
    rng = np.random.default_rng(0)
    sample = Sample.from_target(target, found, rng.random((7, 5)))
    flat = rng.normal(size=2 * sample.phi.shape[-1] * 2)
    _, gradient = sample.loss_and_gradient(flat)
    for i in range(len(flat)):
        step = np.zeros_like(flat)
        step[i] = 1e-6
        rise = sample.loss_and_gradient(flat + step)[0] - sample.loss_and_gradient(flat - step)[0]
        assert gradient[i] == pytest.approx(rise / 2e-6, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize(("alpha", "golden"), [(1.0, (7.5e-2, 2.7e-2)), (2.0, (7.7e-3, 3.2e-4))])
def test_golden_optima(alpha, golden):
    """nMSE at m = 1, 4 of an independent computation; both below truncation."""
    target = target_of(CouplingSpec(alpha=alpha))
    found = optimal_kernel(target, [1, 4], samples=768, steps=120)
    np.testing.assert_allclose(found.nmse, golden, rtol=0.12)
    truncation = theory.truncation_floor(target, [1, 4], samples=4096).nmse
    assert np.all(found.nmse < 0.7 * truncation)


def test_a_kernel_of_the_full_rank_has_no_error():
    found = optimal_kernel(target_of(CouplingSpec(rank=2, tau=5)), [2, 3], samples=50, steps=5)
    assert np.all(found.nmse < 1e-9)


# Tables, figure, command


def test_tables_and_figure():
    rows = made_up(1.0, None, lambda m: 0.1 / m) + made_up(1.0, 6, lambda m: 0.1 / m**2)
    targets = {(1.0, rank): target_of(CouplingSpec(rank=rank)) for rank in (None, 6)}
    sweep = parse_sweep({"rank": [6, None], "m_h": [1, 2, 3, 4, 6, 8, 16], "seed": [0, 1, 2]})
    groups = theory.summary(sweep, rows, targets)["groups"]
    measured, drawn = points(groups), lines(groups)
    assert len(measured) == 14 and set(measured["rank"]) == {"r = 6", "r = ∞"}
    floors = drawn[drawn["line"] == "truncation"]
    of_six = floors[floors["rank"] == "r = 6"]
    assert of_six["m_h"][of_six["error"] == 0].tolist() == [6, 8, 16], "exactly 0 from the rank on"
    law = drawn[drawn["line"] == "theory"]
    assert law["error"].tolist() == pytest.approx([0.1 / m for m in law["m_h"]])
    assert "slope −1.00" in group_lines(groups)[0] and "theory −1" in group_lines(groups)[0]
    svg = export(rates_chart(measured, drawn, "MSE / Var(y)", LIGHT), "svg", title="T").decode()
    for word in ("α = 1", "r = ∞", "truncation", "mₕ, attention width", "MSE / Var(y)"):
        assert word in svg


def test_reproducing_figure_1_writes_its_data_its_picture_and_both_values(tmp_path, monkeypatch):
    changes = {"rank": [2, None], "m_h": [1, 2, 3, 4], "method": "top_down", "fine_tune": 5}
    small = parse_sweep(SMALL | changes)
    monkeypatch.setitem(fig1.SWEEPS, "fig1-quick", ("", small))
    monkeypatch.setattr(fig1, "QUICK_STEPS", 2)
    found = reproduce.reproduce("fig1", reproduce.Request(Store(), tmp_path, quick=True, workers=1))
    summary = json.loads((tmp_path / "summary.json").read_text("utf-8"))
    assert summary == json.loads(json.dumps(found))
    figure = summary["figures"]["fig1"]
    assert len(figure["rows"]) == 8 and len(figure["checks"]) == 2
    beside = {(p["quantity"], p["rank"], p.get("m_h")): p for p in figure["printed"]}
    assert beside["slope", None, None]["printed"] == -1
    assert beside["knee", 2, None]["printed"] == 2
    assert beside["nmse", 2, 2]["printed"] == 1.2e-7
    assert beside["nmse", 2, 2]["measured"] == figure["groups"][0]["best"][1]
    infinite = next(group for group in figure["groups"] if group["rank"] is None)
    assert infinite["optimum"][1] is None and infinite["optimum"][0] > 0
    assert (tmp_path / "fig1.csv").read_text().count("\n") == 9
    assert (tmp_path / "fig1.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(SpecError, match="known are fig1"):
        reproduce.reproduce("fig9", reproduce.Request(Store(), tmp_path, quick=True))


def test_checks_say_whether_the_figure_was_reproduced():
    rows = made_up(1.0, 2, lambda m: 0.1 if m < 2 else 1e-6) + made_up(2.0, 2, lambda m: 0.1)
    first, second = fig1.checks(theory.groups(rows))
    assert first["holds"] and not second["holds"]
    assert first["measured"] == pytest.approx(1e5) and second["measured"] == 1
