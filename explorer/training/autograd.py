"""Ensembles with a gradient of autograd's, clipped model by model, without CUDA graphs."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor

from explorer.training.ensemble import Ensemble
from explorer.training.schedule import learning_rate


class Autograd(Ensemble):
    """Ensembles of which `_objective` says what is minimised."""

    def learn(self, x: Tensor, y: Tensor) -> Tensor:
        """One optimiser step; returns the losses before it, (model,), in units of Var(y)."""
        self.step += 1
        self.optimizer.prepare(learning_rate(self.spec, self.step))
        self.losses = self._update(x, y)
        self.optimizer.finish()
        return self.losses

    def clip(self, found: Iterable[Tensor]) -> None:
        """Fill `gradients`, in their order, each model's scaled to a norm of at most `clip`."""
        found, most = list(found), getattr(self.spec, "clip", math.inf)
        norms = torch.stack([g.flatten(1).norm(dim=1) for g in found]).norm(dim=0)
        factor = (most / norms.clamp_min(1e-12)).clamp_max(1.0)
        for gradient, raw in zip(self.gradients.values(), found, strict=True):
            torch.mul(raw, factor.view(-1, *[1] * (raw.ndim - 1)), out=gradient)

    def _update(self, x: Tensor, y: Tensor) -> Tensor:
        leaves = {name: weight.detach().requires_grad_() for name, weight in self.weights.items()}
        errors, objective = self._objective(leaves, x, y)
        self.clip(torch.autograd.grad(objective.sum(), list(leaves.values())))
        self.optimizer.update(self.gradient)
        return errors.detach()

    def _objective(self, weights: dict[str, Tensor], x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Mean squared errors in units of Var(y), and what is minimised; each (model,)."""
        raise NotImplementedError
