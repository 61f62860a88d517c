"""What is measured of a fetched model: spectra over inputs, and its answers with k terms."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained.attention import Model, observe
from explorer.pretrained.catalogue import Says
from explorer.pretrained.fetch import config_of, folder_of
from explorer.pretrained.forwards import load
from explorer.pretrained.inputs import pictures, tokens_of
from explorer.pretrained.own import model_named
from explorer.pretrained.spectra import coupling_spectra, cut, energy_rank, weight_spectra
from explorer.pretrained.spectra_file import Spectra
from explorer.pretrained.texts import TEXTS
from explorer.pretrained.tokens import Numbers, Reader, tokenizer

MEASURES: dict[Says, str] = {
    "token": "perplexity",
    "map": "nMSE of the map",
    "vector": "1 − cosine to its own vector",
    "class": "1 − cosine to its own logits",
}


def shown(models: Path, name: str, count: int, length: int) -> Tensor:
    """Inputs of a model: so many of the pictures that came with it, or the first `length` tokens of
    so many of our texts."""
    about = model_named(models, name)
    folder = folder_of(models, about)
    config = config_of(folder)
    if about.reads == "picture":
        return pictures(folder, config["side"], count)
    reader = tokenizer(name, config)
    return tokens_of(reader, texts_of(reader)[:count], length)


def texts_of(reader: Reader) -> Sequence[str]:
    """What models that read texts are shown: paragraphs or, without words, numbers drawn evenly."""
    if not isinstance(reader, Numbers):
        return TEXTS
    drawn = torch.Generator().manual_seed(0)
    numbers = torch.randint(0, reader.size, (len(TEXTS), 128), generator=drawn).tolist()
    return ["".join(reader.texts(row)) for row in numbers]


@torch.no_grad()
def spectra(models: Path, name: str, count: int, length: int) -> tuple[Spectra, float]:
    """Spectra of all couplings on so many inputs, and the greatest σ_{m_h+1} / σ_1 of the first
    input, from its whole matrices: rounding, unless a coupling had a rank above the width."""
    model = load(models, name)
    return spectra_of(model, shown(models, name, count, length), name)


@torch.no_grad()
def spectra_of(model: Model, inputs: Tensor, name: str) -> tuple[Spectra, float]:
    """The same of a model at hand, on these inputs."""
    per_gauge: dict[bool, list[Tensor]] = {False: [], True: []}
    beyond = 0.0
    for at, one in enumerate(inputs):
        say(f"{name}: input {at + 1} of {len(inputs)}")
        seen = observe(model, one[None])
        for centred, per_input in per_gauge.items():
            per_input.append(coupling_spectra(seen, centred)[:, 0])
        if at == 0:
            sigma = torch.linalg.svdvals(seen.logits[:, 0])
            later = sigma[..., model.width :] / sigma[..., :1]
            beyond = float(later.max()) if later.numel() else 0.0  # of fewer tokens than that
    raw, centred = (torch.stack(per_input) for per_input in per_gauge.values())
    weights = weight_spectra(model)
    # fewer tokens than the width leave the last terms empty
    raw, centred = (
        F.pad(spectrum, (0, model.width - spectrum.shape[-1])) for spectrum in (raw, centred)
    )
    values = [(spectrum / spectrum[..., :1]).numpy() for spectrum in (raw, centred, weights)]
    ranks = [energy_rank(spectrum).numpy() for spectrum in (raw, centred, weights)]
    return Spectra(*values, *ranks), beyond


@torch.no_grad()
def cuts(
    models: Path, name: str, count: int, length: int, terms: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """A row for each input, each k and each centring: how far the model with k terms of all its
    couplings is from itself, by its measure, and the `own` value of that."""
    model, says = load(models, name), model_named(models, name).says
    yield from cuts_of(model, shown(models, name, count, length), terms, name, says)


@torch.no_grad()
def cuts_of(
    model: Model, inputs: Tensor, terms: Sequence[int], name: str, says: Says
) -> Iterator[dict[str, Any]]:
    """The same of a model at hand, on these inputs."""
    for at, one in enumerate(inputs.unsqueeze(1)):
        say(f"{name}: input {at + 1} of {len(inputs)}")
        answer = model(one)
        own = measured(says, answer, answer, one)
        for centred in (False, True):
            for k in terms:
                value = measured(says, model(one, cut(k, centred)), answer, one)
                yield {
                    "model": name,
                    "measure": MEASURES[says],
                    "input": at,
                    "centred": centred,
                    "k": k,
                    "value": value,
                    "own": own,
                }


def measured(says: Says, answer: Tensor, own: Tensor, inputs: Tensor) -> float:
    """Of the answer to one input: the perplexity, or how far it is from the whole model's own."""
    if says == "token":
        return float(perplexity(answer, inputs)[0])
    if says == "map":
        return float((answer - own).square().mean() / own.var())
    return max(0.0, float(1 - F.cosine_similarity(answer, own)[0]))


def token_losses(logits: Tensor, tokens: Tensor) -> Tensor:
    """−log p of each next token of (batch, time), in nats: (batch, time − 1)."""
    return -logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]


def perplexity(logits: Tensor, tokens: Tensor) -> Tensor:
    """exp of the mean −log p of each next token: one number for each text of (batch, time).

    A text of one token has none: nan.
    """
    return token_losses(logits, tokens).mean(1).exp()


def say(text: str) -> None:
    """On a terminal."""
    if sys.stderr.isatty():
        print(f"\r{text}\033[K", end="", file=sys.stderr, flush=True)
