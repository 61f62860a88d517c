"""How a language model goes on with a text when the couplings of all its heads keep k terms.

The next token is the most probable one. Each is written on the text so far, by the model run anew:
the terms of a coupling are those of that text, which kept keys and values would not know. A text of
t tokens has at most t terms, so that k ≥ t cuts nothing.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from explorer.pretrained.attention import Coupling, Model, whole
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.measure import say
from explorer.pretrained.probe import open_model
from explorer.pretrained.spectra import cut

PROMPTS = (
    "One, two, three, four, five,",
    "Once upon a time, in a small village by the sea, there lived",
    "To make a good cup of tea, first",
    "The capital of France is Paris, and the capital of Italy is",
    "def add(a, b):\n    return",
    "The sun rises in the east and sets in the",
)


@torch.no_grad()
def continued(
    model: Model, numbers: Sequence[int], count: int, coupling: Coupling = whole
) -> list[int]:
    """The next `count` tokens that a language model writes, each the most probable."""
    text = [*numbers]
    for _ in range(count):
        text.append(int(model(torch.tensor([text]), coupling)[0, -1].argmax()))
    return text[len(numbers) :]


def continuations(
    models: Path, name: str, prompts: Sequence[str], count: int, terms: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """A row for each prompt, gauge and k: `length` of the prompt in tokens, the `tokens` written
    after it, as texts, and `own`, whether these are those of the whole model.

    Raises ModelError for a model that is not here or does not write.
    """
    opened = open_model(models, name)
    if opened.says != "token" or opened.reader is None:
        raise ModelError(f"{name} does not go on with a text: take a language model")
    for prompt in prompts:
        numbers = opened.reader.encode(prompt)
        whole_text = continued(opened.model, numbers, count)
        for centred, k in ((centred, k) for centred in (False, True) for k in terms):
            say(f"{prompt[:20]}…: k = {k}")
            tokens = continued(opened.model, numbers, count, cut(k, centred))
            yield {
                "prompt": prompt,
                "length": len(numbers),
                "centred": centred,
                "k": k,
                "tokens": opened.reader.texts(tokens),
                "own": tokens == whole_text,
            }
