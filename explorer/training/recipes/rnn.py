"""The linear RNN learns a linear target (Section 6) by its exact population error.

It needs no sequences: see `models.rnn`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import rnn_diagnostics
from explorer.models import rnn
from explorer.spec import LinearSpec
from explorer.targets import LinearTarget
from explorer.theory.linear import linear_floors
from explorer.training.recipe import (
    Calibration,
    Plan,
    Weights,
    error_metrics,
    fixed_numbers,
    no_columns,
)


@dataclass(eq=False)
class Rnn:
    """RNNs that may differ in their target, hidden units and seed."""

    plan: Plan[LinearSpec, LinearTarget]
    capturable = browser_computes = False
    initial = staticmethod(rnn.initial)
    columns = no_columns

    @staticmethod
    def calibrate(spec: LinearSpec, target: LinearTarget, device: torch.device) -> Calibration:
        """By the standard deviation of y; its mean is left to the offsets b."""
        return Calibration(0.0, max(linear_floors(target.matrix).constant ** 0.5, 1e-12))

    def _matrix(self, model: int) -> Tensor:
        """The K that a model learns, in units of the standard deviation of y, (τ, τ) float64."""
        target, (_, scale, _) = self.plan.assignment(model)
        return torch.as_tensor(target.matrix / scale, device=self.plan.device)

    @cached_property
    def _batch(self) -> tuple[Tensor, Tensor]:
        matrices = [self._matrix(model).float() for model in range(len(self.plan.target_of))]
        return torch.stack(matrices), torch.ones(len(matrices), device=self.plan.device)

    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """The K to be learned, (model, τ, τ), and the variance of what it gives, which is 1."""
        return self._batch

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Exact errors (model,) of what `batch` gives; fills `gradients`."""
        return rnn.loss_and_gradient(weights, x, y, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """Those of `error_metrics`, and `population_mse`, for which no sequences are drawn."""
        tau, (target, (_, scale, _)) = self.plan.spec.tau, self.plan.assignment(model)
        exact = {name: weight.double() for name, weight in weights.items()}
        x = fixed_numbers(count, tau, self.plan.device).double()
        predicted = target.seen(x) @ rnn.toeplitz(rnn.kernel(exact, tau))[0].mT + exact["b"][0]
        y = target.answer(x)
        unused = {name: torch.empty_like(weight) for name, weight in exact.items()}
        one = torch.ones(1, dtype=torch.float64, device=self.plan.device)
        error = rnn.loss_and_gradient(exact, self._matrix(model).unsqueeze(0), one, unused)
        return error_metrics(predicted * scale - y, y) | {"population_mse": float(error) * scale**2}

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """See `analysis.rnn_diagnostics`."""
        target, (_, scale, _) = self.plan.assignment(0)
        return rnn_diagnostics(weights, target, scale)
