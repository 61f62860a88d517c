"""The Transformer with positions learns a linear target (Section 6)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from explorer.analysis import linear_diagnostics
from explorer.models import transformer
from explorer.spec import LinearSpec
from explorer.targets import LinearTarget
from explorer.theory.linear import MEAN, linear_floors
from explorer.training.recipe import Calibration, Plan, Weights, short
from explorer.training.recipes.positioned import Positioned


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
        """See `analysis.linear_diagnostics`."""
        target, (centre, scale, _) = self.plan.assignment(0)
        return linear_diagnostics(self.plan.spec, weights, target, centre, scale)

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """`taps` of a convolution, where there is one."""
        return {"taps": short(weights["conv"][0].tolist())} if "conv" in weights else {}
