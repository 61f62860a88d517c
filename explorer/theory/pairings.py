"""Which ψ_i goes with which φ_i (App. C): both are √2 sin 2πix, and the paper does not say more.

However they are paired, the σ_k are the same, and so is Σ_{k>m} σ_k². Truncation differs by what a
token finds in itself, ρ(u, u): that adds up where ψ = φ.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from explorer.arrays import Array
from explorer.coupling import Designed
from explorer.families import TERMS
from explorer.targets.coupling import CouplingTarget
from explorer.theory.floor import truncation_floor
from explorer.theory.rates import power_fit

TAU, WIDTHS = 16, range(1, 17)
K = np.arange(TERMS)
PAIRINGS = {
    "ψ = φ": (K, "sine"),
    "the half shift": (K, "shifted_sine"),
    "ψ in swapped pairs": (K ^ 1, "sine"),
    "ψ at random": (np.random.default_rng(0).permutation(TERMS), "sine"),
    "ψ in reverse": (K[::-1], "sine"),
}
"""ψ_k is the function of this index of a basis."""


@dataclass(frozen=True)
class Paired(Designed):
    """ρ(u, v) = Σ_k σ_k φ_k(u) ψ_{order(k)}(v)."""

    order: tuple[int, ...] = ()

    def right_factor(self, v: Array) -> Array:
        """(…,) → (…, K)."""
        return super().right_factor(v)[..., list(self.order)]


@lru_cache(maxsize=4)
def truncation_slopes(alpha: float) -> dict[str, float]:
    """Slope of the MSE of truncation over m = 1 … 16 of σ_k = k^-α, 64 terms, by pairing."""
    sigma = tuple((1.0 / (1 + K) ** alpha).tolist())
    targets = {
        name: CouplingTarget(Paired(sigma, "sine", right, order=tuple(order.tolist())), TAU)
        for name, (order, right) in PAIRINGS.items()
    }
    floors = {name: truncation_floor(target, WIDTHS) for name, target in targets.items()}
    return {name: power_fit(floor.m, floor.mse).slope for name, floor in floors.items()}
