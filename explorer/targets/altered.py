"""Targets of Eq. 8 with a permutation or a filter (Section 6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array
from explorer.spec import CouplingSpec, SpecError
from explorer.targets.alterations import Alteration, alteration_of
from explorer.targets.coupling import CouplingTarget


@dataclass(frozen=True)
class AlteredTarget:
    """The model sees x∘p and must answer H_t(θ*x) of a target H of Eq. 8."""

    original: CouplingTarget
    alteration: Alteration

    @property
    def tau(self) -> int:
        return self.original.tau

    @property
    def uniforms(self) -> int:
        """Random numbers that make one sequence."""
        return self.tau

    def inputs(self, uniform: Array) -> Array:
        """Sequences x (…, τ), before they are reordered: the uniform random numbers themselves."""
        return self.original.inputs(uniform)

    def seen(self, x: Array) -> Array:
        """x∘p (…, τ), the model's input."""
        return self.alteration.seen(x)

    def answer(self, x: Array) -> Array:
        """H(θ*x) of the original x: (…, τ) → (…, τ)."""
        return self.original.answer(self.alteration.mixed(x))


def altered_target(spec: CouplingSpec, original: CouplingTarget) -> AlteredTarget:
    """The altered target of a specification.

    Raises SpecError for a filter that leads out of [0, 1], where ρ is not defined.
    """
    alteration = alteration_of(spec)
    taps = np.array(alteration.taps or (1.0,))
    if taps.min() < 0 or taps.sum() > 1 + 1e-12:
        raise SpecError(
            f"filter: on a coupling taps must be 0 or more and sum to at most 1, so that θ*x stays "
            f"in [0, 1]; these lie from {taps.min():.4g} to {taps.max():.4g} and sum to "
            f"{taps.sum():.4g}"
        )
    return AlteredTarget(original, alteration)
