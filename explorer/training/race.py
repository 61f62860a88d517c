"""The race: each architecture trained on a kernel ρ(s), s = 0 … τ−1, all seeds in one batch.

A linear one is trained on ‖ρ̂ − ρ‖²/‖ρ‖² itself, its population loss for white inputs: no sequence
is drawn. The others see sequences of τ inputs from U[−√3, √3], and answer after the last: those
with gates, and a head of Eq. 5, which has no positions and knows a token by its value. Adam, cosine
to 0. Every tensor has the seeds in front; what a seed does hangs on no other.
"""

import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from explorer.coupling import GridLoader
from explorer.spec.fields import of_each
from explorer.theory.architectures.convolutional import layers_of, uniform
from explorer.theory.architectures.coupled import OUTER
from explorer.theory.architectures.race import ENTRANTS, Entrant, Race
from explorer.training.schedule import is_log_spaced

DTYPE = torch.float64
LAPS_PER_DECADE = 25
LOOKS_PER_DECADE = 5
"""Of these, those at which a kernel is kept."""
BATCH, TESTED = 64, 1024  # sequences of a step, and those on which an error is measured
TEST_SEED = 10**6


class Draws:
    """What is drawn at the start and in a step, (seeds, …), each seed by its own generator."""

    def __init__(self, seeds: int):
        self.generators = [torch.Generator().manual_seed(seed) for seed in range(seeds)]

    def normal(self, *shape: int) -> Tensor:
        """N(0, 1)."""
        return torch.stack(
            [torch.randn(*shape, generator=one, dtype=DTYPE) for one in self.generators]
        )

    def uniform(self, *shape: int, low: float = 0.0, high: float = 1.0) -> Tensor:
        """U[low, high]."""
        drawn = [torch.rand(*shape, generator=one, dtype=DTYPE) for one in self.generators]
        return low + (high - low) * torch.stack(drawn)


class Model(NamedTuple):
    """How an entrant starts, what it makes of its parameters, and its learning rate."""

    start: Callable[[Draws, int, int], list[Tensor]]
    """Draws, width and τ → parameters, (seeds, …) each."""
    kernel: Callable[..., Tensor]
    """τ and parameters → ρ̂, (seeds, τ); of one that is not linear τ stands for inputs (seeds,
    batch, τ), and the answers after the last are (seeds, batch)."""
    rate: float


class Lap(NamedTuple):
    """How far an entrant is."""

    step: int
    errors: np.ndarray
    """(seeds,); not finite for one that diverged."""
    kernel: np.ndarray | None = None
    """ρ̂ of the first seed over ‖ρ‖, (τ,), at some steps of one that is linear."""


# Linear RNN: ρ̂(s) = c W^s U


def _start_rnn(draw: Draws, n: int, tau: int) -> list[Tensor]:
    rotation = torch.linalg.qr(draw.normal(n, n))[0]
    return [0.95 * rotation, draw.normal(n, 1) / math.sqrt(n), draw.normal(1, n) / math.sqrt(n)]


def _rnn(tau: int, w: Tensor, u: Tensor, c: Tensor) -> Tensor:
    columns, power = u, w  # W^s U, (seeds, n, lags)
    for _ in range(layers_of(tau)):
        columns, power = torch.cat([columns, power @ columns], dim=2), power @ power
    return (c @ columns)[:, 0, :tau]


# Diagonal SSM: pairs λ, λ̄, ρ̂(s) = Σ |λ|^s (a cos θs + b sin θs); of odd n one λ > 0 is alone


def _start_ssm(draw: Draws, n: int, tau: int) -> list[Tensor]:
    pairs = n // 2
    size = draw.uniform(n - pairs, low=math.log(0.5 / tau), high=math.log(16 / tau))
    theta = math.pi * (torch.arange(pairs, dtype=DTYPE) + draw.uniform(pairs)) / max(pairs, 1)
    return [size, theta, 0.3 * draw.normal(n - pairs), 0.3 * draw.normal(pairs)]


