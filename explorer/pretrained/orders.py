"""A language model that is shown a text in another order, with and without its positions moved.

The tokens come as x∘p. Under the same weights the model then predicts the next token of another
text. Where each token keeps the position it had, by which RoPE turns it and by which the causal
mask tells earlier from later, nothing is left of the order: each token sees what it saw, and
predicts what it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from explorer.pretrained.load import load
from explorer.pretrained.measure import say, shown
from explorer.pretrained.smollm2 import SmolLM2, perplexity

NAME = "smollm2"


@torch.no_grad()
def orders(
    models: Path, count: int, length: int, named: Mapping[str, Sequence[int]]
) -> Iterator[dict[str, Any]]:
    """A row for each text and each order p by its name: the perplexity of the text as it was
    written, in the other order, and with the positions moved along; and `gap`, the largest change
    of a logit then, of the largest logit."""
    model = cast(SmolLM2, load(models, NAME))
    # in 32 bits the same sums in another order differ by 2e-6 of the largest logit
    model.weights = {name: weight.double() for name, weight in model.weights.items()}
    for at, tokens in enumerate(shown(models, NAME, model, count, length)):
        say(f"orders: text {at + 1} of {count}")
        own = model(tokens[None])
        for name, p in named.items():
            yield {"order": name, "text": at} | _of_order(model, tokens, own, torch.tensor(p))


def _of_order(model: SmolLM2, tokens: Tensor, own: Tensor, order: Tensor) -> dict[str, float]:
    seen = tokens[order][None]
    moved = model.at(order)(seen)[:, order.argsort()]  # back in the order of the text
    return {
        "original": float(perplexity(own, tokens[None])[0]),
        "permuted": float(perplexity(model(seen), seen)[0]),
        "moved": float(perplexity(moved, tokens[None])[0]),
        "gap": float((moved - own).abs().max() / own.abs().max()),
    }
