"""The Transformer of Eq. 5 learns a target of Eq. 8; its gradient is written out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import coupling_diagnostics, learned_coupling
from explorer.coupling import POD, pod, quadrature
from explorer.coupling.leading import NODES
from explorer.models.backward import loss_and_gradient
from explorer.models.transformer import forward, initial
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget
from explorer.training.recipe import (
    CHUNK,
    Calibration,
    Plan,
    Weights,
    drawn,
    metrics_of,
    sampled_calibration,
    short,
)
from explorer.training.truncation import rank_surgery


@dataclass(eq=False)
class Couplings:
    """Models that may differ in their coupling, m_h, m_FF and seed."""

    plan: Plan[CouplingSpec, CouplingTarget]
    capturable, browser_computes = True, False
    initial = staticmethod(initial)

    @staticmethod
    def calibrate(spec: CouplingSpec, target: CouplingTarget, device: torch.device) -> Calibration:
        """By fixed sequences; an answer that is learned raw stays as it is."""
        return sampled_calibration(target.answer, spec.tau, device, raw=spec.answers == "raw")

    @torch.no_grad()
    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """The next sequences x and the answers y of Eq. 8, as learned; (model, batch, τ) each."""
        plan = self.plan
        x = plan.targets[0].inputs(drawn(plan, generators, step))
        y = plan.learned_answers(x)  # (target, seed, batch, τ)
        return x[plan.seed_of], y[plan.target_of, plan.seed_of]

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Mean squared errors (model,) of x and y (model, batch, τ); fills `gradients`."""
        return loss_and_gradient(self.plan.spec, weights, x, y, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """mse and mae in units of y, nmse and r2 (see `error_metrics`); of a training set also
        train_nmse."""
        return metrics_of(self.plan, model, count, partial(self._errors, weights, model))

    def _errors(self, weights: Weights, model: int, x: Tensor) -> tuple[Tensor, Tensor]:
        """ŷ − y and y for sequences x (count, τ), in units of y."""
        spec, (target, (centre, scale, _)) = self.plan.spec, self.plan.assignment(model)
        parts = x.split(CHUNK)
        y = torch.cat([target.answer(x).double() for x in parts])
        predicted = torch.cat([forward(spec, weights, x.unsqueeze(0))[0][0] for x in parts])
        return predicted.double() * scale + centre - y, y

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """See `analysis.coupling_diagnostics`."""
        return coupling_diagnostics(self.plan.spec, weights, self._designed)

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """`sigma`, σ̂_k; of the widest of those alike in all but m_h also `surgery`, the errors
        when it is cut to each smaller rank."""
        plan, member = self.plan, self.plan.members[model]
        at = quadrature(plan.assignment(model)[0].coupling, NODES)
        found: dict[str, Any] = {
            "sigma": short(learned_coupling(plan.spec, weights, at).sigma[: member.m_h])
        }
        own = {"m_h": member.m_h}
        alike = [each.m_h for each in plan.members if each.model_copy(update=own) == member]
        if 1 < member.m_h == max(alike):
            cut = rank_surgery(self, weights, model, range(1, member.m_h))
            found["surgery"] = {n: short(errors[n] for errors in cut) for n in ("nmse", "mae")}
        return found

    @cached_property
    def _designed(self) -> POD:
        """The centred POD of the coupling that the first model learns."""
        return pod(self.plan.targets[0].coupling, centred=True)
