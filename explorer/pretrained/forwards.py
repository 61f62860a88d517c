"""One forward for each family of models, and a model of the folder, ready to be called."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.attention import Coupling, Model, entries, load_weights
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.fetch import config_of, folder_of
from explorer.pretrained.own import model_named

BATCH_EPSILON = 1e-5


class SmolLM2(Model):
    """SmolLM2-135M: a Llama, that is causal attention with RoPE, RMSNorm and a gated network.

    Queries have 9 heads, keys and values 3: each of these serves three heads. The weights have the
    names of the GGUF file, and its order of queries and keys: RoPE turns neighbouring pairs (2i,
    2i+1). Inputs are token numbers (batch, time).
    """

    causal = True

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        super().__init__(weights, config)
        self.key_heads, self.base = entries(config, "key_heads", "rope_base")

    def embed(self, inputs: Tensor) -> Tensor:
        return self.weights["token_embd.weight"][inputs]

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        x = x + self._attention(layer, self._norm(f"blk.{layer}.attn_norm", x), coupling)
        return x + self._network(f"blk.{layer}", self._norm(f"blk.{layer}.ffn_norm", x))

    def answer(self, x: Tensor) -> Tensor:
        """Logits of the next token (batch, time, vocabulary)."""
        return self._norm("output_norm", x) @ self.weights["token_embd.weight"].mT

    def at(self, places: Tensor) -> Self:
        """The same model for tokens that stand at these places, to RoPE and to the causal mask,
        whatever the order in which they come."""
        placed = copy(self)
        placed.places = places
        return placed

    def _projections(self, layer: int) -> Sequence[Tensor]:
        gain = self.weights[f"blk.{layer}.attn_norm.weight"]
        return [self.weights[f"blk.{layer}.attn_{name}.weight"] * gain for name in "qk"]

    def _attention(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        q, k, v = (self._heads(self._linear(f"blk.{layer}.attn_{name}", x)) for name in "qkv")
        rotation, served = self._turns(x.shape[1]), self.heads // self.key_heads
        k, v = (tensor.repeat_interleave(served, 1) for tensor in (rotated(k, rotation), v))
        mixed = self._attend(layer, (rotated(q, rotation), k, v), coupling)
        return self._linear(f"blk.{layer}.attn_output", mixed)

    def _network(self, name: str, x: Tensor) -> Tensor:
        gate, up = (self._linear(f"{name}.ffn_{branch}", x) for branch in ("gate", "up"))
        return self._linear(f"{name}.ffn_down", F.silu(gate) * up)

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


def rotated(x: Tensor, rotation: Tensor) -> Tensor:
    """Pairs (2i, 2i+1) as complex numbers, turned by the position (Su et al., 2104.09864)."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * rotation).flatten(-2)


class GPT2(Model):
    """Causal attention with learned positions, norms before attention and network.

    The weights have the names and the orientation of `transformers`: x W + b, with W_Q, W_K and W_V
    beside each other in one matrix. Inputs are token numbers (batch, time).
    """

    causal = True

    def embed(self, inputs: Tensor) -> Tensor:
        return self.weights["wte.weight"][inputs] + self.weights["wpe.weight"][: inputs.shape[-1]]

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = f"h.{layer}"
        qkv = self._linear(f"{name}.attn.c_attn", self._norm(f"{name}.ln_1", x)).chunk(3, -1)
        mixed = self._attend(layer, map(self._heads, qkv), coupling)
        x = x + self._linear(f"{name}.attn.c_proj", mixed)
        wide = self.activate(self._linear(f"{name}.mlp.c_fc", self._norm(f"{name}.ln_2", x)))
        return x + self._linear(f"{name}.mlp.c_proj", wide)

    def answer(self, x: Tensor) -> Tensor:
        """Logits of the next token (batch, time, vocabulary), by the embeddings unless it has a
        matrix for it."""
        read = self.weights.get("lm_head.weight", self.weights["wte.weight"])
        return self._norm("ln_f", x) @ read.mT

    def _projections(self, layer: int) -> Sequence[Tensor]:
        gain = self.weights[f"h.{layer}.ln_1.weight"]
        return [
            matrix * gain
            for matrix in self.weights[f"h.{layer}.attn.c_attn.weight"].mT.chunk(3)[:2]
        ]

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]


