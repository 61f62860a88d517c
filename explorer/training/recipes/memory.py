"""A causal Transformer learns a memory (arXiv 2402.00522), from fresh sequences in every step.

ŷ is in the units of y, and nothing is asked before all memories lie in the sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import memory_diagnostics
from explorer.models.causal import forward, initial
from explorer.spec import MemorySpec
from explorer.targets import Memory
from explorer.training.gradients import by_autograd
from explorer.training.recipe import (
    CHUNK,
    Calibration,
    Plan,
    Weights,
    draw,
    error_metrics,
    fixed_numbers,
    no_columns,
    sampled_calibration,
)


@dataclass(eq=False)
class Memories:
    """Transformers that remember the same, and may differ in m_h, m_FF and seed."""

    plan: Plan[MemorySpec, Memory]
    capturable = browser_computes = False
    initial = staticmethod(initial)
    columns = no_columns

    @property
    def target(self) -> Memory:
        """The one of them all."""
        return self.plan.targets[0]

    @staticmethod
    def calibrate(spec: MemorySpec, target: Memory, device: torch.device) -> Calibration:
        """Nothing but the variance of y, by fixed sequences."""

        def answer(numbers: Tensor) -> Tensor:
            return target.answer(*target.drawn(numbers))[..., spec.first :]

        return sampled_calibration(answer, target.n_uniform, device, raw=True)

    @torch.no_grad()
    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """Fresh tokens (model, batch, τ, d_in) and their answers (model, batch, τ)."""
        x, b = self.target.drawn(draw(generators, self.plan.spec.batch, self.target.n_uniform))
        seed_of = self.plan.seed_of
        return self.target.seen(x, b)[seed_of], self.target.answer(x, b)[seed_of]

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """Mean squared errors (model,) of the tokens and answers of `batch`; fills `gradients`."""
        spec = self.plan.spec

        def objective(leaves: Weights) -> tuple[Tensor, Tensor]:
            error = (forward(spec, leaves, x).answer - y)[..., spec.first :]
            return (mse := error.square().mean(dim=(1, 2))), mse

        return by_autograd(objective, weights, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """Those of `error_metrics`, where something is asked."""
        spec, target = self.plan.spec, self.target
        x, b = target.drawn(fixed_numbers(count, target.n_uniform, self.plan.device))
        seen, y = target.seen(x, b), target.answer(x, b)
        answers = [
            forward(spec, weights, part.unsqueeze(0)).answer[0] for part in seen.split(CHUNK)
        ]
        y = y[..., spec.first :].double()
        return error_metrics(torch.cat(answers)[..., spec.first :].double() - y, y)

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """See `analysis.memory_diagnostics`."""
        return memory_diagnostics(self.plan.spec, weights, self.target)
