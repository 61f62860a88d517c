"""A language model that is shown a text in another order, with and without its positions moved.

The tokens come as x∘p. Under the same weights the model then predicts the next token of another
text. Where each token keeps the position it had, by which RoPE turns it and by which the causal
mask tells earlier from later, nothing is left of the order: each token sees what it saw, and
predicts what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from explorer.pretrained import look
from explorer.pretrained.attention import Coupling, whole
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.load import load
from explorer.pretrained.measure import say, shown
from explorer.pretrained.seen import Input, Reordering
from explorer.pretrained.smollm2 import SmolLM2, perplexity
from explorer.spec.alterations import faults
from explorer.targets.alterations import named_order

NAME = "smollm2"


@torch.no_grad()
def orders(
    models: Path, count: int, length: int, named: Mapping[str, Sequence[int]]
) -> Iterator[dict[str, Any]]:
    """A row for each text and each order p by its name: the perplexity of the text as it was
    written, in the other order, and with the positions moved along; and `gap`, the largest change
    of a logit then, of the largest logit."""
    model = in_double(cast(SmolLM2, load(models, NAME)))
    for at, tokens in enumerate(shown(models, NAME, model, count, length)):
        say(f"orders: text {at + 1} of {count}")
        own = model(tokens[None])
        for name, p in named.items():
            yield {"order": name, "text": at} | _of_order(model, tokens, own, torch.tensor(p))


@torch.no_grad()
def reordered(
    models: Path, asked: Reordering, poll: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """The same of one text of the reader's and one order: beside the numbers the `tokens` of the
    text and the `order` as a list. What `poll` raises, which is asked in every layer, ends it.

    Raises ModelError for an order that is none of that text.
    """
    model, what, own = _whole(models, asked.shown)
    order = order_of(asked, len(what.tokens))
    found = _of_order(model, what.inputs[0], own, torch.tensor(order), look.polling(whole, poll))
    return {"tokens": what.tokens, "order": order} | found


def order_of(asked: Reordering, count: int) -> tuple[int, ...]:
    """The order of so many tokens; raises ModelError where it is of another number of them."""
    if isinstance(asked.order, str):
        return named_order(asked.order, count, asked.seed)
    if wrong := faults(asked.order, count):
        raise ModelError(
            f"the text has {count} tokens: each position from 0 to {count - 1} is needed once, and "
            f"{len(asked.order)} are there; {wrong}"
        )
    return asked.order


@lru_cache(maxsize=1)
def _whole(models: Path, asked: Input) -> tuple[SmolLM2, look.Shown, Tensor]:
    """The model, a text and what it says of it as it was written."""
    what = look.shown(look.opened(models, asked.model), asked)
    model = in_double(cast(SmolLM2, what.of.model))
    return model, what, model(what.inputs)


def in_double(model: SmolLM2) -> SmolLM2:
    """The same model in 64 bits: in 32 the same sums in another order differ by 2e-6 of the largest
    logit."""
    exact = copy(model)
    exact.weights = _Doubles(model.weights)
    return exact


class _Doubles(Mapping[str, Tensor]):
    """Weights that are doubled as they are used: all of them at once would be a gigabyte."""

    def __init__(self, weights: Mapping[str, Tensor]):
        self._weights = weights

    def __getitem__(self, name: str) -> Tensor:
        return self._weights[name].double()

    def __iter__(self) -> Iterator[str]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)


def _of_order(
    model: SmolLM2, tokens: Tensor, own: Tensor, order: Tensor, coupling: Coupling = whole
) -> dict[str, float]:
    seen = tokens[order][None]
    moved = model.at(order)(seen, coupling)[:, order.argsort()]  # back in the order of the text
    return {
        "original": float(perplexity(own, tokens[None])[0]),
        "permuted": float(perplexity(model(seen, coupling), seen)[0]),
        "moved": float(perplexity(moved, tokens[None])[0]),
        "gap": float((moved - own).abs().max() / own.abs().max()),
    }
