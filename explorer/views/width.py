"""The width that one head needs for a matrix of attention: numbers, sentence and table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from explorer.coupling.attention import Attention, checked
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.seen import STEPS
from explorer.theory.width import (
    FITTED,
    Width,
    width_of_largest,
    width_of_logits,
    width_of_weights,
)
from explorer.views.real_head import shipped_head
from explorer.views.text import number

SHARE = 0.99
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
    of = shipped_head(model)
    logits = of.logits(layer - 1, head - 1)
    step = np.abs(logits).max() / STEPS
    if MODELS[model].causal:
        logits = np.where(np.tri(len(logits), dtype=bool), logits, -np.inf)
    names = tuple(f"{at} {token.strip()}" for at, token in enumerate(of.tokens, 1))
    # steps drawn evenly have the norm step · sqrt(n / 3) at most, nearly
    return HeadExample(checked("logits", logits), names, float(step * math.sqrt(len(logits))))


def width_view(attention: Attention, tolerance: float | None = None) -> WidthView:
    """Raises GridError for weights that no head can have."""
    of_weights = attention.kind == "weights"
    found = (width_of_weights if of_weights else width_of_logits)(attention.values, tolerance)
    logits = np.log(attention.values) if of_weights else attention.values
    largest = width_of_largest(logits) if max(logits.shape) <= FITTED else None
    queries, keys = logits.shape
    answer = {
        "width": found.exact,
        "width_99": found.near(SHARE),
        "width_largest": largest,
        "log2_keys": math.log2(keys),
        "masked": found.masked,
        "queries": queries,
        "keys": keys,
        "singular_values": found.sigma.tolist(),
        "tolerance": found.tolerance,
    }
    sigma = found.sigma[found.sigma > ROUNDING * found.sigma.max(initial=0)]
    table = pd.DataFrame({"k": np.arange(1, len(sigma) + 1), "sigma": sigma})
    return WidthView(answer, _sentences(found, answer), table)


def _sentences(found: Width, answer: dict[str, Any]) -> tuple[str, ...]:
    keys, exact, near = (answer[name] for name in ("keys", "width", "width_99"))
    if found.masked:
        first = f"one head needs width {exact} at least, of {keys} keys: masked logits are free"
    else:
        first = f"one head of width {exact} has exactly these weights, of {keys} keys"
    said = [
        first,
        f"{near} of its terms hold 99 %; σ above {number(found.tolerance)} count",
    ]
    if answer["width_largest"] is not None:
        said.append(
            f"width {answer['width_largest']} gets the largest weight of every row right, by a "
            f"fit; log₂ n = {number(answer['log2_keys'])}"
        )
    return tuple(said)
