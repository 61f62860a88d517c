"""SmolLM2-135M: a Llama, that is causal attention with RoPE, RMSNorm and a gated network.

Queries have 9 heads, keys and values 3: each of these serves three heads. The weights have the
names of the GGUF file, and its order of queries and keys: RoPE turns neighbouring pairs (2i, 2i+1).
"""

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.attention import (
    Coupling,
    attend,
    merge_heads,
    passed,
    said,
    split_heads,
    whole,
)


class SmolLM2:
    """The network as a function of token numbers."""

    causal = True
    places: Tensor | None = None
    """Where the tokens stand, (time,); None: one after the other."""

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        self.weights = weights
        self.layers, self.heads, self.key_heads, self.base, self.epsilon = said(
            config, "layers", "heads", "key_heads", "rope_base", "epsilon"
        )
        self.width = weights["blk.0.attn_q.weight"].shape[0] // self.heads

    def __call__(self, inputs: Tensor, coupling: Coupling = whole) -> Tensor:
        """Token numbers (batch, time) → logits of the next token (batch, time, vocabulary)."""
        return self.answer(passed(self, self.embed(inputs), 0, coupling))

    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets: (batch, time, dimension)."""
        return self.weights["token_embd.weight"][inputs]

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        """What a layer makes of that."""
        x = x + self._attention(layer, x, self._turns(x.shape[1]), coupling)
        return x + self._network(layer, x)

    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer."""
        return self._norm("output_norm", x) @ self.weights["token_embd.weight"].mT

    def at(self, places: Tensor) -> Self:
        """The same model for tokens that stand at these places, to RoPE and to the causal mask,
        whatever the order in which they come."""
        placed = copy(self)
        placed.places = places
        return placed

    def projections(self, layer: int) -> tuple[Tensor, Tensor]:
        """W_Q and W_K of the heads of a layer, (head, width, dimension), the gain of the norm
        before them in both; a key head stands beside each query head that it serves."""
        gain = self.weights[f"blk.{layer}.attn_norm.weight"]
        w_q, w_k = (
            (self.weights[f"blk.{layer}.attn_{name}.weight"] * gain).unflatten(0, (-1, self.width))
            for name in "qk"
        )
        return w_q, w_k.repeat_interleave(self.heads // self.key_heads, 0)

    def _attention(self, layer: int, x: Tensor, turn: Tensor, coupling: Coupling) -> Tensor:
        x = self._norm(f"blk.{layer}.attn_norm", x)
        q, k, v = (
            split_heads(self._linear(f"blk.{layer}.attn_{name}", x), heads)
            for name, heads in (("q", self.heads), ("k", self.key_heads), ("v", self.key_heads))
        )  # (batch, head, time, width)
        served = self.heads // self.key_heads
        k, v = (of.repeat_interleave(served, 1) for of in (rotated(k, turn), v))
        mixed = attend(coupling(layer, rotated(q, turn), k), v, self.causal, self.places)
        return self._linear(f"blk.{layer}.attn_output", merge_heads(mixed))

    def _network(self, layer: int, x: Tensor) -> Tensor:
        x = self._norm(f"blk.{layer}.ffn_norm", x)
        gate, up = (self._linear(f"blk.{layer}.ffn_{name}", x) for name in ("gate", "up"))
        return self._linear(f"blk.{layer}.ffn_down", F.silu(gate) * up)

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"].mT

    def _norm(self, name: str, x: Tensor) -> Tensor:
        return F.rms_norm(x, x.shape[-1:], self.weights[f"{name}.weight"], self.epsilon)

    def _turns(self, time: int) -> Tensor:
        """e^{i t ω_j}, ω_j = base^(−2j/width): (time, width / 2)."""
        omega = self.base ** (-torch.arange(0, self.width, 2) / self.width)
        places = torch.arange(time) if self.places is None else self.places
        angle = places[:, None] * omega
        return torch.polar(torch.ones_like(angle), angle)


def rotated(x: Tensor, turn: Tensor) -> Tensor:
    """Pairs (2i, 2i+1) as complex numbers, turned by the position (Su et al., 2104.09864)."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turn).flatten(-2)


def token_losses(logits: Tensor, tokens: Tensor) -> Tensor:
    """−log p of each next token of (batch, time), in nats: (batch, time − 1)."""
    return -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]


def perplexity(logits: Tensor, tokens: Tensor) -> Tensor:
    """exp of the mean −log p of each next token: one number for each text of (batch, time).

    A text of one token has none: nan.
    """
    return token_losses(logits, tokens).mean(1).exp()
