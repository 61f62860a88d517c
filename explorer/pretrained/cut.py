"""Models whose couplings keep their leading k terms: L ≈ Σ_{i ≤ k} σ_i φ_i ψ_iᵀ.

The best approximation of rank k of each coupling on the text at hand (Eckart–Young), before the
causal mask. Centred, it is that of L without the mean of its rows, which softmax cannot see: the
same k then goes into what softmax does see.
"""

import math
from collections.abc import Collection

import torch
from torch import Tensor

from explorer.pretrained.attention import Coupling, whole
from explorer.pretrained.spectra import centre


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
