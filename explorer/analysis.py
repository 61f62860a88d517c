"""What a trained model has learned: its coupling ρ̂, the POD of ρ̂, attention on an example."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from explorer.coupling.pod import gauss
from explorer.models.transformer import embed, forward, queries_and_keys
from explorer.spec import Spec
from explorer.targets import example_inputs

PICTURE = 48  # cells of a picture of ρ̂ along u and v
NODES = 256  # Gauss–Legendre nodes of the POD of ρ̂


@torch.no_grad()
def look(spec: Spec, weights: dict[str, Tensor]) -> dict[str, np.ndarray]:
    """Pictures of the first model, float32.

    rho_hat (48, 48): ρ̂ at cell centres, centred (its v-mean removed, which softmax cannot see);
    sigma_hat (m_h,): POD of the centred ρ̂; attention (τ, τ) on the example; tokens (τ,).
    """
    tokens = example_inputs(spec.tau).astype(np.float32)
    first = {name: weight[:1] for name, weight in weights.items()}
    x = torch.as_tensor(tokens, device=first["W_Q"].device)
    _, attention = forward(spec, first, x.view(1, 1, -1))
    rho_hat, sigma_hat = learned_coupling(spec, first)
    return {
        "rho_hat": rho_hat.astype(np.float32),
        "sigma_hat": sigma_hat.astype(np.float32),
        "attention": attention[0, 0].cpu().numpy(),
        "tokens": tokens,
    }


@torch.no_grad()
def learned_coupling(spec: Spec, weights: dict[str, Tensor]) -> tuple[np.ndarray, np.ndarray]:
    """Centred ρ̂ on the picture's cells (48, 48) and its singular values (m_h,), float64.

    ρ̂(u, v) = ⟨q(u), k(v)⟩ has rank at most m_h: its POD is the SVD of R_q R_kᵀ, where
    √w q = Q_q R_q and √w (k − mean k) = Q_k R_k at Gauss–Legendre nodes.
    """
    nodes, w = gauss((0.0, 1.0), NODES)
    cells = (np.arange(PICTURE) + 0.5) / PICTURE
    x = torch.as_tensor(np.concatenate([nodes, cells]), dtype=torch.float32)
    h = embed(spec, weights, x.to(weights["W_Q"].device).unsqueeze(0))
    query, key = (side[0].double().cpu().numpy() for side in queries_and_keys(spec, weights, h))
    key = key - w @ key[:NODES]
    root = np.sqrt(w)[:, None]
    r_q = np.linalg.qr(root * query[:NODES], mode="r")
    r_k = np.linalg.qr(root * key[:NODES], mode="r")
    sigma_hat = np.linalg.svd(r_q @ r_k.T, compute_uv=False)
    return query[NODES:] @ key[NODES:].T, sigma_hat
