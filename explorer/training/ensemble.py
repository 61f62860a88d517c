"""Many models trained side by side in one batch, with the model axis first.

Members share everything but their seed, their design (α, rank, …) and the widths m_h and m_FF.
Narrower members are padded by zeros up to the widest: units without weights on either side have
no gradient and stay zero, so each member steps as if it were alone. One seed draws one stream of
sequences, whatever the member; the answers of one design to them are computed once.

What is learned and by which loss is the recipe's (`recipe`, `recipes`).
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from explorer.models.named import shapes
from explorer.spec import (
    ALTERATION_FIELDS,
    DESIGN_FIELDS,
    KERNEL_FIELDS,
    AnySpec,
    amended,
    coupling_spec,
)
from explorer.targets import AnyTarget
from explorer.training.optimizers import optimizer
from explorer.training.recipe import Plan, Spec
from explorer.training.recipes import recipe_of
from explorer.training.rest import Rest
from explorer.training.schedule import learning_rate
from explorer.training.trained import Trained, check_whole
from explorer.training.truncation import truncated

INITIAL_WEIGHTS, TRAINING_DATA = 0, 1  # random streams of a seed
EAGER_STEPS = 3  # before a CUDA graph is captured: libraries set up, and SOAP's first step differs
WIDTHS = ("m_h", "m_ff", "hidden")
MEMBER_FIELDS = {*DESIGN_FIELDS, *KERNEL_FIELDS, *ALTERATION_FIELDS, *WIDTHS, "seed"} - {
    "target",
    "tau",
}
"""The fields in which members may differ."""


class Ensemble(Trained[Spec]):
    """Models of one shape class and kind of target, trained side by side in one batch.

    Parameters live in one flat buffer, name by name and model by model; `weights` are views of it
    with the model axis first, and `gradients` views of one flat gradient.
    """

    def __init__(self, members: Sequence[Spec], targets: Sequence[AnyTarget], device: str = "cpu"):
        """One target for each member; equal ones are answered once."""
        self.members, self.targets = tuple(members), tuple(targets)
        self.device = torch.device(device)
        self.step, self.losses = 0, torch.full((len(members),), math.nan)
        self._hold(1)
        self.flat.copy_(stacked(self.spec, [_start(member) for member in members])[0])
        seeds, seed_of = distinct([member.seed for member in members])
        self.generators = [_generator(seed, TRAINING_DATA, self.device) for seed in seeds]
        self._plan(*distinct(targets), seed_of)
        self.rest = Rest(self.members[0], len(members), self.device)

    def _hold(self, step: int) -> None:
        """Room for the models trained in a step: parameters (all 0), gradients, optimiser."""
        models: list[Any] = [member.at(step) for member in self.members]
        self.spec = widest_spec(models)
        size = len(models) * sum(math.prod(shape) for shape in shapes(self.spec).values())
        self.flat = torch.zeros(size, device=self.device)
        self.gradient = torch.zeros_like(self.flat)
        self._weights = views(self.spec, self.flat, len(models))
        self.gradients = views(self.spec, self.gradient, len(models))
        self.optimizer = optimizer(self.spec, self.flat, models)
        self.graph: torch.cuda.CUDAGraph | None = None
        self.eager_steps = 0

    def _plan(self, targets: list[AnyTarget], target_of: list[int], seed_of: list[int]) -> None:
        spec = widest_spec(self.members)
        recipe = recipe_of(spec)
        units = [recipe.calibrate(spec, target, self.device) for target in targets]
        self.recipe = recipe(
            Plan(spec, self.members, targets, units, target_of, seed_of, self.device)
        )
        variances = torch.tensor([unit.variance for unit in units], device=self.device)
        self.variances = variances[target_of]  # of what each model learns, (model,)

    @property
    def weights(self) -> dict[str, Tensor]:
        return self._weights

    def batch(self) -> tuple[Tensor, Tensor]:
        """The next sequences and their answers as they are learned (see `Recipe.batch`)."""
        return self.recipe.batch(self.generators, self.step)

    def advance(self) -> Tensor:
        held = self.rest.held(self.weights)
        losses = self.learn(*self.batch())
        self.rest.restore(self.weights, held)
        self._note(losses)
        return losses

    def learn(self, x: Tensor, y: Tensor) -> Tensor:
        """One optimiser step; returns the losses before it, (model,), in units of Var(y)."""
        self.step += 1
        if 1 < self.step == self.members[0].started_until + 1:
            self._cut()
        self.optimizer.prepare(learning_rate(self.members[0], self.step))
        if self.graph is not None:
            self._x.copy_(x)
            self._y.copy_(y)
            self.graph.replay()
            self.losses = self._losses.clone()
        elif self._can_capture():
            self._capture(x, y)
        else:
            self.losses = self._update(x, y)
            self.eager_steps += 1
        self.optimizer.finish()
        return self.losses

    @torch.no_grad()
    def _cut(self) -> None:
        """The head start is over: every head goes on as the m_h leading terms of what it has
        learned (see `truncated`), under a fresh optimiser."""
        spec = coupling_spec(self.spec)  # nothing else has a head start
        widths = [member.at(self.step).m_h for member in self.members]
        w_q, w_k = truncated(spec, self.weights, widths)
        held = self.weights | {"W_Q": w_q, "W_K": w_k}
        self._hold(self.step)
        for name, weight in self.weights.items():
            weight.copy_(held[name][:, : weight.shape[1]])

    def _update(self, x: Tensor, y: Tensor) -> Tensor:
        """What the device does in a step."""
        errors = self.recipe.gradient(self.weights, x, y, self.gradients, self.step)
        if greatest := getattr(self.spec, "clip", None):
            clip(self.gradients, greatest)
        self.optimizer.update(self.gradient)
        return errors / self.variances

    def _can_capture(self) -> bool:
        on_gpu = self.device.type == "cuda"
        return on_gpu and self.recipe.capturable and self.eager_steps >= EAGER_STEPS

    def _capture(self, x: Tensor, y: Tensor) -> None:
        """Record the step in a CUDA graph, and run it once: launches then cost nothing."""
        self._x, self._y = x.clone(), y.clone()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._losses = self._update(self._x, self._y)
        graph.replay()
        self.graph, self.losses = graph, self._losses.clone()

    def state(self) -> dict[str, Tensor]:
        """Step, losses, parameters, optimiser and data generators, copied to the CPU."""
        named = {"step": torch.tensor(self.step), "loss": self.losses}
        named |= {f"weights.{name}": weight for name, weight in self.weights.items()}
        named |= {f"optimizer.{key}": value for key, value in self.optimizer.state().items()}
        named |= {f"generator.{i}": g.get_state() for i, g in enumerate(self.generators)}
        named |= self.rest.state()
        return {
            name: value.detach().to("cpu", copy=True).contiguous() for name, value in named.items()
        }

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state; raises ValueError as `load_weights`, and where it holds no more."""
        self.load_weights(state)
        check_whole(state)
        self.step, self.losses, self.graph = int(state["step"]), state["loss"].clone(), None
        self.optimizer.load(under("optimizer.", state))
        self.rest.load(state)
        for i, generator in enumerate(self.generators):
            generator.set_state(state[f"generator.{i}"])

    @torch.no_grad()
    def load_weights(self, state: dict[str, Tensor]) -> None:
        """Take up the parameters of a state; raises ValueError where a name or shape is not what
        the specification builds for its step."""
        self._hold(int(state["step"]))
        for name, weight in self.weights.items():
            stored = state.get(f"weights.{name}")
            if stored is None or stored.shape != weight.shape:
                shape = "nothing" if stored is None else list(stored.shape)
                raise ValueError(f"checkpoint: {name} must be {list(weight.shape)}, found {shape}")
            weight.copy_(stored)


