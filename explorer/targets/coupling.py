"""Targets of Eq. 8 with a coupling: exact answers and ideal attention.

    H_t(x) = Σ_s softmax_s(ρ(x_t, x_s)) x_s

F and f are the identity, so every error of a model comes from attention or from its own layers.
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.arrays import Array, namespace
from explorer.coupling import Coupling


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

    def attention(self, x: Array, queries: int | None = None) -> Array:
        """softmax_s(ρ(x_t, x_s)): (…, τ) → (…, τ, τ), rows t, columns s; of the first `queries`
        rows only where they are given."""
        x = self._checked(x)
        return softmax(self.coupling.matrix(x[..., :queries], x))

    def answer(self, x: Array, queries: int | None = None) -> Array:
        """H(x): (…, τ) → (…, τ), in the units of x; its first `queries` entries only where they
        are given."""
        return (self.attention(x, queries) @ x[..., None])[..., 0]

    def _checked(self, x: Array) -> Array:
        if x.shape[-1] != self.tau:
            raise ValueError(f"sequences have shape (…, {self.tau}), got {tuple(x.shape)}")
        return x
