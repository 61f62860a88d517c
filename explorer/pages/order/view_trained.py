"""What has been trained on the targets of the Order page: runs, rows of sweeps, printed values.

Only what was trained alike is compared: by one *recipe*, which is all of a specification but its
target and its seed, and over the same seeds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.pages.order.view_kinds import view_of
from explorer.runs.record import Record, RunRow
from explorer.spec import (
    KERNEL_FIELDS,
    AlterableSpec,
    AnySpec,
    LinearSpec,
    LinearSweep,
    SpecError,
    alterable_spec,
    amended,
    spec_id,
)
from explorer.spec.alterations import ALTERATION_FIELDS
from explorer.spec.couplings import DESIGN_FIELDS
from explorer.targets.alterations import alteration_words
from explorer.theory.propositions import Pairs
from explorer.views.settings import differing_fields, words_of
from explorer.views.sweeps import Finished
from explorer.views.text import number

THIS, PRINTED = "this run", "printed"
OF_THE_TARGET = {*KERNEL_FIELDS, *ALTERATION_FIELDS, *DESIGN_FIELDS, "seed"}
OF_NO_EFFECT = {
    "transformer": {"hidden"},
    "rnn": {
        *("conv", "positions", "m_h", "n", "d_v", "m_ff", "depth"),
        *("activation", "activation_out", "init", "batch"),
    },
}
"""Fields of a specification that say nothing of how its model is trained."""
TITLES = {"block": "block exchange", "random": "random order"}
"""Orders that have a longer name."""
PRINTED_MSE = {
    ("exponential", None, "rnn"): 1.02e-7,
    ("exponential", "block", "rnn"): 3.57e-2,
    ("exponential", None, "transformer"): 2.18e-5,
    ("exponential", "block", "transformer"): 2.51e-5,
    ("exponential", "filter", "rnn"): 1.58e-7,
    ("exponential", "filter", "transformer"): 2.39e-4,
    ("random", None, "rnn"): 5.58,
    ("random", "block", "rnn"): 5.24,
    ("random", None, "transformer"): 5.43e-4,
    ("random", "block", "transformer"): 5.36e-4,
}
"""MSE of Tables 2 and 3, by kernel, what was altered, and model; their filter is not given."""
ROWS = {"original": None, "block exchange": "block", "signed filters": "filter"}
"""The rows of those tables, and what is altered in them."""


def printed(kernel: str, row: str, model: str) -> float | None:
    """The MSE that the paper prints in a row of Table 2 or 3, if it does."""
    return PRINTED_MSE.get((kernel, ROWS.get(row, row), model.lower()))


@dataclass(frozen=True)
class Known:
    """An error on the target shown, of a kind of model; `source` says where it comes from."""

    model: str
    mse: float
    nmse: float
    source: str

    @property
    def header(self) -> dict[str, Any]:
        """What the component is told of it."""
        own = {"model": self.model, "mse": self.mse, "nmse": self.nmse, "source": self.source}
        return own | {"seed": None, "steps": None, "conv": 0, "hidden": None}


@dataclass(frozen=True)
class Trained(Known):
    """The error of a model that was trained, and not merely printed."""

    spec: AlterableSpec
    mae: float | None = None

    @property
    def header(self) -> dict[str, Any]:
        spec = self.spec
        recipe = {"seed": spec.seed, "steps": spec.steps, "conv": spec.conv}
        return super().header | recipe | {"hidden": spec.units or None}


def comparable(
    spec: AlterableSpec, rows: Iterable[RunRow], shown: str | None = None
) -> list[Known]:
    """Finished runs on just this target, the one `shown` first, and what the paper prints."""
    trained = []
    for row in rows:
        errors = error_of(row)
        if errors is not None and same_target(row.spec, spec):
            source = THIS if row.run == shown else f"run {row.run}"
            ours, mae = alterable_spec(row.spec), row.outcome.get("mae")
            trained.append(Trained(ours.model, *errors, source, ours, mae))
    trained.sort(key=lambda each: each.source != THIS)
    return [*trained, *_printed(spec)]


def of_sweeps(spec: AlterableSpec, sweeps: Iterable[Finished[LinearSweep]]) -> list[Trained]:
    """The models of sweeps of linear targets that learned just this one."""
    trained, learned = [], view_of(spec).learned(spec)
    for finished in sweeps:
        ids, source = _learners(finished.sweep, learned), f"sweep {spec_id(finished.sweep)}"
        trained += [
            of_row(ids[row["spec_id"]], row, source)
            for row in finished.rows
            if row["spec_id"] in ids and row["status"] == "finished"
        ]
    return trained


def of_row(spec: LinearSpec, row: Mapping[str, Any], source: str) -> Trained:
    """The model of a row of a table; the error of an RNN is exact."""
    mse = row["population_mse"] if spec.model == "rnn" else row["mse"]
    return Trained(spec.model, mse, row["nmse"], source, spec, row["mae"])


@lru_cache(maxsize=64)
def _learners(sweep: LinearSweep, learned: object) -> Mapping[str, LinearSpec]:
    """The members of a sweep that learn this, by their ids."""
    members = (each for each in sweep.members() if view_of(each).learned(each) == learned)
    return {spec_id(member): member for member in members}


def _printed(spec: AlterableSpec) -> list[Known]:
    row, floors = view_of(spec).printed(spec), view_of(spec).floors(spec)
    if row is None or floors is None:
        return []
    by_model = {model: mse for (*key, model), mse in PRINTED_MSE.items() if (*key,) == row}
    return [Known(model, mse, mse / floors.constant, PRINTED) for model, mse in by_model.items()]


def error_of(row: RunRow) -> tuple[float, float] | None:
    """MSE (an RNN's is exact) and nMSE of a finished run on a target of this page."""
    try:
        ours, metrics = row.spec.topic == "order", row.metrics or {}
    except SpecError:
        return None
    if row.status != "finished" or not ours or "nmse" not in metrics:
        return None
    return metrics.get("population_mse", metrics["mse"]), metrics["nmse"]


def same_target(spec: AnySpec, other: AnySpec) -> bool:
    """Whether two specifications learn the same numbers, however their alterations are named."""
    if spec.target != other.target:
        return False
    return view_of(spec).learned(spec) == view_of(other).learned(other)


def altered_alike(spec: AnySpec, other: AnySpec) -> bool:
    """Whether two specifications learn one target but for its order and its filter."""
    if spec.target != other.target:
        return False
    plain = {"permutation": None, "filter": None}
    return same_target(amended(spec, **plain), amended(other, **plain))


def target_name(spec: AlterableSpec, beside: AnySpec) -> str:
    """What a target is called beside another one: by its order and filter where these differ."""
    if altered_alike(spec, beside):
        words = [TITLES.get(word, word) for word in alteration_words(spec)]
        return ", ".join(words) or "order as it is"
    return words_of(spec, differing_fields([spec, beside]))


Recipe = tuple[tuple[str, Any], ...]


@lru_cache(maxsize=512)
def recipe_of(spec: AlterableSpec) -> Recipe:
    """How a model is trained: the fields of its specification but target, order and seed."""
    left_out = OF_THE_TARGET | OF_NO_EFFECT[spec.model]
    return tuple(sorted(spec.model_dump(exclude=left_out).items()))


def of_model(known: Iterable[Known], model: str) -> list[Trained]:
    """Those of a kind of model that were trained."""
    return [each for each in known if isinstance(each, Trained) and each.model == model]


def by_recipe(known: Iterable[Known], model: str) -> dict[Recipe, dict[int, Trained]]:
    """The trained models of a kind by recipe and seed; of two alike the first."""
    recipes: dict[Recipe, dict[int, Trained]] = {}
    for each in of_model(known, model):
        recipes.setdefault(recipe_of(each.spec), {}).setdefault(each.spec.seed, each)
    return recipes


KINDS = {
    "RNN": ("rnn", False),
    "Transformer": ("transformer", False),
    "Transformer with a learned convolution": ("transformer", True),
}
"""What errors are told of, and which models these are: their kind, and whether they have one."""


@dataclass(frozen=True)
class Alike:
    """Kinds of models that were trained by as many steps from the same seeds."""

    steps: int
    seeds: tuple[int, ...]
    errors: Mapping[str, float]
    """MSE, the median over the seeds, by what the kind is called."""

    @property
    def words(self) -> str:
        """Their errors, by how many steps, and of how many seeds they are the median."""
        several = len(self.errors) > 1
        median = f"median{'s' * several} of {len(self.seeds)} seeds"
        seeds = "one seed" if len(self.seeds) == 1 else median
        errors = ", ".join(f"{name} {number(mse)}" for name, mse in self.errors.items())
        return f"Trained{' alike' * several} ({self.steps} steps, {seeds}): {errors}."


def alike(known: Sequence[Known]) -> Alike | None:
    """RNN and Transformer by as many steps and from the same seeds, and the other kinds of which
    the same is known: with the most seeds, then steps. Where only one kind was trained, that one;
    None where no model was, or the kinds have nothing in common."""
    kinds = {name: _by_steps(known, *kind) for name, kind in KINDS.items()}
    trained = [kind for name in ("RNN", "Transformer") if (kind := kinds[name])] or [
        *kinds.values()
    ]
    comparisons = []
    for steps in set.intersection(*map(set, trained)) if any(trained) else ():
        if seeds := tuple(sorted(set.intersection(*(set(kind[steps]) for kind in trained)))):
            errors = {
                name: float(np.median([kind[steps][seed].mse for seed in seeds]))
                for name, kind in kinds.items()
                if set(seeds) <= kind.get(steps, {}).keys()
            }
            comparisons.append(Alike(steps, seeds, errors))
    return max(comparisons, key=lambda each: (len(each.seeds), each.steps), default=None)


def _by_steps(known: Iterable[Known], model: str, conv: bool) -> dict[int, Mapping[int, Trained]]:
    """The models of a kind by steps and seed, of the recipe with the most hidden units, then
    seeds."""
    ours = [each for each in of_model(known, model) if bool(each.spec.conv) == conv]
    groups: dict[int, list[dict[int, Trained]]] = {}
    for by_seed in by_recipe(ours, model).values():
        groups.setdefault(next(iter(by_seed.values())).spec.steps, []).append(by_seed)
    most = lambda by_seed: (next(iter(by_seed.values())).spec.units, len(by_seed))  # noqa: E731
    return {steps: max(group, key=most) for steps, group in groups.items()}


def pairs(
    spec: AlterableSpec, before: Sequence[Known], after: Sequence[Known]
) -> tuple[Pairs | None, str]:
    """Transformers trained alike in their own order and in that of `spec`, with most seeds, without
    a convolution if there are such; or in words what there is instead."""
    sides = [by_recipe(trained, "transformer") for trained in (before, after)]
    candidates = []
    for recipe in sides[0].keys() & sides[1].keys():
        first, second = (side[recipe] for side in sides)
        if seeds := sorted(first.keys() & second.keys()):
            any_of = first[seeds[0]]
            one, other = ({seed: side[seed].nmse for seed in seeds} for side in (first, second))
            rank = (any_of.spec.conv == 0, len(seeds), any_of.spec.steps)
            candidates.append((rank, Pairs(one, other, any_of.spec.steps)))
    if candidates:
        return max(candidates, key=lambda each: each[0])[1], ""
    counts = [sum(map(len, side.values())) for side in sides]
    if not counts[1]:
        return None, ""
    return None, f"{counts[0]} trained before and {counts[1]} after, none of them alike"


def counterpart(row: RunRow, runs: Mapping[str, RunRow]) -> str | None:
    """The name of a finished run that differs from `row` by a learned convolution in front alone:
    it has one where `row` has none, or none where it has one."""
    spec = alterable_spec(row.spec)
    if spec.model != "transformer":
        return None
    alike = {
        name: error[1]
        for name, other in runs.items()
        if (error := error_of(other)) and _but_for_the_convolution(spec, alterable_spec(other.spec))
    }
    return min(alike, key=lambda name: alike[name], default=None)


def _but_for_the_convolution(spec: AlterableSpec, other: AlterableSpec) -> bool:
    recipes = [{**dict(recipe_of(each)), "conv": 0} for each in (spec, other)]
    return (
        spec.model == other.model
        and recipes[0] == recipes[1]
        and bool(spec.conv) != bool(other.conv)
        and spec.seed == other.seed
        and same_target(spec, other)
    )


def beside(record: Record) -> dict[str, Any]:
    """What the component draws of a counterpart: its name, its errors, the taps it has learned."""
    _, pictures = record.latest() or ({}, {})
    taps, conv = pictures.get("taps"), alterable_spec(record.spec).conv
    return {
        "label": f"with a convolution of {conv}" if conv else "without convolution",
        "nmse": float(record.nmse[-1]),
        "evals": np.column_stack([record.snapshot_steps, record.nmse]).tolist(),
        "taps": None if taps is None else taps.tolist(),
    }
