"""What layers of the encoder and of the causal Transformer are made of, for many models at once."""

import torch
from torch import Tensor

from explorer.models.shapes import Shapes
from explorer.spec import LabelledSpec, MemorySpec

Weights = dict[str, Tensor]
OF_LAYERS = ("W_Q", "W_K", "W_V", "W_O", "inner", "inner_bias", "outer", "outer_bias")


def start(
    spec: LabelledSpec | MemorySpec,
    shapes: Shapes,
    own: dict[str, float],
    generator: torch.Generator,
) -> Weights:
    """Start values of one model, without model axis, drawn in the order of the sorted names.

    Normal, so that what is multiplied keeps its variance; logits of attention have variance 1,
    whatever m_h. What is not of a layer has its `own` standard deviation, or is 0, as biases are.
    """
    deviations = own | {
        "W_Q": spec.n**-0.5 * spec.m_h**-0.25,
        "W_K": spec.n**-0.5 * spec.m_h**-0.25,
        "W_V": spec.n**-0.5,
        "W_O": 0.5 * (spec.heads * spec.d_v) ** -0.5,
        "inner": spec.n**-0.5,
        "outer": 0.5 * spec.m_ff**-0.5,
    }
    return {
        name: deviations.get(name, 0.0) * torch.randn(shape, generator=generator)
        for name, shape in sorted(shapes.items())
    }


def times(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x (model, batch, t, i) by weight (model, i, o), and bias (model, o): (model, batch, t, o)."""
    rows = x.flatten(1, 2)
    product = (
        torch.bmm(rows, weight) if bias is None else torch.baddbmm(bias[:, None], rows, weight)
    )
    return product.view(*x.shape[:3], -1)


def heads(x: Tensor, weight: Tensor) -> Tensor:
    """x (model, batch, t, n) by weight (model, heads, d, n), (model, batch, heads, t, d)."""
    parts = times(x, weight.flatten(1, 2).mT)
    return parts.view(*x.shape[:3], weight.shape[1], -1).transpose(2, 3)
