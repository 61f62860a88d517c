"""What loops, sweeps and pictures ask of models in training, whoever computes their steps."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Self

import torch
from torch import Tensor

from explorer.targets.fixed import EVALUATION
from explorer.training.recipe import Recipe, Spec
from explorer.training.rest import Rest


class Trained(ABC, Generic[Spec]):
    """Models that are trained side by side, step by step."""

    spec: Spec
    """Of the widest one."""
    members: Sequence[Spec]
    """Of each."""
    recipe: Recipe[Spec, Any]
    device: torch.device
    step: int
    """So many are done."""
    losses: Tensor
    """Before the last step, (model,), in units of Var(y)."""
    rest: Rest

    @property
    @abstractmethod
    def weights(self) -> dict[str, Tensor]:
        """The parameters by name, with the model axis first; narrower models end in zeros."""

    @abstractmethod
    def advance(self) -> Tensor:
        """One optimiser step of those that do not rest, on the next sequences; returns `losses`.
        Where all rest it was the last one."""

    @abstractmethod
    def state(self) -> dict[str, Tensor]:
        """Step, losses, parameters and all else that training goes on from, copied to the CPU."""

    @abstractmethod
    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state; raises ValueError where it is not one of these models, or holds the
        parameters alone."""

    def run(self) -> Iterator[Tensor]:
        """Every step up to the last: the losses before it, (model,)."""
        while self.step < self.spec.steps:
            yield self.advance()

    @property
    def steps(self) -> int:
        """In all."""
        return self.spec.steps

    @property
    def final(self) -> Self:
        """Itself: what a sweep reads off when `run` is over, as of a `TopDown`."""
        return self

    def member(self, model: int) -> dict[str, Tensor]:
        """The weights of one member, with a model axis of 1."""
        return {name: weight[model : model + 1] for name, weight in self.weights.items()}

    def evaluate_all(self, count: int = EVALUATION) -> list[dict[str, float]]:
        """Errors of each member on `count` fixed sequences, the same on every device.

        mse and mae in units of y, nmse = mse / Var(y) and r2 = 1 − nmse; a recipe may add more.
        """
        return [
            self.recipe.metrics(self.member(model), model, count) | self.rest.metrics(model)
            for model in range(len(self.members))
        ]

    def _note(self, losses: Tensor) -> None:
        """Note the losses of a step; the last one where all models rest."""
        self.rest.add(self.step, losses)
        if self.rest.all:
            self.step = self.steps


def check_whole(state: dict[str, Tensor]) -> None:
    """Raises ValueError for a state that holds the parameters alone."""
    if "loss" not in state:
        raise ValueError(
            "checkpoint: it holds the parameters alone, to be looked at; train its specification "
            "anew instead of resuming it"
        )
