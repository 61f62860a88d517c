"""Where a causal Transformer looks, layer by layer, beside what it was to remember."""

import numpy as np
import torch
from torch import Tensor

from explorer.models.causal import forward
from explorer.spec import MemorySpec
from explorer.targets import Memory, evaluation_inputs


@torch.no_grad()
def memory_diagnostics(
    spec: MemorySpec, weights: dict[str, Tensor], target: Memory
) -> dict[str, np.ndarray]:
    """Pictures of the first model on one sequence, float32: tokens (τ, d_in) as they are seen,
    answer and predicted (τ,), ideal (τ, τ) with y = ideal · b, attention (layers, heads, τ, τ)."""
    numbers = torch.tensor(evaluation_inputs(1, target.n_uniform)[0]).to(weights["embedding"])
    x, b = target.drawn(numbers)
    seen = target.seen(x, b)
    found = forward(spec, {name: w[:1] for name, w in weights.items()}, seen[None, None])
    pictures = {
        "tokens": seen,
        "answer": target.answer(x, b),
        "predicted": found.answer[0, 0],
        "ideal": target.attention(x),
        "attention": torch.stack([attention[0, 0] for attention in found.attention]),
    }
    return {name: picture.float().cpu().numpy() for name, picture in pictures.items()}
