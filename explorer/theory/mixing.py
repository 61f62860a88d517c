"""How mixing the input in time moves the spectrum of a coupling (App. D.3).

A mixed coupling is ρ(u, a·u + b·v): the model sees (x₁, x₂), the coupling its mixture. A filter in
front that gives a model w = x₂ + c·x₁ instead of x₂ leaves it ρ(u, (a − b·c)·u + b·w) to learn: by
c = a/b it makes the mixture, and ρ is left. Of a ρ with period 1 and a whole b only w mod 1 counts,
which is uniform on [0, 1] whatever u is: its POD is exact. Any other is looked at for all w from
min(0, c) to 1 + max(0, c), on a rectangle around the pairs that occur: what rank m leaves there is
an upper bound of what it leaves of them.

The example of Eq. 100 is ρ = 1 + 2 sin A sin B with A = 2πu, B = 2πv. Mixed by a = b = 1, since
2 sin A sin(A+B) = cos B − cos 2A cos B + sin 2A sin B, it is the matrix [[1, 1/√2], [0, −1/2]] ⊕
[1/2] between orthonormal functions: its singular values are (√11 ± √3)/4 and 1/2, where the paper
prints 1.265, 0.5, 0.4. Softmax does not see the constant: centred, √3/2 and 1/2 remain. The rank
rises by one, yet C₁^(α) falls for α from 0.34 to 2.28.
"""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from explorer.arrays import Array
from explorer.coupling import POD, Coupling, CouplingError, Designed, Formula, coupling_of, pod
from explorer.coupling.spectra import tails
from explorer.families import BASES
from explorer.spec import CouplingSpec
from explorer.theory.least import least
from explorer.theory.rates import complexity_1

EXAMPLE = Formula("1 + 2*sin(2*pi*u)*sin(2*pi*v)")
"""ρ of Eq. 100."""
PRINTED = (1.265, 0.5, 0.4)
"""Its singular values after mixing, as App. D.3 prints them."""
EXACT = ((11**0.5 + 3**0.5) / 4, 0.5, (11**0.5 - 3**0.5) / 4)
EXACT_CENTRED = (3**0.5 / 2, 0.5)

CHOICES = (-1.0, 2.0)
"""The least and the greatest c of a filter in front."""
TRIED = 61
"""Filters in a row; between two of them the best is known to three digits."""


@dataclass(frozen=True)
class Mixed(Coupling):
    """√s·ρ(u, a·u + b·(low + s·v)): for w = low + s·v of an interval of length s, in L²(dw)."""

    nodes = tuple((n, n) for n in (24, 36, 64, 128, 256))
    """Of a smooth function that is no product."""
    original: Coupling
    a: float
    b: float
    low: float = 0.0
    length: float = 1.0

    def matrix(self, u: Array, v: Array) -> Array:
        """√s ρ(u_i, a u_i + b w_j): (…, p), (…, q) → (…, p, q)."""
        w = self.low + self.length * v
        second = self.a * u[..., :, None] + self.b * w[..., None, :]  # (…, p, q)
        return self.length**0.5 * self.original.matrix(u[..., :, None], second)[..., 0, :]


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
        return tails(self.sigma(centred))

    def left(self, m: int) -> float:
        """Σ_{k>m} σ_k² of the centred spectrum."""
        return float((self.sigma(centred=True)[m:] ** 2).sum())


def mixed_spectrum(
    coupling: Coupling, a: float, b: float, c: float = 0.0, alpha: float = 1.0
) -> MixedSpectrum:
    """The spectrum of ρ(u, a·u + b·v) behind a filter that gives v + c·u.

    Raises CouplingError for a coupling that is defined on [0, 1]² only.
    """
    refuse_what_ends(coupling)
    low, length = (0.0, 1.0) if is_exact(coupling, b, c) else (min(0.0, c), 1 + abs(c))
    mixed = Mixed(coupling, a - b * c, b, low, length)
    raw, centred = pod(mixed), pod(mixed, centred=True)
    c_1, c_1_centred = (complexity_1(p.sigma[p.sigma > p.tolerance], alpha) for p in (raw, centred))
    return MixedSpectrum(raw, centred, c_1, c_1_centred)


def refuse_what_ends(coupling: Coupling) -> None:
    """Raises CouplingError for a coupling that is defined on [0, 1]² only."""
    periodic = [name for name, basis in BASES.items() if basis.periodic]
    if isinstance(coupling, Designed) and not {coupling.left, coupling.right} <= {*periodic}:
        raise CouplingError(
            f"mixing needs ρ beyond [0, 1]: bases {', '.join(periodic)} or a formula, "
            f"not {coupling.label}"
        )
    if not isinstance(coupling, (Designed, Formula)):
        raise CouplingError("mixing needs ρ beyond [0, 1]: samples end there; give a formula")


def is_exact(coupling: Coupling, b: float, c: float) -> bool:
    """Whether what a filter gives is uniform on [0, 1] as far as ρ can tell, so that a head has
    ρ(u, (a − b·c)·u + b·v) to learn on tokens as always; of a formula as 16 × 64 points tell."""
    if c == 0 or not float(b).is_integer():
        return c == 0
    if isinstance(coupling, Designed):
        return True
    u, v = (np.arange(16) + 0.5) / 16, np.linspace(-2, 2, 64)
    here, there = coupling.matrix(u, v), coupling.matrix(u, v + 1)
    return bool(np.abs(here - there).max() <= 1e-9 * (1 + np.abs(here).max()))


class Filtered(NamedTuple):
    """What filters in front leave of a mixed coupling, as softmax sees it: centred."""

    c: np.ndarray
    """(TRIED,), from the least to the greatest of CHOICES."""
    left: np.ndarray
    """(TRIED,): C₁^(α), or Σ_{k>m} σ_k²."""
    best: float
    """The c that leaves least, to three digits; no filter, 0, where none leaves less."""
    without: float
    """What is left without one,"""
    least: float
    """and behind the best."""
    exact: bool
    """Whether `least` is that of the pairs that occur, and not a bound on it."""


def filtered(coupling: Coupling, a: float, b: float, alpha: float, m: int = 0) -> Filtered:
    """What every filter of CHOICES leaves, and the best: of C₁^(α) where m = 0, else of the tail
    behind m terms.

    Raises CouplingError for a coupling that is defined on [0, 1]² only.
    """

    @cache
    def left(c: float) -> float:
        spectrum = mixed_spectrum(coupling, a, b, c, alpha)
        return spectrum.left(m) if m else spectrum.c_1_centred

    tried = np.linspace(*CHOICES, TRIED)
    best = round(least(left, tried, own=0.0, within=1e-4).position, 3)
    best = best if left(best) < left(0.0) else 0.0
    values = np.array([left(float(c)) for c in tried])
    return Filtered(tried, values, best, left(0.0), left(best), is_exact(coupling, b, best))


def mixable(spec: CouplingSpec | None) -> Coupling:
    """Of a specification, the example without one.

    Raises CouplingError for samples, before they are fetched, and formulas that are refused.
    """
    if spec is not None and spec.grid is not None:
        raise CouplingError("mixing needs ρ beyond [0, 1]: samples end there; give a formula")
    return coupling_of(spec) if spec else EXAMPLE


def falling_range() -> tuple[float, float]:
    """The α between which mixing by a = b = 1 lowers C₁^(α) of the example.

    C₁^(α) is 2^α before, where σ = 1, 1, and max(σ₁, 2^α/2, 3^α σ₃) after.
    """
    sigma_1, _, sigma_3 = EXACT
    return float(np.log2(sigma_1)), float(np.log(1 / sigma_3) / np.log(1.5))
