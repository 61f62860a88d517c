"""The small models of Table 1 with their tokens in any order: their parameters are shipped, of the
models that the table has as its first seed."""

import base64
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from explorer.families.number_words import ENGLISH, GERMAN
from explorer.folder import resource
from explorer.models.encoder import Weights, forward
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.seen import AS_WRITTEN, Reordering
from explorer.runs import archive, weights
from explorer.spec import AnySpec, amended
from explorer.targets.labelled import NUMBER_WORDS_KIND, PICTURES_KIND
from explorer.training import Ensemble

SHOWN = ("tokens", "pixels")
PICTURE = 200  # of those to be tested on, by digit: a 2
SHIPPED = {"mini-vit": "real-pictures.zip", "number-words": "real-number-words.zip"}
OF = {"mini-vit": PICTURES_KIND, "number-words": NUMBER_WORDS_KIND}


Learned = tuple[AnySpec, dict[str, torch.Tensor]]
"""A specification, and what was learned of it."""


@lru_cache(maxsize=2)
def learned(name: str) -> Learned:
    """What is shipped of a model by its name."""
    file = resource("assets") / SHIPPED[name]
    spec = archive.read(file).spec
    held = {f"weights.{at}": torch.tensor(w)[None] for at, w in weights.of_archive(file).items()}
    return spec, held | {"step": torch.tensor(spec.steps)}


@torch.no_grad()
def reordered(asked: Reordering) -> dict[str, Any]:
    """Shares that are right of what was not learned from: of the tokens as they are (`original`),
    in the order asked for (`permuted`), and with their positions moved along (`moved`), then with
    the greatest difference of a logit (`gap`); of how many (`count`). And one of these: its
    `tokens`, the `order` as a list, what is said of it whole and reordered (`says`).

    An order that is none of so many tokens is `refused`, and why is said beside the tokens. Raises
    DataError without the pictures.
    """
    spec, state = learned(asked.shown.model)
    try:
        order = asked.permutation(spec.tau)
    except ModelError as error:
        plain = reordered(replace(asked, order=AS_WRITTEN))
        return {"refused": str(error)} | {name: plain[name] for name in SHOWN if name in plain}
    spec = amended(spec, permutation=order)
    target = OF[asked.shown.model].build(spec, None)
    model = Ensemble([spec], [target])
    model.load_weights(state)
    tested, own = target.test.x, model.member(0)
    metrics = model.recipe.metrics(own, 0, len(tested))
    example = EXAMPLES[asked.shown.model]
    return {
        "order": order,
        "original": metrics["accuracy_original"],
        "permuted": metrics["accuracy"],
        "moved": metrics["accuracy_moved"],
        "gap": metrics["moved_gap"],
        "count": len(tested),
    } | example(tested, lambda x: _probabilities(own, x, order))


Saying = Callable[[np.ndarray], np.ndarray]
"""Of one sequence, (τ, d_in), as it is and in the order asked for: probabilities (2, output,
class)."""


def _probabilities(own: Weights, x: np.ndarray, order: tuple[int, ...]) -> np.ndarray:
    seen = torch.tensor(np.stack([x, x[[*order]]]))[None]
    return forward(own, seen).logits[0].softmax(-1).numpy()


def _number(tested: np.ndarray, saying: Saying) -> dict[str, Any]:
    """A number of as many words as any."""
    words = (tested.argmax(-1) > 0).sum(-1)
    longest = np.flatnonzero(words == words.max())
    x = tested[longest[len(longest) // 2]]
    german = [" ".join(GERMAN[at] for at in each if at) for each in saying(x).argmax(-1)]
    return {"tokens": [ENGLISH[word] for word in x.argmax(-1)], "says": german}


def _picture(tested: np.ndarray, saying: Saying) -> dict[str, Any]:
    """A digit; `pixels` are those of its patches, bytes in base64."""
    x = tested[PICTURE]
    grey = ((x + 1) * 127.5).round().astype(np.uint8)  # (patch, pixel)
    digits = [f"{each[0].argmax()} ({float(each[0].max()):.3f})" for each in saying(x)]
    names = [f"patch {at + 1}" for at in range(len(x))]
    return {"tokens": names, "says": digits, "pixels": base64.b64encode(grey.tobytes()).decode()}


EXAMPLES = {"mini-vit": _picture, "number-words": _number}
