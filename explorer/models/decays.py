"""Heads that know distances alone, without values and feed-forward part, for many models at once.

    κ(s) = C Σ_h c_h e^{p_h φ(s)} / Σ_r e^{p_h φ(r)},   r, s = 1 … τ,   φ(s) = −log s or −s,
    p_h > 0

with C = 1 ("softmax") or Σ_s ρ(s), which is what Σ_h C c_h must come to ("scaled"), or without the
denominator and C = 1 ("plain"). All three write the same functions κ; how far c has to go differs.

Of independent tokens of variance 1 the mean squared error of Σ κ(s) x(t−s) against Σ ρ(s) x(t−s) is
‖ρ − κ‖²: nothing has to be drawn. Axes are (model, head, distance).
"""

import torch
from torch import Tensor

from explorer.models.layers import Weights
from explorer.spec import EssentialMemorySpec
from explorer.targets.memory import kernel_of


def initial(spec: EssentialMemorySpec, generator: torch.Generator) -> Weights:
    """p = e to a standard normal number, and normal c of variance 1/H, as in `models.causal`."""
    c = spec.heads**-0.5 * torch.randn(spec.heads, generator=generator)
    return {"c": c, "log_p": torch.randn(spec.heads, generator=generator)}


def kernel(spec: EssentialMemorySpec, weights: Weights) -> Tensor:
    """κ(1) … κ(τ), (model, τ)."""
    s = torch.arange(1, spec.tau + 1, device=weights["c"].device, dtype=weights["c"].dtype)
    phi = -s.log() if spec.encoding == "log" else -s
    logits = weights["log_p"].exp().unsqueeze(-1) * phi  # (model, H, τ)
    weight = logits.exp() if spec.kappa == "plain" else torch.softmax(logits, dim=-1)
    return unit(spec) * (weights["c"].unsqueeze(-1) * weight).sum(dim=1)


def unit(spec: EssentialMemorySpec) -> float:
    """C, what c is counted in."""
    return float(kernel_of(spec).sum()) if spec.kappa == "scaled" else 1.0
