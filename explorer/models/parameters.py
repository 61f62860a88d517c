"""The start values of any model of a specification."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor

from explorer.models import causal, decays, encoder, rnn, transformer
from explorer.spec import (
    AnySpec,
    EssentialMemorySpec,
    HeadSpec,
    LabelledSpec,
    LinearSpec,
    MemorySpec,
)


def initial(spec: AnySpec, generator: torch.Generator) -> dict[str, Tensor]:
    """Start values of one model, without model axis; a convolution starts as the identity."""
    if spec.recipe == "rnn":
        return rnn.initial(cast(LinearSpec, spec), generator)
    if spec.recipe == "encoder":
        return encoder.initial(cast(LabelledSpec, spec), generator)
    if spec.recipe == "memory":
        return causal.initial(cast(MemorySpec, spec), generator)
    if spec.recipe == "decays":
        return decays.initial(cast(EssentialMemorySpec, spec), generator)
    drawn = transformer.initial(cast(HeadSpec, spec), generator)
    if taps := getattr(spec, "conv", 0):
        drawn["conv"] = torch.eye(taps)[0]
    return drawn
