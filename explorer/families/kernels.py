"""Kernels ρ(s) of linear targets y_t = Σ_s ρ(s) x(t−s) (Section 6).

    exponential  e^(−rate·s)
    power        (s+1)^−α
    random       U[0, 1], drawn by a seed
    delay        1 at s = ℓ, else 0
    airy         Ai(s − ℓ): waves that end in a front at ℓ
    taps         ρ(0), ρ(1), … as given, then 0
    formula      a formula in s

All that the explorer knows of a family of kernels stands in its `Kernel` here; a new one is one
more in KERNELS.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.families.family import Family, table
from explorer.slow import special


@dataclass(frozen=True, eq=False, kw_only=True)
class Kernel(Family):
    """A family of kernels."""

    rho: Callable[..., np.ndarray] | None
    """s (τ,) = 0, 1, … and its fields by name → ρ(s), (τ,) float64; None where a text gives it,
    which coupling/formula.py reads."""
    words: Callable[..., str]
    """What ρ is, with the numbers of its fields."""
    decay_length: Callable[..., float] | None
    """γ of |ρ(s)| ≤ C e^(−s/γ): ∞ for what falls more slowly, 0 for what ends or falls
    faster. None where nobody knows; it is then fitted on the window."""
    example: Mapping[str, Any]
    """Fields that have no default, as a page starts with them."""


EXPONENTIAL = Kernel(
    name="exponential",
    title="exp(−rate·s)",
    fields=("rate",),
    rho=lambda s, rate: np.exp(-rate * s),
    words=lambda rate: f"ρ = e^(−{'' if rate == 1 else f'{rate:g}'}s)",
    decay_length=lambda rate: 1 / rate if rate > 0 else math.inf,
    example={},
)
POWER = Kernel(
    name="power",
    title="1/(s+1)ᵅ",
    fields=("alpha",),
    rho=lambda s, alpha: (s + 1) ** -alpha,
    words=lambda alpha: f"ρ = (s+1)^−{alpha:g}",
    decay_length=lambda alpha: math.inf,
    example={},
)
RANDOM = Kernel(
    name="random",
    title="random, U[0, 1]",
    fields=("kernel_seed",),
    rho=lambda s, kernel_seed: np.random.default_rng(kernel_seed).random(len(s)),
    words=lambda kernel_seed: f"random ρ {kernel_seed}",
    decay_length=lambda kernel_seed: math.inf,
    example={},
)
DELAY = Kernel(
    name="delay",
    title="delay",
    fields=("lag",),
    rho=lambda s, lag: (s == lag).astype(np.float64),
    words=lambda lag: f"delay of {lag}",
    decay_length=lambda lag: 0.0,
    example={},
)
AIRY = Kernel(
    name="airy",
    title="Airy, Ai(s−ℓ)",
    fields=("lag",),
    rho=lambda s, lag: special.airy(s - lag)[0],
    words=lambda lag: f"ρ = Ai(s−{lag})",
    decay_length=lambda lag: 0.0,
    example={},
)
TAPS = Kernel(
    name="taps",
    title="taps",
    fields=("taps",),
    rho=lambda s, taps: np.pad(np.array(taps), (0, len(s) - len(taps))),
    words=lambda taps: "ρ by taps",
    decay_length=lambda taps: 0.0,
    example={"taps": [1.0, 0.5, 0.25]},
)
FORMULA = Kernel(
    name="formula",
    title="formula in s",
    fields=("formula",),
    rho=None,
    words=lambda formula: f"ρ = {formula}",
    decay_length=None,
    example={"formula": "cos(s) * exp(-s / 4)"},
)
KERNELS = table(
    "kernel",
    ((each.name, each) for each in (EXPONENTIAL, POWER, RANDOM, DELAY, AIRY, TAPS, FORMULA)),
)
"""Every family of kernels by its name in a specification."""
