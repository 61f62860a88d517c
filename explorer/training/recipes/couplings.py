"""The Transformer of Eq. 5 learns a target of Eq. 8; its gradient is written out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import coupling_diagnostics
from explorer.coupling import POD, pod
from explorer.models.backward import loss_and_gradient
from explorer.models.transformer import forward
from explorer.targets import CouplingTarget
from explorer.training.recipe import (
    CALIBRATION,
    CHUNK,
    Calibration,
    Plan,
    Weights,
    calibration,
    draw,
    error_metrics,
    learned_answers,
)


class Couplings:
    """Models that may differ in their coupling, m_h, m_FF and seed."""

    capturable, browser_computes = True, False

    def __init__(self, plan: Plan):
        self.plan = plan
        self.calibrations = [self.calibrate(target) for target in plan.targets]

    def calibrate(self, target: CouplingTarget) -> Calibration:
        """By fixed sequences; an answer that is learned raw stays as it is."""
        y = target.answer(self.plan.fixed_numbers(CALIBRATION, self.plan.spec.tau))
        return calibration(y.double(), raw=self.plan.spec.answers == "raw")

    @torch.no_grad()
    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """Fresh sequences x and the answers y of Eq. 8, as they are learned; (model, batch, τ)."""
        plan = self.plan
        x = plan.targets[0].inputs(draw(generators, plan.spec.batch, plan.spec.tau))
        y = learned_answers(self, x)  # (target, seed, batch, τ)
        return x[plan.seed_of], y[plan.target_of, plan.seed_of]

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Mean squared errors (model,) of x and y (model, batch, τ); fills `gradients`."""
        return loss_and_gradient(self.plan.spec, weights, x, y, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """mse and mae in units of y, nmse and r2 (see `error_metrics`)."""
        spec, which = self.plan.spec, self.plan.target_of[model]
        target, (centre, scale, _) = self.plan.targets[which], self.calibrations[which]
        parts = self.plan.fixed_numbers(count, spec.tau).split(CHUNK)
        y = torch.cat([target.answer(x).double() for x in parts])
        predicted = torch.cat([forward(spec, weights, x.unsqueeze(0))[0][0] for x in parts])
        return error_metrics(predicted.double() * scale + centre - y, y)

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """See `analysis.coupling_diagnostics`."""
        return coupling_diagnostics(self.plan.spec, weights, self._designed)

    @cached_property
    def _designed(self) -> POD:
        """The centred POD of the coupling that the first model learns."""
        return pod(self.plan.targets[0].coupling, centred=True)
