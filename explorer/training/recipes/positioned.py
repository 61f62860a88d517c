"""Section 6: the Transformer with positions learns an altered coupling, or a linear target; the RNN
a linear target, by its exact population error.

The Transformer sees x∘p, and learns the answer to x; the RNN needs no sequences (`models.rnn`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import linear_diagnostics, positioned_diagnostics, rnn_diagnostics
from explorer.models import positioned, rnn, transformer
from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets import AlteredTarget, LinearTarget
from explorer.theory.linear import MEAN, linear_floors
from explorer.training.recipe import (
    CHUNK,
    Calibration,
    Plan,
    Weights,
    drawn,
    error_metrics,
    fixed_numbers,
    metrics_of,
    no_columns,
    sampled_calibration,
    short,
)


@dataclass(eq=False)
class Positioned:
    """Models that may differ in their target, m_h, m_FF and seed."""

    plan: Plan[CouplingSpec, AlteredTarget]
    capturable = browser_computes = False
    initial = staticmethod(transformer.initial)
    columns = no_columns

    @staticmethod
    def calibrate(spec: CouplingSpec, target: AlteredTarget, device: torch.device) -> Calibration:
        """By fixed sequences; an answer that is learned raw stays as it is."""
        return sampled_calibration(target.answer, spec.tau, device, raw=spec.answers == "raw")

    @torch.no_grad()
    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """What is seen of the next sequences, and answers as learned; (model, batch, τ) each."""
        plan = self.plan
        x = drawn(plan, generators, step)  # (seed, batch, τ)
        seen = torch.stack([target.seen(x) for target in plan.targets])  # (target, seed, batch, τ)
        y = plan.learned_answers(x)
        return seen[plan.target_of, plan.seed_of], y[plan.target_of, plan.seed_of]

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Mean squared errors (model,) of x and y (model, batch, τ); fills `gradients`."""
        return positioned.loss_and_gradient(self.plan.spec, weights, x, y, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """mse and mae in units of y, nmse and r2 (see `error_metrics`); of a training set also
        train_nmse."""
        return metrics_of(self.plan, model, count, partial(self.errors, weights, model))

    def errors(self, weights: Weights, model: int, x: Tensor) -> tuple[Tensor, Tensor]:
        """ŷ − y and y for sequences x (count, τ), in units of y."""
        spec, (target, (centre, scale, _)) = self.plan.spec, self.plan.assignment(model)
        x = x.double()
        parts = target.seen(x).float().split(CHUNK)
        outputs = [positioned.forward(spec, weights, seen.unsqueeze(0))[0][0] for seen in parts]
        y = target.answer(x)
        return torch.cat(outputs).double() * scale + centre - y, y

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        target, (centre, scale, _) = self.plan.assignment(0)
        return positioned_diagnostics(self.plan.spec, weights, target, centre, scale)


@dataclass(eq=False)
class Linear:
    """Models that may differ in their target, m_h, m_FF and seed; but for units, start and what is
    read off they are as on an altered coupling."""

    plan: Plan[LinearSpec, LinearTarget]
    capturable = browser_computes = False
    batch, gradient = Positioned.batch, Positioned.gradient
    metrics, errors = Positioned.metrics, Positioned.errors

    @staticmethod
    def calibrate(spec: LinearSpec, target: LinearTarget, device: torch.device) -> Calibration:
        """Mean and standard deviation of y, exactly."""
        mean = float(MEAN * target.matrix.sum(axis=1).mean())
        return Calibration(mean, max(linear_floors(target.matrix).constant ** 0.5, 1e-12))

    @staticmethod
    def initial(spec: LinearSpec, generator: torch.Generator) -> Weights:
        """See `models.transformer`; a convolution starts as the identity."""
        identity = {"conv": torch.eye(spec.conv)[0]} if spec.conv else {}
        return transformer.initial(spec, generator) | identity

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        target, (centre, scale, _) = self.plan.assignment(0)
        return linear_diagnostics(self.plan.spec, weights, target, centre, scale)

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """`taps` of a convolution, where there is one."""
        return {"taps": short(weights["conv"][0].tolist())} if "conv" in weights else {}


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
        target, (_, scale, _) = self.plan.assignment(0)
        return rnn_diagnostics(weights, target, scale)
