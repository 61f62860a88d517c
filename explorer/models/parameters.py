"""The start values of any model of a specification."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from explorer.models import rnn, transformer
from explorer.spec import AnySpec, LinearSpec


def initial(spec: AnySpec, generator: torch.Generator) -> dict[str, Tensor]:
    """Start values of one model, without model axis; a convolution starts as the identity."""
    if spec.recipe == "rnn":
        return rnn.initial(cast(LinearSpec, spec), generator)
    drawn = transformer.initial(spec, generator)
    if taps := getattr(spec, "conv", 0):
        drawn["conv"] = torch.eye(taps)[0]
    return drawn
