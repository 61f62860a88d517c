"""Costs without a server: a training step against a textbook loop, and a POD."""

import time
from collections.abc import Callable
from itertools import pairwise
from statistics import median

import torch
from threadpoolctl import threadpool_limits
from torch import nn

from explorer.bench.serving import Figures
from explorer.coupling import Formula, coupling_of, pod
from explorer.models.activations import ACTIVATIONS
from explorer.spec import CouplingSpec, amended
from explorer.targets import target_of
from explorer.training import Ensemble

ROUNDS, STEPS = 9, 50


class Activation(nn.Module):
    """An activation by name, as a module."""

    def __init__(self, name: str):
        super().__init__()
        self.function = ACTIVATIONS[name].value

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


class Textbook(nn.Module):
    """Eq. 5 of the same size as a textbook would write it: nn.Linear and one sequence axis."""

    def __init__(self, spec: CouplingSpec):
        super().__init__()
        hidden = [spec.m_ff] * (spec.depth - 1)
        self.f = _mlp([1, *hidden, spec.n], spec.activation)
        self.F = _mlp([spec.d_v, *hidden, 1], spec.activation_out)
        self.query = nn.Linear(spec.n, spec.m_h, bias=False)
        self.key = nn.Linear(spec.n, spec.m_h, bias=False)
        self.value = nn.Linear(spec.n, spec.d_v, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.f(2 * x.unsqueeze(-1) - 1)
        attention = torch.softmax(self.query(h) @ self.key(h).mT, dim=-1)
        return self.F(attention @ self.value(h)).squeeze(-1)


def _mlp(widths: list[int], activation: str) -> nn.Sequential:
    layers: list[nn.Module] = []
    for d_in, d_out in pairwise(widths):
        layers += [nn.Linear(d_in, d_out), Activation(activation)]
    return nn.Sequential(*layers[:-1])


def step() -> Figures:
    """Steps per second of one model of the paper's size at batch 32, one thread."""
    spec = CouplingSpec(m_h=16)
    adam, soap = (
        Ensemble([amended(spec, optimizer=name)], [target_of(spec)]) for name in ("adam", "soap")
    )
    plain, ours, soap_cost = in_turn(textbook_step(spec, adam.batch), adam.advance, soap.advance)
    what = "Adam, one model: ours against an nn.Module loop"
    yield what, f"{ratio(plain, ours):.2f}", "×", "≥ 1.2"
    rates = {"nn.Module + Adam": plain, "ours, Adam": ours, "ours, SOAP": soap_cost}
    for name, costs in rates.items():
        yield name, f"{1 / median(costs):.0f}", "steps/s", ""


def pod_cost() -> Figures:
    """Cost of one POD at 256 × 256 nodes, evaluation of ρ included."""
    coupling = Formula("exp(-8*(u+v-1)**2)")
    with threadpool_limits(1):
        nodes = in_turn(lambda: pod(coupling, nodes=256), steps=1)[0]
        default = coupling_of(CouplingSpec())
        designed = in_turn(lambda: pod(default, centred=True), steps=1)[0]
    what = "POD at 256 × 256 nodes and, to see the error, at 128 × 128"
    yield what, f"{1e3 * median(nodes):.0f}", "ms", "≤ 50"
    yield "POD of the default design, 64 terms, adaptive", f"{1e3 * median(designed):.0f}", "ms", ""


def textbook_step(
    spec: CouplingSpec, batch: Callable[[], tuple[torch.Tensor, torch.Tensor]]
) -> Callable[[], None]:
    """One step of one model as a textbook writes it, on the first of the sequences and answers
    (model, batch, τ) that are given."""
    model = Textbook(spec)
    optimizer = torch.optim.Adam(model.parameters(), lr=spec.lr)

    def step() -> None:
        x, y = batch()
        optimizer.zero_grad()
        (model(x[0]) - y[0]).square().mean().backward()
        optimizer.step()

    return step


def ratio(costs: list[float], others: list[float]) -> float:
    """Median, round by round, of what ran in turn."""
    return median(a / b for a, b in zip(costs, others, strict=True))


def in_turn(*actions: Callable[[], object], steps: int = STEPS) -> list[list[float]]:
    """Seconds per call of each action, round by round, after a warm-up round."""
    costs: list[list[float]] = [[] for _ in actions]
    for round_ in range(ROUNDS + 1):
        for action, cost in zip(actions, costs, strict=True):
            begun = time.perf_counter()
            for _ in range(steps):
                action()
            if round_:
                cost.append((time.perf_counter() - begun) / steps)
    return costs
