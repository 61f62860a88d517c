"""A recipe that the explorer does not have, inheriting nothing: with its network and its kind of
target in the tables it is trained, kept, swept and paid for; what is left out of it is named."""

import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest
import torch

from explorer.models import networks
from explorer.models.named import shapes
from explorer.reproduce import SUMMARIES, swept
from explorer.reproduce.request import Summary
from explorer.runs import archive, costs, executors, layout
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import SpecError, coupling_spec
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

ROOT = Path(__file__).resolve().parent.parent


class FactorSpec(TrainingFields, Specification, frozen=True):
    """One number a learns y = 2x."""

    grid: ClassVar[None] = None
    topic: ClassVar[str] = "moon"
    noun: ClassVar[str] = "a double"
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
    pace=networks.Pace(1e10, 1e-3, pairs=False),
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
SUMMARY = Summary(
    summary=lambda sweep, rows, load_grid, norm: {"groups": [row["factor"] for row in rows]},
    lines=lambda groups: [f"factor {factor:.2f}" for (factor,) in groups],
    shipped=lambda found, load_grid: found,
)


@pytest.fixture
def made_up(monkeypatch):
    monkeypatch.setitem(networks.NETWORKS, "factor", NETWORK)
    monkeypatch.setitem(recipes.RECIPES, "factor", Factor)
    monkeypatch.setitem(KINDS, "double", KIND)
    monkeypatch.setitem(SUMMARIES, "moon", SUMMARY)
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


def test_a_sweep_of_it_has_its_columns_and_its_words(made_up, tmp_path, monkeypatch):
    monkeypatch.setattr(executors, "executor_named", lambda *_: nullcontext())  # in this process
    answer = swept(Store(tmp_path), FactorSweep(seed=(0, 1)), "local", 1, "cpu")
    assert SUMMARIES["moon"].lines(answer["groups"]) == ["factor 2.00", "factor 2.00"]


def test_it_is_refused_by_its_own_name_where_a_coupling_is_asked_for(made_up):
    with pytest.raises(SpecError, match='target = "double": a double, without a coupling'):
        coupling_spec(FactorSpec())


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


@pytest.mark.parametrize("piece", ["topic", "noun", "recipe"])
def test_a_specification_without_one_of_its_pieces_is_an_error_that_names_it(piece):
    own = {name: getattr(FactorSpec, name) for name in ("topic", "noun", "recipe") if name != piece}
    of = dict.fromkeys(own, ClassVar[str])
    spec = type("Lacking", (Specification,), {"__annotations__": of, "__module__": __name__} | own)
    sweep = SimpleNamespace(member=spec)
    with pytest.raises(TypeError, match=f"Lacking lacks {piece}$"):
        replace(KIND, Spec=spec, Sweep=sweep)


MORE_NAMES = """
from typing import Literal, get_args
import explorer.spec, explorer.spec.fields
names = Literal[(*get_args(explorer.spec.fields.{kind}), "moon")]
explorer.spec.{kind} = explorer.spec.fields.{kind} = names
"""
MORE_RECIPES = """
from explorer.models.networks import NETWORKS
NETWORKS["moon"] = NETWORKS["rnn"]
"""


@pytest.mark.parametrize(
    ("needed", "module", "table"),
    [
        (MORE_NAMES.format(kind="RecipeName"), "models.networks", "networks"),
        (MORE_RECIPES, "training.recipes", "recipes"),
        (MORE_NAMES.format(kind="Topic"), "reproduce.summaries", "summaries of sweeps"),
        (
            "import explorer.ui.topics" + MORE_NAMES.format(kind="Topic"),
            "cli.theory",
            "what is known of a target",
        ),
    ],
)
def test_a_table_without_one_of_its_lines_is_an_error_at_import(needed, module, table):
    code = f"{needed}\nimport explorer.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr.endswith(f"TypeError: {table}: moon\n")
