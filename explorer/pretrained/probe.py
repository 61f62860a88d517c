"""A fetched model shown one text or picture: what its heads do, and what it says with heads cut.

A worker keeps the model it was last asked about, and what that did with the last inputs: another
cut of the same input is a forward of the layers from the first that is cut.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from explorer.pretrained import example, seen
from explorer.pretrained.attention import Coupling, Model, Observed, observe
from explorer.pretrained.catalogue import ModelError, Says
from explorer.pretrained.fetch import config_of, folder_of
from explorer.pretrained.forwards import ViT, load
from explorer.pretrained.inputs import MEAN, STD, picture
from explorer.pretrained.measure import measured, texts_of
from explorer.pretrained.own import model_named
from explorer.pretrained.seen import LONGEST_TEXT, MOST_TOKENS, Cutting, Input
from explorer.pretrained.spectra import coupling_spectra, cut
from explorer.pretrained.tokens import Reader, tokenizer

ANSWERS = 5
UNKNOWN = "[UNK]"
NUMBERS = 8  # of a text without words that is compared with
SHOWN_SIDE = 112  # pixels of a picture beside its tokens
EXAMPLE_SIDE, EXAMPLE_TERMS = 112, (1, 2, 4, 8, 16, 24)


@dataclass(frozen=True)
class Opened:
    """A model, what reads its inputs, and the texts that a sentence is compared with."""

    name: str
    says: Says
    model: Model
    config: dict[str, Any]
    reader: Reader | None
    beside: Mapping[str, Tensor] = field(default_factory=dict)
    """Vectors of those, (dimension)."""


@dataclass(frozen=True)
class Shown:
    """An input as its model takes it."""

    opened: Opened
    inputs: Tensor
    """(1, …)."""
    tokens: tuple[str, ...]
    note: str
    picture: np.ndarray | None = None


@lru_cache(maxsize=1)
@torch.no_grad()
def open_model(models: Path, name: str) -> Opened:
    """A model of the folder; the one before goes."""
    model = load(models, name)
    about = model_named(models, name)
    config = config_of(folder_of(models, about))
    reader = tokenizer(name, config) if about.reads == "text" else None
    beside = _sentences(model, reader, config) if reader and about.says == "vector" else {}
    return Opened(name, about.says, model, config, reader, beside)


def _sentences(model: Model, reader: Reader, config: Mapping[str, Any]) -> dict[str, Tensor]:
    """Vectors of what begins our texts: their first sentence, or so many numbers."""
    begun = [_first_sentence(text) for text in texts_of(reader)]
    most = config.get("positions", MOST_TOKENS)
    return {text: model(torch.tensor([reader.encode(text)[:most]]))[0] for text in begun}


def _first_sentence(text: str) -> str:
    sentence, dot, _ = text.partition(". ")
    return f"{sentence}." if dot else " ".join(text.split()[:NUMBERS])


def shown(opened: Opened, asked: Input, data: bytes = b"") -> Shown:
    """An input as a model takes it; `data` is a picture's file, the example's where none is named.

    Raises ModelError for a text that is empty, too long or of one token, and for no picture.
    """
    return (
        _text(opened, opened.reader, asked.text)
        if opened.reader
        else _picture(opened, data if asked.picture else example.picture())
    )


def _text(opened: Opened, reader: Reader, text: str) -> Shown:
    if len(text) > LONGEST_TEXT:
        raise ModelError(
            f"the text has {len(text)} characters: {LONGEST_TEXT} are read, and {MOST_TOKENS} "
            "tokens looked at"
        )
    numbers = reader.encode(text)
    context = numbers[: opened.config.get("positions", MOST_TOKENS)][:MOST_TOKENS]
    names = reader.texts(context)
    if len(context) < 2:
        raise ModelError("the text is a single token, which has none to look at: type some words")
    notes = []
    if len(numbers) > len(context):
        notes.append(f"the first {len(context)} of {len(numbers)} tokens")
    if unknown := names.count(UNKNOWN):
        notes.append(f"{unknown} of its tokens are not in the vocabulary")
    return Shown(opened, torch.tensor([context]), tuple(names), ", ".join(notes))


def _picture(opened: Opened, data: bytes) -> Shown:
    side, patch = opened.config["side"], opened.config["patch"]
    mean, std = opened.config.get("mean", MEAN), opened.config.get("std", STD)
    inputs = picture(data, side, mean, std)
    pixels = inputs * torch.tensor(std)[:, None, None] + torch.tensor(mean)[:, None, None]
    small = F.interpolate(pixels[None], (SHOWN_SIDE, SHOWN_SIDE), mode="area")[0]
    count = side // patch
    names = [f"row {at // count + 1}, column {at % count + 1}" for at in range(count**2)]
    seen_picture = (small.clamp(0, 1) * 255).round().byte().permute(1, 2, 0).numpy()
    return Shown(opened, inputs[None], ("class token", *names), "", seen_picture)


@torch.no_grad()
def looked(models: Path, asked: Input, data: bytes = b"") -> bytes:
    """What a model did with an input by name, as `packed` has it; it is at hand where its heads are
    cut next."""
    return packed(*_whole(models, asked, data))


def packed(
    what: Shown, observed: Observed, cuts: Mapping[str, Any] | None = None, *, small: bool = False
) -> bytes:
    """All couplings of a model on an input as a file of seen.py; a `small` one is shipped, with
    what is answered with `cuts`."""
    opened = what.opened
    options = _options(what, observed.answer)
    sigma = {
        gauge: coupling_spectra(observed, centred)[:, 0].numpy()
        for gauge, centred in (("raw", False), ("centred", True))
    }
    header = {
        "model": opened.name,
        "tokens": what.tokens,
        "note": what.note,
        "answers": [[_option(what, at), float(options[at])] for at in _best(options)],
        "measure": measured(opened.says, observed.answer, observed.answer, what.inputs),
        "cuts": cuts or {},
    }
    layers = [logits.numpy() for logits in observed.logits[:, 0]]
    return seen.packed(header, sigma, layers, what.picture, small=small)


@torch.no_grad()
def example_file(models: Path, name: str) -> bytes:
    """What is shipped of a model: its heads on the example, and answers with all heads cut. The
    ViT sees the picture smaller, as 8 × 8 patches."""
    opened = open_model(models, name)
    if name == "vit":
        config = opened.config | {"side": EXAMPLE_SIDE}
        opened = replace(opened, config=config, model=ViT(opened.model.weights, config))
    asked = Input(name, "" if name == "vit" else example.TEXT)
    what = shown(opened, asked, example.picture())
    observed = observe(opened.model, what.inputs)
    cuts = {
        gauge: {
            k: _cut(what, observed, Cutting(asked, k, gauge == "centred")) for k in EXAMPLE_TERMS
        }
        for gauge in ("raw", "centred")
    }
    return packed(what, observed, cuts, small=True)


@lru_cache(maxsize=2)
@torch.no_grad()
def _whole(models: Path, asked: Input, data: bytes) -> tuple[Shown, Observed]:
    """An input, and what the whole model did with it."""
    what = shown(open_model(models, asked.model), asked, data)
    return what, observe(what.opened.model, what.inputs)


@torch.no_grad()
def answered(
    models: Path, cutting: Cutting, data: bytes = b"", poll: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    """What a model says with heads cut, beside what it says whole: `rows` of name, before and
    after, of the best before and the best after; the `measure` before and after. What `poll`
    raises, which is asked in every layer, ends it."""
    return _cut(*_whole(models, cutting.shown, data), cutting, poll)


def _cut(
    what: Shown, observed: Observed, cutting: Cutting, poll: Callable[[], object] = lambda: None
) -> dict[str, Any]:
    layers = None if cutting.layer is None else [cutting.layer]
    heads = None if cutting.head is None else [cutting.head]
    coupling = polling(cut(cutting.k, cutting.centred, layers, heads), poll)
    model, first, own = what.opened.model, cutting.layer or 0, observed.answer
    answer = model.answer(model.passed(observed.entered[first], coupling, first))
    before, after = _options(what, own), _options(what, answer)
    best = dict.fromkeys([*_best(before), *_best(after)])
    return {
        "rows": [[_option(what, at), float(before[at]), float(after[at])] for at in best],
        "measure": [measured(what.opened.says, each, own, what.inputs) for each in (own, answer)],
    }


def polling(coupling: Coupling, poll: Callable[[], object]) -> Coupling:
    """The coupling of a model that asks `poll` in every layer."""

    def polled(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        poll()
        return coupling(layer, queries, keys)

    return polled


def _best(options: Tensor) -> list[int]:
    return options.topk(min(ANSWERS, len(options))).indices.tolist()


def _options(what: Shown, answer: Tensor) -> Tensor:
    """An answer as numbers: the probability of each next token or class, the cosine to each text,
    or how much one would look at each patch."""
    opened = what.opened
    if opened.says == "map":
        patches = opened.config["side"] // opened.config["patch"]
        return F.adaptive_avg_pool2d(answer[:, None], patches)[0].flatten()
    if opened.says == "vector":
        return torch.stack([*opened.beside.values()]) @ answer[0]
    return (answer[0, -1] if opened.says == "token" else answer[0]).softmax(-1)


def _option(what: Shown, at: int) -> str:
    """What such a number is of."""
    opened = what.opened
    if opened.says == "vector":
        return [*opened.beside][at]
    if opened.says == "class":
        return opened.config["classes"][at]
    return opened.reader.texts([at])[0] if opened.reader else what.tokens[1 + at]
