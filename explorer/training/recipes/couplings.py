"""The Transformer of Eq. 5 learns a target of Eq. 8; its gradient is written out by hand."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.analysis import coupling_diagnostics, learned_coupling
from explorer.coupling import POD, pod, quadrature
from explorer.coupling.leading import NODES
from explorer.models import exact
from explorer.models.backward import loss_and_gradient
from explorer.models.transformer import forward, initial
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget, Parts
from explorer.targets.coupling.features import Features
from explorer.training.recipe import (
    CHUNK,
    Calibration,
    Plan,
    Weights,
    by_autograd,
    drawn,
    fixed_numbers,
    metrics_of,
    sampled_calibration,
    short,
    variance_of,
)
from explorer.training.truncation import rank_surgery

SWAPS = {"nmse_rho": ("rho",), "nmse_networks": ("inner", "outer")}
"""By its error: what of a trained head can be exchanged for the exact part. f̂ and F̂ cannot one by
one: what is between them is known up to a map and its inverse."""


@dataclass(eq=False)
class Couplings:
    """Models that may differ in their coupling, m_h, m_FF and seed."""

    plan: Plan[CouplingSpec, CouplingTarget]
    capturable, browser_computes = True, False
    initial = staticmethod(initial)

    def __post_init__(self):
        self.capturable = not self.plan.spec.known

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
        spec = self.plan.spec
        if spec.known:
            return by_autograd(lambda leaves: self._objective(leaves, x, y), weights, gradients)
        return loss_and_gradient(spec, weights, x, y, gradients)

    def _objective(self, leaves: Weights, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Of a head that is given some of ρ, f and F; what is given has no gradient."""
        spec = self.plan.spec
        missed = exact.forward(spec, leaves, x, self._parts, spec.known) - y
        errors = missed.square().mean(dim=(1, 2))
        return errors, errors

    @torch.no_grad()
    def metrics(self, weights: Weights, model: int, count: int) -> dict[str, float]:
        """mse and mae in units of y, nmse and r2 (see `error_metrics`); of a training set also
        train_nmse; where F or f is not the identity also nmse_rho and nmse_networks, those of the
        same weights with the exact ρ, and with the exact F and f, on CHUNK of the sequences."""
        spec = self.plan.spec
        metrics = metrics_of(self.plan, model, count, partial(self._errors, weights, model))
        if spec.known or not spec.has_parts:
            return metrics
        x = fixed_numbers(count, spec.tau, self.plan.device)[:CHUNK]
        if metrics["nmse"]:
            variance = metrics["mse"] / metrics["nmse"]
        else:
            variance = variance_of(self._errors(weights, model, x)[1])
        swapped = {name: self._errors(weights, model, x, known)[0] for name, known in SWAPS.items()}
        return metrics | {
            name: float(error.square().mean()) / variance for name, error in swapped.items()
        }

    def _errors(
        self, weights: Weights, model: int, x: Tensor, known: Collection[str] | None = None
    ) -> tuple[Tensor, Tensor]:
        """ŷ − y and y for sequences x (count, τ), in units of y."""
        known = self.plan.spec.known if known is None else known
        target, (centre, scale, _) = self.plan.assignment(model)
        parts = x.split(CHUNK)
        y = torch.cat([target.answer(x).double() for x in parts])
        predicted = torch.cat([self.predicted(weights, model, x, known) for x in parts])
        return predicted.double() * scale + centre - y, y

    def predicted(
        self, weights: Weights, model: int, x: Tensor, known: Collection[str] = ()
    ) -> Tensor:
        """ŷ of x (count, τ), as it is learned; `known`, some of rho, inner and outer, are those of
        the target (`models.exact`)."""
        spec, x = self.plan.spec, x.unsqueeze(0)
        if not known:
            return forward(spec, weights, x)[0][0]
        return exact.forward(spec, weights, x, [self.parts_of(model)], known)[0]

    def parts_of(self, model: int) -> exact.Exact:
        """ρ, f and F of what a model learns, in its units."""
        spec, (target, answers) = self.plan.spec, self.plan.assignment(model)
        alone = [Parts(inner=Features((part,))) for part in target.parts.inner.each]
        means = [self.calibrate(spec, replace(target, parts=f), self.plan.device) for f in alone]
        return exact.Exact(target, [mean[:2] for mean in means], answers[:2])

    def diagnostics(self, weights: Weights) -> dict[str, np.ndarray]:
        spec, (target, _) = self.plan.spec, self.plan.assignment(0)
        pictures = coupling_diagnostics(spec, weights, self._designed)
        own = "rho" in spec.known
        return pictures_of_given(pictures, spec, self._designed, target) if own else pictures

    def columns(self, weights: Weights, model: int) -> dict[str, Any]:
        """`sigma`, σ̂_k, of a given ρ its σ_k; of the widest of those alike in all but m_h also
        `surgery`, the errors when it is cut to each smaller rank."""
        plan, member = self.plan, self.plan.members[model]
        if "rho" in member.known:
            known = pod(plan.assignment(model)[0].coupling, centred=True)
            return {"sigma": short(leading(known.sigma, member.m_h).tolist())}
        at = quadrature(plan.assignment(model)[0].coupling, NODES)
        columns: dict[str, Any] = {
            "sigma": short(learned_coupling(plan.spec, weights, at).sigma[: member.m_h])
        }
        own = {"m_h": member.m_h}
        alike = [each.m_h for each in plan.members if each.model_copy(update=own) == member]
        if 1 < member.m_h == max(alike):
            cut = rank_surgery(self, weights, model, range(1, member.m_h))
            columns["surgery"] = {n: short(errors[n] for errors in cut) for n in ("nmse", "mae")}
        return columns

    @cached_property
    def _parts(self) -> list[exact.Exact]:
        """Of each model."""
        return [self.parts_of(model) for model in range(len(self.plan.members))]

    @cached_property
    def _designed(self) -> POD:
        """The centred POD of the coupling that the first model learns."""
        return pod(self.plan.targets[0].coupling, centred=True)


def pictures_of_given(
    pictures: dict[str, np.ndarray], spec: CouplingSpec, designed: POD, target: CouplingTarget
) -> dict[str, np.ndarray]:
    """Those of a given ρ in the place of `pictures` of the head's own, which it does not
    use; see `analysis.coupling_diagnostics`."""
    size = len(pictures["rho_hat"])
    cells = (np.arange(size) + 0.5) / size
    own = {
        "rho_hat": designed.left(cells) * designed.sigma @ designed.right(cells).T,
        "sigma_hat": leading(designed.sigma, spec.m_h),
        "angles": np.minimum(pictures["angles"], 0.0),
        "attention": target.attention(pictures["tokens"]),
    }
    return pictures | {name: values.astype(np.float32) for name, values in own.items()}


def leading(sigma: np.ndarray, count: int) -> np.ndarray:
    """The first σ_k, (count,), with zeros where there are fewer."""
    return np.pad(sigma[:count], (0, max(count - len(sigma), 0)))
