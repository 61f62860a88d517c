"""The way of a CUDA machine, walked without one: shapes alone, stand-ins for graph and failures."""

import os
import sys
from types import ModuleType

import pytest
import torch
from stores import TINY

from explorer.runs import devices, execute, executors, sweeps
from explorer.runs.run_file import Metrics
from explorer.runs.store import Store
from explorer.spec import amended
from explorer.targets import KINDS, PRESETS, parse, parse_sweep, target_of
from explorer.training import Ensemble

SMALL = {"m_ff": 6, "n": 5, "d_v": 4, "batch": 2, "steps": 9}
RECURRENT = {"batch": 2, "steps": 9}
SPECS = {
    "coupling": {"target": "coupling", "tau": 4, **SMALL},
    "head start": {"target": "coupling", "tau": 4, "head_start": 2, **SMALL, "steps": 99},
    "positions": {"target": "coupling", "tau": 4, "positions": 2, **SMALL},
    "reversed": {"target": "coupling", "tau": 4, "positions": 2, "permutation": "reverse", **SMALL},
    "nearest": {"target": "nearest", **SMALL},
    "cog": {"target": "cog", **SMALL},
    "qsa": {"target": "qsa", "m_h": 1, **SMALL},
    "linear": {"target": "linear", "tau": 6, "conv": 3, **SMALL},
    "rnn": {"target": "linear", "tau": 6, "model": "rnn", "hidden": 7, **RECURRENT},
    "words": {"target": "number_words", "m_h": 2, **SMALL},
    "fixed": {"target": "fixed_memory", **RECURRENT},
    "adaptive": {"target": "adaptive_memory", **RECURRENT},
    "essential": {"target": "essential_memory", **RECURRENT},
    "induction": {"target": "induction", **RECURRENT},
}
ADAM_ALONE = ("words", "fixed", "adaptive", "essential", "induction")
WALKS = [(name, "adam") for name in SPECS]
WALKS += [(name, "soap") for name in SPECS if name not in ADAM_ALONE]


def moved(value):
    """To the meta device, which has shapes and no numbers."""
    if isinstance(value, torch.Tensor):
        return value.to("meta")
    if isinstance(value, dict):
        return {name: moved(held) for name, held in value.items()}
    return [moved(held) for held in value] if isinstance(value, list) else value


def without_numbers(spec, models=2):
    """An ensemble on the meta device, and a batch."""
    members = [amended(spec, seed=seed) for seed in range(models)]
    many = Ensemble(members, [target_of(spec)] * models)
    x, y = (moved(side) for side in many.batch())
    for name, value in vars(many.recipe).items():
        setattr(many.recipe, name, moved(value))
    many.device, many.variances = torch.device("meta"), moved(many.variances)
    many._hold(1)
    return many, x, y


def test_every_kind_is_walked_but_the_one_that_needs_files():
    assert {spec["target"] for spec in SPECS.values()} == set(KINDS) - {"pictures"}


@pytest.mark.parametrize(
    "spec", [*map(parse, SPECS.values()), *(one for _, one in PRESETS.values())]
)
def test_the_file_of_a_run_has_room_for_what_each_kind_measures(spec):
    assert {*spec.extra_metrics} <= {*Metrics.model_fields}


@pytest.mark.parametrize(("name", "optimizer"), WALKS)
def test_a_step_of_every_model_and_optimiser_stays_on_the_device(name, optimizer):
    """Where no number can be read and no other device be mixed in. Only the cut after a head start
    is made on the host, in float64: once in a run, and in no graph."""
    many, x, y = without_numbers(parse({**SPECS[name], "optimizer": optimizer}))
    for _ in range(7):
        losses = many.learn(x, y)
    assert losses.is_meta and losses.shape == (2,) and many.flat.is_meta
    assert all(gradient.is_meta for gradient in many.gradients.values())


def test_a_hidden_copy_to_the_host_would_be_noticed():
    many, x, y = without_numbers(parse(SPECS["coupling"]))
    many.recipe.gradient = lambda weights, *_: torch.tensor(float(weights["W_Q"].sum()))
    with pytest.raises((RuntimeError, NotImplementedError)):
        many.learn(x, y)


class Graph:
    """Stands in for a CUDA graph: it has the step, and does it again on the same buffers."""

    def __init__(self, many):
        self.many, self.replays = many, 0

    def replay(self):
        self.replays += 1
        self.many._losses.copy_(self.many._update(self.many._x, self.many._y))


