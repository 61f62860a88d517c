"""The Transformer of Eq. 5 whose tokens know their position, and a convolution before it.

    token(t) = (2 z(t) − 1, cos 2πjt/τ, sin 2πjt/τ for j = 1, 2, …),   z(t) = Σ_s w(s) x(t−s)

w is learnable, starts as the identity (1, 0, 0, …), and is left out where the specification has no
`conv`: then z = x. Inputs before t = 0 are zero.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from explorer.models.transformer import attend, features, seen
from explorer.spec import CouplingSpec, LinearSpec

Weights = dict[str, Tensor]


def position_features(tau: int, pairs: int, like: Tensor) -> Tensor:
    """cos 2πjt/τ for j = 1 … pairs, then the sines: (τ, 2·pairs)."""
    t = torch.arange(tau, device=like.device).unsqueeze(1)
    angle = 2 * math.pi / tau * (t * torch.arange(1, pairs + 1, device=like.device) % tau)
    return torch.cat([angle.cos(), angle.sin()], dim=1).to(like.dtype)


def convolved(weights: Weights, x: Tensor) -> Tensor:
    """z of x (model, batch, τ), where there is a convolution."""
    if "conv" not in weights:
        return x
    taps = weights["conv"]  # (model, l)
    before = torch.nn.functional.pad(x, (taps.shape[1] - 1, 0))
    windows = before.unfold(-1, taps.shape[1], 1)  # (model, batch, τ, l), the newest last
    return (windows @ taps.flip(-1)[:, None, :, None]).squeeze(-1)


def forward(spec: LinearSpec | CouplingSpec, weights: Weights, x: Tensor) -> tuple[Tensor, Tensor]:
    """Ĥ and the attention weights for what is seen, x (model, batch, τ).

    Returns ŷ (model, batch, τ), in units of its standard deviation, and A (model, batch, τ, τ).
    """
    models, batch, tau = x.shape
    positions = position_features(tau, spec.positions, x).expand(models, batch, -1, -1)
    tokens = torch.cat([seen(spec, convolved(weights, x)).unsqueeze(-1), positions], dim=-1)
    h = features(spec, weights, tokens.flatten(1, 2))  # (model, batch·τ, n)
    y, attention = attend(spec, weights, h, tau)
    return y.squeeze(-1), attention
