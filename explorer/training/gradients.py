"""Gradients by autograd, where none is written out by hand, and their clipping model by model."""

from collections.abc import Callable

import torch
from torch import Tensor

Weights = dict[str, Tensor]
Objective = Callable[[Weights], tuple[Tensor, Tensor]]
"""From weights to the mean squared errors and to what is minimised, (model,) each."""


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


def clip(gradients: Weights, greatest: float) -> None:
    """Scale the gradient of each model to a norm of at most `greatest`, in place."""
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in gradients.values()]).norm(dim=0)
    factor = (greatest / norms.clamp_min(1e-12)).clamp_max(1.0)  # (model,)
    for gradient in gradients.values():
        gradient.mul_(factor.view(-1, *[1] * (gradient.ndim - 1)))