class Encoder(Model):
    """What BERT and ViT have in common: the three matrices of a layer's attention, by name."""

    attention: str
    """Where these stand, of the number of a layer."""

    def _projections(self, layer: int) -> Sequence[Tensor]:
        name = self.attention.format(layer)
        return [self.weights[f"{name}.{role}.weight"] for role in ("query", "key")]

    def _attention(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = self.attention.format(layer)
        qkv = (self._heads(self._linear(f"{name}.{role}", x)) for role in ("query", "key", "value"))
        out = f"{name.rpartition('.')[0]}.output.dense"
        return self._linear(out, self._attend(layer, qkv, coupling))


class Bert(Encoder):
    """A BERT whose mean over the tokens is the vector of a sentence: MiniLM-L6, or the user's own.

    Inputs are token numbers (batch, time): all texts of a batch have the same length.
    """

    attention = "encoder.layer.{}.attention.self"

    def embed(self, inputs: Tensor) -> Tensor:
        words, places, kinds = (
            self.weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        x = words[inputs] + places[: inputs.shape[-1]] + kinds[0]
        return self._norm("embeddings.LayerNorm", x)

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = f"encoder.layer.{layer}"
        mixed = self._attention(layer, x, coupling)
        x = self._norm(f"{name}.attention.output.LayerNorm", x + mixed)
        wide = self.activate(self._linear(f"{name}.intermediate.dense", x))
        return self._norm(
            f"{name}.output.LayerNorm", x + self._linear(f"{name}.output.dense", wide)
        )

    def answer(self, x: Tensor) -> Tensor:
        """Vectors of length 1 (batch, dimension)."""
        return F.normalize(x.mean(1), dim=-1)


class ViT(Encoder):
    """DINOv2 ViT-S/14: a picture is 16 × 16 patches and a class token, each of which sees all
    others, and a map says where in it one would look.

    Inputs are pictures (batch, 3, side, side), normalised.
    """

    attention = "layer.{}.attention.attention"

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        super().__init__(weights, config)
        self.patch, self.side = entries(config, "patch", "side")

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        name = f"layer.{layer}"
        scale = self.weights[f"{name}.layer_scale1.lambda1"]
        x = x + scale * self._attention(layer, self._norm(f"{name}.norm1", x), coupling)
        scale = self.weights[f"{name}.layer_scale2.lambda1"]
        wide = self.activate(self._linear(f"{name}.mlp.fc1", self._norm(f"{name}.norm2", x)))
        return x + scale * self._linear(f"{name}.mlp.fc2", wide)

    def answer(self, x: Tensor) -> Tensor:
        """Where to look, (batch, side, side) in [0, 1]."""
        return self._map(self._norm("layernorm", x)[:, 1:])

    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets, (batch, 1 + patches, dimension): the class token first,
        positions added."""
        name = "embeddings.patch_embeddings.projection"
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        patches = F.conv2d(inputs, weight, bias, stride=self.patch).flatten(2).mT
        first = self.weights["embeddings.cls_token"] + self.weights["class_position"]
        x = patches + self._positions(self.side // self.patch)
        return torch.cat([first.expand(len(x), -1, -1), x], 1)

    def _projections(self, layer: int) -> Sequence[Tensor]:
        gain = self.weights[f"layer.{layer}.norm1.weight"]
        return [matrix * gain for matrix in super()._projections(layer)]

    def _positions(self, count: int) -> Tensor:
        """The grid of positions it was trained with, resized to count × count patches."""
        trained = self.weights["positions"]  # (1, 37 · 37, dimension)
        side = round(trained.shape[1] ** 0.5)
        grid = trained.mT.unflatten(-1, (side, side))
        return F.interpolate(grid, (count, count), mode="bicubic").flatten(2).mT

    def _map(self, x: Tensor) -> Tensor:
        """Tokens of patches (batch, patches, dimension) → a number for each pixel."""
        side = self.side // self.patch
        x = x.mT.unflatten(-1, (side, side))
        for stage in (1, 2, 3):
            weight, bias = (
                self.weights[f"decoder.upconv{stage}.{part}"] for part in ("weight", "bias")
            )
            x = F.conv_transpose2d(x, weight, bias, stride=2, padding=1)
            mean, variance, weight, bias = (
                self.weights[f"decoder.bn{stage}.{part}"]
                for part in ("running_mean", "running_var", "weight", "bias")
            )
            x = F.batch_norm(x, mean, variance, weight, bias, eps=BATCH_EPSILON).relu()
        weight, bias = (self.weights[f"decoder.final_conv.{part}"] for part in ("weight", "bias"))
        x = F.interpolate(F.conv2d(x, weight, bias), (self.side, self.side), mode="bilinear")
        return x[:, 0].sigmoid()


class PlainViT(ViT):
    """A ViT as `transformers` has it."""

    def answer(self, x: Tensor) -> Tensor:
        """The logits of classes, (batch, class), or where it was not trained to tell any the cosine
        of each patch to the class token, (batch, row, column)."""
        x = self._norm("layernorm", x)
        if "classifier.weight" in self.weights:
            return self._linear("classifier", x[:, 0])
        side = self.side // self.patch
        return F.cosine_similarity(x[:, 1:], x[:, :1], dim=-1).unflatten(-1, (side, side))


FORWARDS: dict[str, Callable[..., Model]] = {
    "smollm2": SmolLM2,
    "vit": ViT,
    "minilm": Bert,
    "own bert": Bert,
    "own gpt2": GPT2,
    "own vit": PlainViT,
}
"""By the name of a model or, of the user's own, by what its JSON calls the `forward`."""


def load(models: Path, name: str) -> Model:
    """A model of the folder; raises ModelError where it is not there, or damaged."""
    folder = folder_of(models, model_named(models, name))
    config = config_of(folder)
    try:
        return FORWARDS[config.get("forward", name)](load_weights(folder), config)
    except KeyError as error:
        raise ModelError(f"{folder} lacks {error}: remove the model, bring it again") from None