def _start_free(draw: Draws, n: int, tau: int) -> list[Tensor]:
    size, *others = _start_ssm(draw, n, tau)
    return [-torch.exp(size), *others]


def _free(tau: int, log_modulus: Tensor, theta: Tensor, a: Tensor, b: Tensor) -> Tensor:
    s = torch.arange(tau, dtype=DTYPE)
    pairs, turns = theta.shape[1], theta[..., None] * s
    falls = torch.exp(log_modulus[..., None] * s)  # (seeds, pairs and the one alone, τ)
    waves = a[:, :pairs, None] * torch.cos(turns) + b[..., None] * torch.sin(turns)
    return (falls * torch.cat([waves, a[:, pairs:, None].expand(-1, -1, tau)], dim=1)).sum(1)


def _stable(tau: int, w: Tensor, *others: Tensor) -> Tensor:
    return _free(tau, -torch.exp(w), *others)


# Dilated CNN: ρ̂(s) = w_K(s_K) ⋯ w_1(s_1)


def _start_cnn(draw: Draws, n: int, tau: int) -> list[Tensor]:
    channels = (1, *uniform(tau, n), 1)
    return [draw.normal(2, b, a) / math.sqrt(2 * a) for a, b in pairwise(channels)]


def _cnn(tau: int, *layers: Tensor) -> Tensor:
    made = torch.ones(len(layers[0]), 1, 1, dtype=DTYPE)  # (seeds, lags so far, channels)
    for w in layers:
        made = torch.einsum("xkba,xsa->xksb", w, made).flatten(1, 2)
    return made[:, :tau, 0]


# Attention: ρ̂(s) = Σ c softmax(logits)


def _start_heads(draw: Draws, n: int, tau: int) -> list[Tensor]:
    return [draw.uniform(n, low=math.log(0.02), high=math.log(5)), 0.1 * draw.normal(n)]


def _heads(phi: Callable[[Tensor], Tensor]) -> Callable[..., Tensor]:
    def kernel(tau: int, log_p: Tensor, c: Tensor) -> Tensor:
        distances = phi(torch.arange(tau, dtype=DTYPE))
        return _mixed(-torch.exp(log_p)[..., None] * distances, c)

    return kernel


def _start_attention(draw: Draws, n: int, tau: int) -> list[Tensor]:
    sharp = draw.uniform(n, low=math.log(4), high=math.log(4 * tau))
    return [draw.uniform(n, low=-1), sharp, 0.1 * draw.normal(n)]


def _attention(tau: int, centre: Tensor, log_beta: Tensor, c: Tensor) -> Tensor:
    """Logits −β(x−ℓ)² of width 2, x the lag on [−1, 1]."""
    x = torch.linspace(-1, 1, tau, dtype=DTYPE)
    return _mixed(-torch.exp(log_beta)[..., None] * (x - centre[..., None]) ** 2, c)


def _start_rotary(draw: Draws, n: int, tau: int) -> list[Tensor]:
    centre, sharp, c = _start_attention(draw, n, tau)
    return [centre, sharp, draw.uniform(n, low=math.log(math.pi / 4), high=math.log(math.pi)), c]


def _rotary(tau: int, centre: Tensor, log_beta: Tensor, log_theta: Tensor, c: Tensor) -> Tensor:
    """Logits R cos θ(x−ℓ), R = β/θ²·2: what two constant vectors have for each other where RoPE
    turns both. Each head learns the θ of its one pair: RoPE's first, a radian a lag, would turn
    many times in a window, its last hardly at all."""
    x, theta = torch.linspace(-1, 1, tau, dtype=DTYPE), torch.exp(log_theta)[..., None]
    turned = 2 / theta * torch.sin(theta * (x - centre[..., None]) / 2)
    return _mixed(-torch.exp(log_beta)[..., None] * turned**2, c)


def _mixed(logits: Tensor, c: Tensor) -> Tensor:
    return (c[..., None] * torch.softmax(logits, dim=-1)).sum(1)


