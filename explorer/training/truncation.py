"""A learned coupling cut to rank k.

ρ̂(u, v) = ⟨W_Q f̂(u), W_K f̂(v)⟩ is cut to the leading k terms of its own POD on L²([0, 1]²): the
SVD of W_QᵀW_K in the metric of f̂. The v-mean of ρ̂, which softmax cannot see, is left out of it.
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from explorer.coupling.leading import NODES
from explorer.coupling.pod import gauss
from explorer.models.transformer import embed, queries_and_keys
from explorer.spec import CouplingSpec
from explorer.targets.fixed import EVALUATION
from explorer.training.recipe import Recipe, Weights

SMALLEST = 1e-12  # a term below it has no direction, relative to the first


@torch.no_grad()
def truncated(
    spec: CouplingSpec, weights: dict[str, Tensor], k: Sequence[int]
) -> tuple[Tensor, Tensor]:
    """W_Q and W_K (model, m_h, n) whose ρ̂ is that of each model cut to rank k; further rows are 0.

    With √w q = Q_q R_q, √w (k − mean k) = Q_k R_k at Gauss–Legendre nodes and U Σ Vᵀ = R_q R_kᵀ,
    the j-th term is σ_j^-½ V_jᵀR_k W_Q f̂(u) · σ_j^-½ U_jᵀR_q W_K f̂(v).
    """
    nodes, w = (torch.from_numpy(values.copy()) for values in gauss((0.0, 1.0), NODES))
    weights = {name: weight.detach().double().cpu() for name, weight in weights.items()}
    h = embed(spec, weights, nodes.expand(len(k), -1))  # (model, node, n)
    query, key = queries_and_keys(spec, weights, h)
    key = key - (w @ key).unsqueeze(1)
    root = w.sqrt().unsqueeze(-1)
    r_q, r_k = (torch.linalg.qr(root * side, mode="r").R for side in (query, key))
    left, sigma, right = torch.linalg.svd(r_q @ r_k.mT)
    term = torch.arange(sigma.shape[1])
    leading = (term < torch.tensor(list(k)).unsqueeze(1)) & (sigma > SMALLEST * sigma[:, :1])
    scale = torch.where(leading, sigma.clamp(min=1e-300).rsqrt(), 0.0).unsqueeze(-1)
    w_q = scale * (right @ (r_k @ weights["W_Q"]))
    w_k = scale * (left.mT @ (r_q @ weights["W_K"]))
    return w_q.float(), w_k.float()


@torch.no_grad()
def rank_surgery(
    recipe: Recipe[CouplingSpec, Any],
    weights: Weights,
    model: int,
    k: Sequence[int],
    count: int = EVALUATION,
) -> list[dict[str, float]]:
    """Errors of one trained model, by weights with a model axis of 1, cut to each rank k, with no
    further step."""
    repeated = {name: weight.expand(len(k), *weight.shape[1:]) for name, weight in weights.items()}
    factors = truncated(recipe.plan.spec, repeated, k)
    w_q, w_k = (side.to(recipe.plan.device) for side in factors)
    return [
        recipe.metrics(weights | {"W_Q": w_q[i : i + 1], "W_K": w_k[i : i + 1]}, model, count)
        for i in range(len(k))
    ]
