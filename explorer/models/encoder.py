"""A Transformer as it is trained in practice, small, for many models at once.

    h(t) = E x(t) + p(t)                               a token and its position
    h(t) ← h(t) + Σ_heads W_O Σ_s softmax[(W_Q ĥ(t))ᵀ W_K ĥ(·)](s) · W_V ĥ(s)
    h(t) ← h(t) + W_2 gelu(W_1 ĥ(t) + b_1) + b_2       ĥ is h without its mean, of variance 1

In a last layer of the same kind each output asks the encoded tokens by a learned vector of its own,
so that neither knows of the order in which they come but by p. A position is a row of a table: with
p reordered like the tokens every output is the same, in exact arithmetic.

Queries and keys have no biases, and what scales the logits is in their start: ρ̂ has rank m_h.
Axes are (model, batch, head, time, feature).
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm

from explorer.models import shapes
from explorer.models.layers import OF_LAYERS, Weights, heads, start, times
from explorer.spec import LabelledSpec


class Encoded(NamedTuple):
    """What comes out, and on the way."""

    logits: Tensor
    """Of each class of each output, (model, batch, outputs, classes)."""
    couplings: list[Tensor]
    """ρ̂(x_t, x_s) of each layer of self-attention, (model, batch, heads, τ, τ)."""


def initial(spec: LabelledSpec, generator: torch.Generator) -> Weights:
    """See `layers.start`; what is added to a token is small at first."""
    own = {"embedding": spec.d_in**-0.5, "positions": 0.5, "asks": 1.0, "classes": spec.n**-0.5}
    return start(spec, shapes.encoder(spec), own, generator)


def forward(weights: Weights, x: Tensor, places: Tensor | None = None) -> Encoded:
    """Logits and couplings of tokens x (model, batch, τ, d_in).

    `places` (τ,) says which row of the table of positions each token has, if not its own.
    """
    positions = weights["positions"] if places is None else weights["positions"][:, places]
    h = times(x, weights["embedding"]) + positions.unsqueeze(1)
    layers, couplings = weights["W_Q"].shape[1], []
    for layer in range(layers - 1):
        h, coupling = _layer(weights, layer, h, h)
        couplings.append(coupling)
    asks = weights["asks"].unsqueeze(1).expand(-1, x.shape[1], -1, -1)
    asked, _ = _layer(weights, layers - 1, asks, h)
    logits = times(_normed(asked), weights["classes"]) + weights["classes_bias"][:, None, None]
    return Encoded(logits, couplings)


def _layer(weights: Weights, layer: int, asking: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    """`asking` (model, batch, t, n) after it has attended to h (model, batch, s, n), and the
    logits of that attention (model, batch, heads, t, s)."""
    w = {name: weight[:, layer] for name, weight in weights.items() if name in OF_LAYERS}
    to = _normed(h)
    query = heads(to if asking is h else _normed(asking), w["W_Q"])
    coupling = query @ heads(to, w["W_K"]).mT
    mixed = torch.softmax(coupling, dim=-1) @ heads(to, w["W_V"])  # (model, batch, heads, t, d_v)
    out = w["W_O"].flatten(1, 2)  # (model, heads·d_v, n)
    asking = asking + times(mixed.transpose(2, 3).flatten(3), out)
    inner = times(_normed(asking), w["inner"].mT) + w["inner_bias"][:, None, None]
    return asking + times(gelu(inner), w["outer"]) + w["outer_bias"][:, None, None], coupling


def _normed(h: Tensor) -> Tensor:
    return layer_norm(h, h.shape[-1:])
