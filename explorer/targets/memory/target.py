"""Memories (Wang & E, arXiv 2402.00522): y_t = Σ_s A_ts b_s, where A says what is remembered.

A sequence has tokens x_t in 1 … V, uniform, and values b_t, independent of them. The classes of the
paper differ in A: the same at fixed lags (`FixedMemory`, Eq. 5), by a kernel (`EssentialMemory`,
Eq. 13), or where the tokens themselves point (`AdaptiveMemory`, Eq. 8; all of the NeurIPS 2024
version); `Induction` is well known beside them. What a model sees of a token is which
one it is (V features) and its value.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.spec import memory as specs
from explorer.targets.kind import Kind, nothing_more
from explorer.targets.linear import toeplitz
from explorer.targets.memory import presets
from explorer.targets.task import floor_index, one_hot


@dataclass(frozen=True)
class Memory(ABC):
    """What all of them have."""

    tau: int
    values: str
    """"signs" or "normal"."""
    tokens = 1
    """V; 1 where which token it is does not matter."""

    @property
    def n_uniform(self) -> int:
        """Random numbers that make one sequence."""
        return 3 * self.tau

    def drawn(self, uniform: Array) -> tuple[Array, Array]:
        """x in 1 … V and b, (…, τ) each, of random numbers in [0, 1) (…, 3τ).

        Normal ones by Box and Muller from two numbers each.
        """
        xp, tau = namespace(uniform), self.tau
        first, second, third = (uniform[..., i * tau : (i + 1) * tau] for i in range(3))
        x = floor_index(first, self.tokens) + 1
        if self.values == "signs":
            return x, 2 * floor_index(second, 2) - 1
        return x, xp.sqrt(-2 * xp.log(1 - second)) * xp.cos(2 * math.pi * third)

    def seen(self, x: Array, b: Array) -> Array:
        """What a model sees, (…, τ, d_in): one-hot tokens where there are several, and b."""
        if self.tokens == 1:
            return b[..., None]
        return namespace(x).concat([one_hot(x - 1, self.tokens, b), b[..., None]], axis=-1)

    @abstractmethod
    def attention(self, x: Array) -> Array:
        """A (τ, τ) or (…, τ, τ) of tokens x (…, τ): rows t, columns s."""

    def answer(self, x: Array, b: Array) -> Array:
        """y (…, τ)."""
        return (self.attention(x) @ b[..., None])[..., 0]


@dataclass(frozen=True)
class FixedMemory(Memory):
    """Fixed, M-sparse: y_t = Σ_i b_{t−T_i} / √M, of variance 1 where all lags lie in it."""

    lags: tuple[int, ...]

    @cached_property
    def _matrix(self) -> np.ndarray:
        kernel = np.zeros(self.tau)
        kernel[list(self.lags)] = len(self.lags) ** -0.5
        return toeplitz(kernel)

    def attention(self, x: Array) -> Array:
        return constant(self._matrix, x)


@dataclass(frozen=True)
class AdaptiveMemory(Memory):
    """K-adaptive: p_0 = t, p_{k+1} = p_k − x_{p_k}, y_t = b_{p_K}; what points before the sequence
    points at its beginning."""

    jumps: int
    tokens: int

    def jump(self, x: Array) -> Array:
        """J (…, τ, τ): 1 where the token t points at s. A = J^K."""
        xp = namespace(x)
        return one_hot(xp.clip(constant(np.arange(self.tau), x) - x, 0, None), self.tau, x)

    def attention(self, x: Array) -> Array:
        once = self.jump(x)
        reached = once
        for _ in range(self.jumps - 1):
            reached = once @ reached
        return reached


@dataclass(frozen=True)
class EssentialMemory(Memory):
    """Essentially sparse: y_t = Σ_{s ≥ 1} ρ(s) b_{t−s}."""

    kernel: tuple[float, ...]
    """ρ(1) … ρ(τ−1)."""

    @cached_property
    def _matrix(self) -> np.ndarray:
        return toeplitz(np.array([0.0, *self.kernel]))

    def attention(self, x: Array) -> Array:
        return constant(self._matrix, x)


@dataclass(frozen=True)
class Induction(Memory):
    """y_t = b_{s+1} of the last s < t with x_s = x_t; 0 where there is none."""

    tokens: int

    def attention(self, x: Array) -> Array:
        xp = namespace(x)
        earlier = constant(np.tri(self.tau, k=-1), x)
        alike = xp.astype(x[..., :, None] == x[..., None, :], x.dtype) * earlier
        after = xp.max(alike * constant(np.arange(1, self.tau + 1), x), axis=-1)  # s + 1, or 0
        return one_hot(after, self.tau, x) * xp.astype(after > 0, x.dtype)[..., None]


def kernel_of(spec: specs.EssentialMemorySpec) -> np.ndarray:
    """ρ(1), ρ(2), …, (τ−1,) float64; of heads alone up to ρ(τ)."""
    s = np.arange(1, spec.tau + (spec.model == "heads"), dtype=np.float64)
    return s**-spec.exponent if spec.fall == "power" else np.exp(-s / spec.time)


@dataclass(frozen=True, kw_only=True)
class MemoryKind(Kind[specs.MemorySpec, specs.MemorySweep, Memory]):
    """A kind of memory."""

    title: str
    """What its class is called."""
    definition: str
    """Its class, as LaTeX."""


def _kind(
    spec: type[specs.MemorySpec],
    sweep: Any,
    build: Callable[[Any], Memory],
    told: Callable[[Any], str],
    title: str,
    definition: str,
) -> MemoryKind:
    name = spec.model_fields["target"].default

    def words(each: specs.MemorySpec) -> str:
        net = f"{each.heads} {each.encoding} head{'s' * (each.heads > 1)}"
        if "layers" not in each.idle_fields():
            net = f"{each.layers} layer{'s' * (each.layers > 1)} of {net}"
        return ", ".join([title, told(each), f"τ = {each.tau}", net])

    return MemoryKind(
        Spec=spec,
        Sweep=sweep,
        build=lambda each, _: build(each),
        check=nothing_more,
        words=words,
        presets=presets.PRESETS[name],
        sweeps=presets.SWEEPS[name],
        title=title,
        definition=definition,
    )


FIXED_KIND = _kind(
    specs.FixedMemorySpec,
    specs.FixedMemorySweep,
    lambda spec: FixedMemory(spec.tau, spec.values, spec.lags),
    lambda spec: f"lags {', '.join(map(str, spec.lags))}",
    title="fixed, M-sparse memory",
    definition=r"y_t = f(x_t, x_{t-T_1}, \dots, x_{t-T_M})",
)
ADAPTIVE_KIND = _kind(
    specs.AdaptiveMemorySpec,
    specs.AdaptiveMemorySweep,
    lambda spec: AdaptiveMemory(spec.tau, spec.values, spec.jumps, spec.vocabulary),
    lambda spec: f"{spec.jumps} jump{'s' * (spec.jumps > 1)}, V = {spec.vocabulary}",
    title="K-adaptive sparse memory",
    definition=r"y_t = f(x_t, x_{t-t_1}, \dots, x_{t-t_M}),\ "
    r"t_i = g_i(x_t, \dots, x_{t-t_{\min(i-1,K)}}),\ "
    r"t_i \le T_i",
)
ESSENTIAL_KIND = _kind(
    specs.EssentialMemorySpec,
    specs.EssentialMemorySweep,
    lambda spec: EssentialMemory(spec.tau, spec.values, tuple(kernel_of(spec).tolist())),
    lambda spec: (
        f"ρ = s^−{spec.exponent:g}" if spec.fall == "power" else f"ρ = e^(−s/{spec.time:g})"
    ),
    title="essentially sparse memory",
    definition=r"y_t = f((X * \rho_1)(t), \dots, (X * \rho_M)(t))",
)
INDUCTION_KIND = _kind(
    specs.InductionSpec,
    specs.InductionSweep,
    lambda spec: Induction(spec.tau, spec.values, spec.vocabulary),
    lambda spec: f"V = {spec.vocabulary}",
    title="induction",
    definition=r"y_t = b_{s+1},\ s = \max\{s < t : x_s = x_t\}",
)
KINDS = (FIXED_KIND, ADAPTIVE_KIND, ESSENTIAL_KIND, INDUCTION_KIND)
