"""Linear RNNs, and Transformers with positions, side by side in one batch.

The RNN needs no data: what it learns of K is its exact population error (`models.rnn`). The
Transformer sees x∘p and learns the standardised y of a linear or an altered target.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from explorer import analysis
from explorer.models import positioned, rnn
from explorer.spec import CouplingSpec, LinearSpec, amended
from explorer.targets import AlteredTarget, LinearTarget
from explorer.theory.linear import MEAN, linear_floors
from explorer.training.autograd import Autograd
from explorer.training.ensemble import CHUNK, EVALUATION

Weights = dict[str, Tensor]


class SequenceEnsemble(Autograd):
    """Models of linear or altered targets; a kind of model says what it predicts."""

    def _predicted(self, weights: Weights, model: int, seen: Tensor) -> Tensor:
        """ŷ in units of y for what is seen of some sequences, (k, τ) each, double precision."""
        raise NotImplementedError

    @torch.no_grad()
    def evaluate_with(
        self, weights: Weights, model: int, count: int = EVALUATION
    ) -> dict[str, float]:
        """mse and mae in units of y on fixed fresh sequences, nmse = mse / Var(y), r2 = 1 − nmse.

        `weights` have a model axis of 1.
        """
        target = self.targets[self.target_of[model]]
        x = self._evaluation_inputs(count).double()
        y = target.answer(x)
        seen = target.seen(x).split(CHUNK)
        error = torch.cat([self._predicted(weights, model, chunk) for chunk in seen]) - y
        mse = float(error.square().mean())
        nmse = mse / max(float(y.var(correction=0)), 1e-300)
        return {"mse": mse, "nmse": nmse, "mae": float(error.abs().mean()), "r2": 1 - nmse}


class RnnEnsemble(SequenceEnsemble):
    """Linear RNNs, which may differ in their target, hidden units and seed."""

    def _plan_data(self, targets: Sequence[LinearTarget]) -> None:
        super()._plan_data(targets)
        found = [
            self.targets[which].matrix / self.calibrations[which][1] for which in self.target_of
        ]
        self.matrices = torch.as_tensor(np.stack(found), dtype=torch.float32, device=self.device)
        self.variances = torch.ones(len(found), device=self.device)

    def _calibrate(self, target: LinearTarget) -> tuple[float, float]:
        """0 and the standard deviation of y, in which ŷ is measured; the offsets learn its mean."""
        return 0.0, max(linear_floors(target.matrix).constant ** 0.5, 1e-12)

    def batch(self) -> tuple[Tensor, Tensor]:
        """No sequences: the K to be learned (model, τ, τ), in units of the standard deviation of y,
        and the variance of what it gives (model,), which is 1."""
        return self.matrices, self.variances

    def _update(self, x: Tensor, y: Tensor) -> Tensor:
        losses = rnn.loss_and_gradient(self.weights, x, y, self.gradients)
        self.clip(self.gradients.values())
        self.optimizer.update(self.gradient)
        return losses

    def _predicted(self, weights: Weights, model: int, seen: Tensor) -> Tensor:
        own = {name: value.double() for name, value in weights.items()}
        predicted = seen @ rnn.toeplitz(rnn.kernel(own, self.spec.tau))[0].mT + own["b"][0]
        return predicted * self.calibrations[self.target_of[model]][1]

    def evaluate_with(
        self, weights: Weights, model: int, count: int = EVALUATION
    ) -> dict[str, float]:
        """Errors on fixed sequences, and `population_mse`, for which none are drawn."""
        own = {name: value.double() for name, value in weights.items()}
        which = self.target_of[model]
        scale = self.calibrations[which][1]
        matrix = torch.as_tensor(self.targets[which].matrix / scale, device=self.device)
        unit = torch.ones(1, dtype=torch.float64, device=self.device)
        unused = {name: torch.empty_like(value) for name, value in own.items()}
        exact = float(rnn.loss_and_gradient(own, matrix.unsqueeze(0), unit, unused)[0])
        return super().evaluate_with(weights, model, count) | {"population_mse": exact * scale**2}


class PositionedEnsemble(SequenceEnsemble):
    """Transformers with positions, which may differ in their target, m_h, m_FF and seed."""

    def _calibrate(self, target: LinearTarget | AlteredTarget) -> tuple[float, float]:
        """Mean and standard deviation of y, exact for a linear target."""
        if isinstance(target, AlteredTarget):
            return super()._calibrate(target)
        mean = float(MEAN * target.matrix.sum(axis=1).mean())
        return mean, max(linear_floors(target.matrix).constant ** 0.5, 1e-12)

    @torch.no_grad()
    def batch(self) -> tuple[Tensor, Tensor]:
        """What is seen of fresh sequences, and the answers as learned; (model, batch, τ) each."""
        shape = (self.spec.batch, self.spec.tau)
        x = torch.stack(
            [torch.rand(shape, generator=g, device=self.device) for g in self.generators]
        )
        seen = torch.stack([target.seen(x) for target in self.targets])  # (target, seed, batch, τ)
        answers = torch.stack(
            [
                (target.answer(x) - centre) / scale
                for target, (centre, scale) in zip(self.targets, self.calibrations, strict=True)
            ]
        )
        return seen[self.target_of, self.seed_of], answers[self.target_of, self.seed_of]

    def _objective(self, weights: Weights, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        predicted, _ = positioned.forward(self.spec, weights, x)
        errors = (predicted - y).square().mean(dim=(1, 2))
        return errors / self.unit, errors

    def _predicted(self, weights: Weights, model: int, seen: Tensor) -> Tensor:
        centre, scale = self.calibrations[self.target_of[model]]
        predicted, _ = positioned.forward(self.spec, weights, seen.float().unsqueeze(0))
        return predicted[0].double() * scale + centre


class OfOneSpec:
    """Models of one specification, one per seed."""

    def __init__(
        self,
        spec: LinearSpec | CouplingSpec,
        target: LinearTarget | AlteredTarget,
        seeds: Sequence[int] | None = None,
        device: str = "cpu",
    ):
        seeds = [spec.seed] if seeds is None else seeds
        members = [amended(spec, seed=seed) for seed in seeds]
        super().__init__(members, [target] * len(members), device)

    def look(self) -> dict[str, np.ndarray]:
        """Pictures of the first model (see `analysis.look_at_rnn`, `look_at_positioned`)."""
        target = self.targets[0]
        if isinstance(self, RnnEnsemble):
            return analysis.look_at_rnn(self.weights, target, self.calibrations[0][1])
        return analysis.look_at_positioned(self.spec, self.weights, target, self.calibrations[0])

    def carried(self) -> dict[str, np.ndarray]:
        """Nothing: what is drawn is in the pictures."""
        return {}

    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """Errors of the first model on `count` fixed sequences, the same on every device."""
        return self.evaluate_all(count)[0]


class RnnTraining(OfOneSpec, RnnEnsemble):
    """Linear RNNs of one specification."""


class PositionedTraining(OfOneSpec, PositionedEnsemble):
    """Transformers with positions of one specification."""
