"""What a trained model has learned: its coupling ρ̂, the POD of ρ̂, attention on an example."""

from dataclasses import dataclass

import numpy as np
import torch

from explorer.coupling import POD, Quadrature
from explorer.coupling.leading import NODES, leading
from explorer.coupling.pod import gauss
from explorer.models.layers import Weights
from explorer.models.transformer import embed, forward, queries_and_keys
from explorer.spec import CouplingSpec
from explorer.targets import PICTURE, example_inputs


@dataclass(frozen=True, eq=False)
class Learned:
    """The centred ρ̂ of one model, float64."""

    picture: np.ndarray
    """ρ̂ at the centres of (48, 48) cells."""
    sigma: np.ndarray
    """Its singular values (m_h,)."""
    left: np.ndarray
    right: np.ndarray
    """√w φ̂_k(u_i) (N_u, m_h) and √w ψ̂_k(v_j) (N_v, m_h), orthonormal columns."""
    at: Quadrature
    """The nodes u_i and v_j and their weights w."""


@torch.no_grad()
def coupling_diagnostics(
    spec: CouplingSpec, weights: Weights, designed: POD
) -> dict[str, np.ndarray]:
    """Pictures of the first model beside the centred POD it was to learn, float32.

    rho_hat (48, 48): ρ̂ at cell centres, centred (its v-mean removed, which softmax cannot see);
    sigma_hat (m_h,): POD of the centred ρ̂; angles (K,): see `angles`; attention (τ, τ) on the
    example; tokens (τ,).
    """
    tokens = example_inputs(spec.tau).astype(np.float32)
    first = {name: weight[:1] for name, weight in weights.items()}
    x = torch.as_tensor(tokens, device=first["W_Q"].device)
    _, attention = forward(spec, first, x.view(1, 1, -1))
    learned = learned_coupling(spec, first, designed.quadrature(NODES))
    return {
        "rho_hat": learned.picture.astype(np.float32),
        "sigma_hat": learned.sigma.astype(np.float32),
        "angles": angles(learned, designed).astype(np.float32),
        "attention": attention[0, 0].cpu().numpy(),
        "tokens": tokens,
    }


@torch.no_grad()
def learned_coupling(spec: CouplingSpec, weights: Weights, at: Quadrature | None = None) -> Learned:
    """The centred ρ̂ of the first model and its POD.

    ρ̂(u, v) = ⟨q(u), k(v)⟩ has rank at most m_h: its POD is the SVD of R_q R_kᵀ, where
    √w q = Q_q R_q and √w (k − mean k) = Q_k R_k at the nodes `at`: those of the coupling to be
    learned, since ρ̂ comes to jump where that does; or 256 on one panel.
    """
    at = at or Quadrature(*gauss((0.0, 1.0), NODES) * 2)
    cells = (np.arange(PICTURE) + 0.5) / PICTURE
    nodes_u, nodes_v = len(at.u), len(at.v)
    x = torch.as_tensor(np.concatenate([at.u, at.v, cells]), dtype=torch.float32)
    h = embed(spec, weights, x.to(weights["W_Q"].device).unsqueeze(0))
    query, key = (side[0].double().cpu().numpy() for side in queries_and_keys(spec, weights, h))
    query, key = np.delete(query, np.s_[nodes_u : nodes_u + nodes_v], axis=0), key[nodes_u:]
    key = key - at.wv @ key[:nodes_v]
    q_q, r_q = np.linalg.qr(np.sqrt(at.wu)[:, None] * query[:nodes_u])
    q_k, r_k = np.linalg.qr(np.sqrt(at.wv)[:, None] * key[:nodes_v])
    left, sigma, right = np.linalg.svd(r_q @ r_k.T)
    picture = query[nodes_u:] @ key[nodes_v:].T
    return Learned(picture, sigma, q_q @ left, q_k @ right.T, at)


def angles(learned: Learned, designed: POD) -> np.ndarray:
    """Largest principal angle, in degrees, between the leading learned and designed subspaces.

    Entry k−1 compares span(φ̂_1 … φ̂_k) with span(φ_1 … φ_k), and the same of ψ, and takes the
    larger. −1 where σ_k and σ_(k+1) are nearly equal: there no k-dimensional subspace leads.
    The nodes of `learned` are to be a quadrature of `designed`.
    """
    first = leading(designed, learned.at)
    count = min(len(learned.sigma), len(first.tied))
    sides = (first.left, learned.left), (first.right, learned.right)
    overlaps = [theirs[:, :count].T @ ours[:, :count] for theirs, ours in sides]
    return np.array(
        [-1.0 if first.tied[k - 1] else _largest_angle(overlaps, k) for k in range(1, count + 1)]
    )


def _largest_angle(overlaps: list[np.ndarray], k: int) -> float:
    cosine = min(np.linalg.svd(o[:k, :k], compute_uv=False)[-1] for o in overlaps)
    return float(np.degrees(np.arccos(min(cosine, 1.0))))
