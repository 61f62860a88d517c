"""Page 1: a coupling, its POD, what m terms keep of it, and the floor that follows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from explorer.coupling import POD, Coupling, Designed, Truncated, coupling_of, pod
from explorer.runs.record import RunRow
from explorer.spec import Spec, SpecError, design_of
from explorer.targets import target_of
from explorer.theory.floor import Floor, truncation_floor
from explorer.theory.rates import complexity_1, decay_exponent
from explorer.views.text import number, rank_text

PICTURE = 96  # cells of a picture of ρ along u and v
WIDTHS = 32  # widths m for which the floor is drawn
FLOOR_SAMPLES = 1024
VANISHING = 1e-12  # an nMSE below it is rounding
CURVE = 400  # points of a drawn function

GridLoader = Callable[[str], np.ndarray]

BASES = {
    "sine": ("sine (the paper's)", r"\sqrt2\sin 2\pi k x"),
    "shifted_sine": ("half-shifted sine", r"\sqrt2\sin 2\pi k(x+\tfrac12)"),
    "fourier": ("Fourier", r"\{1,\ \sqrt2\cos 2\pi j x,\ \sqrt2\sin 2\pi j x\}_k"),
    "legendre": ("Legendre", r"\sqrt{2k-1}\,P_{k-1}(2x-1)"),
    "haar": ("Haar", r"\text{Haar wavelet}_k(x)"),
}
"""Name on the page and formula of each basis (left-hand; right-hand ones omit the constant)."""


@dataclass(frozen=True, eq=False)
class DesignView:
    """What the Design page shows of one coupling at width m, function k and query value u."""

    label: str
    latex: str
    k: int
    """The singular function shown, at most the last there is."""
    pictures: dict[str, np.ndarray]
    """ρ and its first m terms, (96, 96) each: rows u, columns v, at cell centres."""
    spectrum: pd.DataFrame
    """k, sigma, part ('kept', 'left out' or 'below the tolerance'), tolerance."""
    functions: pd.DataFrame
    """x, value, function: φ_k(u) and ψ_k(v)."""
    row: pd.DataFrame
    """v, weight (softmax of the row relative to uniform), coupling ('ρ', 'ρ_m')."""
    floor: pd.DataFrame
    """m, error, low, high (95%; exactly 0 from the rank on), norm ('nMSE' or 'mean absolute
    error')."""
    facts: dict[str, str]
    verdict: str


@lru_cache(maxsize=32)
def decomposition(design: Spec, centred: bool, load_grid: GridLoader | None = None) -> POD:
    """POD of the coupling of a design; raises SpecError or FormulaError where there is none."""
    return pod(coupling_of(design, load_grid), centred=centred)


@lru_cache(maxsize=32)
def floor(design: Spec, load_grid: GridLoader | None = None) -> Floor:
    """Truncation floor of a design at m = 0 … 32, by 1024 sequences."""
    target = target_of(design, load_grid)
    return truncation_floor(target, range(WIDTHS + 1), samples=FLOOR_SAMPLES)


@lru_cache(maxsize=128)
def left_by(m: int, design: Spec, load_grid: GridLoader | None = None) -> float:
    """nMSE that m terms of a design leave, by the same sequences as `floor`."""
    if m <= WIDTHS:
        return float(floor(design, load_grid).nmse[m])
    known = truncation_floor(target_of(design, load_grid), [m], samples=FLOOR_SAMPLES)
    return float(known.nmse[0])


def exact_rank(design: Spec, load_grid: GridLoader | None = None) -> int | None:
    """Rank of the centred coupling, from which on the floor is 0.

    None for ∞, and for a coupling so steep that its POD is not resolved.
    """
    rank = decomposition(design, True, load_grid).rank
    if rank is None or left_by(rank, design, load_grid) > VANISHING:
        return None
    return rank


def design_view(
    spec: Spec,
    *,
    m: int,
    k: int,
    u: float,
    centred: bool,
    load_grid: GridLoader | None = None,
) -> DesignView:
    """Everything the page shows; m and k are cut to the terms there are, u is in [0, 1]."""
    design = design_of(spec)
    coupling = coupling_of(design, load_grid)
    found = decomposition(design, centred, load_grid)
    k = min(max(k, 1), len(found.sigma))
    rank = exact_rank(design, load_grid)
    return DesignView(
        label=coupling.label,
        latex=latex(spec, coupling),
        k=k,
        pictures=_pictures(coupling, found, m),
        spectrum=_spectrum(found, m),
        functions=_functions(found, k),
        row=_row(coupling, found, m, u),
        floor=_floor_table(floor(design, load_grid), rank),
        facts=_facts(found),
        verdict=verdict(rank, m, left_by(m, design, load_grid)),
    )


def cells(count: int) -> np.ndarray:
    """Cell centres of [0, 1], (count,)."""
    return (np.arange(count) + 0.5) / count


def centred_matrix(coupling: Coupling, found: POD, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """ρ(u_i, v_j) less its v-mean for each u, by the quadrature of a POD."""
    mean = coupling.matrix(u, found.v) @ found.wv
    return coupling.matrix(u, v) - mean[:, None]


def _pictures(coupling: Coupling, found: POD, m: int) -> dict[str, np.ndarray]:
    x = cells(PICTURE)
    whole = centred_matrix(coupling, found, x, x) if found.centred else coupling.matrix(x, x)
    name = "ρ(u, v), centred" if found.centred else "ρ(u, v)"
    kept = min(m, len(found.sigma))
    return {name: whole, f"first {kept} terms": Truncated(found, kept).matrix(x, x)}


def _spectrum(found: POD, m: int) -> pd.DataFrame:
    shown = found.sigma > max(found.rounding, found.tolerance * 1e-3)
    sigma = found.sigma[shown]
    k = np.arange(1, len(sigma) + 1)
    part = np.where(k <= m, "kept", "left out")
    part = np.where(sigma > found.tolerance, part, "below the tolerance")
    return pd.DataFrame({"k": k, "sigma": sigma, "part": part, "tolerance": found.tolerance})


def _functions(found: POD, k: int) -> pd.DataFrame:
    x = (np.arange(CURVE) + 0.5) / CURVE
    sides = {f"φ_{k}(u)": found.left(x)[:, k - 1], f"ψ_{k}(v)": found.right(x)[:, k - 1]}
    return _long(x, sides, "x", "value", "function")


def _row(coupling: Coupling, found: POD, m: int, u: float) -> pd.DataFrame:
    v, at = cells(CURVE), np.array([u])
    curves = {"ρ": coupling.matrix(at, v)[0], "ρ_m": Truncated(found, m).matrix(at, v)[0]}
    weights = {name: _relative(row) for name, row in curves.items()}
    return _long(v, weights, "v", "weight", "coupling")


def _relative(logits: np.ndarray) -> np.ndarray:
    """softmax of a row of ρ over v as a density: 1 where attention is uniform."""
    weights = np.exp(logits - logits.max())
    return weights / weights.mean()


def _long(
    x: np.ndarray, columns: dict[str, np.ndarray], x_name: str, value: str, name: str
) -> pd.DataFrame:
    return pd.DataFrame({x_name: x, **columns}).melt(x_name, var_name=name, value_name=value)


def _floor_table(known: Floor, rank: int | None) -> pd.DataFrame:
    some = 1.0 if rank is None else known.m < rank  # from the rank on there is only rounding
    errors = {
        "nMSE": (some * known.nmse, some * known.mse_se / known.variance),
        "mean absolute error": (some * known.mae, some * known.mae_se),
    }
    tables = [
        pd.DataFrame(
            {
                "m": known.m,
                "error": error,
                "low": np.maximum(error - 1.96 * se, error / 10),
                "high": error + 1.96 * se,
                "norm": norm,
            }
        )
        for norm, (error, se) in errors.items()
    ]
    return pd.concat(tables, ignore_index=True)


def _facts(found: POD) -> dict[str, str]:
    decay = decay_exponent(found)
    facts = {
        "rank": rank_text(found.rank),
        "tolerance": f"{number(found.tolerance)} (absolute)",
        "σ reached to": number(found.error),
        "σ₁": number(found.sigma[0], 4),
        "Σ σ_k²": number(float(found.tail_energy()[0]), 4),
    }
    if decay is not None:
        low, high = decay.alpha_ci
        facts["fitted α"] = f"{decay.alpha:.2f} (95%: {low:.2f} to {high:.2f}, k ≥ 4)"
        facts["C₁ at that α"] = number(complexity_1(found.sigma, decay.alpha), 3)
    return facts


def verdict(rank: int | None, m: int, nmse: float) -> str:
    """What the numbers say about width m: the centred rank, and the nMSE that m terms leave."""
    at = number(nmse)
    if rank == 0:
        return "ρ depends on u alone: softmax cannot see it, and every y_t is the mean of the x_s."
    if rank is None:
        return (
            f"The spectrum does not end: {m} of its terms leave nMSE {at} by truncation. "
            "A trained head may do somewhat better, since truncation is an upper bound."
        )
    if m >= rank:
        return (
            f"Centred rank {rank}: a head of width m_h = {m} ≥ {rank} can represent "
            "ρ exactly, so the floor is 0."
        )
    return (
        f"Centred rank {rank}: {m} of its terms leave nMSE {at} by truncation; "
        f"the floor falls to 0 at m_h = {rank}."
    )


def latex(spec: Spec, coupling: Coupling) -> str:
    """The coupling as a formula with its numbers."""
    if not isinstance(coupling, Designed):
        source = r"\text{as typed}" if spec.formula else r"\text{bilinear between the samples}"
        return rf"\rho(u,v) = {source}"
    terms = len(coupling.sigma)
    upper = r"\infty\,(64)" if spec.spectrum != "list" and spec.rank is None else str(terms)
    scale = "" if spec.c == 1 else rf"{spec.c:g}\,"
    sigma = {
        "power": rf"{scale}k^{{-{spec.alpha:g}}}",
        "exponential": rf"{scale}{spec.decay:g}^{{\,k-1}}",
        "list": r"\sigma_k",
    }[spec.spectrum]
    return (
        rf"\rho(u,v)=\sum_{{k=1}}^{{{upper}}} {sigma}\;\phi_k(u)\,\psi_k(v),\quad "
        rf"\phi_k(x)={BASES[spec.left_basis][1]},\quad \psi_k(x)={_right(spec.right_basis)}"
    )


def _right(name: str) -> str:
    """Formula of a right-hand basis, which omits the constant."""
    return {
        "fourier": r"\{\sqrt2\cos 2\pi j x,\ \sqrt2\sin 2\pi j x\}_k",
        "legendre": r"\sqrt{2k+1}\,P_k(2x-1)",
    }.get(name, BASES[name][1])


def trained_runs(spec: Spec, rows: Iterable[RunRow]) -> pd.DataFrame:
    """Finished runs that learned this very design: m_h, nmse, run. Each point is one seed.

    Runs whose specification another version wrote are passed over.
    """
    design = design_of(spec)
    found = [
        {"m_h": row.spec.m_h, "nmse": nmse, "run": row.run}
        for row in rows
        if (nmse := final_nmse(row)) and _design(row) == design
    ]
    return pd.DataFrame(found, columns=["m_h", "nmse", "run"])


def final_nmse(row: RunRow) -> float | None:
    """The nMSE that a run has finished with; an archive may bring a run without."""
    nmse = (row.metrics or {}).get("nmse")
    return nmse if row.status == "finished" and isinstance(nmse, float) else None


def _design(row: RunRow) -> Spec | None:
    try:
        return design_of(row.spec)
    except SpecError:
        return None
