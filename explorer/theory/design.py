"""A coupling as it was designed, and what theory computes of it: its POD, its floors, its rank.

A law such as σ_k = c·k^-α is computed and trained with its first TERMS terms: their floor is that
of another target than the one without end. What the cut leaves is computed here, by Monte Carlo
with MORE terms. What these leave in turn is between nothing, where it lies beside where tokens
meet as with sines near u = v, and in proportion to the tail of the spectrum: their geometric mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from explorer.coupling import POD, Coupling, Designed, GridLoader, coupling_of, pod
from explorer.coupling.spectra import is_endless, of_law
from explorer.families import SPECTRA, TERMS
from explorer.spec import PART_FIELDS, CouplingSpec, design_of
from explorer.targets import CouplingTarget, parts_of
from explorer.theory import floor as floors
from explorer.theory.floor import Floor, Norm, Width, truncation_floor

CUT = 0.05  # of Σ σ_k² beyond m, from which on a cut of the spectrum may be 0.1 of an error
WIDTHS = 32  # widths m for which a floor is computed at once
MORE = 1024
END = 1_000_000  # terms of a law that are summed
QUERIES = 8
TOKENS = 8192  # in the sequences that are looked at, and LEAST more of these
LEAST = 256


@dataclass(frozen=True)
class Design:
    """The coupling of a specification, with the samples that it may name: what pages, commands and
    files compute of a coupling goes through one.

    `load_grid` fetches uploaded samples by their sha256. What is computed is remembered for every
    specification of the same coupling. Every member raises SpecError for a target that has no
    ρ(u, v), CouplingError where the coupling cannot be built, FormulaError where it is not finite.
    """

    spec: CouplingSpec
    load_grid: GridLoader | None = None

    @cached_property
    def bare(self) -> Design:
        """The same with all fields at their defaults that the coupling and τ do not need."""
        bare = design_of(self.spec)
        loader = self.load_grid if bare.grid else None  # one result for the readers of all stores
        return self if (bare, loader) == (self.spec, self.load_grid) else Design(bare, loader)

    @property
    def coupling(self) -> Coupling:
        """ρ(u, v) on [0, 1]²."""
        return coupling_of(self.bare.spec, self.load_grid)

    @property
    def target(self) -> CouplingTarget:
        """The target of Eq. 8 with it, not altered."""
        return CouplingTarget(self.coupling, self.spec.tau, parts_of(self.spec))

    def decomposition(self, centred: bool = True) -> POD:
        """Its POD; `centred` without the v-mean that softmax cannot see."""
        # No coupling depends on these.
        apart = {n: CouplingSpec.model_fields[n].default for n in ("tau", *PART_FIELDS)}
        return _pod(Design(self.bare.spec.model_copy(update=apart), self.bare.load_grid), centred)

    @property
    def floor(self) -> Floor:
        """Its truncation floor at m = 0 … 32."""
        return _floor(self.bare, *range(WIDTHS + 1))

    def left_by(self, m: int) -> float:
        """nMSE that m terms leave, by the same sequences as `floor`; nan where it `keeps_all`."""
        return self.left(m)[0]

    def left(self, m: int) -> tuple[float, float]:
        """`left_by`, and the half-width of its 95% interval."""
        errors = self.floor if m <= WIDTHS else _floor(self.bare, m)
        nmse, half = (values[m if m <= WIDTHS else 0] for values in errors.interval())
        return float(nmse), float(half)

    @property
    def endless(self) -> bool:
        """Whether its spectrum has no end, of which 64 terms are computed and trained."""
        return is_endless(self.spec)

    def keeps_all(self, m: int) -> bool:
        """Whether m terms are all that are computed of a spectrum without end."""
        return self.endless and m >= TERMS

    def is_cut_short(self, m: int) -> bool:
        """Whether what is not computed of its spectrum may be a tenth of what m terms leave."""
        return self.endless and share_of_cut(self.bare.spec, m) > CUT

    @property
    def left_beyond(self) -> float | None:
        """nMSE that those 64 terms leave, its order of magnitude; None where Σ σ_k² diverges."""
        return left_beyond(self.bare.spec)

    @property
    def exact_rank(self) -> int | None:
        """Rank of the centred coupling, from which on the floor is 0.

        None for ∞, where nobody knows, and for a coupling so steep that its POD is not resolved.
        """
        return floors.exact_rank(self.decomposition(), self.left_by)

    @property
    def rank_words(self) -> str:
        """Its centred rank as it is spoken of: a number, a bound on it, ∞, or "unknown"."""
        return self.decomposition().rank_words

    def width_for(self, error: float, norm: Norm = "mse") -> Width:
        """The least m whose floor is at most `error` in the norm, with its interval; None where 32
        terms are not enough."""
        return floors.width_for(self.floor, error, self.exact_rank, norm)


@lru_cache(maxsize=32)
def _pod(design: Design, centred: bool) -> POD:
    return pod(design.coupling, centred=centred)


@lru_cache(maxsize=128)
def _floor(design: Design, *m: int) -> Floor:
    return truncation_floor(design.target, m, decomposition=design.decomposition())


@lru_cache(maxsize=32)
def left_beyond(spec: CouplingSpec) -> float | None:
    """nMSE of the first TERMS terms of an endless spectrum, its order of magnitude; None where
    Σ σ_k² diverges: no such coupling is in L²([0, 1]²)."""
    if not _is_summed(spec):
        return None
    whole, truncated = (_target(spec, terms) for terms in (MORE, TERMS))
    x = np.random.default_rng(0).random((TOKENS // spec.tau + LEAST, spec.tau))
    y, y_kept = (np.asarray(each.answer(x, QUERIES), np.float64) for each in (whole, truncated))
    nmse = float(np.mean((y - y_kept) ** 2) / np.var(y))
    between = float(np.sum(of_law(spec, TERMS + 1, MORE) ** 2))
    if not between:  # so steep that nothing is left
        return 0.0
    return nmse * (1 + float(np.sum(of_law(spec, MORE + 1, END) ** 2)) / between) ** 0.5


@lru_cache(maxsize=64)
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
