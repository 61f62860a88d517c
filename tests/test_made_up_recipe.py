"""A recipe that the explorer does not have, inheriting nothing: with its network and its kind of
target in the tables it is trained, kept, swept and paid for; what is left out of it is named."""

from dataclasses import dataclass, fields
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest
import torch

from explorer.models import networks
from explorer.models.named import shapes
from explorer.runs import archive, costs, layout, sweeps
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec.fields import (
    AS_LIST,
    IndependentSweep,
    Seed,
    Specification,
    Steps,
    TrainingFields,
    listed,
)
from explorer.targets import KINDS, Kind
from explorer.training import recipe, recipes
from explorer.training.recipe import Calibration, draw, error_metrics, fixed_numbers, short


class FactorSpec(TrainingFields, Specification, frozen=True):
    """One number a learns y = 2x."""

    grid: ClassVar[None] = None
    topic: ClassVar[Literal["order"]] = "order"
    recipe: ClassVar[str] = "factor"
    target: Literal["double"] = "double"
    tau: int = 3
    optimizer: Literal["adam"] = "adam"
    lr: float = 0.1
    warmup: int = 0
    steps: Steps = 200


class FactorSweep(FactorSpec, IndependentSweep, frozen=True):
    """Over seeds."""

    member: ClassVar[type[FactorSpec]] = FactorSpec
    swept: ClassVar[tuple[str, ...]] = ("seed",)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)


@dataclass(frozen=True)
class Double:
    """y = 2x."""

    tau: int

    def answer(self, x):
        return 2 * x


@dataclass(eq=False)
class Factor:
    """ŷ = a·x."""

    plan: recipe.Plan
    capturable = browser_computes = False

    @staticmethod
    def calibrate(spec, target, device):
        return Calibration(0.0, 1.0, 4 / 12)

    @staticmethod
    def initial(spec, generator):
        return {"a": torch.rand(1, generator=generator)}

    def batch(self, generators, step):
        x = draw(generators, self.plan.spec.batch, self.plan.spec.tau)[self.plan.seed_of]
        return x, 2 * x

    def gradient(self, weights, x, y, gradients, step):
        error = weights["a"].unsqueeze(-1) * x - y
        gradients["a"].copy_(2 * (error * x).mean(dim=(1, 2)).unsqueeze(-1))
        return error.square().mean(dim=(1, 2))

    def metrics(self, weights, model, count):
        x = fixed_numbers(count, self.plan.spec.tau, self.plan.device)
        return error_metrics((weights["a"] - 2) * x, 2 * x)

    def diagnostics(self, weights):
        return {"factor": weights["a"][0].cpu().numpy()}

    def columns(self, weights, model):
        return {"factor": short(weights["a"][0].tolist())}


NETWORK = networks.Network(
    shapes=lambda spec: {"a": (1,)},
    pictures=lambda spec, found: {"factor": (1,)},
    speed=1e10,
    step=1e-3,
    pairs=False,
)
KIND = Kind(
    Spec=FactorSpec,
    Sweep=FactorSweep,
    build=lambda spec, _: Double(spec.tau),
    check=lambda spec: None,
    words=lambda spec: "twice x",
    presets={},
    sweeps={},
)


@pytest.fixture
def made_up(monkeypatch):
    monkeypatch.setitem(networks.NETWORKS, "factor", NETWORK)
    monkeypatch.setitem(recipes.RECIPES, "factor", Factor)
    monkeypatch.setitem(KINDS, "double", KIND)
    recipe.complete(recipes.RECIPES)


def test_it_inherits_nothing():
    assert Factor.__mro__ == (Factor, object)


def test_it_is_trained_kept_and_read_back(made_up, tmp_path):
    store = Store(tmp_path)
    with store.start(FactorSpec(), "cpu") as lease:
        row = execute(store, lease.row)
    record = store.read(row.run)
    assert row.status == "finished" and record.row.metrics["nmse"] < 1e-6
    read = archive.read(archive.export(store, row.run))
    assert read.spec == FactorSpec()
    np.testing.assert_allclose(read.snapshot(200)[1]["factor"], 2, rtol=1e-3)


def test_its_row_of_a_sweep_has_its_columns(made_up, tmp_path):
    rows = sweeps.run(Store(tmp_path), FactorSweep(seed=(0, 1)))
    np.testing.assert_allclose([row["factor"] for row in rows], 2, rtol=1e-3)


def test_its_shapes_and_costs_are_its_own(made_up):
    spec = FactorSpec()
    assert shapes(spec) == {"a": (1,)}
    assert layout.parameters(spec)["weights.a"] == ("float32", (1, 1))
    assert costs.seconds_of_step(spec) == 1e-3 + costs.operations(spec) / 1e10
    assert costs.operations(spec) == 6 * spec.batch * spec.tau


@pytest.mark.parametrize("piece", [field.name for field in fields(networks.Network)])
def test_a_network_without_one_of_its_pieces_is_an_error_that_names_it(piece):
    pieces = {name: value for name, value in vars(NETWORK).items() if name != piece}
    with pytest.raises(TypeError, match=f"'{piece}'"):
        networks.Network(**pieces)


@pytest.mark.parametrize(
    "piece",
    ["batch", "calibrate", "capturable", "columns", "diagnostics", "gradient", "initial"]
    + ["metrics", "browser_computes"],
)
def test_a_recipe_without_one_of_its_pieces_is_an_error_that_names_it(piece):
    own = {name: value for name, value in vars(Factor).items() if name != piece}
    lacking = type("Lacking", (), {name: own[name] for name in own if name != "__dict__"})
    with pytest.raises(TypeError, match=f"factor: nothing is said of {piece}$"):
        recipe.complete({"factor": lacking})


@pytest.mark.parametrize("table", ["networks", "recipes"])
def test_a_recipe_that_a_table_lacks_is_named(table):
    told = {"networks": networks.NETWORKS, "recipes": recipes.RECIPES}[table]
    with pytest.raises(TypeError, match=f"{table}: nothing is said of rnn$"):
        networks.complete(table, told.keys() - {"rnn"})
