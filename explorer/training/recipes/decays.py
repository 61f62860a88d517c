"""Heads that know distances alone learn a kernel, by their exact error ‖ρ − κ‖²."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from explorer.models.decays import initial, kernel
from explorer.spec import EssentialMemorySpec
from explorer.targets.memory import EssentialMemory
from explorer.training.gradients import by_autograd
from explorer.training.recipe import Calibration, Plan, Weights, no_columns


@dataclass(eq=False)
class Decays:
    """Heads that approximate one kernel, and may differ in seed."""

    plan: Plan[EssentialMemorySpec, EssentialMemory]
    capturable = browser_computes = False
    initial = staticmethod(initial)
    columns = no_columns

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

    def gradient(
        self, weights: Weights, x: Tensor, y: Tensor, gradients: Weights, step: int
    ) -> Tensor:
        """‖ρ − κ‖² (model,); fills `gradients`."""

        def objective(leaves: Weights) -> tuple[Tensor, Tensor]:
            mse = (kernel(self.plan.spec, leaves) - y).square().sum(dim=-1)
            return mse, mse

        return by_autograd(objective, weights, gradients)

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """mse = ‖ρ − κ‖², nmse = mse / ‖ρ‖², r2, and mae that of y if its error is normal."""
        exact = {name: weight.double() for name, weight in weights.items()}
        mse = float((kernel(self.plan.spec, exact)[0] - self.rho).square().sum())
        nmse = mse / float(self.rho.square().sum())
        return {"mse": mse, "nmse": nmse, "mae": (2 * mse / np.pi) ** 0.5, "r2": 1 - nmse}

    @torch.no_grad()
    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        """kernel_hat and kernel, κ and ρ (τ,), and p (H,); float32."""
        pictures = {
            "kernel_hat": kernel(self.plan.spec, weights)[0],
            "kernel": self.rho.float(),
            "p": weights["log_p"][0].exp(),
        }
        return {name: picture.cpu().numpy() for name, picture in pictures.items()}
