"""The small Transformer encoder learns from examples, by the cross-entropy of its classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import encoder_diagnostics, last_spectra
from explorer.models.encoder import forward, initial
from explorer.spec import LabelledSpec
from explorer.targets import Labelled
from explorer.targets.labelled import Examples
from explorer.training.recipe import (
    Calibration,
    Plan,
    Weights,
    draw,
    error_metrics,
    gradient_of_objective,
    short,
)

CHUNK = 250  # sequences evaluated at once


@dataclass(eq=False)
class Encoder:
    """Encoders of one kind of data that may differ in order, m_h, m_FF and seed."""

    plan: Plan[LabelledSpec, Labelled]
    capturable = browser_computes = False
    initial = staticmethod(initial)
    gradient = gradient_of_objective

    @staticmethod
    def calibrate(spec: LabelledSpec, target: Labelled, device: torch.device) -> Calibration:
        """Nothing but the variance of y, which is 1 for the right class and 0 for another."""
        y = np.eye(spec.d_out)[target.test.classes]
        return Calibration(0.0, 1.0, max(float(y.var()), 1e-12))

    @cached_property
    def _examples(self) -> tuple[Tensor, Tensor]:
        """Those to learn from: x (count, τ, d_in), classes (count, outputs)."""
        return _tensors(self.plan.targets[0].training, self.plan.device)

    @torch.no_grad()
    def batch(self, generators: Sequence[torch.Generator], step: int) -> tuple[Tensor, Tensor]:
        """Sequences as they are seen in the next step (model, batch, τ, d_in), and their classes
        (model, batch, outputs); drawn with replacement."""
        plan, (x, classes) = self.plan, self._examples
        some = (draw(generators, plan.spec.batch) * len(x)).long()[plan.seed_of]  # (model, batch)
        altered = step >= plan.spec.original_steps
        seen = [
            x[rows][:, [*plan.assignment(model)[0].places]] if altered else x[rows]
            for model, rows in enumerate(some)
        ]
        return torch.stack(seen), classes[some]

    def objective(self, leaves: Weights, x: Tensor, y: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """Mean squared errors of the probabilities, and the cross-entropy; (model,)."""
        logits = forward(leaves, x).logits
        log_p = logits.log_softmax(dim=-1)
        right = torch.nn.functional.one_hot(y, logits.shape[-1])
        missed = (log_p.detach().exp() - right).square().mean(dim=(1, 2, 3))
        return missed, -(log_p * right).sum(dim=-1).mean(dim=(1, 2))

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """Those of `error_metrics` of the probabilities, on `count` examples at most to be tested
        on, seen as in the last step: `cross_entropy` of an output, in nats; `accuracy`, the share
        of sequences whose outputs are all right; both of examples that were learned from, too.

        Where there is an order, `accuracy_original` is that of the tokens in their own order,
        `accuracy_moved` that with the positions moved along, `moved_gap` the greatest difference
        between the logits of these two.
        """
        target, _ = self.plan.assignment(model)
        order, device = [*target.places], self.plan.device
        test = _tensors(target.test, device, count)
        learned = _tensors(target.training, device, count)
        logits, classes = _logits(weights, test[0][:, order]), test[1]
        y = torch.nn.functional.one_hot(classes, logits.shape[-1]).double()
        metrics = error_metrics(logits.softmax(dim=-1) - y, y) | _right(logits, classes)
        on_learned = _right(_logits(weights, learned[0][:, order]), learned[1])
        metrics |= {f"training_{name}": value for name, value in on_learned.items()}
        if target.order is None:
            return metrics
        exact = {name: weight.double() for name, weight in weights.items()}
        places = torch.tensor(order, device=device)
        original = _logits(exact, test[0])
        moved = _logits(exact, test[0][:, order], places)
        return metrics | {
            "accuracy_original": _right(original, classes)["accuracy"],
            "accuracy_moved": _right(moved, classes)["accuracy"],
            "moved_gap": float((moved - original).abs().max()),
        }

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        return encoder_diagnostics(self.plan.spec, weights, self.plan.assignment(0)[0])

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """See `analysis.last_spectra`, of which this is the member's own."""
        target, _ = self.plan.assignment(model)
        spectra = last_spectra(self.plan.members[model], weights, target)
        return {name: short(values.tolist()) for name, values in spectra.items()}


def _logits(weights: Weights, x: Tensor, places: Tensor | None = None) -> Tensor:
    """Logits (count, outputs, classes) of one model, with the precision of its weights."""
    parts = (part.to(weights["asks"].dtype).unsqueeze(0) for part in x.split(CHUNK))
    return torch.cat([forward(weights, part, places).logits[0] for part in parts]).double()


def _right(logits: Tensor, classes: Tensor) -> dict[str, float]:
    nats = torch.nn.functional.cross_entropy(logits.flatten(0, 1), classes.flatten())
    hit = (logits.argmax(dim=-1) == classes).all(dim=-1)
    return {"cross_entropy": float(nats), "accuracy": float(hit.double().mean())}


def _tensors(
    examples: Examples, device: torch.device, count: int | None = None
) -> tuple[Tensor, Tensor]:
    x, classes = (torch.tensor(array[:count], device=device) for array in examples)
    return x, classes
