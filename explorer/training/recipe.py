"""What an `Ensemble` must be told of a kind of model: its answers, its batches, its loss.

A recipe knows the models of one batch and what each of them learns (`Plan`). Parameters, optimiser
and random streams belong to the ensemble, which calls these methods and no others. There is one
recipe for each kind of network, in `recipes`; what needs no torch is said in `models.networks`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import torch
from torch import Tensor

from explorer.spec import AnySpec
from explorer.targets import AnyTarget, evaluation_inputs
from explorer.targets.fixed import training_set

CALIBRATION = 512  # sequences that fix the centre and scale of y
CHUNK = 512  # sequences evaluated at once

Weights = dict[str, Tensor]
Objective = Callable[[Weights], tuple[Tensor, Tensor]]
"""From weights to the mean squared errors and to what is minimised, (model,) each."""
Spec = TypeVar("Spec", bound=AnySpec)
Target = TypeVar("Target", bound=AnyTarget)


class Calibration(NamedTuple):
    """A target's answers y are learned as (y − centre) / scale, whose variance is `variance`."""

    centre: float
    scale: float
    variance: float = 1.0


@dataclass(frozen=True, eq=False)
class Plan(Generic[Spec, Target]):
    """What each model of a batch learns, and from which stream of sequences."""

    spec: Spec
    """Of the widest model; the others differ in `ensemble.MEMBER_FIELDS` alone."""
    members: Sequence[Spec]
    """Of each model."""
    targets: Sequence[Target]
    """Without repetition."""
    calibrations: Sequence[Calibration]
    """Of each target."""
    target_of: list[int]
    """Which of the targets each model learns, (model,)."""
    seed_of: list[int]
    """Which of the random streams each model is trained on, (model,)."""
    device: torch.device

    def assignment(self, model: int) -> tuple[Target, Calibration]:
        """What a model learns, and in which units."""
        which = self.target_of[model]
        return self.targets[which], self.calibrations[which]

    def learned_answers(self, x: Tensor) -> Tensor:
        """The answers of every target to x (seed, batch, τ) as they are learned, (target, …)."""
        targets = cast("Sequence[Any]", self.targets)  # none known by its examples alone
        pairs = zip(targets, self.calibrations, strict=True)
        return torch.stack([(target.answer(x) - c.centre) / c.scale for target, c in pairs])


