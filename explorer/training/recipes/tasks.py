"""The head of Eq. 53 learns an attention task (App. B.1).

A token has several features, λ is learned, and a second loss may teach sequences of one token. ŷ is
in the units of y, without standardisation: W_V and F̂ are then those of F∘f.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import spectrum, task_diagnostics
from explorer.models.transformer import attend, features, initial, value_map
from explorer.spec import TaskSpec
from explorer.targets import Task
from explorer.training.recipe import (
    CHUNK,
    Calibration,
    Plan,
    Weights,
    draw,
    error_metrics,
    fixed_numbers,
    gradient_of_objective,
    sampled_calibration,
    short,
)

AUX_TOKENS = 2  # of each sequence, in turn, that are also learned as sequences of their own


@dataclass(eq=False)
class Tasks:
    """Heads of one task that may differ in m_h, m_FF and seed."""

    plan: Plan[TaskSpec, Task]
    capturable, browser_computes = False, True
    gradient = gradient_of_objective

    @property
    def task(self) -> Task:
        """The one task of them all."""
        return self.plan.targets[0]

    @staticmethod
    def calibrate(spec: TaskSpec, target: Task, device: torch.device) -> Calibration:
        """Nothing but the variance of y, by fixed sequences."""

        def answer(numbers: Tensor) -> Tensor:
            return target.answer(target.inputs(numbers))

        return sampled_calibration(answer, target.n_uniform, device, raw=True)

    @staticmethod
    def initial(spec: TaskSpec, generator: torch.Generator) -> Weights:
        """See `models.transformer`; e^λ is the sharpness."""
        sharpness = torch.tensor([math.log(spec.sharpness)])
        return initial(spec, generator) | {"lambda": sharpness}

    @torch.no_grad()
    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """Fresh tokens x (model, batch, τ, d_in) and their answers y (model, batch, τ, d_out)."""
        spec = self.plan.spec
        growing = getattr(spec, "curriculum", 0.0) * spec.steps  # centres of gravity only
        share = min(1.0, step / growing) if growing else 1.0
        x = self.task.inputs(draw(generators, spec.batch, self.task.n_uniform), share)
        return x[self.plan.seed_of], self.task.answer(x)[self.plan.seed_of]

    def objective(self, weights: Weights, x: Tensor, y: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """Mean squared error, and what is minimised: with emphasis and single tokens; (model,)."""
        spec, (models, batch, tau, _) = self.plan.spec, x.shape
        h = features(spec, weights, x.flatten(1, 2))  # (model, batch·τ, n)
        predicted, _ = attend(spec, weights, h, tau)
        squared = (predicted - y).square().mean(dim=-1)  # (model, batch, τ)
        has_value = self.task.has_value(x)
        asking = getattr(spec, "emphasis", 1.0) * (1 - has_value)  # rows of centres of gravity only
        minimised = ((has_value + asking) * squared).mean(dim=(1, 2))
        if spec.aux:
            some = _tokens_in_turn(step, tau)
            h = h.view(models, batch, tau, -1)[:, :, some]
            values = value_map(spec, weights, h.flatten(1, 2)).view(models, batch, len(some), -1)
            missed = (values - self.task.values(x)[:, :, some]).square().mean(dim=-1)
            minimised = minimised + (missed * has_value[:, :, some]).mean(dim=(1, 2))
        return squared.mean(dim=(1, 2)), minimised

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """Those of `error_metrics`, and how well attention and values are those of the task.

        `agreement`, the share of rows in which the largest learned weight is where an ideal one is;
        `attention_error`, the mean of |Â − A|; `value_error`, the mean square of F̂(W_V f̂(x_s)) −
        F∘f(x_s). Where there are prediction tokens, `agreement_asking` is that of their rows,
        `agreement_points` of the rest.
        """
        x = self.task.inputs(fixed_numbers(count, self.task.n_uniform, self.plan.device))
        parts = [self._compared(weights, chunk) for chunk in x.split(CHUNK)]
        error, value, hit, missed = (torch.cat(part).double() for part in zip(*parts, strict=True))
        has_value = self.task.has_value(x).double()
        measured = error_metrics(error, self.task.answer(x).double()) | {
            "agreement": float(hit.mean()),
            "attention_error": float(missed.mean()),
            "value_error": _mean_where(has_value, value),
        }
        if bool((has_value == 0).any()):
            measured["agreement_asking"] = _mean_where(1 - has_value, hit)
            measured["agreement_points"] = _mean_where(has_value, hit)
        return measured

    def _compared(self, weights: Weights, x: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """ŷ − y (k, τ, d_out); of each token the mean square of F̂(W_V f̂) − F∘f, whether the row of
        Â has its maximum where A has one, and the mean of |Â − A| in it, (k, τ) each."""
        spec = self.plan.spec
        h = features(spec, weights, x.flatten(0, 1).unsqueeze(0))
        predicted, attention = attend(spec, weights, h, spec.tau)
        values = value_map(spec, weights, h).view(*x.shape[:2], -1) - self.task.values(x)
        ideal = self.task.attention(x)
        chosen = attention[0].argmax(dim=-1, keepdim=True)
        hit = ideal.gather(-1, chosen).squeeze(-1) == ideal.amax(dim=-1)
        missed = (attention[0] - ideal).abs().mean(dim=-1)
        return predicted[0] - self.task.answer(x), values.square().mean(dim=-1), hit, missed

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        return task_diagnostics(self.plan.spec, weights, self.task)

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """`sigma`, the singular values of e^λ W_QᵀW_K."""
        return {"sigma": short(spectrum(self.plan.members[model], weights).tolist())}


def _tokens_in_turn(step: int, tau: int) -> list[int]:
    """The positions whose tokens are learned alone in a step."""
    return [(AUX_TOKENS * step + i) % tau for i in range(min(AUX_TOKENS, tau))]


def _mean_where(weight: Tensor, values: Tensor) -> float:
    return float((values * weight).sum() / weight.sum())
