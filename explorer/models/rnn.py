"""The linear RNN of Eq. 72 and 73, with an offset for each step, for many models at once.

    h(t) = W h(t−1) + U x(t),   ŷ_t = cᵀ h(t) + b(t)

It is never unrolled over sequences: ŷ_t = Σ_{s≤t} k(s) x(t−s) + b(t) with k(s) = cᵀ W^s U (Eq. 74),
and for independent inputs of mean 1/2 and variance 1/12 the error against y = K x is exactly

    (1/12τ) ‖T(k) − K‖²_F + (1/τ) Σ_t (½ Σ_s (T(k) − K)[t, s] + b(t))²

where y and K are divided by the standard deviation of y, so that any kernel is of one size. Every
tensor has a leading model axis. Models of fewer hidden units are padded by zeros, which have
no gradient and stay.
"""

import math

import torch
from torch import Tensor

from explorer.models.layers import Weights
from explorer.spec import LinearSpec
from explorer.theory.linear import MEAN, VARIANCE

RADIUS = 0.99  # of the eigenvalues of W at the start; PyTorch's start forgets too fast


def initial(spec: LinearSpec, generator: torch.Generator) -> Weights:
    """Start values of one model: W orthogonal times 0.99, U and c of norm about 1, b = 0."""
    drawn = torch.randn(spec.hidden, spec.hidden, generator=generator)
    basis, upper = torch.linalg.qr(drawn)
    root = math.sqrt(spec.hidden)
    return {
        "W": RADIUS * basis * upper.diagonal().sign(),
        "U": torch.randn(spec.hidden, generator=generator) / root,
        "c": torch.randn(spec.hidden, generator=generator) / root,
        "b": torch.zeros(spec.tau),
    }


def states(weights: Weights, tau: int) -> Tensor:
    """W^s U for s = 0 … τ−1: (model, τ, hidden)."""
    powers = [weights["U"]]
    for _ in range(tau - 1):
        powers.append((weights["W"] @ powers[-1].unsqueeze(-1)).squeeze(-1))
    return torch.stack(powers, dim=1)


def kernel(weights: Weights, tau: int) -> Tensor:
    """k(s) = cᵀ W^s U: (model, τ)."""
    return (states(weights, tau) @ weights["c"].unsqueeze(-1)).squeeze(-1)


def toeplitz(kernels: Tensor) -> Tensor:
    """T(k)[t, j] = k(t−j), 0 above the diagonal: (model, τ) → (model, τ, τ)."""
    lag, inside = _lags(kernels.shape[-1], kernels.device)
    return torch.where(inside, kernels[:, lag], 0)


@torch.no_grad()
def loss_and_gradient(
    weights: Weights, matrices: Tensor, variances: Tensor, gradients: Weights
) -> Tensor:
    """Exact population error of each model, (model,), in units of `variances` (model,); fills
    `gradients` with those of their sum. `matrices` holds the K (model, τ, τ) to be learned.

    With g(s) = ∂L/∂k(s) the adjoints λ(s) = g(s) c + Wᵀ λ(s+1) give ∂L/∂U = λ(0) and
    ∂L/∂W = Σ_s λ(s+1) (W^s U)ᵀ.
    """
    tau = matrices.shape[-1]
    v = states(weights, tau)  # (model, τ, hidden)
    k = (v @ weights["c"].unsqueeze(-1)).squeeze(-1)  # (model, τ)
    error = toeplitz(k) - matrices  # (model, τ, τ)
    mean = MEAN * error.sum(dim=-1) + weights["b"]  # (model, τ)
    losses = VARIANCE * error.square().sum(dim=(1, 2)) / tau + mean.square().mean(dim=-1)

    scale = 2 / (tau * variances).view(-1, 1)
    gradients["b"].copy_(scale * mean)
    d_error = scale.unsqueeze(-1) * (VARIANCE * error + MEAN * mean.unsqueeze(-1))
    g = _over_subdiagonals(d_error)  # (model, τ)
    gradients["c"].copy_((g.unsqueeze(1) @ v).squeeze(1))
    adjoints = _adjoints(weights, g)  # (model, τ, hidden)
    gradients["U"].copy_(adjoints[:, 0])
    torch.bmm(adjoints[:, 1:].mT, v[:, :-1], out=gradients["W"])
    return losses / variances


def _adjoints(weights: Weights, g: Tensor) -> Tensor:
    """λ(s) for s = 0 … τ−1 from g (model, τ): (model, τ, hidden)."""
    transposed, c = weights["W"].mT, weights["c"]
    adjoints = [g[:, -1:] * c]
    for s in range(g.shape[1] - 2, -1, -1):
        adjoints.append(g[:, s : s + 1] * c + (transposed @ adjoints[-1].unsqueeze(-1)).squeeze(-1))
    return torch.stack(adjoints[::-1], dim=1)


def _over_subdiagonals(matrices: Tensor) -> Tensor:
    """Sums over the main diagonal and those below: (model, τ, τ) → (model, τ)."""
    models, tau, _ = matrices.shape
    lag, inside = _lags(tau, matrices.device)
    below = torch.where(inside, matrices, 0).view(models, -1)
    return matrices.new_zeros(models, tau).index_add_(1, lag.flatten(), below)


def _lags(tau: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """t − s, 0 where that is negative, and where it is not: (τ, τ) each."""
    t = torch.arange(tau, device=device)
    lag = t.unsqueeze(1) - t
    return lag.clamp(min=0), lag >= 0
