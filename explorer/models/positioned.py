"""The Transformer of Eq. 5 whose tokens know their position, and a convolution before it.

    token(t) = (2 z(t) − 1, cos 2πjt/τ, sin 2πjt/τ for j = 1, 2, …),   z(t) = Σ_s w(s) x(t−s)

w is learnable, starts as the identity (1, 0, 0, …), and is left out where the specification has no
`conv`: then z = x. Inputs before t = 0 are zero.
"""

import math
from functools import lru_cache

import torch
from torch import Tensor

from explorer.models.backward import in_chunks, through_attention
from explorer.models.layers import Weights
from explorer.models.transformer import attend, features, seen
from explorer.spec import CouplingSpec, LinearSpec


@lru_cache(maxsize=16)
def position_features(tau: int, pairs: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """cos 2πjt/τ for j = 1 … pairs, then the sines: (τ, 2·pairs), to be read only."""
    t = torch.arange(tau, device=device).unsqueeze(1)
    angle = 2 * math.pi / tau * (t * torch.arange(1, pairs + 1, device=device) % tau)
    return torch.cat([angle.cos(), angle.sin()], dim=1).to(dtype)


def convolved(weights: Weights, x: Tensor) -> Tensor:
    """z of x (model, batch, τ), where there is a convolution."""
    if "conv" not in weights:
        return x
    taps = weights["conv"]  # (model, l)
    return (_windows(x, taps.shape[1]) @ taps[:, None, :, None]).squeeze(-1)


def _windows(x: Tensor, length: int) -> Tensor:
    """x(t), x(t−1), …, x(t−l+1) at each t: (model, batch, τ, l)."""
    before = torch.nn.functional.pad(x, (length - 1, 0))
    return before.unfold(-1, length, 1).flip(-1)


def tokens(spec: LinearSpec | CouplingSpec, weights: Weights, x: Tensor) -> Tensor:
    """What attention sees of x (model, batch, τ): (model, batch, τ, 1 + 2·positions)."""
    places = position_features(x.shape[-1], spec.positions, x.dtype, x.device)
    values = seen(spec, convolved(weights, x)).unsqueeze(-1)
    return torch.cat([values, places.expand(*x.shape[:2], -1, -1)], dim=-1)


def forward(spec: LinearSpec | CouplingSpec, weights: Weights, x: Tensor) -> tuple[Tensor, Tensor]:
    """Ĥ and the attention weights for what is seen, x (model, batch, τ).

    Returns ŷ (model, batch, τ), in units of its standard deviation, and A (model, batch, τ, τ).
    """
    h = features(spec, weights, tokens(spec, weights, x).flatten(1, 2))  # (model, batch·τ, n)
    y, attention = attend(spec, weights, h, x.shape[-1])
    return y.squeeze(-1), attention


@torch.no_grad()
def loss_and_gradient(
    spec: LinearSpec | CouplingSpec, weights: Weights, x: Tensor, y: Tensor, gradients: Weights
) -> Tensor:
    """As `backward.loss_and_gradient`, of what is seen, x (model, batch, τ), and its answers y."""

    def few(w: Weights, x: Tensor, y: Tensor, g: Weights) -> Tensor:
        losses, d_first = through_attention(spec, w, tokens(spec, w, x), y, g)
        if "conv" in w:
            slope = seen(spec, x.new_tensor([0.0, 1.0])).diff()  # of what is seen by z
            d_z = torch.bmm(d_first, slope * w["f.0.weight"][:, :, :1])  # (model, batch·τ, 1)
            windows = _windows(x, w["conv"].shape[1]).flatten(1, 2)  # (model, batch·τ, l)
            g["conv"].copy_(torch.bmm(windows.mT, d_z).squeeze(-1))
        return losses

    return in_chunks(few, weights, x, y, gradients)
