"""A BERT whose mean over the tokens is the vector of a sentence: MiniLM-L6, or the user's own."""

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


class Bert:
    """The network as a function of token numbers; all texts of a batch have the same length."""

    causal = False

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        self.weights = weights
        self.layers, self.heads, self.epsilon = said(config, "layers", "heads", "epsilon")
        self.activate = activation(config)
        self.width = weights["embeddings.LayerNorm.weight"].shape[0] // self.heads

    def __call__(self, inputs: Tensor, coupling: Coupling = whole) -> Tensor:
        """Token numbers (batch, time) → vectors of length 1 (batch, dimension)."""
        return self.answer(passed(self, self.embed(inputs), 0, coupling))

    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets: (batch, time, dimension)."""
        words, places, kinds = (
            self.weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        return self._norm("embeddings", words[inputs] + places[: inputs.shape[-1]] + kinds[0])

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        """What a layer makes of that."""
        name = f"encoder.layer.{layer}"
        mixed = self._attention(layer, x, coupling)
        x = self._norm(f"{name}.attention.output", x + mixed)
        wide = self.activate(self._linear(f"{name}.intermediate.dense", x))
        return self._norm(f"{name}.output", x + self._linear(f"{name}.output.dense", wide))

    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer."""
        return F.normalize(x.mean(1), dim=-1)

    def projections(self, layer: int) -> tuple[Tensor, Tensor]:
        """W_Q and W_K of the heads of a layer, (head, width, dimension); biases are left out."""
        w_q, w_k = (
            self.weights[f"encoder.layer.{layer}.attention.self.{name}.weight"]
            for name in ("query", "key")
        )
        return w_q.unflatten(0, (self.heads, -1)), w_k.unflatten(0, (self.heads, -1))

    def _attention(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = f"encoder.layer.{layer}.attention"
        q, k, v = (
            split_heads(self._linear(f"{name}.self.{of}", x), self.heads)
            for of in ("query", "key", "value")
        )  # (batch, head, time, width)
        mixed = attend(coupling(layer, q, k), v, self.causal)
        return self._linear(f"{name}.output.dense", merge_heads(mixed))

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = (self.weights[f"{name}.LayerNorm.{of}"] for of in ("weight", "bias"))
        return F.layer_norm(x, x.shape[-1:], weight, bias, self.epsilon)
