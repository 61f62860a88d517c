"""What is measured of a fetched model: spectra over inputs, and its answers with k terms."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.attention import Model, observe
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.cut import cut
from explorer.pretrained.fetch import config_of, folder_of
from explorer.pretrained.inputs import pictures, tokens_of
from explorer.pretrained.kept import Spectra
from explorer.pretrained.load import load
from explorer.pretrained.smollm2 import perplexity
from explorer.pretrained.spectra import coupling_spectra, energy_rank, weight_spectra
from explorer.pretrained.texts import TEXTS
from explorer.pretrained.tokens import tokenizer

MEASURES = {
    "smollm2": "perplexity",
    "vit": "nMSE of the map",
    "minilm": "1 − cosine to its own vector",
}


def shown(models: Path, name: str, model: Model, count: int, length: int) -> Tensor:
    """Inputs of a model: so many of the pictures that came with it, or the first `length` tokens of
    so many of our texts."""
    folder = folder_of(models, MODELS[name])
    if name == "vit":
        return pictures(folder, config_of(folder)["side"], count)
    return tokens_of(tokenizer(name, config_of(folder)), TEXTS[:count], length)


@torch.no_grad()
def spectra(models: Path, name: str, count: int, length: int) -> tuple[Spectra, float]:
    """Spectra of all couplings on so many inputs, and the greatest σ_{m_h+1} / σ_1 of the first
    input, from its whole matrices: rounding, unless a coupling had a rank above the width."""
    model = load(models, name)
    found: dict[bool, list[Tensor]] = {False: [], True: []}
    beyond = 0.0
    for at, one in enumerate(shown(models, name, model, count, length)):
        say(f"{MODELS[name].title}: input {at + 1} of {count}")
        seen = observe(model, one[None])
        for centred, of in found.items():
            of.append(coupling_spectra(seen, centred)[:, 0])
        if at == 0:
            sigma = torch.linalg.svdvals(seen.logits[:, 0])
            beyond = float((sigma[..., model.width] / sigma[..., 0]).max())
    raw, centred = (torch.stack(of) for of in found.values())
    weights = weight_spectra(model)
    values = [(of / of[..., :1]).numpy() for of in (raw, centred, weights)]
    ranks = [energy_rank(of).numpy() for of in (raw, centred, weights)]
    return Spectra(*values, *ranks), beyond


@torch.no_grad()
def cuts(
    models: Path, name: str, count: int, length: int, terms: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """A row for each input, each k and each centring: how far the model with k terms of all its
    couplings is from itself, by its measure, and the `own` value of that."""
    model = load(models, name)
    measure = _measure(name)
    for at, one in enumerate(shown(models, name, model, count, length)):
        say(f"{MODELS[name].title}: input {at + 1} of {count}")
        answer = model(one[None])
        own = measure(answer, answer, one)
        for centred in (False, True):
            for k in terms:
                value = measure(model(one[None], cut(k, centred)), answer, one)
                yield {
                    "model": name,
                    "measure": MEASURES[name],
                    "input": at,
                    "centred": centred,
                    "k": k,
                    "value": value,
                    "own": own,
                }


def _measure(name: str) -> Callable[[Tensor, Tensor, Tensor], float]:
    """(answer, the whole model's answer, input) → the measure of a model."""
    return {
        "smollm2": lambda answer, _, tokens: float(perplexity(answer, tokens[None])[0]),
        "vit": lambda answer, own, _: float((answer - own).square().mean() / own.var()),
        "minilm": lambda answer, own, _: max(0.0, float(1 - F.cosine_similarity(answer, own)[0])),
    }[name]


def say(text: str) -> None:
    """On a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
