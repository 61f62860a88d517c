"""What is to be learned: the targets of Eq. 8, their exact answers and ideal attention.

    H_t(x) = Σ_s softmax_s(ρ(x_t, x_s)) x_s

F and f are the identity, so every error of a model comes from attention or from its own layers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.coupling import Coupling, coupling_of
from explorer.coupling.arrays import Array, namespace
from explorer.spec import CouplingSpec

EVALUATION_SEED = 12345
EXAMPLE_SEED = 6


def softmax(logits: Array) -> Array:
    """Softmax over the last axis, without overflow."""
    xp = namespace(logits)
    weights = xp.exp(logits - xp.max(logits, axis=-1, keepdims=True))
    return weights / xp.sum(weights, axis=-1, keepdims=True)


@dataclass(frozen=True)
class CouplingTarget:
    """H with coupling ρ on sequences of length τ with entries in [0, 1]."""

    coupling: Coupling
    tau: int

    def inputs(self, uniform: Array) -> Array:
        """Sequences x (…, τ) from uniform random numbers in [0, 1) (…, τ): here those numbers."""
        return self._checked(uniform)

    def attention(self, x: Array) -> Array:
        """softmax_s(ρ(x_t, x_s)): (…, τ) → (…, τ, τ), rows t, columns s."""
        x = self._checked(x)
        return softmax(self.coupling.matrix(x, x))

    def answer(self, x: Array) -> Array:
        """H(x): (…, τ) → (…, τ), in the units of x."""
        return (self.attention(x) @ x[..., None])[..., 0]

    def _checked(self, x: Array) -> Array:
        if x.shape[-1] != self.tau:
            raise ValueError(f"sequences have shape (…, {self.tau}), got {tuple(x.shape)}")
        return x


def target_of(
    spec: CouplingSpec, load_grid_by_hash: Callable[[str], np.ndarray] | None = None
) -> CouplingTarget:
    """The target of a specification; raises CouplingError where its coupling cannot be built."""
    return CouplingTarget(coupling_of(spec, load_grid_by_hash), spec.tau)


def evaluation_inputs(count: int, tau: int) -> np.ndarray:
    """The sequences (count, τ) on which trained models are compared: always the same ones."""
    return np.random.default_rng(EVALUATION_SEED).random((count, tau))


def example_inputs(tau: int) -> np.ndarray:
    """One sequence (τ,) to draw, in ascending order so that its attention reads like a kernel."""
    return np.sort(np.random.default_rng(EXAMPLE_SEED).random(tau))
