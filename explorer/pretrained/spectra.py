"""σ_k of couplings: of each head on each input, and of its weights alone.

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
"""

import torch
from torch import Tensor

from explorer.pretrained.attention import Model, Observed

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
    found = []
    for layer in range(model.layers):
        w_q, w_k = model.projections(layer)
        found.append(product_spectrum(w_q.mT, w_k.mT))
    return torch.stack(found)


def energy_rank(sigma: Tensor, share: float = SHARE) -> Tensor:
    """The least number of terms that hold so much of Σσ²: (…, k) → (…); 0 where all σ are 0."""
    energy = sigma.double().square()
    held = energy.cumsum(-1) < share * energy.sum(-1, keepdim=True)
    return held.sum(-1) + (energy.sum(-1) > 0).long()
