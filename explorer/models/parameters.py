"""The parameters of any model of a specification: their shapes and start values."""

from __future__ import annotations

import torch
from torch import Tensor

from explorer.models import rnn, transformer
from explorer.spec import AnySpec, LinearSpec


def shapes(spec: AnySpec) -> dict[str, tuple[int, ...]]:
    """Name and shape of every parameter of one model; equal shapes stand next to each other."""
    if is_rnn(spec):
        return rnn.shapes(spec)
    taps = getattr(spec, "conv", 0)
    return transformer.shapes(spec) | ({"conv": (taps,)} if taps else {})


def initial(spec: AnySpec, generator: torch.Generator) -> dict[str, Tensor]:
    """Start values of one model, without model axis; a convolution starts as the identity."""
    if is_rnn(spec):
        return rnn.initial(spec, generator)
    drawn = transformer.initial(spec, generator)
    if taps := getattr(spec, "conv", 0):
        drawn["conv"] = torch.eye(taps)[0]
    return drawn


def is_rnn(spec: AnySpec) -> bool:
    """Whether a specification trains a linear RNN."""
    return isinstance(spec, LinearSpec) and spec.model == "rnn"