# Dilated CNN with gates, on inputs (seeds, batch, τ)


def _start_gated_cnn(draw: Draws, n: int, tau: int) -> list[Tensor]:
    channels = (1, *uniform(tau, n), 1)
    both = [(draw.normal(2 * a, b), draw.normal(2 * a, b)) for a, b in pairwise(channels)]
    return [one / math.sqrt(one.shape[1] / 2) for pair in both for one in pair]


def _gated_cnn(x: Tensor, *layers: Tensor) -> Tensor:
    """Each layer is (w∗h) ⊙ σ(v∗h), as Dauphin and others (2017) have it: with v = 0 it is the
    linear one. Of the last answer a layer of dilation 2^k needs every 2^(k+1)-th place alone."""
    h = torch.nn.functional.pad(x.flip(-1), (0, 2 ** layers_of(x.shape[-1]) - x.shape[-1]))
    h = h[..., None]  # (seeds, batch, lags, channels)
    for w, v in zip(layers[::2], layers[1::2], strict=True):
        seen = h.unflatten(2, (-1, 2)).flatten(3)
        h = seen @ w[:, None] * torch.sigmoid(seen @ v[:, None])
    return h[:, :, 0, 0]


# GRU and LSTM, on inputs (seeds, batch, τ)


def _start_gates(gates: int) -> Callable[[Draws, int, int], list[Tensor]]:
    def start(draw: Draws, n: int, tau: int) -> list[Tensor]:
        k = 1 / math.sqrt(n)
        shapes = [(1, gates * n), (n, gates * n), (1, gates * n), (n, 1)]  # W, U, bias, c
        return [draw.uniform(*shape, low=-k, high=k) for shape in shapes]

    return start


def _gru(x: Tensor, w: Tensor, u: Tensor, bias: Tensor, c: Tensor) -> Tensor:
    n = u.shape[1]
    h = x.new_zeros(*x.shape[:2], n)
    own = x[..., None, :].transpose(-1, -2) * w[:, None] + bias[:, None]  # (…, τ, 3n)
    for now in own.unbind(2):
        z, r = torch.sigmoid(now[..., : 2 * n] + h @ u[..., : 2 * n]).chunk(2, dim=-1)
        h = torch.lerp(torch.tanh(now[..., 2 * n :] + (r * h) @ u[..., 2 * n :]), h, z)
    return (h @ c)[..., 0]


def _lstm(x: Tensor, w: Tensor, u: Tensor, bias: Tensor, c: Tensor) -> Tensor:
    n = u.shape[1]
    h = cell = x.new_zeros(*x.shape[:2], n)
    own = x[..., None, :].transpose(-1, -2) * w[:, None] + bias[:, None]  # (…, τ, 4n)
    for now in own.unbind(2):
        gates = now + h @ u
        i, f, o = torch.sigmoid(gates[..., : 3 * n]).chunk(3, dim=-1)
        cell = f * cell + i * torch.tanh(gates[..., 3 * n :])
        h = o * torch.tanh(cell)
    return (h @ c)[..., 0]


# A head of Eq. 5, on inputs (seeds, batch, τ): c Σ_s softmax_s(⟨φ̂(x_τ), ψ̂(x_s)⟩) x_s


def _start_head(draw: Draws, n: int, tau: int) -> list[Tensor]:
    both = [
        [2 * draw.normal(1, n), draw.uniform(1, n, low=-math.pi, high=math.pi), draw.normal(n, n)]
        for _ in range(2)
    ]
    return [*both[0], *both[1], draw.uniform(1, low=1, high=2)]


def _head(x: Tensor, *parameters: Tensor) -> Tensor:
    phi, psi = (
        torch.sin(x[..., None] * w[:, None] + bias[:, None]) @ v[:, None]
        for w, bias, v in (parameters[:3], parameters[3:6])
    )
    weights = torch.softmax((psi @ phi[:, :, -1, :, None])[..., 0], dim=-1)
    return parameters[6] * (weights * x).sum(-1)


