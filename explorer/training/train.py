"""The training loop, as a generator of Snapshots.

ρ becomes y in `Ensemble.batch`, y becomes a loss in `loss_and_gradient` (an attention task: both in
`TaskEnsemble`), and the loss leaves with the Snapshot of its step. Page, command line, tests and
workers consume the same iterator.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from explorer import analysis
from explorer.coupling import POD, pod
from explorer.models.named import is_rnn, weights_sha256
from explorer.spec import AnySpec, CouplingSpec, LinearSpec, TaskSpec, amended
from explorer.targets import AnyTarget, CouplingTarget, target_of
from explorer.training.ensemble import EVALUATION, Ensemble
from explorer.training.linear import (
    PositionedEnsemble,
    PositionedTraining,
    RnnEnsemble,
    RnnTraining,
)
from explorer.training.tasks import TaskEnsemble, TaskTraining

CUDA_CHECK = 50  # steps between looks at the loss on a GPU, where each look waits for the device


class Diverged(ArithmeticError):
    """The loss is no longer finite; the message says what to lower."""

    def __init__(self, step: int, spec: AnySpec):
        lower = [f"lr (now {spec.lr:g})"]
        if isinstance(spec, TaskSpec):
            lower.append(f"sharpness (now {spec.sharpness:g})")
        elif isinstance(spec, CouplingSpec) and (spec.formula or spec.grid or spec.c > 1):
            lower.append("the size of ρ")
        super().__init__(f"the loss is not finite at step {step}: lower {' or '.join(lower)}")
        self.step = step


@dataclass(frozen=True)
class Snapshot:
    """One step of a run. Its pictures are taken when asked for, before the next step."""

    step: int
    steps: int
    loss: Tensor
    """Mean squared error on the step's fresh batch, in units of Var(y); 0-dimensional."""
    training: Training | TaskTraining | RnnTraining | PositionedTraining

    def state(self) -> dict[str, Tensor]:
        """Flat tensors on the CPU from which `train` goes on, bit for bit on the CPU."""
        return self.training.state()

    def look(self) -> dict[str, np.ndarray]:
        """What the model has learned, as float32 arrays (`analysis.look`, `look_at_task`)."""
        return self.training.look()

    def carried(self) -> dict[str, np.ndarray]:
        """The parameters themselves, as "weights.NAME", where a page computes with them."""
        return self.training.carried()

    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """mse and mae in units of y, nmse = mse / Var(y) and r2 on fixed fresh sequences.

        A task has some of its own besides (see `TaskEnsemble.evaluate_with`).
        """
        return self.training.evaluate(count)

    def weights_sha256(self) -> str:
        """Hash of the parameters alone (see `models.named`)."""
        named = self.training.weights.items()
        return weights_sha256({name: weight.detach()[0].cpu().numpy() for name, weight in named})


def train(
    spec: AnySpec,
    state: dict[str, Tensor] | None = None,
    *,
    device: str = "cpu",
    target: AnyTarget | None = None,
) -> Iterator[Snapshot]:
    """Train one model; yields a Snapshot after every step.

    `state` (from `Snapshot.state`) goes on where it was taken; a finished one yields its last
    Snapshot once more. `target` spares building it again. Raises Diverged, and SpecError where
    the coupling cannot be built.
    """
    training = _kinds(spec)[0](spec, target or target_of(spec), device=device)
    if state is not None:
        training.load(state)
    if training.step >= spec.steps:
        yield Snapshot(training.step, spec.steps, training.losses[0], training)
    while training.step < spec.steps:
        try:
            loss = training.advance()[0]
        except torch.linalg.LinAlgError as error:  # SOAP has no eigenbasis of what is not finite
            raise Diverged(training.step, spec) from error
        if (device == "cpu" or training.step % CUDA_CHECK == 0) and not torch.isfinite(loss):
            raise Diverged(training.step, spec)
        yield Snapshot(training.step, spec.steps, loss, training)


class Training(Ensemble):
    """Models of one specification, one per seed."""

    def __init__(
        self,
        spec: CouplingSpec,
        target: CouplingTarget,
        seeds: Sequence[int] | None = None,
        device: str = "cpu",
    ):
        seeds = [spec.seed] if seeds is None else seeds
        members = [amended(spec, seed=seed) for seed in seeds]
        super().__init__(members, [target] * len(members), device)

    @cached_property
    def designed(self) -> POD:
        """The centred POD of the coupling that is learned."""
        return pod(self.targets[0].coupling, centred=True)

    def look(self) -> dict[str, np.ndarray]:
        """Pictures of the first model (see `analysis.look`)."""
        return analysis.look(self.spec, self.weights, self.designed)

    def carried(self) -> dict[str, np.ndarray]:
        """Nothing: what is drawn of a coupling's model is in its pictures."""
        return {}

    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """Errors of the first model on `count` fixed sequences, the same on every device."""
        return self.evaluate_all(count)[0]


def ensemble_of(
    members: Sequence[AnySpec], targets: Sequence[AnyTarget], device: str = "cpu"
) -> Ensemble:
    """Models of one shape class and kind of target, side by side in one batch."""
    return _kinds(members[0])[1](members, targets, device)


def _kinds(spec: AnySpec) -> tuple[type, type]:
    """What trains one specification, and what trains several."""
    if isinstance(spec, TaskSpec):
        return TaskTraining, TaskEnsemble
    if is_rnn(spec):
        return RnnTraining, RnnEnsemble
    if isinstance(spec, LinearSpec) or spec.altered:
        return PositionedTraining, PositionedEnsemble
    return Training, Ensemble
