"""The activations as torch computes them, and their slopes for the gradient by hand."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from explorer.families import check_activations

_aten = torch.ops.aten


@dataclass(frozen=True, eq=False)
class Activation:
    """a = value(z), entry by entry."""

    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor, Tensor, Tensor], Tensor]
    """∂/∂z from g = ∂/∂a, z and a."""


ACTIVATIONS = {
    "sine": Activation(torch.sin, lambda g, z, a: torch.cos(z).mul_(g)),
    "tanh": Activation(torch.tanh, lambda g, z, a: _aten.tanh_backward(g, a)),
    "gelu": Activation(torch.nn.functional.gelu, lambda g, z, a: _aten.gelu_backward(g, z)),
    "relu": Activation(torch.relu, lambda g, z, a: _aten.threshold_backward(g, z, 0)),
}

check_activations(ACTIVATIONS, "models/activations.py")