def captured(many):
    """As on a CUDA device from the fourth step on."""

    def capture(x, y):
        many._x, many._y = x.clone(), y.clone()
        many._losses = torch.zeros(len(many.members))
        many.graph = Graph(many)
        many.graph.replay()
        many.losses = many._losses.clone()

    many._can_capture = lambda: many.recipe.capturable and many.eager_steps >= 3
    many._capture = capture
    return many


@pytest.mark.parametrize("optimizer", ["adam", "soap"])
@pytest.mark.parametrize("head_start", [0, 2])
def test_steps_by_a_graph_are_those_without_one(optimizer, head_start):
    spec = amended(TINY, optimizer=optimizer, head_start=head_start, steps=40)
    ours, theirs = (Ensemble([spec], [target_of(spec)]) for _ in range(2))
    captured(ours)
    for _ in range(40):
        assert torch.equal(ours.advance(), theirs.advance())
    assert ours.graph.replays > 10 and torch.equal(ours.flat, theirs.flat)


SWEEP = parse_sweep(
    {"tau": 4, "n": 8, "d_v": 8, "m_ff": 16, "batch": 8, "warmup": 5, "steps": 20}
    | {"m_h": [1, 2], "rank": [2], "seed": [0, 1]}
)


def short_of_memory(monkeypatch, most):
    """A device that takes so many models; the sizes that were tried."""
    tried, whole = [], sweeps._train_whole

    def train(text, *rest):
        tried.append(len(sweeps.Unit.from_text(text).members))
        if tried[-1] > most:
            raise torch.OutOfMemoryError("out of memory")
        return whole(text, *rest)

    monkeypatch.setattr(sweeps, "_train_whole", train)
    return tried


def test_a_batch_without_room_is_trained_in_halves(monkeypatch):
    (unit,) = sweeps.units(SWEEP, device="cuda")
    tried = short_of_memory(monkeypatch, 2)
    rows = sweeps.train_unit(unit.text())
    assert tried == [4, 2, 2] and len({row["spec_id"] for row in rows}) == 4


def test_one_model_without_room_says_what_to_lower(monkeypatch):
    short_of_memory(monkeypatch, 0)
    with pytest.raises(devices.DeviceError, match="not enough memory for it: lower the batch"):
        sweeps.train_unit(sweeps.units(SWEEP)[0].text())


def failing(monkeypatch, error):
    def train(*_, **__):
        raise error
        yield

    monkeypatch.setattr(execute, "train", train)


def test_a_run_without_room_says_what_to_lower(monkeypatch):
    store = Store()
    failing(monkeypatch, torch.OutOfMemoryError("CUDA out of memory. Tried to allocate …"))
    with store.start(TINY, "cpu") as lease:
        row = execute.execute(store, lease.row)
    assert row.status == "failed" and "lower the batch" in row.message


def test_a_lost_device_is_an_interrupted_run_that_goes_on(monkeypatch):
    store = Store()
    with monkeypatch.context() as lost:
        failing(lost, torch.AcceleratorError("CUDA error: unspecified launch failure"))
        with (
            pytest.raises(devices.DeviceError, match="was lost"),
            store.start(TINY, "cpu") as lease,
        ):
            execute.execute(store, lease.row)
    row = store.get(lease.row.run)
    assert row.status == "interrupted"
    with store.take(row.run, "cpu") as lease:
        assert execute.execute(store, lease.row).status == "finished"


def visible(_):
    return os.environ.get("CUDA_VISIBLE_DEVICES")


def test_each_process_of_a_sweep_has_a_gpu_of_its_own(monkeypatch):
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # a page's, after a page
    with executors._processes(2, ["3", "5"]) as pool:
        found = {found for _ in range(20) for found in pool.map(visible, range(8))}
    assert found <= {"3", "5"} and found
    with executors._processes(1) as pool:
        assert pool.submit(visible, 0).result() == os.environ.get("CUDA_VISIBLE_DEVICES")


def test_so_many_gpus_share_a_batch():
    assert [len(unit.members) for unit in sweeps.units(SWEEP, device="cuda", share=2)] == [2, 2]
    assert [len(unit.members) for unit in sweeps.units(SWEEP, device="cuda", share=3)] == [2, 2]
