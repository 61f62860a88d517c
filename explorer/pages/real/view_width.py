"""The width that one head needs for a matrix of attention: numbers, sentence and table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.coupling.attention import Attention, checked
from explorer.pages.real.view_head import shipped_head
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.seen import STEPS
from explorer.slow import pd
from explorer.theory.width import Width, width_of_logits, width_of_weights
from explorer.views.text import number

SHARE, ELSEWHERE = 0.99, 0.01
ROUNDING = 1e-12  # of σ_1: what is smaller is not drawn


@dataclass(frozen=True, eq=False)
class WidthView:
    """What is said of a matrix."""

    answer: dict[str, Any]
    """What `python -m explorer width --json` says."""
    sentences: tuple[str, ...]
    table: pd.DataFrame
    """k, sigma: the singular values of the centred logits but for rounding."""


@dataclass(frozen=True, eq=False)
class HeadExample:
    """A shipped head as a matrix to begin with."""

    attention: Attention
    names: tuple[str, ...]
    """Of its tokens, each once."""
    tolerance: float
    """Up to which its singular values are rounding: it is shipped in steps."""


def head_example(model: str, layer: int, head: int) -> HeadExample:
    """The logits of a head on the shipped example, later keys masked where it is causal; layer and
    head from 1."""
    observation = shipped_head(model)
    logits = observation.logits(layer - 1, head - 1)
    step = np.abs(logits).max() / STEPS
    if MODELS[model].causal:
        logits = np.where(np.tri(len(logits), dtype=bool), logits, -np.inf)
    names = tuple(f"{at} {token.strip()}" for at, token in enumerate(observation.tokens, 1))
    # steps drawn evenly have the norm step · sqrt(n / 3) at most, nearly
    return HeadExample(checked("logits", logits), names, float(step * math.sqrt(len(logits))))


def width_view(attention: Attention, tolerance: float | None = None) -> WidthView:
    """Raises GridError for weights that no head can have."""
    of_weights = attention.kind == "weights"
    measure = width_of_weights if of_weights else width_of_logits
    width = measure(attention.values, tolerance, attention.step)
    queries, keys = attention.values.shape
    answer = {
        "width": width.exact,
        "width_99": width.near(SHARE),
        "width_to_the_last_digit": width.to_the_last,
        "width_within_1_percent": None if width.masked else width.within(ELSEWHERE),
        "masked": width.masked,
        "queries": queries,
        "keys": keys,
        "singular_values": width.sigma.tolist(),
        "tolerance": width.tolerance,
    }
    sigma = width.sigma[width.sigma > ROUNDING * width.sigma.max(initial=0)]
    table = pd.DataFrame({"k": np.arange(1, len(sigma) + 1), "sigma": sigma})
    return WidthView(answer, _sentences(width, answer), table)


def _sentences(width: Width, answer: dict[str, Any]) -> tuple[str, ...]:
    keys, exact = answer["keys"], answer["width"]
    if width.masked:
        first = f"one head needs width {exact} at least, of {keys} keys: masked logits are free"
    else:
        first = f"one head of width {exact} has exactly these weights, of {keys} keys"
    if width.to_the_last > exact:
        first += f"; as far as the digits tell: if they were exact it were {width.to_the_last}"
    sentences = [
        first,
        f"99 % is held by {answer['width_99']} of its terms; "
        f"σ above {number(width.tolerance)} count",
    ]
    within = answer["width_within_1_percent"]
    if within is not None:
        sentences.append(f"at most 1 % of any row's weight is elsewhere with {within} of its terms")
    return tuple(sentences)
