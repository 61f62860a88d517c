"""The training loop, as a generator of Snapshots.

ρ becomes y in `Training.batch`, y becomes a loss in `Training.loss`, and the loss leaves with the
Snapshot of its step. The page, the command line, the tests and a worker consume the same iterator.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from explorer import analysis
from explorer.coupling import POD, pod
from explorer.models.transformer import forward, initial, shapes
from explorer.spec import Spec
from explorer.targets import CouplingTarget, evaluation_inputs, target_of
from explorer.training.optimizers import optimizer
from explorer.training.schedule import learning_rate

INITIAL_WEIGHTS, TRAINING_DATA = 0, 1  # random streams of a seed
CALIBRATION = 512  # sequences that fix the centre and scale of y
EVALUATION = 4096  # sequences of a final evaluation
CHUNK = 512  # sequences evaluated at once
CUDA_CHECK = 50  # steps between looks at the loss on a GPU, where each look waits for the device


class Diverged(ArithmeticError):
    """The loss is no longer finite; the message says what to lower."""

    def __init__(self, step: int, spec: Spec):
        lower = [f"lr (now {spec.lr:g})"]
        if spec.formula or spec.grid or spec.c > 1:
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
    training: Training

    def state(self) -> dict[str, Tensor]:
        """Flat tensors on the CPU from which `train` goes on, bit for bit on the CPU."""
        return self.training.state()

    def look(self) -> dict[str, np.ndarray]:
        """What the model has learned, as float32 arrays (see `analysis.look`)."""
        return self.training.look()

    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """mse and mae in units of y, nmse = mse / Var(y) and r2 on fixed fresh sequences."""
        return self.training.evaluate(count)

    def weights_sha256(self) -> str:
        """Hash of the parameters alone, sorted by name: name, shape, little-endian bytes."""
        digest = hashlib.sha256()
        for name, weight in sorted(self.training.weights.items()):
            array = weight.detach()[0].cpu().numpy()
            digest.update(f"{name}{list(array.shape)}".encode())
            digest.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
        return digest.hexdigest()


def train(
    spec: Spec,
    state: dict[str, Tensor] | None = None,
    *,
    device: str = "cpu",
    target: CouplingTarget | None = None,
) -> Iterator[Snapshot]:
    """Train one model; yields a Snapshot after every step.

    `state` (from `Snapshot.state`) goes on where it was taken; a finished one yields its last
    Snapshot once more. `target` spares building it again. Raises Diverged, and SpecError where
    the coupling cannot be built.
    """
    training = Training(spec, target or target_of(spec), device=device)
    if state is not None:
        training.load(state)
    if training.step >= spec.steps:
        yield Snapshot(training.step, spec.steps, training.last_loss, training)
    while training.step < spec.steps:
        loss = training.advance()[0]
        if (device == "cpu" or training.step % CUDA_CHECK == 0) and not torch.isfinite(loss):
            raise Diverged(training.step, spec)
        yield Snapshot(training.step, spec.steps, loss, training)


class Training:
    """Models of one specification, one per seed, trained side by side in one batch.

    Parameters live in one flat buffer, name by name and model by model; `weights` are views of it
    with the model axis first, and their gradients are views of one flat gradient.
    """

    def __init__(
        self,
        spec: Spec,
        target: CouplingTarget,
        seeds: Sequence[int] | None = None,
        device: str = "cpu",
    ):
        self.spec, self.target, self.device = spec, target, torch.device(device)
        seeds = [spec.seed] if seeds is None else seeds
        self.step, self.last_loss = 0, torch.tensor(math.nan)
        self.flat = _flat_start(spec, seeds).to(self.device)
        self.gradient = torch.zeros_like(self.flat)
        self.weights = _views(spec, self.flat, len(seeds))
        for leaf, gradient in zip(
            self.weights.values(), _views(spec, self.gradient, len(seeds)).values(), strict=True
        ):
            leaf.requires_grad_()
            leaf.grad = gradient
        self.optimizer = optimizer(spec, self.flat, len(seeds))
        self.generators = [_generator(seed, TRAINING_DATA, self.device) for seed in seeds]
        self.centre, self.scale = self._calibrate()

    def _calibrate(self) -> tuple[float, float]:
        """Mean and standard deviation of y on fixed sequences."""
        y = self._answer(self._evaluation_inputs(CALIBRATION)).double()
        return float(y.mean()), max(float(y.std()), 1e-12)

    def _evaluation_inputs(self, count: int) -> Tensor:
        x = evaluation_inputs(count, self.spec.tau)
        return torch.as_tensor(x, dtype=torch.float32, device=self.device)

    @torch.no_grad()
    def _answer(self, x: Tensor) -> Tensor:
        return self.target.answer(x)

    def batch(self) -> tuple[Tensor, Tensor]:
        """Fresh sequences x and the standardised answers y of Eq. 8; both (model, batch, τ)."""
        shape = (self.spec.batch, self.spec.tau)
        x = torch.stack(
            [torch.rand(shape, generator=g, device=self.device) for g in self.generators]
        )
        x = self.target.inputs(x)
        return x, (self._answer(x) - self.centre) / self.scale

    def loss(self, x: Tensor, y: Tensor) -> Tensor:
        """Mean squared error of each model, (model,). The models' losses are summed, not averaged:
        so each steps as if it were alone."""
        predicted, _ = forward(self.spec, self.weights, x)
        return (predicted - y).square().mean(dim=(1, 2))

    def advance(self) -> Tensor:
        """One optimiser step; returns the losses before it, (model,)."""
        self.step += 1
        self.gradient.zero_()
        losses = self.loss(*self.batch())
        losses.sum().backward()
        self.optimizer.step(self.gradient, learning_rate(self.spec, self.step))
        self.last_loss = losses.detach()[0]
        return losses.detach()

    @cached_property
    def designed(self) -> POD:
        """The centred POD of the coupling that is learned."""
        return pod(self.target.coupling, centred=True)

    def look(self) -> dict[str, np.ndarray]:
        """Pictures of the first model (see `analysis.look`)."""
        return analysis.look(self.spec, self.weights, self.designed)

    @torch.no_grad()
    def evaluate(self, count: int = EVALUATION) -> dict[str, float]:
        """Errors of the first model on `count` fixed sequences, the same on every device."""
        squared = absolute = 0.0
        answers = []
        for x in self._evaluation_inputs(count).split(CHUNK):
            y = self._answer(x).double()
            predicted, _ = forward(self.spec, _first(self.weights), x.unsqueeze(0))
            error = predicted[0].double() * self.scale + self.centre - y
            squared += float(error.square().sum())
            absolute += float(error.abs().sum())
            answers.append(y)
        mse = squared / (count * self.spec.tau)
        nmse = mse / max(float(torch.cat(answers).var(correction=0)), 1e-300)
        return {
            "mse": mse, "nmse": nmse, "mae": absolute / (count * self.spec.tau), "r2": 1 - nmse
        }  # fmt: skip

    def state(self) -> dict[str, Tensor]:
        """Step, loss, parameters, optimiser and data generators, copied to the CPU."""
        named = {"step": torch.tensor(self.step), "loss": self.last_loss}
        named |= {f"weights.{name}": weight for name, weight in self.weights.items()}
        named |= {f"optimizer.{key}": value for key, value in self.optimizer.state().items()}
        named |= {f"generator.{i}": g.get_state() for i, g in enumerate(self.generators)}
        return {
            name: value.detach().to("cpu", copy=True).contiguous() for name, value in named.items()
        }

    @torch.no_grad()
    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state; raises ValueError where a name or shape is not what the spec builds."""
        for name, weight in self.weights.items():
            stored = state.get(f"weights.{name}")
            if stored is None or stored.shape != weight.shape:
                found = "nothing" if stored is None else list(stored.shape)
                raise ValueError(f"checkpoint: {name} must be {list(weight.shape)}, found {found}")
            weight.copy_(stored)
        self.step, self.last_loss = int(state["step"]), state["loss"].clone()
        self.optimizer.load(_under("optimizer.", state))
        for i, generator in enumerate(self.generators):
            generator.set_state(state[f"generator.{i}"])


