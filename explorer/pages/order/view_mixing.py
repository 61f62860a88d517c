"""Mixing of a coupling (App. D.3): spectra before and after, as tables and in words."""

from __future__ import annotations

import pandas as pd

from explorer.spec import CouplingSpec
from explorer.theory.mixing import EXAMPLE, MixedSpectrum, mixed_spectrum, mixed_spectrum_of
from explorer.views.text import number


def spectrum(
    spec: CouplingSpec | None, a: float, b: float, c: float, alpha: float
) -> MixedSpectrum:
    """The spectrum of ρ(u, a·u + b·v) seen through v − c·u; of the paper's example without a spec.

    Raises CouplingError for a coupling that is not defined beyond [0, 1].
    """
    if spec is None:
        return mixed_spectrum(EXAMPLE, a, b, c, alpha)
    return mixed_spectrum_of(spec, a, b, c, alpha)


D3_LINE = "The rank rises from 2 to 3, as App. D.3 says; the complexity need not."
D3_NOTE = (
    "ρ = 1 + 2 sin 2πu sin 2πv, mixed to ρ(u, u + v), has exactly σ = (√11 ± √3)/4 and 1/2 "
    "(1.2622, 0.5, 0.3961), where App. D.3 prints 1.265, 0.5, 0.4. It says that the rank rises and "
    "so does the complexity: the rank does, from 2 to 3 (centred from 1 to 2), but C₁^(α) falls "
    "for α between 0.34 and 2.28. Seen through v − u the mixture is undone."
)


def sigma_table(before: MixedSpectrum, after: MixedSpectrum, most: int = 16) -> pd.DataFrame:
    """k, sigma (> 0), when ('before' or 'after'), gauge ('raw' or 'centred')."""
    lines = [
        {"k": k, "sigma": float(sigma), "when": when, "gauge": gauge}
        for when, spectrum in (("before", before), ("after", after))
        for gauge, centred in (("raw", False), ("centred", True))
        for k, sigma in enumerate(spectrum.sigma(centred)[:most], start=1)
    ]
    return pd.DataFrame(lines, columns=["k", "sigma", "when", "gauge"])


def tails_table(before: MixedSpectrum, after: MixedSpectrum, most: int = 16) -> pd.DataFrame:
    """m, tail = Σ_{k>m} σ_k² (> 0), when, gauge, as in `sigma_table`."""
    lines = [
        {"m": m, "tail": float(tail), "when": when, "gauge": gauge}
        for when, spectrum in (("before", before), ("after", after))
        for gauge, centred in (("raw", False), ("centred", True))
        for m, tail in enumerate(spectrum.tail(centred)[:most])
        if tail > 0
    ]
    return pd.DataFrame(lines, columns=["m", "tail", "when", "gauge"])


def name_of(a: float, b: float, c: float) -> str:
    """ρ(u, a·u + b·v), as seen through v − c·u."""
    seen = f" seen through v − {_times(c, 'u')}" if c > 0 else ""
    seen = f" seen through v + {_times(-c, 'u')}" if c < 0 else seen
    parts = [_times(factor, name) for factor, name in ((a, "u"), (b, "v")) if factor]
    inner = " + ".join(parts).replace("+ −", "− ") or "0"
    return f"ρ(u, {inner}){seen}"


def _times(factor: float, name: str) -> str:
    if abs(factor) == 1:
        return name if factor > 0 else f"−{name}"
    return f"{factor:g}·{name}".replace("-", "−")


def words(before: MixedSpectrum, after: MixedSpectrum, alpha: float) -> str:
    """What mixing does to rank and complexity, raw and as softmax sees it."""
    ranks = [len(spectrum.sigma(flag)) for flag in (False, True) for spectrum in (before, after)]
    moved = "falls" if after.c_1 < before.c_1 else "rises" if after.c_1 > before.c_1 else "stays"
    return (
        f"Rank {ranks[0]} → {ranks[1]}, without the v-mean, which softmax cannot see, "
        f"{ranks[2]} → {ranks[3]}. C₁^({alpha:g}) {moved}: {number(before.c_1, 4)} → "
        f"{number(after.c_1, 4)} (centred {number(before.c_1_centred, 4)} → "
        f"{number(after.c_1_centred, 4)})."
    )
