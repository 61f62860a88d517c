"""Vision Transformers: a picture is patches and a class token, each of which sees all others.

DINOv2 ViT-S/14 (16 × 16 patches) has a head that says where in the picture one would look.
"""

from collections.abc import Mapping
from typing import Any

import torch
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

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet, as it was trained
BATCH_EPSILON = 1e-5


class ViT:
    """DINOv2 and its map as a function of pictures."""

    causal = False

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        self.weights = weights
        self.layers, self.heads, self.patch, self.side, self.epsilon = said(
            config, "layers", "heads", "patch", "side", "epsilon"
        )
        self.width = weights["positions"].shape[-1] // self.heads
        self.activate = activation(config)

    def __call__(self, inputs: Tensor, coupling: Coupling = whole) -> Tensor:
        """Pictures (batch, 3, side, side), normalised, → where to look, (batch, side, side) in
        [0, 1]."""
        return self.answer(passed(self, self.embed(inputs), 0, coupling))

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        """What a layer makes of (batch, 1 + patches, dimension)."""
        name = f"layer.{layer}"
        scale = self.weights[f"{name}.layer_scale1.lambda1"]
        x = x + scale * self._attention(layer, self._norm(f"{name}.norm1", x), coupling)
        scale = self.weights[f"{name}.layer_scale2.lambda1"]
        return x + scale * self._network(f"{name}.mlp", self._norm(f"{name}.norm2", x))

    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer."""
        return self._map(self._norm("layernorm", x)[:, 1:])

    def projections(self, layer: int) -> tuple[Tensor, Tensor]:
        """W_Q and W_K of the heads of a layer, (head, width, dimension), the gain of the norm
        before them in both; their biases are left out."""
        gain = self.weights[f"layer.{layer}.norm1.weight"]
        w_q, w_k = (
            self.weights[f"layer.{layer}.attention.attention.{name}.weight"] * gain
            for name in ("query", "key")
        )
        return w_q.unflatten(0, (self.heads, -1)), w_k.unflatten(0, (self.heads, -1))

    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets, (batch, 1 + patches, dimension): the class token first,
        positions added."""
        name = "embeddings.patch_embeddings.projection"
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        patches = F.conv2d(inputs, weight, bias, stride=self.patch).flatten(2).mT
        first = self.weights["embeddings.cls_token"] + self.weights["class_position"]
        x = patches + self._positions(self.side // self.patch)
        return torch.cat([first.expand(len(x), -1, -1), x], 1)

    def _positions(self, count: int) -> Tensor:
        """The grid of positions it was trained with, resized to count × count patches."""
        trained = self.weights["positions"]  # (1, 37 · 37, dimension)
        side = round(trained.shape[1] ** 0.5)
        grid = trained.mT.unflatten(-1, (side, side))
        return F.interpolate(grid, (count, count), mode="bicubic").flatten(2).mT

    def _attention(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = f"layer.{layer}.attention"
        q, k, v = (
            split_heads(self._linear(f"{name}.attention.{of}", x), self.heads)
            for of in ("query", "key", "value")
        )  # (batch, head, time, width)
        mixed = attend(coupling(layer, q, k), v, self.causal)
        return self._linear(f"{name}.output.dense", merge_heads(mixed))

    def _network(self, name: str, x: Tensor) -> Tensor:
        return self._linear(f"{name}.fc2", self.activate(self._linear(f"{name}.fc1", x)))

    def _map(self, x: Tensor) -> Tensor:
        """Tokens of patches (batch, patches, dimension) → a number for each pixel."""
        side = self.side // self.patch
        x = x.mT.unflatten(-1, (side, side))
        for stage in (1, 2, 3):
            weight, bias = (
                self.weights[f"decoder.upconv{stage}.{of}"] for of in ("weight", "bias")
            )
            x = F.conv_transpose2d(x, weight, bias, stride=2, padding=1)
            mean, variance, weight, bias = (
                self.weights[f"decoder.bn{stage}.{of}"]
                for of in ("running_mean", "running_var", "weight", "bias")
            )
            x = F.batch_norm(x, mean, variance, weight, bias, eps=BATCH_EPSILON).relu()
        weight, bias = (self.weights[f"decoder.final_conv.{of}"] for of in ("weight", "bias"))
        x = F.interpolate(F.conv2d(x, weight, bias), (self.side, self.side), mode="bilinear")
        return x[:, 0].sigmoid()

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(x, x.shape[-1:], weight, bias, self.epsilon)


class PlainViT(ViT):
    """A ViT as `transformers` has it. It answers the logits of classes, (batch, class), or where it
    was not trained to tell any the cosine of each patch to the class token, (batch, row, column).
    """

    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer."""
        x = self._norm("layernorm", x)
        if "classifier.weight" in self.weights:
            return self._linear("classifier", x[:, 0])
        side = self.side // self.patch
        return F.cosine_similarity(x[:, 1:], x[:, :1], dim=-1).unflatten(-1, (side, side))
