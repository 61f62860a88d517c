"""The optimisers of a specification behind one small interface: step, state, load."""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor

from explorer.models.transformer import shapes
from explorer.spec import Spec
from explorer.training.soap import Soap, Stack


class Optimizer(Protocol):
    """Steps one flat parameter buffer in place."""

    def step(self, gradient: Tensor, lr: float) -> None:
        """One step; gradient is flat and contiguous like the parameters."""

    def state(self) -> dict[str, Tensor]:
        """Tensors from which `load` goes on bit for bit."""

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state."""


class Adam:
    """torch's fused Adam on one flat parameter.

    Its CPU kernel steps wrongly on gradients that are not contiguous (torch 2.13); ours always is.
    """

    def __init__(self, flat: Tensor):
        self.flat = flat.detach().requires_grad_()
        self.inner = torch.optim.Adam([self.flat], lr=1.0, fused=True)

    def step(self, gradient: Tensor, lr: float) -> None:
        """One step of Adam with β = (0.9, 0.999)."""
        self.flat.grad = gradient
        self.inner.param_groups[0]["lr"] = lr
        self.inner.step()

    def state(self) -> dict[str, Tensor]:
        """First and second moments and the step count; empty before the first step."""
        return dict(self.inner.state[self.flat])

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up moments and step count."""
        own = self.inner.state[self.flat]
        own["step"] = state["step"].to(self.flat.device, torch.float32)
        for key in ("exp_avg", "exp_avg_sq"):
            own[key] = state[key].to(self.flat.device, copy=True)


def optimizer(spec: Spec, flat: Tensor, models: int) -> Optimizer:
    """The optimiser a specification names, on the flat buffer of so many models."""
    return Soap(flat, stacks(spec, models)) if spec.optimizer == "soap" else Adam(flat)


def stacks(spec: Spec, models: int) -> list[Stack]:
    """Runs of equal matrix shapes in the flat buffer, whose order is name by name, model by model.

    `shapes` puts equal shapes next to each other, so W_Q and W_K, say, share one stack.
    """
    found: list[Stack] = []
    position = 0
    for shape in shapes(spec).values():
        if len(shape) == 2:
            rows, columns = shape
            if found and (found[-1].rows, found[-1].columns) == shape:
                last = found.pop()
                found.append(Stack(last.start, last.count + models, rows, columns))
            else:
                found.append(Stack(position, models, rows, columns))
        position += models * torch.Size(shape).numel()
    return found
