"""σ_k of couplings, of each head on each input and of its weights alone; and couplings cut to k.

The coupling of a head on an input of τ tokens is L = Q Kᵀ / √m_h, a τ × τ matrix whose rank is at
most the width m_h of its factors. Its singular values are those of the small matrix R_Q R_Kᵀ with
Q = U_Q R_Q and K = U_K R_K, so that all heads of a model are one batch of m_h × m_h matrices.

Centred: softmax of a row does not change when a number is added to the whole row, so L and
L − (mean of each row) are the same attention. The mean over the keys is Q k̄ᵀ, hence centring is
to take the mean key k̄ off all keys, and costs no rank.

Causal: the mask takes the entries s > t away after the coupling, inside softmax. It is no part of
L: the whole matrix is looked at, entries that are never used with it. What they are is free, so the
numbers here are upper bounds of what a causal head needs. To mask L itself would say more of the
mask than of the head: a triangle of ones has full rank.

Cut, a coupling keeps its leading k terms, L ≈ Σ_{i ≤ k} σ_i φ_i ψ_iᵀ: the best approximation of
rank k of each coupling on the text at hand (Eckart–Young), before the causal mask. Centred, it is
that of L without the mean of its rows: the same k then goes into what softmax does see.
"""

import math
from collections.abc import Collection

import torch
from torch import Tensor

from explorer.pretrained.attention import Coupling, Model, Observed, whole

SHARE = 0.99  # of Σσ² that an energy rank keeps


def centre(keys: Tensor) -> Tensor:
    """Keys without their mean over time: (…, time, width)."""
    return keys - keys.mean(-2, keepdim=True)


def product_spectrum(left: Tensor, right: Tensor) -> Tensor:
    """Singular values of left @ rightᵀ, the greatest first: (…, a, m), (…, b, m) → (…, min(a, b,
    m))."""
    small = torch.linalg.qr(left).R @ torch.linalg.qr(right).R.mT
    return torch.linalg.svdvals(small)


def coupling_spectra(seen: Observed, centred: bool) -> Tensor:
    """σ_k of every coupling that was observed: (layer, batch, head, k)."""
    keys = centre(seen.keys) if centred else seen.keys
    return product_spectrum(seen.queries, keys)


def weight_spectra(model: Model) -> Tensor:
    """σ_k of W_Qᵀ W_K of every head: (layer, head, k)."""
    spectra = []
    for layer in range(model.layers):
        w_q, w_k = model.projections(layer)
        spectra.append(product_spectrum(w_q.mT, w_k.mT))
    return torch.stack(spectra)


def energy_rank(sigma: Tensor, share: float = SHARE) -> Tensor:
    """The least number of terms that hold so much of Σσ²: (…, k) → (…); 0 where all σ are 0."""
    energy = sigma.double().square()
    held = energy.cumsum(-1) < share * energy.sum(-1, keepdim=True)
    return held.sum(-1) + (energy.sum(-1) > 0).long()


def truncated(queries: Tensor, keys: Tensor, k: int, centred: bool = False) -> Tensor:
    """The leading k terms of Q Kᵀ / √width: (…, query, key); `centred` without the means of its
    rows.

    Raises ValueError for k < 0; from the width on nothing is cut.
    """
    if k < 0:
        raise ValueError(f"k = {k}: a coupling keeps 0 terms or more")
    keys = centre(keys) if centred else keys
    u_q, r_q = torch.linalg.qr(queries / math.sqrt(queries.shape[-1]))
    u_k, r_k = torch.linalg.qr(keys)
    phi, sigma, psi = torch.linalg.svd(r_q @ r_k.mT)
    return (u_q @ phi[..., :k] * sigma[..., None, :k]) @ (psi[..., :k, :] @ u_k.mT)


def cut(
    k: int,
    centred: bool = False,
    layers: Collection[int] | None = None,
    heads: Collection[int] | None = None,
) -> Coupling:
    """A coupling of k terms for these layers and heads, all by default; the others stay whole.

    It is handed to a model in place of `whole`.
    """

    def coupling(layer: int, queries: Tensor, keys: Tensor) -> Tensor:
        if layers is not None and layer not in layers:
            return whole(layer, queries, keys)
        if heads is None:
            return truncated(queries, keys, k, centred)
        logits = whole(layer, queries, keys)
        chosen = sorted(heads)
        logits[:, chosen] = truncated(queries[:, chosen], keys[:, chosen], k, centred)
        return logits

    return coupling
