"""Which heads tolerate which k: a model's loss when the coupling of one head alone keeps k terms,
and when each head keeps as many as it needs.

All inputs go through a model together; the layers before the one that is cut are the same for all
its heads and are run once.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.attention import Coupling, Model, whole
from explorer.pretrained.forwards import load
from explorer.pretrained.measure import say, shown, token_losses
from explorer.pretrained.spectra import cut, truncated
from explorer.pretrained.spectra_file import Tolerance

Loss = Callable[[Tensor], Tensor]
"""An answer → the loss of each input."""


def loss_of(name: str, inputs: Tensor, own: Tensor) -> Loss:
    """The loss of a model's answers to these inputs, one number each: mean −log p of the next token
    in nats; squared error ÷ variance of its own map; 1 − cosine to its own vector."""
    return {
        "smollm2": lambda answer: token_losses(answer, inputs).mean(1),
        "vit": lambda answer: (
            (answer - own).square().mean((1, 2)) / own.flatten(1).var(1, correction=0)
        ),
        "minilm": lambda answer: (1 - F.cosine_similarity(answer, own)).clamp(min=0),
    }[name]


@torch.no_grad()
def tolerance(
    models: Path, name: str, count: int, length: int, terms: Sequence[int], shares: Sequence[float]
) -> Tolerance:
    """Losses of a model on so many inputs: each head alone cut to each of `terms`; and all heads at
    once, to one k or each to the least k with which it alone adds no more than a share of the
    language model's own loss, or than this distance (see `budget`)."""
    model = load(models, name)
    inputs = shown(models, name, count, length)
    own = model(inputs)
    loss = loss_of(name, inputs, own)
    alone = one_by_one(model, inputs, loss, terms, name)
    uniform = torch.stack([loss(model(inputs, cut(k))) for k in terms], 1)
    mine = loss(own)
    scale = float(mine.mean()) if name == "smollm2" else 1.0  # others are distances from 0
    tables = [budget(alone, mine, terms, model.width, share * scale) for share in shares]
    chosen = torch.stack([loss(model(inputs, cut_each(table))) for table in tables], 1)
    return Tolerance(
        np.array(terms),
        np.array(shares),
        mine.numpy(),
        alone.numpy(),
        uniform.numpy(),
        chosen.numpy(),
        torch.stack(tables).numpy(),
    )


def one_by_one(
    model: Model, inputs: Tensor, loss: Loss, terms: Sequence[int], name: str = ""
) -> Tensor:
    """Losses with one head cut: (input, layer, head, k of `terms`)."""
    losses = torch.empty(len(inputs), model.layers, model.heads, len(terms))
    x = model.embed(inputs)
    for layer in range(model.layers):
        say(f"{name}: layer {layer + 1} of {model.layers}")
        for head in range(model.heads):
            for at, k in enumerate(terms):
                after = model.passed(x, cut(k, layers=[layer], heads=[head]), layer)
                losses[:, layer, head, at] = loss(model.answer(after))
        x = model.layer(layer, x, whole)
    return losses


def budget(alone: Tensor, own: Tensor, terms: Sequence[int], width: int, bearable: float) -> Tensor:
    """The least k of `terms` from which on a head alone adds no more than is bearable to the mean
    loss, for each head: (layer, head); the width where none does."""
    borne = alone.mean(0) - own.mean() <= bearable
    from_here = borne.flip(-1).long().cumprod(-1).flip(-1).bool()
    least = torch.where(from_here, torch.tensor(terms), width)
    return least.amin(-1)


def cut_each(table: Tensor) -> Coupling:
    """A coupling whose heads keep as many terms as the table says: (layer, head)."""

    def coupling(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        logits = whole(layer, queries, keys)
        for k in table[layer].unique().tolist():
            heads = (table[layer] == k).nonzero()[:, 0]
            if k < queries.shape[-1]:
                logits[:, heads] = truncated(queries[:, heads], keys[:, heads], k)
        return logits

    return coupling
