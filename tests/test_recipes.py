"""Recipes and Snapshots: every network has one recipe, every step of a run its own picture."""

import importlib
import inspect
import pkgutil
from operator import attrgetter

import numpy as np
import pytest
import torch

from explorer import training
from explorer.models.named import shapes
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, LinearSpec, amended
from explorer.targets import PRESETS, parse, target_of
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec
from explorer.targets.tasks.selection import SelectionSpec
from explorer.training import Ensemble, Snapshot, Trained, train
from explorer.training.recipe import Recipe
from explorer.training.recipes import RECIPES, recipe_of

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"tau": 6, "n": 8, "d_v": 3, "m_h": 3, "m_ff": 12, "batch": 4, "steps": 14, "warmup": 2}
SPECS = {
    "coupling": amended(CouplingSpec(), **SMALL, rank=2),
    "coupling, Adam": amended(CouplingSpec(), **SMALL, rank=2, optimizer="adam"),
    "raw": amended(PRESETS["paper"][1], **SMALL),
    "altered": amended(CouplingSpec(), **SMALL, rank=2, permutation="reverse", positions=2),
    "linear": parse({"target": "linear", **SMALL, "positions": 2, "conv": 2}),
    "encoder": parse({"target": "number_words", **SMALL, "tau": 8, "permutation": "reverse"}),
    "memory": parse({"target": "induction", **SMALL}),
    "decays": parse(
        {"target": "essential_memory", "model": "heads", "encoding": "lin"}
        | {"tau": 6, "steps": 14, "warmup": 2}
    ),
    "rnn": LinearSpec(model="rnn", tau=6, hidden=4, steps=14, warmup=2),
    "nearest": NearestSpec(**SMALL),
    "cog": GravitySpec(**SMALL, segments=2),
    "qsa": SelectionSpec(**SMALL, k=2),
}
EACH = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)


def picture(snapshot):
    """All that a Snapshot says of its step."""
    arrays = {**snapshot.state(), **snapshot.diagnostics(), **snapshot.weights_for_browser()}
    numbers = {"step": snapshot.step, "loss": float(snapshot.loss), **snapshot.evaluate(50)}
    copies = {name: np.array(array, copy=True) for name, array in arrays.items()}
    return copies | numbers | {"sha256": snapshot.weights_sha256()}


def assert_same(one, other):
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@EACH
def test_a_list_of_snapshots_holds_the_picture_of_every_step(spec):
    pictures = [picture(snapshot) for snapshot in train(spec)]
    kept = list(train(spec))
    assert [snapshot.step for snapshot in kept] == list(range(1, spec.steps + 1))
    for snapshot, expected in zip(kept, pictures, strict=True):
        assert_same(picture(snapshot), expected)
    assert len({snapshot.weights_sha256() for snapshot in kept}) == spec.steps


@EACH
def test_a_run_goes_on_from_any_snapshot_of_a_list_and_leaves_it_as_it_was(spec):
    kept = list(train(spec))
    early = picture(kept[4])
    for _ in range(2):
        *_, resumed = train(spec, kept[4].state())
        assert_same(picture(resumed), picture(kept[-1]))
    assert_same(picture(kept[4]), early)


def test_a_snapshot_that_nobody_holds_is_not_copied(monkeypatch, tmp_path):
    copies, detach = [], Snapshot.detach
    monkeypatch.setattr(Snapshot, "detach", lambda s: (copies.append(s.step), detach(s)))
    spec = SPECS["coupling"]
    assert sum(map(attrgetter("step"), train(spec))) == sum(range(spec.steps + 1))
    assert copies == []
    store = Store(tmp_path)
    with store.start(spec, "cpu") as lease:
        assert execute(store, lease.row).status == "finished"
    assert copies == [], "a run at work holds none"
    kept = list(train(spec))
    assert copies == [snapshot.step for snapshot in kept], "the control"


# Recipes


def test_every_preset_has_a_recipe_and_every_recipe_a_preset():
    specs = [spec for _, spec in PRESETS.values()]
    assert {spec.recipe for spec in specs} == set(RECIPES)
    for spec in [*specs, *SPECS.values()]:
        assert recipe_of(spec) is RECIPES[spec.recipe]


@EACH
def test_a_recipe_is_what_its_protocol_says(spec):
    recipe = Ensemble([spec], [target_of(spec)]).recipe
    methods = [name for name in vars(Recipe) if name[0] != "_"]
    assert len(methods) == 7
    for name in methods:
        ours, theirs = (inspect.signature(getattr(of, name)) for of in (type(recipe), Recipe))
        assert list(ours.parameters) == list(theirs.parameters), name
    assert set(Recipe.__annotations__) <= {*vars(recipe), *vars(type(recipe))}


@EACH
def test_only_the_tasks_take_their_weights_to_the_browser(spec):
    snapshot = next(train(spec))
    sent = snapshot.weights_for_browser()
    expected = {f"weights.{name}" for name in shapes(spec)} if spec.recipe == "attention" else set()
    assert set(sent) == expected
    for name, array in sent.items():
        np.testing.assert_array_equal(array, snapshot.state()[name][0])


@EACH
def test_a_gradient_fills_its_buffers_for_each_model_as_if_alone(spec):
    """The gradient of one of two equal models is that of the model alone, not a mean of both."""
    pair, single = (Ensemble([spec] * n, [target_of(spec)] * n) for n in (2, 1))
    for ensemble in (pair, single):
        ensemble.gradient.fill_(torch.nan)
        batch = ensemble.batch()
        weights, gradients = ensemble.weights, ensemble.gradients
        errors = ensemble.recipe.gradient(weights, *batch, gradients, step=1)
        assert errors.shape == (len(ensemble.members),) and errors.isfinite().all()
    for name in shapes(spec):
        both, alone = pair.gradients[name], single.gradients[name][0]
        torch.testing.assert_close(both[0], both[1], rtol=0, atol=0)
        torch.testing.assert_close(both[0], alone, rtol=1e-4, atol=1e-6)


def test_no_class_of_training_inherits_from_one_that_can_be_made():
    names = [m.name for m in pkgutil.walk_packages(training.__path__, "explorer.training.")]
    classes = {
        found
        for module in map(importlib.import_module, names)
        for _, found in inspect.getmembers(module, inspect.isclass)
        if found.__module__.startswith("explorer.training")
    }
    assert {Ensemble, Snapshot, *RECIPES.values()} <= classes
    bases = {base for each in classes for base in each.__mro__[1:]}
    ours = {base for base in bases if base.__module__.startswith("explorer")}
    assert ours == {Trained} and inspect.isabstract(Trained)
