"""The linear RNN learns a linear target (Section 6) by its exact population error.

It needs no sequences: see `models.rnn`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import rnn_diagnostics
from explorer.models import rnn
from explorer.targets import LinearTarget
from explorer.theory.linear import linear_floors
from explorer.training.recipe import Calibration, Plan, Weights, error_metrics


class Rnn:
    """RNNs that may differ in their target, hidden units and seed."""

    capturable = browser_computes = False

    def __init__(self, plan: Plan):
        self.plan = plan
        self.calibrations = [self.calibrate(target) for target in plan.targets]
        self.matrices = torch.stack([self._matrix(which).float() for which in plan.target_of])
        self.variances = torch.ones(len(plan.target_of), device=plan.device)

    def calibrate(self, target: LinearTarget) -> Calibration:
        """By the standard deviation of y; its mean is left to the offsets b."""
        return Calibration(0.0, max(linear_floors(target.matrix).constant ** 0.5, 1e-12))

    def _matrix(self, which: int) -> Tensor:
        """K of a target in units of the standard deviation of y, (τ, τ) float64."""
        matrix = self.plan.targets[which].matrix / self.calibrations[which].scale
        return torch.as_tensor(matrix, device=self.plan.device)

    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """The K to be learned, (model, τ, τ), and the variance of what it gives, which is 1."""
        return self.matrices, self.variances

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Exact errors (model,) of what `batch` gives; fills `gradients`."""
        return rnn.loss_and_gradient(weights, x, y, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """Those of `error_metrics`, and `population_mse`, for which no sequences are drawn."""
        tau, which = self.plan.spec.tau, self.plan.target_of[model]
        target, scale = self.plan.targets[which], self.calibrations[which].scale
        exact = {name: weight.double() for name, weight in weights.items()}
        x = self.plan.fixed_numbers(count, tau).double()
        predicted = target.seen(x) @ rnn.toeplitz(rnn.kernel(exact, tau))[0].mT + exact["b"][0]
        y = target.answer(x)
        unused = {name: torch.empty_like(weight) for name, weight in exact.items()}
        one = torch.ones(1, dtype=torch.float64, device=self.plan.device)
        error = rnn.loss_and_gradient(exact, self._matrix(which).unsqueeze(0), one, unused)
        return error_metrics(predicted * scale - y, y) | {"population_mse": float(error) * scale**2}

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """See `analysis.rnn_diagnostics`."""
        return rnn_diagnostics(weights, self.plan.targets[0], self.calibrations[0].scale)