class Recipe(Protocol[Spec, Target]):
    """How one kind of model learns. Weights and gradients are named tensors (model, …)."""

    plan: Plan[Spec, Target]
    capturable: bool
    """Whether every step launches the same on the device, so that a CUDA graph can hold it."""
    browser_computes: bool
    """Whether a page computes with the weights themselves, in the browser."""

    def __init__(self, plan: Plan[Spec, Target]): ...

    @staticmethod
    def calibrate(spec: Spec, target: Target, device: torch.device) -> Calibration:
        """The units in which the answers of a target are learned."""
        ...

    @staticmethod
    def initial(spec: Spec, generator: torch.Generator) -> Weights:
        """Start values of one model, without model axis."""
        ...

    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """What the models see, (model, batch, τ, …), and the answers as they are learned.

        One generator for each stream of the plan; `step` counts the steps already done.
        """
        ...

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Mean squared error of each model on a batch, (model,); fills `gradients`.

        The gradients are those of the sum over models, so that each steps as if it were alone;
        what is minimised may be more than the error. `step` is the one being taken, from 1 on.
        """
        ...

    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """Errors of one model on `count` fixed sequences by weights with a model axis of 1."""
        ...

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """What the first model has learned beside what it was to learn, float32 arrays."""
        ...

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """What the row of a sweep holds of one model beside its errors, by weights with a model
        axis of 1: lists of `short` numbers."""
        ...


def complete(recipes: Mapping[str, type[Recipe[Any, Any]]]) -> None:
    """Raises TypeError, which names it, for a recipe without one of its pieces."""
    pieces = {*Recipe.__annotations__, *(name for name in vars(Recipe) if name[0] != "_")}
    for name, recipe in recipes.items():
        if missing := sorted(pieces - {*dir(recipe), *recipe.__annotations__}):
            raise TypeError(f"{name}: nothing is said of {', '.join(missing)}")


def by_autograd(objective: Objective, weights: Weights, gradients: Weights) -> Tensor:
    """Fills `gradients` with those of what is minimised, summed over models, 0 where it does not
    hang on a parameter; returns the errors."""
    leaves = {name: weight.detach().requires_grad_() for name, weight in weights.items()}
    errors, minimised = objective(leaves)
    derivatives = torch.autograd.grad(
        minimised.sum(), list(leaves.values()), materialize_grads=True
    )
    for gradient, derivative in zip(gradients.values(), derivatives, strict=True):
        gradient.copy_(derivative)
    return errors.detach()


def gradient_of_objective(
    self: Any, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
) -> Tensor:
    """`Recipe.gradient` by autograd, of a recipe with an `objective` of leaves, x, y and step."""
    return by_autograd(lambda leaves: self.objective(leaves, x, y, step), weights, gradients)


def no_columns(self: Any, weights: Weights, model: int) -> dict[str, Any]:
    """`Recipe.columns` of models of which errors say all."""
    return {}


def short(values: Iterable[float]) -> list[float]:
    """With the six digits that float32 weights have."""
    return [float(f"{value:.6g}") for value in values]


def draw(generators: Sequence[torch.Generator], *shape: int) -> Tensor:
    """Random numbers in [0, 1) of each stream, (seed, *shape)."""
    return torch.stack([torch.rand(shape, generator=g, device=g.device) for g in generators])


def drawn(plan: Plan[Any, Any], generators: Sequence[torch.Generator], step: int) -> Tensor:
    """The sequences of the next step in [0, 1), (seed, batch, τ): fresh ones of each stream, or
    those of the training set of its seed, one after the other and round again."""
    batch, own = plan.spec.batch, [plan.seed_of.index(i) for i in range(len(generators))]
    sets = [each for model in own if (each := _set_of(plan, model)) is not None]
    if not sets:
        return draw(generators, batch, plan.spec.tau)
    which = (step * batch + torch.arange(batch, device=plan.device)) % len(sets[0])
    return torch.stack([each[which] for each in sets])


def metrics_of(
    plan: Plan[Any, Any], model: int, count: int, errors: Callable[[Tensor], tuple[Tensor, Tensor]]
) -> dict[str, float]:
    """`error_metrics` on `count` fixed sequences, where `errors` gives ŷ − y and y for sequences
    (·, τ); of a training set also train_nmse on as many of it at most, in units of the same
    Var(y)."""
    error, y = errors(fixed_numbers(count, plan.spec.tau, plan.device))
    metrics, own = error_metrics(error, y), _set_of(plan, model)
    if own is None:
        return metrics
    on_own, _ = errors(own[:count])
    return metrics | {"train_nmse": float(on_own.square().mean()) / variance_of(y)}


def _set_of(plan: Plan[Any, Any], model: int) -> Tensor | None:
    """The training set of a model, (N, τ); None where its batches are fresh."""
    count = plan.spec.own_set
    return _set(plan.members[model].seed, count, plan.spec.tau, plan.device) if count else None


@lru_cache(maxsize=16)
def _set(seed: int, count: int, tau: int, device: torch.device) -> Tensor:
    return torch.from_numpy(training_set(seed, count, tau)).to(device)


def fixed_numbers(count: int, width: int, device: torch.device) -> Tensor:
    """Random numbers in [0, 1), (count, width) float32, the same in every evaluation."""
    return torch.as_tensor(evaluation_inputs(count, width), dtype=torch.float32, device=device)


def sampled_calibration(
    answer: Callable[[Tensor], Tensor], width: int, device: torch.device, raw: bool
) -> Calibration:
    """By the answers to fixed numbers, `width` a sequence; `raw` ones are learned as they are."""
    y = answer(fixed_numbers(CALIBRATION, width, device)).double()
    mean, deviation = float(y.mean()), max(float(y.std()), 1e-12)
    return Calibration(0.0, 1.0, deviation**2) if raw else Calibration(mean, deviation)


def error_metrics(error: Tensor, y: Tensor) -> dict[str, float]:
    """mse and mae of errors ŷ − y, nmse = mse / Var(y), r2 = 1 − nmse; float64 of any shape."""
    mse = float(error.square().mean())
    nmse = mse / variance_of(y)
    return {"mse": mse, "nmse": nmse, "mae": float(error.abs().mean()), "r2": 1 - nmse}


def variance_of(y: Tensor) -> float:
    """Var(y) in float64, above 0."""
    return max(float(y.var(correction=0)), 1e-300)
