"""A language model that is shown a text in another order, with and without its positions moved.

The tokens come as x∘p. Under the same weights the model then predicts the next token of another
text. Where each token keeps the position it had, by which RoPE turns it and by which the causal
mask tells earlier from later, nothing is left of the order: each token sees what it saw, and
predicts what it did.
"""

import base64
from collections import UserDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from explorer.pretrained import probe
from explorer.pretrained.attention import Coupling, Observed, observe, softmax, whole
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.forwards import SmolLM2, load
from explorer.pretrained.measure import perplexity, say, shown
from explorer.pretrained.seen import Input, Reordering

NAME = "smollm2"


@torch.no_grad()
def orders(
    models: Path, count: int, length: int, named: Mapping[str, Sequence[int]]
) -> Iterator[dict[str, Any]]:
    """A row for each text and each order p by its name: the perplexity of the text as it was
    written, in the other order, and with the positions moved along; and `gap`, the largest change
    of a logit then, of the largest logit."""
    model = in_double(cast(SmolLM2, load(models, NAME)))
    for at, tokens in enumerate(shown(models, NAME, count, length)):
        say(f"orders: text {at + 1} of {count}")
        own = model(tokens[None])
        for name, p in named.items():
            order = torch.tensor(p)
            permuted = model(tokens[order][None])
            yield {"order": name, "text": at} | _numbers(model, tokens, order, own, permuted)


@torch.no_grad()
def reordered(
    models: Path, asked: Reordering, poll: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """The same of one text of the reader's and one order: beside the numbers the `tokens` of the
    text, the `order` as a list, and the attention of a head, as `_looks` has it. What `poll`
    raises, which is asked in every layer, ends it.

    An order that is none of that text is `refused`, and why is said: the tokens help to mend it.
    """
    model, what, own = _whole(models, asked.shown)
    try:
        order = asked.permutation(len(what.tokens))
    except ModelError as error:
        return {"tokens": what.tokens, "refused": str(error)}
    polled, p = probe.polling(whole, poll), torch.tensor(order)
    permuted = observe(model, what.inputs[:, p], polled)
    numbers = _numbers(model, what.inputs[0], p, own.answer, permuted.answer, polled)
    looks = _looks(own, permuted, p, asked.layer, asked.head)
    return {"tokens": what.tokens, "order": order} | numbers | looks


@lru_cache(maxsize=1)
def _whole(models: Path, asked: Input) -> tuple[SmolLM2, probe.Shown, Observed]:
    """The model, a text and what it does with that as it was written."""
    what = probe.shown(probe.open_model(models, asked.model), asked)
    model = in_double(cast(SmolLM2, what.opened.model))
    return model, what, observe(model, what.inputs)


def _looks(own: Observed, permuted: Observed, p: Tensor, layer: int, head: int) -> dict[str, Any]:
    """The `weights` of a head on the tokens as they are seen, (place, place) as half floats in
    base64; and `elsewhere`, the share of them that goes to other tokens than in the text as it was
    written, mean over the tokens."""
    before, now = (
        softmax(
            observed.queries[layer, 0, head] @ observed.keys[layer, 0, head].mT, observed.causal
        )
        for observed in (own, permuted)
    )
    elsewhere = (now - before[p][:, p]).abs().sum(-1).mean() / 2
    halves = now.half().numpy().tobytes()
    return {"weights": base64.b64encode(halves).decode(), "elsewhere": float(elsewhere)}


def in_double(model: SmolLM2) -> SmolLM2:
    """The same model in 64 bits: in 32 the same sums in another order differ by 2e-6 of the largest
    logit."""
    exact = copy(model)
    exact.weights = _Doubles(model.weights)
    return exact


class _Doubles(UserDict[str, Tensor]):
    """Weights that are doubled as they are used: all of them at once would be a gigabyte."""

    def __getitem__(self, name: str) -> Tensor:
        return super().__getitem__(name).double()


def _numbers(
    model: SmolLM2,
    tokens: Tensor,
    p: Tensor,
    own: Tensor,
    permuted: Tensor,
    coupling: Coupling = whole,
) -> dict[str, float]:
    """Of what is answered to the tokens as they were written, `own`, and to x∘p."""
    seen = tokens[p][None]
    moved = model.at(p)(seen, coupling)[:, p.argsort()]  # back in the order of the text
    return {
        "original": float(perplexity(own, tokens[None])[0]),
        "permuted": float(perplexity(permuted, seen)[0]),
        "moved": float(perplexity(moved, tokens[None])[0]),
        "gap": float((moved - own).abs().max() / own.abs().max()),
    }