def expected_shapes(spec: Spec) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights in a checkpoint of this specification."""
    return {f"weights.{name}": (1, *shape) for name, shape in shapes(spec).items()}


def _flat_start(spec: Spec, seeds: Sequence[int]) -> Tensor:
    """Start values as one flat buffer: name by name, model by model."""
    cpu = torch.device("cpu")
    starts = [initial(spec, _generator(seed, INITIAL_WEIGHTS, cpu)) for seed in seeds]
    return torch.cat([start[name].flatten() for name in shapes(spec) for start in starts])


def _views(spec: Spec, flat: Tensor, models: int) -> dict[str, Tensor]:
    """The flat buffer as named tensors (model, …) that share its memory."""
    named, position = {}, 0
    for name, shape in shapes(spec).items():
        size = models * math.prod(shape)
        named[name] = flat[position : position + size].view(models, *shape).detach()
        position += size
    return named


def _first(weights: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: weight[:1] for name, weight in weights.items()}


def _generator(seed: int, stream: int, device: torch.device) -> torch.Generator:
    """An independent generator for each purpose of a seed."""
    mixed = int(np.random.SeedSequence((seed, stream)).generate_state(1, np.uint64)[0] >> 1)
    return torch.Generator(device).manual_seed(mixed)


def _under(prefix: str, state: dict[str, Tensor]) -> dict[str, Tensor]:
    return {k.removeprefix(prefix): value for k, value in state.items() if k.startswith(prefix)}