def clip(gradients: dict[str, Tensor], greatest: float) -> None:
    """Scale the gradient of each model to a norm of at most `greatest`, in place."""
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in gradients.values()]).norm(dim=0)
    factor = (greatest / norms.clamp_min(1e-12)).clamp_max(1.0)  # (model,)
    for gradient in gradients.values():
        gradient.mul_(factor.view(-1, *[1] * (gradient.ndim - 1)))


def widest_spec(members: Iterable[Spec]) -> Spec:
    """The first member with the greatest widths of all.

    Raises ValueError where members differ in a field that one batch cannot have twice.
    """
    members = list(members)
    shared = [member.model_dump(exclude=MEMBER_FIELDS) for member in members]
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


def stacked(
    spec: AnySpec, members: Sequence[dict[str, Tensor]]
) -> tuple[Tensor, dict[str, Tensor]]:
    """The parameters of each member in one flat buffer, padded by zeros at the end of every axis,
    and its `views`."""
    flat = torch.zeros(len(members) * sum(math.prod(shape) for shape in shapes(spec).values()))
    weights = views(spec, flat, len(members))
    for model, member in enumerate(members):
        for name, value in member.items():
            weights[name][model][tuple(map(slice, value.shape))] = value
    return flat, weights


def _start(member: AnySpec) -> dict[str, Tensor]:
    """The start that a seed gives a member; the rows of a head start are drawn after all others,
    from the same distribution, so that they alone are added to it."""
    generator = _generator(member.seed, INITIAL_WEIGHTS, torch.device("cpu"))
    initial = recipe_of(member).initial
    start = initial(member, generator)
    wide = member.at(1)
    if wide is not member:
        more = initial(wide, generator)
        for name in ("W_Q", "W_K"):
            start[name] = torch.cat([start[name], more[name][len(start[name]) :]])
    return start


def distinct(values: Sequence) -> tuple[list, list[int]]:
    """The values without repetition, and for each where it is among them."""
    distinct = list(dict.fromkeys(values))
    return distinct, [distinct.index(value) for value in values]


def _generator(seed: int, stream: int, device: torch.device) -> torch.Generator:
    """An independent generator for each purpose of a seed."""
    mixed = int(np.random.SeedSequence((seed, stream)).generate_state(1, np.uint64)[0] >> 1)
    return torch.Generator(device).manual_seed(mixed)


def under(prefix: str, state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The part of a state whose names begin so, under the rest of their names."""
    return {k.removeprefix(prefix): value for k, value in state.items() if k.startswith(prefix)}
