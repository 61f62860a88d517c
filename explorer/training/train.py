"""The training loop, as a generator of Snapshots.

ρ becomes y in the `batch` of a recipe, y becomes a loss in its `gradient`, and the loss leaves with
the Snapshot of its step. Page, command line, tests and workers consume the same iterator.
"""

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.models.named import weights_sha256
from explorer.spec import AnySpec, coupling_spec
from explorer.targets import AnyTarget, target_of
from explorer.targets.fixed import EVALUATION
from explorer.training.ensemble import Ensemble, under
from explorer.training.kernels import Kernels
from explorer.training.trained import Trained
from explorer.training.truncation import rank_surgery

CUDA_CHECK = 50  # steps between looks at the loss on a GPU, where each look waits for the device


class Diverged(ArithmeticError):
    """The loss is no longer finite; the message says what to lower."""

    def __init__(self, step: int, spec: AnySpec):
        lower = " or ".join(spec.remedies())
        super().__init__(f"the loss is not finite at step {step}: lower {lower}")
        self.step = step


class Snapshot:
    """One step of a run of one model. It is a value: what it says of its step stays true.

    Until the run goes on, it reads the ensemble that is being trained; whoever still holds it then
    holds a copy. A loop that drops each Snapshot before it asks for the next pays for none.
    """

    def __init__(self, ensemble: Trained):
        self.spec, self.step, self.steps = ensemble.spec, ensemble.step, ensemble.steps
        self.loss = ensemble.losses[0]
        """Mean squared error on the step's batch, in units of Var(y); 0-dimensional."""
        self._recipe, self._rested = ensemble.recipe, ensemble.rest.metrics(0)
        self._ensemble: Trained | None = ensemble
        self._state: dict[str, Tensor] = {}

    def detach(self) -> None:
        """Take a copy, so that the ensemble may be trained on."""
        self._state, self._ensemble = self.state(), None

    def state(self) -> dict[str, Tensor]:
        """Flat tensors on the CPU from which `train` goes on, bit for bit on the CPU."""
        return self._state if self._ensemble is None else self._ensemble.state()

    @property
    def weights(self) -> dict[str, Tensor]:
        """The parameters, with a model axis of 1."""
        if self._ensemble is None:
            device = self._recipe.plan.device
            return {n: weight.to(device) for n, weight in under("weights.", self._state).items()}
        return {name: weight.clone() for name, weight in self._ensemble.weights.items()}

    def is_finite(self) -> bool:
        """Whether all parameters are; the loss would say so one step later."""
        return all(bool(weight.isfinite().all()) for weight in self.weights.values())

    def diagnostics(self) -> dict[str, np.ndarray]:
        """What the model has learned, as float32 arrays (see `analysis`)."""
        return self._recipe.diagnostics(self.weights)

    def weights_for_browser(self) -> dict[str, np.ndarray]:
        """The parameters as "weights.NAME" where a page computes with them; else nothing."""
        if not self._recipe.browser_computes:
            return {}
        return {f"weights.{name}": weight[0].cpu().numpy() for name, weight in self.weights.items()}

    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """Errors on fixed fresh sequences (see `Recipe.metrics`)."""
        return self._recipe.metrics(self.weights, 0, count) | self._rested

    def rank_surgery(self, k: Sequence[int], count: int = EVALUATION) -> list[dict[str, float]]:
        """Errors of a head of Eq. 5 cut to each rank k of its ρ̂, with no further step."""
        return rank_surgery(self._recipe, self.weights, 0, k, count)

    def weights_sha256(self) -> str:
        """Hash of the parameters alone (see `models.named`)."""
        return weights_sha256({n: weight[0].cpu().numpy() for n, weight in self.weights.items()})


def train(
    spec: AnySpec,
    state: dict[str, Tensor] | None = None,
    *,
    device: str = "cpu",
    target: AnyTarget | None = None,
) -> Iterator[Snapshot]:
    """Train one model; yields a Snapshot after every step.

    `state` (from `Snapshot.state`) goes on where it was taken; a finished one yields its last
    Snapshot once more. `target` spares building it again. Raises Diverged, SpecError where the
    coupling cannot be built, and EngineError where the engine is not to be had.
    """
    ensemble = models_of([spec], [target or target_of(spec)], device)
    if state is not None:
        ensemble.load(state)
    if ensemble.step >= spec.steps:
        yield Snapshot(ensemble)
    while ensemble.step < spec.steps:
        _advance(ensemble)
        snapshot = Snapshot(ensemble)
        newest = weakref.ref(snapshot)
        yield snapshot
        del snapshot
        if held := newest():
            held.detach()
            del held


def models_of(specs: Sequence[AnySpec], targets: Sequence[Any], device: str) -> Trained:
    """Models side by side as they start; the kernel trains on the CPU, whatever the device."""
    if specs[0].by_kernel:
        return Kernels([coupling_spec(spec) for spec in specs], targets)
    return Ensemble(specs, targets, device)


def _advance(ensemble: Trained) -> None:
    """One step; raises Diverged."""
    try:
        loss = ensemble.advance()[0]
    except torch.linalg.LinAlgError as error:  # pyright: ignore[reportPrivateImportUsage]
        # SOAP has no eigenbasis of what is not finite
        raise Diverged(ensemble.step, ensemble.spec) from error
    checked = ensemble.device.type == "cpu" or ensemble.step % CUDA_CHECK == 0
    if checked and not torch.isfinite(loss):
        raise Diverged(ensemble.step, ensemble.spec)
