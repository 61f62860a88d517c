"""Nearest point of a set (App. B.1, Eq. 54; Figure 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array, namespace
from explorer.targets.fixed import example_points
from explorer.targets.tasks import TaskError, checked, finite, one_hot


@dataclass(frozen=True)
class NearestTarget:
    """y_t = v_s with s = argmin_s |u_t − v_s|: hard-max of ρ = −|u_t − v_s|², F∘f(u, v) = v.

    A token is (u, v), 2d numbers from U[0, 1]. There are no positions: H is equivariant.
    """

    tau: int
    d: int

    positions = None

    @property
    def uniforms(self) -> int:
        return 2 * self.d * self.tau

    def inputs(self, uniform: Array, share: float = 1.0) -> Array:
        """Tokens (…, τ, 2d): the uniform numbers themselves."""
        return namespace(uniform).reshape(uniform, (*uniform.shape[:-1], self.tau, 2 * self.d))

    def tokens(self, u: object, v: object) -> np.ndarray:
        """A reader's points u and v, (τ, d) each, as tokens; raises TaskError.

        Points v that coincide have no nearest one among them.
        """
        u, v = (finite(name, points, (self.tau, self.d)) for name, points in (("u", u), ("v", v)))
        for s in range(self.tau):
            for other in range(s):
                if np.array_equal(v[s], v[other]):
                    raise TaskError(f"v({other}) and v({s}) coincide: neither is the nearest")
        return np.concatenate([u, v], axis=-1)

    def squared_distances(self, x: Array) -> Array:
        """|u_t − v_s|² (…, τ, τ)."""
        x = checked(x, self.tau, 2 * self.d)
        u, v = x[..., : self.d], x[..., self.d :]
        difference = u[..., :, None, :] - v[..., None, :, :]
        return namespace(x).sum(difference * difference, axis=-1)

    def attention(self, x: Array) -> Array:
        """1 at the nearest v_s of each u_t, the first of equals; (…, τ, τ)."""
        xp = namespace(x)
        return one_hot(xp.argmin(self.squared_distances(x), axis=-1), self.tau, x)

    def answer(self, x: Array) -> Array:
        """The nearest v_s, (…, τ, d)."""
        return self.combined(self.attention(x), x)

    def combined(self, attention: Array, x: Array) -> Array:
        """The mean of v by given weights, (…, τ, d)."""
        return attention @ self.values(x)

    def values(self, x: Array) -> Array:
        """v of each token, (…, τ, d)."""
        return checked(x, self.tau, 2 * self.d)[..., self.d :]

    def points(self, x: Array) -> Array:
        """v of each token, (…, τ, d)."""
        return self.values(x)

    def counted(self, x: Array) -> Array:
        """1: every token has a value."""
        return namespace(x).ones_like(x[..., 0])

    def example(self) -> np.ndarray:
        """A fixed instance (τ, 2d)."""
        return example_points(self.tau, 2 * self.d)
