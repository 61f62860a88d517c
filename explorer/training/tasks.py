"""Heads that learn an attention task (App. B.1), side by side in one batch.

The same engine as for couplings, with autograd in place of the hand-written gradient: a token has
several features, λ is learned, and a second loss may teach sequences of one token.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from explorer import analysis
from explorer.models.transformer import alone, attend, features
from explorer.spec import TaskSpec, amended
from explorer.targets import Task, evaluation_inputs
from explorer.training.autograd import Autograd
from explorer.training.ensemble import CALIBRATION, CHUNK, EVALUATION

AUX_TOKENS = 2  # of each sequence, in turn, that are also learned as sequences of their own


class TaskEnsemble(Autograd):
    """Heads of one task and shape class, trained side by side; they may differ in m_h, m_FF, seed.

    ŷ is in the units of y, without standardisation: W_V and F̂ are then those of F∘f.
    """

    @property
    def task(self) -> Task:
        """The one task of them all."""
        return self.targets[0]

    def _calibrate(self, target: Task) -> tuple[float, float]:
        """0 and the standard deviation of y on fixed sequences."""
        y = target.answer(self._evaluation_tokens(target, CALIBRATION)).double()
        return 0.0, max(float(y.std()), 1e-12)

    def _evaluation_tokens(self, target: Task, count: int) -> Tensor:
        uniform = evaluation_inputs(count, target.uniforms)
        return target.inputs(torch.as_tensor(uniform, dtype=torch.float32, device=self.device))

    @torch.no_grad()
    def batch(self) -> tuple[Tensor, Tensor]:
        """Fresh tokens x (model, batch, τ, d_in) and their answers y (model, batch, τ, d_out)."""
        shape = (self.spec.batch, self.task.uniforms)
        uniform = torch.stack(
            [torch.rand(shape, generator=g, device=self.device) for g in self.generators]
        )
        growing = getattr(self.spec, "curriculum", 0.0) * self.spec.steps  # centres of gravity only
        x = self.task.inputs(uniform, min(1.0, self.step / growing) if growing else 1.0)
        return x[self.seed_of], self.task.answer(x)[self.seed_of]

    def _objective(self, weights: dict[str, Tensor], x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Mean squared error in units of Var(y), and what is minimised; each (model,)."""
        spec, (models, batch, tau, _) = self.spec, x.shape
        h = features(spec, weights, x.flatten(1, 2))  # (model, batch·τ, n)
        predicted, _ = attend(spec, weights, h, tau)
        squared = (predicted - y).square().mean(dim=-1)  # (model, batch, τ)
        errors = squared.mean(dim=(1, 2))
        counted = self.task.counted(x)
        asking = getattr(spec, "emphasis", 1.0) * (1 - counted)  # rows of centres of gravity only
        objective = ((counted + asking) * squared).mean(dim=(1, 2))
        if spec.aux:
            some = self._some_tokens(tau)
            own = alone(spec, weights, h.view(models, batch, tau, -1)[:, :, some].flatten(1, 2))
            missed = own.view(models, batch, len(some), -1) - self.task.values(x)[:, :, some]
            weighted = missed.square().mean(dim=-1) * counted[:, :, some]
            objective = objective + weighted.mean(dim=(1, 2))
        return errors / self.calibrations[0][1] ** 2, objective

    def _some_tokens(self, tau: int) -> list[int]:
        """The positions whose tokens are learned alone in this step: each in its turn."""
        return [(AUX_TOKENS * self.step + i) % tau for i in range(min(AUX_TOKENS, tau))]

    @torch.no_grad()
    def evaluate_with(
        self, weights: dict[str, Tensor], model: int, count: int = EVALUATION
    ) -> dict[str, float]:
        """Errors by the given weights, which have a model axis of 1, on fixed fresh sequences.

        mse and mae of y, nmse = mse / Var(y), r2 = 1 − nmse; `agreement`, the share of rows in
        which the largest learned weight is where an ideal one is; `attention_error`, the mean of
        |Â − A|; `value_error`, the mean square of F̂(W_V f̂(x_s)) − F∘f(x_s). Where there are
        prediction tokens, `agreement_asking` is that of their rows, `agreement_points` of the rest.
        """
        x = self._evaluation_tokens(self.task, count)
        parts = [self._compared(weights, chunk) for chunk in x.split(CHUNK)]
        error, own, hit, missed = (torch.cat(part).double() for part in zip(*parts, strict=True))
        counted = self.task.counted(x).double()
        mse = float(error.square().mean())
        nmse = mse / max(float(self.task.answer(x).double().var(correction=0)), 1e-300)
        found = {
            "mse": mse,
            "nmse": nmse,
            "mae": float(error.abs().mean()),
            "r2": 1 - nmse,
            "agreement": float(hit.mean()),
            "attention_error": float(missed.mean()),
            "value_error": float((own * counted).sum() / counted.sum()),
        }
        if bool((counted == 0).any()):
            rows = {"agreement_asking": 1 - counted, "agreement_points": counted}
            found |= {name: float((hit * of).sum() / of.sum()) for name, of in rows.items()}
        return found

    def _compared(self, weights: dict[str, Tensor], x: Tensor) -> tuple[Tensor, ...]:
        """ŷ − y (k, τ, d_out); of each token the mean square of F̂(W_V f̂) − F∘f, whether the row of
        Â has its maximum where A has one, and the mean of |Â − A| in it, (k, τ) each."""
        h = features(self.spec, weights, x.flatten(0, 1).unsqueeze(0))
        predicted, attention = attend(self.spec, weights, h, self.spec.tau)
        own = alone(self.spec, weights, h).view(*x.shape[:2], -1) - self.task.values(x)
        ideal = self.task.attention(x)
        chosen = attention[0].argmax(dim=-1, keepdim=True)
        hit = ideal.gather(-1, chosen).squeeze(-1) == ideal.amax(dim=-1)
        missed = (attention[0] - ideal).abs().mean(dim=-1)
        return predicted[0] - self.task.answer(x), own.square().mean(dim=-1), hit, missed


class TaskTraining(TaskEnsemble):
    """Heads of one specification, one per seed."""

    def __init__(
        self,
        spec: TaskSpec,
        target: Task,
        seeds: Sequence[int] | None = None,
        device: str = "cpu",
    ):
        seeds = [spec.seed] if seeds is None else seeds
        members = [amended(spec, seed=seed) for seed in seeds]
        super().__init__(members, [target] * len(members), device)

    def look(self) -> dict[str, np.ndarray]:
        """Pictures of the first model (see `analysis.look_at_task`)."""
        return analysis.look_at_task(self.spec, self.weights, self.task)

    def carried(self) -> dict[str, np.ndarray]:
        """The parameters of the first model: the Attention page runs them in the browser."""
        return {f"weights.{name}": w[0].cpu().numpy() for name, w in self.weights.items()}

    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """Errors of the first model on `count` fixed sequences, the same on every device."""
        return self.evaluate_all(count)[0]
