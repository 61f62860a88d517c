"""Which ψ_i goes with which φ_i (App. C): both are √2 sin 2πix, and the paper does not say more.

However they are paired, the σ_k are the same, and so is Σ_{k>m} σ_k². Truncation differs by what a
token finds in itself, ρ(u, u): that adds up where ψ = φ.
"""

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
OFFERED = 16
"""Terms of a reading that is a target of its own, as a formula: its order is that of so many."""
BY_FORMULA: dict[str, np.ndarray] = {
    "ψ in swapped pairs": K[:OFFERED] ^ 1,
    "ψ at random": np.random.default_rng(0).permutation(OFFERED),
    "ψ in reverse": K[:OFFERED][::-1],
}
"""The readings that no basis has."""


@dataclass(frozen=True)
class Paired(Designed):
    """ρ(u, v) = Σ_k σ_k φ_k(u) ψ_{order(k)}(v)."""

    order: tuple[int, ...] = ()

    def right_factor(self, v: Array) -> Array:
        """(…,) → (…, K)."""
        return super().right_factor(v)[..., list(self.order)]


def formula_of(order: np.ndarray) -> str:
    """ρ = 2 Σ_k sin(2πku) sin(2π(order(k) + 1)v)/k, k from 1, to be trained."""
    terms = (
        f"sin({2 * k}*pi*u)*sin({2 * (j + 1)}*pi*v)/{k}" for k, j in enumerate(order.tolist(), 1)
    )
    return f"2*({' + '.join(terms)})"


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
