"""Attention in which the coupling is handed over: whole, cut, or only looked at.

A forward of this room calls `_attend` in each layer. Queries and keys are (batch, head, time,
width) with positions already in them (RoPE); the coupling made of them is ρ̂(x_t, x_s) of the paper
(Section 5.2), one matrix for each head and input.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.catalogue import ModelError

Coupling = Callable[[int, Tensor, Tensor], Tensor]
"""(layer, queries, keys) → what softmax gets, (batch, head, query, key), before the causal mask."""


def whole(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
    """The model's own coupling, Q Kᵀ / √width: (…, query, key)."""
    return queries @ keys.mT / math.sqrt(queries.shape[-1])


def softmax(logits: Tensor, causal: bool, places: Tensor | None = None) -> Tensor:
    """Weights of each query, its row; where `causal`, later keys get none: by their order, or by
    the `places` of all tokens, (time,)."""
    if causal:
        later = torch.ones(logits.shape[-2:], dtype=torch.bool).triu(1)
        if places is not None:
            later = places[None, :] > places[:, None]
        logits = logits.masked_fill(later.to(logits.device), -math.inf)
    return logits.softmax(-1)


class Model(ABC):
    """A model as a function of a batch of inputs: what forwards share, and what each must have."""

    causal = False
    """Whether a token sees only itself and those before it."""
    places: Tensor | None = None
    """Where the tokens stand, (time,); None: one after the other."""

    def __init__(self, weights: Mapping[str, Tensor], config: Mapping[str, Any]):
        self.weights = weights
        self.layers, self.heads, self.epsilon = entries(config, "layers", "heads", "epsilon")
        self.activate = ACTIVATIONS[config.get("activation", "gelu")]
        self.width = len(self._projections(0)[0]) // self.heads

    def __call__(self, inputs: Tensor, coupling: Coupling = whole) -> Tensor:
        """What is answered to them."""
        return self.answer(self.passed(self.embed(inputs), coupling))

    def passed(self, x: Tensor, coupling: Coupling, first: int = 0) -> Tensor:
        """What the layers from `first` on make of what that one gets."""
        for layer in range(first, self.layers):
            x = self.layer(layer, x, coupling)
        return x

    @abstractmethod
    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets: (batch, time, dimension)."""

    @abstractmethod
    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        """What a layer makes of what it gets: (batch, time, dimension) both."""

    @abstractmethod
    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer."""

    @abstractmethod
    def _projections(self, layer: int) -> Sequence[Tensor]:
        """W_Q and W_K of a layer, each (head · width, dimension), the gain of the norm before them
        in both; biases are left out."""

    def projections(self, layer: int) -> tuple[Tensor, Tensor]:
        """The same head by head, (head, width, dimension); a key head stands beside each query head
        that it serves."""
        w_q, w_k = (matrix.unflatten(0, (-1, self.width)) for matrix in self._projections(layer))
        return w_q, w_k.repeat_interleave(len(w_q) // len(w_k), 0)

    def _heads(self, x: Tensor) -> Tensor:
        """(batch, time, head · width) → (batch, head, time, width)."""
        return x.unflatten(-1, (-1, self.width)).transpose(1, 2)

    def _attend(self, layer: int, qkv: Iterable[Tensor], coupling: Coupling) -> Tensor:
        """softmax of the coupling of queries and keys, times the values, head beside head: (batch,
        head, time, width) each → (batch, time, head · width)."""
        queries, keys, values = qkv
        weights = softmax(coupling(layer, queries, keys), self.causal, self.places)
        return (weights @ values).transpose(1, 2).flatten(-2)

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return F.linear(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def _norm(self, name: str, x: Tensor) -> Tensor:
        weight, bias = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return F.layer_norm(x, x.shape[-1:], weight, bias, self.epsilon)


@dataclass(frozen=True)
class Observed:
    """What a model did with a batch of inputs."""

    answer: Tensor
    queries: Tensor
    """(layer, batch, head, time, width), divided by √width."""
    keys: Tensor
    causal: bool
    entered: tuple[Tensor, ...]
    """What each layer got, (batch, time, dimension): from there on it may go another way."""

    @property
    def logits(self) -> Tensor:
        """The couplings: (layer, batch, head, query, key), before the causal mask."""
        return self.queries @ self.keys.mT

    @property
    def attention(self) -> Tensor:
        """What softmax makes of them."""
        return softmax(self.logits, self.causal)


@torch.no_grad()
def observe(model: Model, inputs: Tensor, coupling: Coupling = whole) -> Observed:
    """Run a model and keep queries and keys of every layer and head, and what each layer got."""
    seen: list[tuple[Tensor, Tensor]] = []

    def record(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        seen.append((queries / math.sqrt(queries.shape[-1]), keys))
        return coupling(layer, queries, keys)

    x, entered = model.embed(inputs), []
    for layer in range(model.layers):
        entered.append(x)
        x = model.layer(layer, x, record)
    queries, keys = (torch.stack(per_layer) for per_layer in zip(*seen, strict=True))
    return Observed(model.answer(x), queries, keys, model.causal, tuple(entered))


def load_weights(folder: Path) -> dict[str, Tensor]:
    """The arrays of a fetched model, float32; raises ModelError for a damaged file."""
    try:
        weights = load_file(folder / "weights.safetensors")
    except (SafetensorError, OSError) as error:
        raise ModelError(
            f"{folder} is damaged ({error}): `models remove`, then `models fetch` or `models "
            "import`, makes it anew"
        ) from error
    return {name: weight.float() for name, weight in weights.items()}


ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "quick_gelu": lambda x: x * (1.702 * x).sigmoid(),
    "relu": F.relu,
    "silu": F.silu,
}
"""By the names of `transformers`."""


def entries(config: Mapping[str, Any], *names: str) -> list[Any]:
    """Entries of a model's JSON; raises ModelError for one that is missing."""
    if missing := [name for name in names if name not in config]:
        raise ModelError(f"the model's JSON lacks {', '.join(missing)}")
    return [config[name] for name in names]
