"""The head of Eq. 5 with parts of the target of Eq. 8 in the place of its own.

    ŷ_t = F̂(Σ_s softmax[ρ̂(x_t, x_·)](s) ĝ(x_s)),   ĝ = W_V f̂

In the place of ρ̂ stands the exact ρ. A value ĝ has d_v numbers, and f has q features: in its place
the first q of them are f(x), in units of the means Σ_s A_ts f(x_s), and the others are 0; in the
place of F̂ stands F of the first q. With all three the head is the target.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from explorer.models.layers import Weights
from explorer.models.transformer import embed, output, queries_and_keys
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget

INSIDE = 1e-6  # share of the values of f from their ends, where F may have no slope


@dataclass(frozen=True)
class Exact:
    """The parts of one target, in the units of a head."""

    target: CouplingTarget
    means: Sequence[tuple[float, float]]
    """Centre and scale of each feature of Σ_s A_ts f(x_s)."""
    answers: tuple[float, float]
    """Centre and scale of y."""

    def attention(self, x: Tensor) -> Tensor:
        """(batch, τ) → (batch, τ, τ)."""
        return self.target.attention(x)

    def values(self, x: Tensor) -> Tensor:
        """f, (batch, τ) → (batch, τ, q)."""
        units = zip(self.target.parts.inner.each, self.means, strict=True)
        return torch.stack([(part(x) - centre) / scale for part, (centre, scale) in units], -1)

    def answer(self, mean: Tensor) -> Tensor:
        """F, (batch, τ, d_v) → (batch, τ); beyond the values of a feature that of the nearest."""
        parts, (centre, scale) = self.target.parts, self.answers
        inside = torch.stack([self._inside(mean[..., j], j) for j in range(len(self.means))], -1)
        return (parts.outer(inside) - centre) / scale

    def _inside(self, mean: Tensor, feature: int) -> Tensor:
        (centre, scale), (low, high) = self.means[feature], self.target.parts.inner.ends[feature]
        edge = INSIDE * (high - low)
        return torch.clamp(mean * scale + centre, low + edge, high - edge)


def forward(
    spec: CouplingSpec,
    weights: Weights,
    x: Tensor,
    parts: Sequence[Exact],
    known: Collection[str],
) -> Tensor:
    """Ĥ for x (model, batch, τ) in [0, 1], in which `known`, some of rho, inner and outer, are
    those of `parts`, one of them for each model. Returns ŷ (model, batch, τ)."""

    def each(function: Callable[[Exact, Tensor], Tensor], values: Tensor) -> Tensor:
        return torch.stack([function(*pair) for pair in zip(parts, values, strict=True)])

    models, batch, tau = x.shape
    h = embed(spec, weights, x.reshape(models, batch * tau))  # (model, batch·τ, n)
    if "rho" in known:
        attention = each(Exact.attention, x)  # (model, batch, τ, τ)
    else:
        sides = queries_and_keys(spec, weights, h)
        query, key = (side.view(models, batch, tau, -1) for side in sides)
        attention = torch.softmax(query @ key.mT, dim=-1)
    if "inner" in known:
        first = each(Exact.values, x)
        value = torch.nn.functional.pad(first, (0, spec.d_v - first.shape[-1]))
    else:
        value = (h @ weights["W_V"].mT).view(models, batch, tau, -1)
    mixed = attention @ value  # (model, batch, τ, d_v)
    if "outer" in known:
        return each(Exact.answer, mixed)
    return output(spec, weights, mixed.view(models, batch * tau, -1)).view(models, batch, tau)
