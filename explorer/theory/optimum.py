"""The rank-optimal kernel: the coupling of rank m with the least error of H, without a network.

The truncation floor keeps the leading terms of ρ, which is best in L²([0, 1]²). What a model is
trained for is the error of H, E_x (1/τ) Σ_t (Ĥ_t − H_t)², and another kernel of rank m does better:

    ρ̂(u, v) = Σ_{k≤m} a_k(u) b_k(v),  a_k in the span of φ_1 … φ_K, b_k in that of ψ_1 … ψ_K.

L-BFGS on sampled sequences, started at the truncation, errors on fresh ones. It is a local minimum,
so an upper bound on the least error; trained models land near it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.coupling.pod import POD, pod
from explorer.slow import optimize
from explorer.targets import CouplingTarget, softmax

TERMS = 64  # K at most
SMALLEST = 1e-8  # relative start of a term beyond the rank, whose gradient would be 0 at 0


@dataclass(frozen=True, eq=False)
class Optimum:
    """Errors over m on fresh sequences, each (len(m),)."""

    m: np.ndarray
    mse: np.ndarray
    mae: np.ndarray
    variance: float
    """Var(y) of the same sequences."""

    @property
    def nmse(self) -> np.ndarray:
        """mse / Var(y)."""
        return self.mse / self.variance


def optimal_kernel(
    target: CouplingTarget, m: Sequence[int], samples: int = 2048, steps: int = 300, seed: int = 0
) -> Optimum:
    """Errors of the best kernel found for each rank m ≥ 1, on as many fresh sequences again.

    Raises ValueError for other m.
    """
    if not len(m) or min(m) < 1:
        raise ValueError(f"m must be whole numbers from 1, got {list(m)}")
    decomposition = pod(target.coupling, centred=True)
    rng = np.random.default_rng((seed, 1))
    fitted, fresh = (
        Sample.from_target(target, decomposition, rng.random((samples, target.tau)))
        for _ in range(2)
    )
    errors = [fresh.errors(*_fit(fitted, decomposition.sigma[:TERMS], width, steps)) for width in m]
    mse, mae = np.transpose(errors)
    return Optimum(np.asarray(m), mse, mae, float(np.var(fresh.y)))


@dataclass(frozen=True, eq=False)
class Sample:
    """Sequences x (N, τ), answers y (N, τ), and the POD's functions there, (N, τ, K)."""

    x: np.ndarray
    y: np.ndarray
    phi: np.ndarray
    psi: np.ndarray

    @classmethod
    def from_target(cls, target: CouplingTarget, decomposition: POD, x: np.ndarray) -> Sample:
        """A sample of a target at given sequences."""
        left, right = (side(x)[..., :TERMS] for side in (decomposition.left, decomposition.right))
        return cls(x, target.answer(x), left, right)

    def answers(self, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
        """Ŷ (N, τ), attention (N, τ, τ), queries and keys (N, τ, m) for a, b (K, m)."""
        query, key = self.phi @ a, self.psi @ b
        attention = softmax(query @ key.transpose(0, 2, 1))
        return np.einsum("nts,ns->nt", attention, self.x), attention, query, key

    def errors(self, a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
        """MSE and MAE."""
        error = self.answers(a, b)[0] - self.y
        return float(np.mean(error**2)), float(np.mean(np.abs(error)))

    def loss_and_gradient(self, flat: np.ndarray) -> tuple[float, np.ndarray]:
        """nMSE and its gradient at a and b, flat one after the other.

        ∂Ŷ_t/∂ρ̂_ts = A_ts (x_s − Ŷ_t).
        """
        a, b = flat.reshape(2, self.phi.shape[-1], -1)
        y, attention, query, key = self.answers(a, b)
        error, scale = y - self.y, self.y.size * np.var(self.y)
        d_rho = attention * (self.x[:, None, :] - y[:, :, None]) * (2 / scale * error[:, :, None])
        d_a = np.tensordot(self.phi, d_rho @ key, axes=([0, 1], [0, 1]))
        d_b = np.tensordot(self.psi, d_rho.transpose(0, 2, 1) @ query, axes=([0, 1], [0, 1]))
        return float(np.sum(error**2) / scale), np.stack([d_a, d_b]).ravel()


def _fit(sample: Sample, sigma: np.ndarray, m: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """a and b (K, m) of least error, from the leading m terms."""
    terms = len(sigma)
    width = min(m, terms)
    start = np.zeros((2, terms, m))
    root = np.sqrt(np.maximum(sigma[:width], SMALLEST * sigma[0]))
    start[:, np.arange(width), np.arange(width)] = root
    minimum = optimize.minimize(
        sample.loss_and_gradient,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-12, "gtol": 1e-12},
    )
    a, b = minimum.x.reshape(start.shape)
    return a, b
