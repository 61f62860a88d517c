"""Attention in which the coupling is handed over: whole, cut, or only looked at.

A forward of this room calls `attend` in each layer. Queries and keys are (batch, head, time, width)
with positions already in them (RoPE); the coupling made of them is ρ̂(x_t, x_s) of the paper
(Section 5.2), one matrix for each head and input.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.catalogue import ModelError

Coupling = Callable[[int, Tensor, Tensor], Tensor]
"""(layer, queries, keys) → what softmax gets, (batch, head, query, key), before the causal mask."""


class Model(Protocol):
    """A model of this room."""

    layers: int
    heads: int
    width: int
    causal: bool
    """Whether a token sees only itself and those before it."""

    def __call__(self, inputs: Tensor, coupling: Coupling = ...) -> Tensor: ...

    def embed(self, inputs: Tensor) -> Tensor:
        """What the first layer gets."""
        ...

    def layer(self, layer: int, x: Tensor, coupling: Coupling) -> Tensor:
        """What a layer makes of what it gets: (batch, time, dimension) both."""
        ...

    def answer(self, x: Tensor) -> Tensor:
        """What is read from the last layer."""
        ...

    def projections(self, layer: int) -> tuple[Tensor, Tensor]:
        """W_Q and W_K of the heads of a layer, each (head, width, dimension)."""
        ...


def whole(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
    """The model's own coupling, Q Kᵀ / √width: (…, query, key)."""
    return queries @ keys.mT / math.sqrt(queries.shape[-1])


def passed(model: Model, x: Tensor, first: int, coupling: Coupling) -> Tensor:
    """What the layers from `first` on make of what that one gets."""
    for layer in range(first, model.layers):
        x = model.layer(layer, x, coupling)
    return x


def attend(logits: Tensor, values: Tensor, causal: bool, places: Tensor | None = None) -> Tensor:
    """softmax(logits) over the keys, times the values."""
    return softmax(logits, causal, places) @ values


def softmax(logits: Tensor, causal: bool, places: Tensor | None = None) -> Tensor:
    """Weights of each query, its row; where `causal`, later keys get none: by their order, or by
    the `places` of all tokens, (time,)."""
    if causal:
        later = torch.ones(logits.shape[-2:], dtype=torch.bool).triu(1)
        if places is not None:
            later = places[None, :] > places[:, None]
        logits = logits.masked_fill(later.to(logits.device), -math.inf)
    return logits.softmax(-1)


def split_heads(x: Tensor, heads: int) -> Tensor:
    """(batch, time, head · width) → (batch, head, time, width)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    """Back again."""
    return x.transpose(1, 2).flatten(-2)


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

    def look(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        seen.append((queries / math.sqrt(queries.shape[-1]), keys))
        return coupling(layer, queries, keys)

    x, entered = model.embed(inputs), []
    for layer in range(model.layers):
        entered.append(x)
        x = model.layer(layer, x, look)
    queries, keys = (torch.stack(of) for of in zip(*seen, strict=True))
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


def activation(config: Mapping[str, Any]) -> Callable[[Tensor], Tensor]:
    """What stands between the two matrices of a network; GELU where nothing is said."""
    return ACTIVATIONS[config.get("activation", "gelu")]


ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": partial(F.gelu, approximate="tanh"),
    "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh"),
    "quick_gelu": lambda x: x * (1.702 * x).sigmoid(),
    "relu": F.relu,
    "silu": F.silu,
}
"""By the names of `transformers`."""


def said(config: Mapping[str, Any], *names: str) -> list[Any]:
    """Entries of a model's JSON; raises ModelError for one that is missing."""
    if missing := [name for name in names if name not in config]:
        raise ModelError(f"the model's JSON lacks {', '.join(missing)}")
    return [config[name] for name in names]
