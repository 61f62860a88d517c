"""What 64 terms leave of a spectrum without end.

A law such as σ_k = c·k^-α is computed and trained with its first TERMS terms: their floor is that
of another target than the one without end. What the cut leaves is computed here, by Monte Carlo
with MORE terms; what these leave in turn is in proportion to the tail of the spectrum.
"""

import numpy as np

from explorer.coupling import Designed
from explorer.coupling.spectra import of_law
from explorer.families import SPECTRA, TERMS
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget, parts_of

MORE = 1024
END = 1_000_000  # terms of a law that are summed
QUERIES = 8
TOKENS = 8192  # in the sequences that are looked at, and LEAST more of these
LEAST = 256


def left_beyond(spec: CouplingSpec, seed: int = 0) -> float | None:
    """nMSE of the first TERMS terms of an endless spectrum, about; None where Σ σ_k² diverges: no
    such coupling is in L²([0, 1]²)."""
    if not _is_summed(spec):
        return None
    whole, kept = (_target(spec, terms) for terms in (MORE, TERMS))
    x = np.random.default_rng(seed).random((TOKENS // spec.tau + LEAST, spec.tau))
    y, y_kept = (np.asarray(each.answer(x, QUERIES), np.float64) for each in (whole, kept))
    nmse = float(np.mean((y - y_kept) ** 2) / np.var(y))
    between = float(np.sum(of_law(spec, TERMS + 1, MORE) ** 2))
    if not between:  # so steep that nothing is left
        return 0.0
    return nmse * (1 + float(np.sum(of_law(spec, MORE + 1, END) ** 2)) / between)


def share_of_cut(spec: CouplingSpec, m: int) -> float:
    """What lies beyond TERMS terms, as a share of what lies beyond the first m of an endless
    spectrum, in Σ σ_k²: about so much of the error of m terms a floor of TERMS terms lacks."""
    if not _is_summed(spec) or m >= TERMS:
        return 1.0
    energy = of_law(spec, m + 1, END) ** 2
    return float(energy[TERMS - m :].sum() / energy.sum())


def _is_summed(spec: CouplingSpec) -> bool:
    """Whether Σ σ_k² is finite."""
    return SPECTRA[spec.spectrum].tail != "power" or spec.alpha > 0.5


def _target(spec: CouplingSpec, terms: int) -> CouplingTarget:
    sigma = tuple(float(value) for value in of_law(spec, 1, terms))
    coupling = Designed(sigma, spec.left_basis, spec.right_basis)
    return CouplingTarget(coupling, spec.tau, parts_of(spec))
