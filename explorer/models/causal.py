"""A causal Transformer of L layers and H heads, for many models at once (arXiv 2402.00522, Eq. 2).

    h(t) = E x(t) + e + q(t)                                    q: absolute positions, if any
    h(t) ← h(t) + Σ_heads W_O Σ_{s≤t} A_ts · W_V ĥ(s),   A_t = softmax_{s≤t}[logits_ts + r(t−s)]
    h(t) ← h(t) + W_2 gelu(W_1 ĥ(t) + b_1) + b_2
    ŷ(t) = w · ĥ(t) + b

logits_ts = ⟨W_Q ĥ(t), W_K ĥ(s)⟩, or 0 without dot product; ĥ is h, normalised to mean 0 and
variance 1 where there is layer normalisation. r(s) of a head depends on the distance alone:
−p log s (log; a token sees itself only where there is none before it), −p s (lin), with p > 0
learned, or a number for each s (t5).

Axes are (model, batch, head, time, feature).
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import gelu, layer_norm

from explorer.models import shapes
from explorer.models.layers import OF_LAYERS, Weights, heads, start, times
from explorer.spec import MemorySpec

NEVER = -1e9  # a logit beside any other; alone in its row its weight is 1


class Remembered(NamedTuple):
    """What comes out, and on the way."""

    answer: Tensor
    """ŷ (model, batch, τ)."""
    attention: list[Tensor]
    """A of each layer, (model, batch, heads, τ, τ)."""


def initial(spec: MemorySpec, generator: torch.Generator) -> Weights:
    """See `layers.start`; what is added to a token is small at first. p of a relative encoding is e
    to a standard normal number; t5 is 0."""
    own = {"embedding": 1.0, "positions": 0.5, "log_p": 1.0, "answer": spec.n**-0.5}
    return start(spec, shapes.causal(spec), own, generator)


def forward(spec: MemorySpec, weights: Weights, x: Tensor) -> Remembered:
    """Answers and attention of tokens x (model, batch, τ, d_in)."""
    h = times(x, weights["embedding"], weights["embedding_bias"])
    h = h + absolute(spec, weights, x)
    by_distance = relative(spec, weights, x)
    attention = []
    for layer in range(spec.layers):
        w = {name: weights[name][:, layer] for name in OF_LAYERS if name in weights}
        seen = _normed(spec, h)
        logits = by_distance[:, layer].unsqueeze(1)  # (model, batch or 1, heads, τ, τ)
        if spec.dot_product:
            logits = logits + heads(seen, w["W_Q"]) @ heads(seen, w["W_K"]).mT
        a = torch.softmax(logits, dim=-1).expand(-1, x.shape[1], -1, -1, -1)
        mixed = a @ heads(seen, w["W_V"])  # (model, batch, heads, τ, d_v)
        h = h + times(mixed.transpose(2, 3).flatten(3), w["W_O"].flatten(1, 2))
        inner = times(_normed(spec, h), w["inner"].mT, w["inner_bias"])
        h = h + times(gelu(inner), w["outer"], w["outer_bias"])
        attention.append(a)
    out = (_normed(spec, h) * weights["answer"][:, None, None]).sum(dim=-1)
    return Remembered(out + weights["answer_bias"][:, None], attention)


def absolute(spec: MemorySpec, weights: Weights, x: Tensor) -> Tensor | float:
    """What is added to the tokens by their place, (model, 1, τ, n); 0 for nothing."""
    if spec.encoding == "learned":
        return weights["positions"].unsqueeze(1)
    if spec.encoding == "sinusoidal":
        return sinusoidal(spec.tau, spec.n).to(x)
    return 0.0


def sinusoidal(tau: int, n: int) -> Tensor:
    """sin and cos of t / 10000^(2i/n) in turn, (τ, n) (Vaswani et al. 2017, §3.5)."""
    i = torch.arange(n)
    angle = torch.arange(tau).unsqueeze(1) * 10_000.0 ** (-2 * (i // 2) / n)
    return torch.where(i % 2 == 0, angle.sin(), angle.cos())


def relative(spec: MemorySpec, weights: Weights, x: Tensor) -> Tensor:
    """r(t−s) of every layer and head, (model, layers, heads, τ, τ); −∞ for s > t."""
    place = torch.arange(spec.tau, device=x.device)
    distance = place.unsqueeze(1) - place
    return _by_distance(spec, weights, x, distance.clamp_min(0)).masked_fill(
        distance < 0, -math.inf
    )


def _by_distance(spec: MemorySpec, weights: Weights, x: Tensor, distance: Tensor) -> Tensor:
    """r of distances (τ, τ), of every layer and head."""
    if spec.encoding == "t5":
        return weights["by_distance"][..., distance]
    if spec.encoding == "lin":
        return -weights["log_p"].exp()[..., None, None] * distance.to(x.dtype)
    if spec.encoding == "log":
        falling = -weights["log_p"].exp()[..., None, None] * distance.clamp_min(1).to(x.dtype).log()
        return torch.where(distance == 0, NEVER, falling)
    return x.new_zeros(len(x), spec.layers, spec.heads, *distance.shape)


def _normed(spec: MemorySpec, h: Tensor) -> Tensor:
    return layer_norm(h, h.shape[-1:]) if spec.layer_norm else h
