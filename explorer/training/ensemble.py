"""Many models trained side by side in one batch, with the model axis first.

Members share everything but their seed, their design (α, rank, …) and the widths m_h and m_FF.
Narrower members are padded by zeros up to the widest: units without weights on either side have
no gradient and stay zero, so each member steps as if it were alone. One seed draws one stream of
sequences, whatever the member; the answers of one design to them are computed once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from explorer.models.backward import loss_and_gradient
from explorer.models.named import shapes
from explorer.models.parameters import initial
from explorer.models.transformer import forward
from explorer.spec import ALTERATION_FIELDS, DESIGN_FIELDS, KERNEL_FIELDS, AnySpec, amended
from explorer.targets import CouplingTarget, evaluation_inputs
from explorer.training.optimizers import optimizer
from explorer.training.schedule import learning_rate

INITIAL_WEIGHTS, TRAINING_DATA = 0, 1  # random streams of a seed
CALIBRATION = 512  # sequences that fix the centre and scale of y
EVALUATION = 4096  # sequences of a final evaluation
CHUNK = 512  # sequences evaluated at once
EAGER_STEPS = 3  # before a CUDA graph is captured: libraries set up, and SOAP's first step differs
WIDTHS = ("m_h", "m_ff", "hidden")
OWN = {*DESIGN_FIELDS, *KERNEL_FIELDS, *ALTERATION_FIELDS, *WIDTHS, "seed"} - {"target", "tau"}
"""The fields in which members may differ."""


class Ensemble:
    """Models of one shape class, trained side by side in one batch.

    Parameters live in one flat buffer, name by name and model by model; `weights` are views of it
    with the model axis first, and `gradients` views of one flat gradient.
    """

    def __init__(
        self, members: Sequence[AnySpec], targets: Sequence[CouplingTarget], device: str = "cpu"
    ):
        """One target for each member; equal objects are answered once."""
        self.members, self.device = tuple(members), torch.device(device)
        self.spec = hull(members)
        self.step, self.losses = 0, torch.full((len(members),), math.nan)
        self.flat = _flat_start(self.spec, members).to(self.device)
        self.gradient = torch.zeros_like(self.flat)
        self.weights = views(self.spec, self.flat, len(members))
        self.gradients = views(self.spec, self.gradient, len(members))
        self.optimizer = optimizer(self.spec, self.flat, self.members)
        self._plan_data(targets)
        self.graph: torch.cuda.CUDAGraph | None = None
        self.eager_steps = 0

    def _plan_data(self, targets: Sequence[CouplingTarget]) -> None:
        """Which seeds and which targets there are, and which of them each member has."""
        seeds, self.seed_of = _distinct([member.seed for member in self.members])
        self.targets, self.target_of = _distinct(list(targets))
        self.generators = [_generator(seed, TRAINING_DATA, self.device) for seed in seeds]
        self.calibrations = [self._calibrate(target) for target in self.targets]
        self.unit: Tensor | float = 1.0  # Var(y) of what is learned
        if self._raw:
            variances = [self._moments(target)[1] ** 2 for target in self.targets]
            self.unit = torch.tensor(variances, device=self.device)[self.target_of]

    @property
    def _raw(self) -> bool:
        """Whether y is learned as it is."""
        return getattr(self.spec, "answers", "standardised") == "raw"

    def _calibrate(self, target: CouplingTarget) -> tuple[float, float]:
        """What is learned as 0, and as 1 above it: mean and standard deviation of y, or itself."""
        return (0.0, 1.0) if self._raw else self._moments(target)

    def _moments(self, target: CouplingTarget) -> tuple[float, float]:
        """Mean and standard deviation of y on fixed sequences."""
        y = target.answer(self._evaluation_inputs(CALIBRATION)).double()
        return float(y.mean()), max(float(y.std()), 1e-12)

    def _evaluation_inputs(self, count: int) -> Tensor:
        x = evaluation_inputs(count, self.spec.tau)
        return torch.as_tensor(x, dtype=torch.float32, device=self.device)

    @torch.no_grad()
    def batch(self) -> tuple[Tensor, Tensor]:
        """Fresh sequences x and the answers y of Eq. 8, as they are learned; (model, batch, τ)."""
        shape = (self.spec.batch, self.spec.tau)
        uniform = torch.stack(
            [torch.rand(shape, generator=g, device=self.device) for g in self.generators]
        )
        x = self.targets[0].inputs(uniform)  # (seed, batch, τ)
        answers = [
            (target.answer(x) - centre) / scale
            for target, (centre, scale) in zip(self.targets, self.calibrations, strict=True)
        ]
        return x[self.seed_of], torch.stack(answers)[self.target_of, self.seed_of]

    def advance(self) -> Tensor:
        """One optimiser step on fresh sequences; see `learn`."""
        return self.learn(*self.batch())

    def learn(self, x: Tensor, y: Tensor) -> Tensor:
        """One optimiser step; returns the losses before it, (model,), in units of Var(y)."""
        self.step += 1
        self.optimizer.prepare(learning_rate(self.spec, self.step))
        if self.graph is not None:
            self._x.copy_(x)
            self._y.copy_(y)
            self.graph.replay()
            self.losses = self._losses.clone()
        elif self.device.type == "cuda" and self.eager_steps >= EAGER_STEPS:
            self._capture(x, y)
        else:
            self.losses = self._update(x, y)
            self.eager_steps += 1
        self.optimizer.finish()
        return self.losses

    def _update(self, x: Tensor, y: Tensor) -> Tensor:
        """What the device does in a step, with the same launches every time."""
        losses = loss_and_gradient(self.spec, self.weights, x, y, self.gradients)
        self.optimizer.update(self.gradient)
        return losses / self.unit

    def _capture(self, x: Tensor, y: Tensor) -> None:
        """Record the step in a CUDA graph, and run it once: launches then cost nothing."""
        self._x, self._y = x.clone(), y.clone()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._losses = self._update(self._x, self._y)
        graph.replay()
        self.graph, self.losses = graph, self._losses.clone()

    def run(self) -> Iterator[Tensor]:
        """Every step up to the last: the losses before it, (model,)."""
        while self.step < self.spec.steps:
            yield self.advance()

    @property
    def steps(self) -> int:
        """In all."""
        return self.spec.steps

    @property
    def final(self) -> Ensemble:
        """Itself: what a sweep reads off when `run` is over, as of a `TopDown`."""
        return self

    def evaluate_all(self, count: int = EVALUATION) -> list[dict[str, float]]:
        """Errors of each member on `count` fixed sequences, the same on every device.

        mse and mae in units of y, nmse = mse / Var(y) and r2 = 1 − nmse.
        """
        return [self.evaluate_with(self.member(i), i, count) for i in range(len(self.members))]

    def member(self, model: int) -> dict[str, Tensor]:
        """The weights of one member, with a model axis of 1."""
        return {name: weight[model : model + 1] for name, weight in self.weights.items()}

    @torch.no_grad()
    def evaluate_with(
        self, weights: dict[str, Tensor], model: int, count: int = EVALUATION
    ) -> dict[str, float]:
        """Errors of a member's task by the given weights, which have a model axis of 1."""
        target = self.targets[self.target_of[model]]
        centre, scale = self.calibrations[self.target_of[model]]
        squared = absolute = 0.0
        answers = []
        for x in self._evaluation_inputs(count).split(CHUNK):
            y = target.answer(x).double()
            predicted, _ = forward(self.spec, weights, x.unsqueeze(0))
            error = predicted[0].double() * scale + centre - y
            squared += float(error.square().sum())
            absolute += float(error.abs().sum())
            answers.append(y)
        mse = squared / (count * self.spec.tau)
        nmse = mse / max(float(torch.cat(answers).var(correction=0)), 1e-300)
        return {"mse": mse, "nmse": nmse, "mae": absolute / (count * self.spec.tau), "r2": 1 - nmse}

    def state(self) -> dict[str, Tensor]:
        """Step, losses, parameters, optimiser and data generators, copied to the CPU."""
        named = {"step": torch.tensor(self.step), "loss": self.losses}
        named |= {f"weights.{name}": weight for name, weight in self.weights.items()}
        named |= {f"optimizer.{key}": value for key, value in self.optimizer.state().items()}
        named |= {f"generator.{i}": g.get_state() for i, g in enumerate(self.generators)}
        return {
            name: value.detach().to("cpu", copy=True).contiguous() for name, value in named.items()
        }

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state; raises ValueError as `load_weights`, and where it holds no more."""
        self.load_weights(state)
        if "loss" not in state:
            raise ValueError(
                "checkpoint: it holds the parameters alone, to be looked at; train its "
                "specification anew instead of resuming it"
            )
        self.step, self.losses, self.graph = int(state["step"]), state["loss"].clone(), None
        self.optimizer.load(under("optimizer.", state))
        for i, generator in enumerate(self.generators):
            generator.set_state(state[f"generator.{i}"])

    @torch.no_grad()
    def load_weights(self, state: dict[str, Tensor]) -> None:
        """Take up the parameters of a state; raises ValueError where a name or shape is not what
        the specification builds."""
        for name, weight in self.weights.items():
            stored = state.get(f"weights.{name}")
            if stored is None or stored.shape != weight.shape:
                found = "nothing" if stored is None else list(stored.shape)
                raise ValueError(f"checkpoint: {name} must be {list(weight.shape)}, found {found}")
            weight.copy_(stored)


def hull(members: Iterable[AnySpec]) -> AnySpec:
    """The first member with the greatest widths of all.

    Raises ValueError where members differ in a field that one batch cannot have twice.
    """
    members = list(members)
    shared = [member.model_dump(exclude=OWN) for member in members]
    for other in shared[1:]:
        differing = [name for name, value in shared[0].items() if other[name] != value]
        if differing:
            raise ValueError(f"one batch has one {', '.join(differing)}; found several")
    known = [name for name in WIDTHS if name in type(members[0]).model_fields]
    widths = {name: max(getattr(member, name) for member in members) for name in known}
    return amended(members[0], **widths)


def views(spec: AnySpec, flat: Tensor, models: int) -> dict[str, Tensor]:
    """The flat buffer as named tensors (model, …) that share its memory."""
    named, position = {}, 0
    for name, shape in shapes(spec).items():
        size = models * math.prod(shape)
        named[name] = flat[position : position + size].view(models, *shape).detach()
        position += size
    return named


def _flat_start(spec: AnySpec, members: Sequence[AnySpec]) -> Tensor:
    """Each member's own start, padded by zeros at the end of every axis."""
    flat = torch.zeros(len(members) * sum(math.prod(shape) for shape in shapes(spec).values()))
    weights = views(spec, flat, len(members))
    for model, member in enumerate(members):
        start = initial(member, _generator(member.seed, INITIAL_WEIGHTS, torch.device("cpu")))
        for name, value in start.items():
            weights[name][model][tuple(map(slice, value.shape))] = value
    return flat


def _distinct(values: list) -> tuple[list, list[int]]:
    """The values without repetition, and for each where it is among them."""
    found = list(dict.fromkeys(values))
    return found, [found.index(value) for value in values]


def _generator(seed: int, stream: int, device: torch.device) -> torch.Generator:
    """An independent generator for each purpose of a seed."""
    mixed = int(np.random.SeedSequence((seed, stream)).generate_state(1, np.uint64)[0] >> 1)
    return torch.Generator(device).manual_seed(mixed)


def under(prefix: str, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The part of a state whose names begin so, under the rest of their names."""
    return {k.removeprefix(prefix): value for k, value in state.items() if k.startswith(prefix)}
