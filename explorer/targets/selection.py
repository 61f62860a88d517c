"""qSA, the average of selected vectors (App. B.1, Eq. 63 to 66; Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.targets.fixed import EXAMPLE_SEED, example_points
from explorer.targets.tasks import TaskError, checked, finite, floor_index, one_hot

EQ_65 = ((0, 0, 1), (0, 1, 2), (2, 2, 2))
"""The indices of Eq. 65, which counts from 1, counted from 0."""
EQ_66 = ((4, 5, 5), (4, 4, 4), (1, 1, 7), (5, 5, 5), (0, 3, 7), (0, 6, 7), (2, 2, 2), (2, 3, 4))
"""The indices of Eq. 66 and Figure 6."""


@dataclass(frozen=True)
class SelectionTarget:
    """y_t = (1/k) Σ_{s ∈ s(t)} v_s, F∘f(v, s) = v: weights in {0, 1/k, …, 1}.

    A token is (v ~ U[0, 1]^d, how often it asks for each position, one-hot position); its k
    indices are drawn independently.
    """

    tau: int
    d: int
    k: int

    @property
    def features(self) -> int:
        """Numbers of a token."""
        return self.d + 2 * self.tau

    @property
    def positions(self) -> slice:
        """Where a token stands, one-hot."""
        return slice(self.d + self.tau, self.features)

    @property
    def uniforms(self) -> int:
        return (self.d + self.k) * self.tau

    def inputs(self, uniform: Array, share: float = 1.0) -> Array:
        """Tokens (…, τ, features)."""
        xp = namespace(uniform)
        rows = xp.reshape(uniform, (*uniform.shape[:-1], self.tau, self.d + self.k))
        return self._assembled(rows[..., : self.d], floor_index(rows[..., self.d :], self.tau))

    def _assembled(self, vectors: Array, indices: Array) -> Array:
        xp = namespace(vectors)
        counts = xp.sum(one_hot(indices, self.tau, vectors), axis=-2)  # (…, τ, τ)
        position = constant(np.eye(self.tau), vectors) + xp.zeros_like(counts)
        return xp.concat([vectors, counts, position], axis=-1)

    def tokens(self, vectors: object, indices: object) -> np.ndarray:
        """A reader's vectors (τ, d) and indices (τ, k) as tokens; raises TaskError."""
        vectors = finite("v", vectors, (self.tau, self.d))
        indices = finite("s", indices, (self.tau, self.k))
        bad = (indices != np.floor(indices)) | (indices < 0) | (indices >= self.tau)
        if bad.any():
            t, j = np.argwhere(bad)[0]
            raise TaskError(
                f"s({t}) holds {indices[t, j]:g}: indices are whole from 0 to {self.tau - 1}"
            )
        return self._assembled(vectors, indices)

    def attention(self, x: Array) -> Array:
        """How often t asks for s, over k; (…, τ, τ)."""
        return checked(x, self.tau, self.features)[..., self.d : self.d + self.tau] / self.k

    def answer(self, x: Array) -> Array:
        """The mean of the selected vectors, (…, τ, d)."""
        return self.combined(self.attention(x), x)

    def combined(self, attention: Array, x: Array) -> Array:
        """The mean of v by given weights, (…, τ, d)."""
        return attention @ self.values(x)

    def values(self, x: Array) -> Array:
        """v of each token, (…, τ, d)."""
        return checked(x, self.tau, self.features)[..., : self.d]

    def points(self, x: Array) -> Array:
        """v of each token, (…, τ, d)."""
        return self.values(x)

    def counted(self, x: Array) -> Array:
        """1: every token has a value."""
        return namespace(x).ones_like(x[..., 0])

    def example(self) -> np.ndarray:
        """An instance (τ, features); the indices are those of Eq. 66 or 65 where τ and k are."""
        printed = {(8, 3): EQ_66, (3, 3): EQ_65}.get((self.tau, self.k))
        drawn = np.random.default_rng(EXAMPLE_SEED).integers(0, self.tau, (self.tau, self.k))
        return self.tokens(example_points(self.tau, self.d), drawn if printed is None else printed)
