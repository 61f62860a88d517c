"""A causal Transformer learns a memory (arXiv 2402.00522), from fresh sequences in every step; or
heads that know distances alone a kernel, by their exact error ‖ρ − κ‖².

ŷ is in the units of y, and nothing is asked before all memories lie in the sequence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import memory_diagnostics
from explorer.models import decays
from explorer.models.causal import forward, initial
from explorer.spec import EssentialMemorySpec, MemorySpec
from explorer.targets import Memory
from explorer.targets.memory import EssentialMemory
from explorer.training.recipe import (
    CHUNK,
    Calibration,
    Plan,
    Weights,
    draw,
    error_metrics,
    fixed_numbers,
    gradient_of_objective,
    no_columns,
    sampled_calibration,
)


@dataclass(eq=False)
class Memories:
    """Transformers that remember the same, and may differ in m_h, m_FF and seed."""

    plan: Plan[MemorySpec, Memory]
    capturable = browser_computes = False
    initial = staticmethod(initial)
    columns, gradient = no_columns, gradient_of_objective

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

    def objective(self, leaves: Weights, x: Tensor, y: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """Mean squared errors (model,) of the tokens and answers of `batch`, twice."""
        error = (forward(self.plan.spec, leaves, x).answer - y)[..., self.plan.spec.first :]
        mse = error.square().mean(dim=(1, 2))
        return mse, mse

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
        return memory_diagnostics(self.plan.spec, weights, self.target)


@dataclass(eq=False)
class Decays:
    """Heads that approximate one kernel, and may differ in seed."""

    plan: Plan[EssentialMemorySpec, EssentialMemory]
    capturable = browser_computes = False
    initial = staticmethod(decays.initial)
    columns, gradient = no_columns, gradient_of_objective

    @cached_property
    def rho(self) -> Tensor:
        """ρ(1) … ρ(τ), (τ,) float64."""
        return torch.tensor(
            self.plan.targets[0].kernel, dtype=torch.float64, device=self.plan.device
        )

    @staticmethod
    def calibrate(
        spec: EssentialMemorySpec, target: EssentialMemory, device: torch.device
    ) -> Calibration:
        """The variance of y, ‖ρ‖²."""
        return Calibration(0.0, 1.0, float(np.square(target.kernel).sum()))

    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """Nothing is drawn: κ is asked for at every distance."""
        rho = self.rho.float().expand(len(self.plan.seed_of), -1)
        return rho, rho

    def objective(self, leaves: Weights, x: Tensor, y: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """‖ρ − κ‖² (model,), twice."""
        mse = (decays.kernel(self.plan.spec, leaves) - y).square().sum(dim=-1)
        return mse, mse

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """mse = ‖ρ − κ‖², nmse = mse / ‖ρ‖², r2, and mae that of y if its error is normal."""
        exact = {name: weight.double() for name, weight in weights.items()}
        mse = float((decays.kernel(self.plan.spec, exact)[0] - self.rho).square().sum())
        nmse = mse / float(self.rho.square().sum())
        return {"mse": mse, "nmse": nmse, "mae": (2 * mse / np.pi) ** 0.5, "r2": 1 - nmse}

    @torch.no_grad()
    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """kernel_hat and kernel, κ and ρ (τ,), and p (H,); float32."""
        pictures = {
            "kernel_hat": decays.kernel(self.plan.spec, weights)[0],
            "kernel": self.rho.float(),
            "p": weights["log_p"][0].exp(),
        }
        return {name: picture.cpu().numpy() for name, picture in pictures.items()}
