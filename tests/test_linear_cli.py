"""Linear targets on the command line: floors, alterations by --set, training, sweeps."""

import json

import numpy as np
import pytest

from explorer.runs import jobs, sweep_rows
from explorer.runs.job_runner import run_job
from explorer.runs.store import Store
from explorer.spec import LinearSpec, full_json, spec_id
from explorer.targets import linear_target, parse, parse_sweep
from explorer.theory.linear import linear_floors
from explorer.theory.linear_sweep import group_lines

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {
    "target": "linear",
    "tau": 6,
    "n": 8,
    "d_v": 5,
    "m_h": 4,
    "m_ff": 12,
    "batch": 6,
    "steps": 20,
}


def test_floors_of_a_linear_target(explorer, tmp_path):
    file = tmp_path / "spec.json"
    file.write_text(full_json(LinearSpec(permutation="block")))
    answer = explorer("floor", "--linear", str(file), "--json").json
    assert answer["causal"] == pytest.approx(0.0301, abs=5e-5)
    assert answer["time_invariant"] == pytest.approx(0.0526, abs=5e-5)
    assert answer["constant"] == pytest.approx(0.0988, abs=5e-5)
    assert answer["constant_per_step"] == pytest.approx(0.0959, abs=5e-5)
    assert len(answer["kernel"]) == 32
    assert answer["complexity"]["before"]["c_rnn"] == pytest.approx(1)
    assert answer["complexity"]["before"]["c_rnn_printed"] == pytest.approx(2)
    assert answer["complexity"]["after"]["c_rnn"] is None  # Prop. 6.1: no longer in the space
    assert answer["gamma_fitted"] is False
    formula = '{"target": "linear", "kernel": "formula", "formula": "cos(s)*exp(-s/4)"}'
    assert explorer("floor", "--linear", formula, "--json").json["gamma_fitted"] is True
    assert "straight line through log" in explorer("floor", "--linear", formula).out
    assert explorer("floor", "--design", str(file), "--json").json == answer
    lines = explorer("floor", "--linear", '{"target": "linear", "filter": "average"}').out
    assert "causal" in lines and "C_RNN after" in lines and "∞" not in lines


BAD = [
    (("floor",), "exactly one of --design and --linear"),
    (("floor", "--linear", "quick"), 'allowed is "linear"'),
    (("floor", "--design", '{"permutation": "roll"}'), "another target"),
    (("pod", "--design", "table2"), "floor --linear"),
    (("floor", "--linear", '{"target": "linear", "filter": [0]}'), "differ from 0"),
    (("train", '{"target": "linear", "kernel": "formula", "formula": "1/s"}'), "s = 0"),
    (("spec", "table2", "--set", "permutation=[1, 0]"), "each of 0 to 31 once"),
    (("spec", "table2", "--set", f"filter={[1.0] * 33}"), "at most tau = 32"),
    (("sweep", '{"m_h": [2, 4], "permutation": "roll"}'), "one by one"),
]


@pytest.mark.parametrize(("command", "says"), BAD, ids=[" ".join(c)[:40] for c, _ in BAD])
def test_bad_input_gets_one_line(explorer, command, says):
    answer = explorer(*command)
    assert answer.code == 2 and says in answer.err and answer.err.count("\n") == 1


def test_alterations_are_set_on_a_preset(explorer):
    order = [*range(1, 32), 0]
    answer = explorer(
        "spec",
        "table2",
        "--set",
        f"permutation={json.dumps(order)}",
        "--set",
        "filter=[0.5,-0.5]",
        "--set",
        "filter_mode=ahead",
        "--json",
    )
    spec = parse(answer.json)
    assert spec.permutation == tuple(order) and spec.filter == (0.5, -0.5)
    assert spec.filter_mode == "ahead" and linear_target(spec).tau == 32


@pytest.mark.parametrize("more", [{}, {"model": "rnn", "hidden": 4}, {"conv": 3}])
def test_training_answers_with_the_usual_numbers(explorer, more):
    spec = json.dumps(SMALL | more | {"permutation": "reverse"})
    answer = explorer("train", spec, "--json").json
    assert answer["status"] == "finished" and answer["steps"] == 20
    assert {"mse", "nmse", "mae", "r2", "weights_sha256"} <= set(answer)
    assert ("population_mse" in answer) == (more.get("model") == "rnn")
    again = explorer("train", spec, "--json").json
    assert again["run"] != answer["run"] and again["weights_sha256"] == answer["weights_sha256"]
    listed = explorer("runs", "list", "--json").json["runs"]
    assert {row["run"] for row in listed} == {again["run"], answer["run"]}
    assert explorer("runs", "resume", answer["run"], "--json").json["mse"] == answer["mse"]


def test_an_altered_coupling_trains(explorer):
    spec = {
        "tau": 4,
        "rank": 2,
        "m_h": 2,
        "n": 8,
        "d_v": 8,
        "m_ff": 16,
        "batch": 8,
        "steps": 20,
        "positions": 1,
        "permutation": "reverse",
        "filter": "delay",
    }
    answer = explorer("train", json.dumps(spec), "--json").json
    assert answer["status"] == "finished" and np.isfinite(answer["mse"])


def test_a_sweep_of_hidden_units_stands_beside_the_best_kernels(explorer):
    spec = {
        "target": "linear",
        "model": "rnn",
        "kernel": "power",
        "tau": 12,
        "hidden": [1, 2],
        "seed": [0, 1],
        "steps": 400,
    }
    answer = explorer("sweep", json.dumps(spec), "--json").json
    assert len(answer["rows"]) == 4 and answer["slope"] is None
    (group,) = answer["groups"]
    assert group["hidden"] == [1, 2] and group["seeds"] == 2 and group["axis"] == "hidden"
    for best, median, optimum, lower in zip(
        group["best"], group["median"], group["optimum"], group["lower"], strict=True
    ):
        assert lower <= optimum <= best * (1 + 1e-6) and best <= median
    assert group["best"][0] < 1.05 * group["optimum"][0]
    floors = linear_floors(linear_target(parse(spec | {"hidden": 1, "seed": 0})).matrix)
    assert group["constant"] == floors.constant
    assert any("hidden =   2" in line for line in group_lines([group]))


def test_a_sweep_of_transformers_over_seeds(explorer):
    spec = SMALL | {"filter": "signed", "filter_seed": [0, 1], "seed": [0, 1], "conv": [0, 2]}
    answer = explorer("sweep", json.dumps(spec), "--json").json
    assert len(answer["rows"]) == 8 and len(answer["groups"]) == 4
    assert {(g["filter_seed"], g["conv"]) for g in answer["groups"]} == {
        (0, 0),
        (0, 2),
        (1, 0),
        (1, 2),
    }
    assert all(group["m_h"] == [4] and "optimum" not in group for group in answer["groups"])
    assert all(len(row.get("taps", ())) == row["conv"] for row in answer["rows"])


def test_a_worker_does_such_a_sweep_as_a_job():
    sweep = parse_sweep(
        {"target": "linear", "model": "rnn", "tau": 6, "hidden": [1, 2], "steps": 20}
    )
    store = Store()
    name = jobs.ask(store, "sweep", spec_id(sweep), full_json(sweep))
    job, lock = jobs.claim(store, name)
    run_job(store, job, "cpu")
    lock.release()
    assert jobs.get(store, name).status == "finished"
    assert len(sweep_rows.read(store, spec_id(sweep))) == 2
