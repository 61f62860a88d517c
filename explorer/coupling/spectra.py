"""The spectrum of a designed coupling, as a specification gives it."""

import numpy as np

from explorer.families import SPECTRA, TERMS, Tail
from explorer.spec import CouplingSpec, SweepSpec


def singular_values(spec: CouplingSpec) -> np.ndarray:
    """σ_1 … σ_K, float64; K is the rank, or TERMS where the rank is None, or the list's length."""
    spectrum, k = SPECTRA[spec.spectrum], np.arange(1, (spec.rank or TERMS) + 1)
    return spectrum.sigma(k, **spectrum.read(spec))


def tails(sigma: np.ndarray, beyond: float = 0.0) -> np.ndarray:
    """Σ_{k>m} σ_k² for m = 0 … K, (K,) → (K + 1,); `beyond` is that of what is not in σ."""
    return beyond + np.append(np.cumsum(sigma[::-1] ** 2)[::-1], 0.0)


def designed_tail(spec: CouplingSpec | SweepSpec) -> Tail:
    """How σ_k falls by design; unknown where a formula or samples give the coupling."""
    given = spec.formula is not None or spec.grid is not None
    return "unknown" if given else SPECTRA[spec.spectrum].tail


def is_endless(spec: CouplingSpec) -> bool:
    """Whether its σ_k follow a law without end, of which TERMS are kept."""
    given = spec.formula is not None or spec.grid is not None
    return not given and spec.rank is None and SPECTRA[spec.spectrum].law is not None


def of_law(spec: CouplingSpec, first: int, last: int) -> np.ndarray:
    """σ_k for k = first … last by the law of a designed coupling, whatever its rank."""
    spectrum, k = SPECTRA[spec.spectrum], np.arange(first, last + 1, dtype=np.float64)
    return spectrum.sigma(k, **spectrum.read(spec))
