"""Targets of Eq. 8 with a coupling: exact answers and ideal attention.

    H_t(x) = F(Σ_s softmax_s(ρ(x_t, x_s)) f(x_s))

F and f (chosen.py) are the identity unless a specification says otherwise; every error of a model
then comes from attention or from its own layers.
The target may be altered by a permutation or a filter (Section 6).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from explorer.arrays import Array, namespace
from explorer.coupling import Coupling, CouplingError, FormulaError, coupling_of, pod
from explorer.families import SPECTRA
from explorer.spec import CouplingSpec, SpecError, SweepSpec
from explorer.targets.alterations import (
    Alteration,
    OfUniform,
    alteration_of,
    alteration_words,
    checked_sequences,
)
from explorer.targets.coupling import presets
from explorer.targets.coupling.chosen import PLAIN, Parts, parts_of
from explorer.targets.kind import GridLoader, Kind


def softmax(logits: Array) -> Array:
    """Softmax over the last axis, without overflow."""
    xp = namespace(logits)
    weights = xp.exp(logits - xp.max(logits, axis=-1, keepdims=True))
    return weights / xp.sum(weights, axis=-1, keepdims=True)


@dataclass(frozen=True)
class CouplingTarget:
    """H with coupling ρ on sequences of length τ with entries in [0, 1]."""

    coupling: Coupling
    tau: int
    parts: Parts = PLAIN

    def inputs(self, uniform: Array) -> Array:
        """Sequences x (…, τ) from uniform random numbers in [0, 1) (…, τ): here those numbers."""
        return checked_sequences(uniform, self.tau)

    def attention(self, x: Array, queries: int | None = None) -> Array:
        """softmax_s(ρ(x_t, x_s)): (…, τ) → (…, τ, τ), rows t, columns s; of the first `queries`
        rows only where they are given."""
        x = checked_sequences(x, self.tau)
        return softmax(self.coupling.matrix(x[..., :queries], x))

    def answer(self, x: Array, queries: int | None = None) -> Array:
        """H(x): (…, τ) → (…, τ), in the units of F; its first `queries` entries only where they
        are given."""
        return self.parts.answer(self.attention(x, queries), x)


@dataclass(frozen=True)
class AlteredTarget(OfUniform):
    """The model sees x∘p and must answer H_t(θ*x) of a target H of Eq. 8."""

    original: CouplingTarget
    alteration: Alteration

    def answer(self, x: Array) -> Array:
        """H(θ*x) of the original x: (…, τ) → (…, τ)."""
        return self.original.answer(self.alteration.mixed(x))


def stays_inside(taps: Sequence[float]) -> bool:
    """Whether θ*x of every x in [0, 1] lies there, too."""
    return min(taps) >= 0 and sum(taps) <= 1 + 1e-12


def altered_target(spec: CouplingSpec, original: CouplingTarget) -> AlteredTarget:
    """The altered target of a specification.

    Raises SpecError for a filter that leads out of [0, 1], where ρ is not defined.
    """
    alteration = alteration_of(spec)
    taps = alteration.taps or (1.0,)
    if not stays_inside(taps):
        raise SpecError(
            f"filter: on a coupling taps must be 0 or more and sum to at most 1, so that θ*x stays "
            f"in [0, 1]; these lie from {min(taps):.4g} to {max(taps):.4g} and sum to "
            f"{sum(taps):.4g}"
        )
    return AlteredTarget(original, alteration)


def coupling_target(
    spec: CouplingSpec, load_grid: GridLoader | None = None
) -> CouplingTarget | AlteredTarget:
    """The target of a specification; raises CouplingError where its coupling cannot be built, and
    SpecError where its alteration cannot."""
    plain = plain_target(spec, load_grid)
    return altered_target(spec, plain) if spec.altered else plain


def plain_target(spec: CouplingSpec, load_grid: GridLoader | None = None) -> CouplingTarget:
    """The target of a specification before it is altered; raises CouplingError."""
    return CouplingTarget(coupling_of(spec, load_grid), spec.tau, parts_of(spec))


def check_formula(spec: CouplingSpec) -> None:
    """Raises CouplingError for a formula that is not finite at every node of its POD."""
    if spec.formula is None:
        return
    try:
        pod(coupling_of(spec), centred=True)
    except FormulaError as error:
        raise CouplingError(f"formula = {spec.formula!r}: {error}") from None


def coupling_words(spec: CouplingSpec) -> str:
    """What a specification learns, in a few words: its coupling, and how it is altered."""
    texts = {"F": spec.outer, "f": spec.inner}
    parts = [f"{letter} = {text}" for letter, text in texts.items() if text != "identity"]
    return ", ".join([_rho_words(spec), *parts, *altered_words(spec)])


def altered_words(spec: CouplingSpec) -> list[str]:
    """Its alterations: order, filter, positions."""
    positions = [f"{spec.positions} positions"] if spec.positions else []
    return [*alteration_words(spec), *positions]


def _rho_words(spec: CouplingSpec) -> str:
    if spec.formula is not None:
        return f"ρ = {spec.formula}"
    if spec.grid is not None:
        return f"samples {spec.grid[:8]}…"
    spectrum = SPECTRA[spec.spectrum]
    terms = len(spec.sigma) if spec.sigma else "∞" if spec.rank is None else spec.rank
    sigma = spectrum.words(**spectrum.read(spec))
    bases = f"{spec.left_basis} × {spec.right_basis}".replace("_", "-")
    return f"{sigma}, r = {terms}, {bases}"


KIND = Kind(
    Spec=CouplingSpec,
    Sweep=SweepSpec,
    build=coupling_target,
    check=check_formula,
    words=coupling_words,
    presets=presets.PRESETS,
    sweeps=presets.SWEEPS,
)