MODELS = of_each(
    "models of a race",
    ENTRANTS,
    {
        "rnn": Model(_start_rnn, _rnn, 0.01),
        "ssm": Model(_start_free, _free, 0.01),
        "stable_ssm": Model(_start_ssm, _stable, 0.03),
        "cnn": Model(_start_cnn, _cnn, 0.05),
        "attention": Model(_start_attention, _attention, 0.03),
        "rotary": Model(_start_rotary, _rotary, 0.03),
        "log_heads": Model(_start_heads, _heads(torch.log1p), 0.05),
        "lin_heads": Model(_start_heads, _heads(lambda s: s), 0.05),
        "gated_cnn": Model(_start_gated_cnn, _gated_cnn, 0.05),
        "gru": Model(_start_gates(3), _gru, 0.05),
        "lstm": Model(_start_gates(4), _lstm, 0.05),
        "head": Model(_start_head, _head, 0.1),
    },
)


class Training:
    """An entrant in a race, step by step."""

    def __init__(self, race: Race, entrant: Entrant, load_grid: GridLoader | None = None):
        rho = torch.tensor(race.kernel, dtype=DTYPE)
        self.rho, self.race = rho / rho.abs().max(), race
        self.rho = self.rho / self.rho.norm()
        self.answers = race.answers(load_grid)
        self.model, self.entrant = MODELS[entrant.name], entrant
        self.draws = Draws(race.seeds)
        start = self.model.start(self.draws, entrant.width_of(race), len(rho))
        self.parameters = [one.requires_grad_() for one in start]
        self.inner = torch.optim.Adam(self.parameters, lr=self.model.rate)

    def laps(self) -> Iterator[Lap]:
        """Errors before the first step, at log-spaced ones and after the last."""
        steps = self.entrant.steps_of(self.race)
        yield self._lap(0)
        for step in range(1, steps + 1):
            cosine = 0.5 * (1 + math.cos(math.pi * (step - 1) / steps))
            self.inner.param_groups[0]["lr"] = self.model.rate * cosine
            self.inner.zero_grad()
            self._losses().sum().backward()
            self.inner.step()
            if step == steps or is_log_spaced(step, LAPS_PER_DECADE):
                yield self._lap(step)

    def _lap(self, step: int) -> Lap:
        last = step == self.entrant.steps_of(self.race)
        looks = last or step == 0 or is_log_spaced(step, LOOKS_PER_DECADE)
        kernel = self.kernels()[0] if looks and self.entrant.linear else None
        return Lap(step, self.errors(), kernel)

    def kernels(self) -> np.ndarray:
        """ρ̂ over ‖ρ‖ as a linear entrant has it now, (seeds, τ)."""
        with torch.no_grad():
            return self.model.kernel(len(self.rho), *self.parameters).numpy()

    @torch.no_grad()
    def errors(self) -> np.ndarray:
        """(seeds,), exact of a linear entrant, else on sequences that are always the same."""
        if self.entrant.linear:
            return self._losses().numpy()
        test = torch.Generator().manual_seed(TEST_SEED)
        x = torch.rand(1, TESTED, len(self.rho), generator=test, dtype=DTYPE)
        return self._missed(OUTER * (2 * x - 1).expand(self.race.seeds, -1, -1)).numpy()

    def _losses(self) -> Tensor:
        """(seeds,)."""
        if not self.entrant.linear:
            return self._missed(self.draws.uniform(BATCH, len(self.rho), low=-OUTER, high=OUTER))
        made = self.model.kernel(len(self.rho), *self.parameters)
        return self.race.of_answers(((made - self.rho) ** 2).sum(1))

    def _missed(self, x: Tensor) -> Tensor:
        """Mean squared error of the answers after sequences (seeds, batch, τ), of variance 1."""
        answers = self.model.kernel(x, *self.parameters)
        return ((answers - self.answers(x)) ** 2).mean(1)
