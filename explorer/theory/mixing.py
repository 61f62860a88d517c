"""How mixing the input in time moves the spectrum of a coupling (App. D.3).

A mixed coupling is ρ(u, a·u + b·v): the model sees (x₁, x₂), the coupling its mixture. A model that
is first given x₂ − c·x₁ instead of x₂ (deconvolution) has ρ(u, (a − b·c)·u + b·v) to learn.

The example of Eq. 100 is ρ = 1 + 2 sin A sin B with A = 2πu, B = 2πv. Mixed by a = b = 1, since
2 sin A sin(A+B) = cos B − cos 2A cos B + sin 2A sin B, it is the matrix [[1, 1/√2], [0, −1/2]] ⊕
[1/2] between orthonormal functions: its singular values are (√11 ± √3)/4 and 1/2, where the paper
prints 1.265, 0.5, 0.4. Softmax does not see the constant: centred, √3/2 and 1/2 remain. The rank
rises by one, yet C₁^(α) falls for α from 0.34 to 2.28.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array
from explorer.coupling import POD, Coupling, CouplingError, Designed, Formula, coupling_of, pod
from explorer.families import BASES
from explorer.spec import CouplingSpec
from explorer.theory.rates import complexity_1

EXAMPLE = Formula("1 + 2*sin(2*pi*u)*sin(2*pi*v)")
"""ρ of Eq. 100."""
PRINTED = (1.265, 0.5, 0.4)
"""Its singular values after mixing, as App. D.3 prints them."""
EXACT = ((11**0.5 + 3**0.5) / 4, 0.5, (11**0.5 - 3**0.5) / 4)
EXACT_CENTRED = (3**0.5 / 2, 0.5)
NODES = tuple((n, n) for n in (24, 36, 64, 128, 256))


@dataclass(frozen=True)
class Mixed(Coupling):
    """ρ(u, a·u + b·v)."""

    original: Coupling
    a: float
    b: float

    @property
    def label(self) -> str:
        """In words."""
        return f"ρ(u, {self.a:g}·u + {self.b:g}·v)"

    @property
    def nodes(self) -> Sequence[tuple[int, int]]:
        """Of a smooth function that is no product."""
        return NODES

    def matrix(self, u: Array, v: Array) -> Array:
        """ρ(u_i, a u_i + b v_j): (…, p), (…, q) → (…, p, q)."""
        second = self.a * u[..., :, None] + self.b * v[..., None, :]  # (…, p, q)
        return self.original.matrix(u[..., :, None], second)[..., 0, :]


@dataclass(frozen=True, eq=False)
class MixedSpectrum:
    """The spectrum of a mixed coupling, raw and without its v-mean."""

    raw: POD
    centred: POD
    c_1: float
    """max_k σ_k k^α of the raw spectrum (Eq. 12) at the given α."""
    c_1_centred: float

    def sigma(self, centred: bool = False) -> np.ndarray:
        """σ_k above the tolerance."""
        decomposition = self.centred if centred else self.raw
        return decomposition.sigma[decomposition.sigma > decomposition.tolerance]

    def tail(self, centred: bool = False) -> np.ndarray:
        """Σ_{k>m} σ_k² for m = 0 … r."""
        return np.append(np.cumsum(self.sigma(centred)[::-1] ** 2)[::-1], 0.0)


def mixed_spectrum(
    coupling: Coupling, a: float, b: float, c: float = 0.0, alpha: float = 1.0
) -> MixedSpectrum:
    """The spectrum of ρ(u, a·u + b·v) seen through v − c·u.

    Raises CouplingError for a coupling that is defined on [0, 1]² only.
    """
    periodic = [name for name, basis in BASES.items() if basis.periodic]
    if isinstance(coupling, Designed) and not {coupling.left, coupling.right} <= {*periodic}:
        raise CouplingError(
            f"mixing needs ρ beyond [0, 1]: bases {', '.join(periodic)} or a formula, "
            f"not {coupling.label}"
        )
    if not isinstance(coupling, (Designed, Formula)):
        raise CouplingError("mixing needs ρ beyond [0, 1]: samples end there; give a formula")
    mixed = Mixed(coupling, a - b * c, b)
    raw, centred = pod(mixed), pod(mixed, centred=True)
    c_1, c_1_centred = (complexity_1(p.sigma[p.sigma > p.tolerance], alpha) for p in (raw, centred))
    return MixedSpectrum(raw, centred, c_1, c_1_centred)


def mixed_spectrum_of(
    spec: CouplingSpec, a: float, b: float, c: float = 0.0, alpha: float = 1.0
) -> MixedSpectrum:
    """The same for a specification; samples are refused before they are fetched."""
    if spec.grid is not None:
        raise CouplingError("mixing needs ρ beyond [0, 1]: samples end there; give a formula")
    return mixed_spectrum(coupling_of(spec), a, b, c, alpha)


def falling_range() -> tuple[float, float]:
    """The α between which mixing by a = b = 1 lowers C₁^(α) of the example.

    C₁^(α) is 2^α before, where σ = 1, 1, and max(σ₁, 2^α/2, 3^α σ₃) after.
    """
    sigma_1, _, sigma_3 = EXACT
    return float(np.log2(sigma_1)), float(np.log(1 / sigma_3) / np.log(1.5))
