"""GPT-2: causal attention with learned positions, norms before attention and network.

The weights have the names and the orientation of `transformers`: x W + b, with W_Q, W_K and W_V
beside each other in one matrix.
"""

from collections.abc import Mapping
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.attention import (
    Coupling,
    activation,
    attend,
    merge_heads,
    passed,
    said,
    split_heads,
    whole,
)


class GPT2:
    """The network as a function of token numbers."""

    causal = True

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        self.weights = weights
        self.layers, self.heads, self.epsilon = said(config, "layers", "heads", "epsilon")
        self.width = weights["wte.weight"].shape[1] // self.heads
        self.activate = activation(config)

    def __call__(self, inputs: Tensor, coupling: Coupling = whole) -> Tensor:
        """Token numbers (batch, time) → logits of the next token (batch, time, vocabulary)."""
        return self.answer(passed(self, self.embed(inputs), 0, coupling))

    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets: (batch, time, dimension)."""
        return self.weights["wte.weight"][inputs] + self.weights["wpe.weight"][: inputs.shape[-1]]

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        """What a layer makes of that."""
        name = f"h.{layer}"
        x = x + self._attention(layer, self._norm(f"{name}.ln_1", x), coupling)
        wide = self.activate(self._linear(f"{name}.mlp.c_fc", self._norm(f"{name}.ln_2", x)))
        return x + self._linear(f"{name}.mlp.c_proj", wide)

    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer, by the embeddings unless it has a matrix for it."""
        read = self.weights.get("lm_head.weight", self.weights["wte.weight"])
        return self._norm("ln_f", x) @ read.mT

    def projections(self, layer: int) -> tuple[Tensor, Tensor]:
        """W_Q and W_K of the heads of a layer, (head, width, dimension), the gain of the norm
        before them in both; biases are left out."""
        gain = self.weights[f"h.{layer}.ln_1.weight"]
        w_q, w_k, _ = (
            (of * gain).unflatten(0, (self.heads, -1))
            for of in self.weights[f"h.{layer}.attn.c_attn.weight"].mT.chunk(3)
        )
        return w_q, w_k

    def _attention(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = f"h.{layer}.attn"
        q, k, v = (
            split_heads(of, self.heads) for of in self._linear(f"{name}.c_attn", x).chunk(3, -1)
        )  # (batch, head, time, width)
        mixed = attend(coupling(layer, q, k), v, self.causal)
        return self._linear(f"{name}.c_proj", merge_heads(mixed))

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(x, x.shape[-1:], weight, bias, self.epsilon)
