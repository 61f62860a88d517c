"""Section 5 and the settings of App. C: Figures 1 to 3, by shipped results and closed forms."""

from functools import cache, partial
from typing import Any

import numpy as np

from explorer.coupling import pod
from explorer.pages.real import view as real
from explorer.pages.real import view_labelled as trained
from explorer.paper.item import Found, Section, at, least, near
from explorer.paper.rates import CLIFF, DESIGN, ORDER, RATES, SMOOTH, smooth
from explorer.spec import CouplingSpec, LinearSpec, compact, coupling_spec
from explorer.targets import PRESETS
from explorer.targets.alterations import named_order
from explorer.theory import sampled
from explorer.theory.design import Design
from explorer.theory.sweep import Norm, groups
from explorer.views.sweeps import shipped
from explorer.views.text import number

FIGURES = Section("Section 5: numerical demonstrations")
SETTINGS = Section("Appendix C: settings")
REAL = at("real")
PAPER = at("train", spec=compact(PRESETS["paper"][1]))
FEW, SEEN = 0.1, 100.0
"""By how much a slope may be off, and the least drop of the error at a rank."""


@cache
def group(
    alpha: float, rank: int | None, norm: Norm = "mse", sweep: str = "fig1"
) -> dict[str, Any]:
    """Errors over m_h of the shipped sweep, medians of the seeds."""
    all_groups = groups(shipped(sweep).rows, norm, "median")
    return next(each for each in all_groups if (each["alpha"], each["rank"]) == (alpha, rank))


def slope(alpha: float, norm: Norm, wanted: float) -> Found:
    """Of the error for r = ∞ against m_h."""
    exponent, claim = group(alpha, None, norm)["slope"], f"slope {number(wanted)} at α = {alpha:g}"
    return Found(claim, number(exponent), abs(exponent - wanted) < FEW)


@FIGURES.item("Section 5.1", "A coupling of rank r is learned perfectly from m_h = r on.", CLIFF)
def perfect() -> Found:
    left = Design(CouplingSpec(rank=6)).floor.nmse
    computed = f"5 terms leave {number(left[5])}, 6 leave {number(left[6])}"
    return Found("truncation of rank 6", computed, bool(left[6] < 1e-12 < 1e-3 < left[5]))


@FIGURES.item("Figure 1", "At m_h = r the error drops to nothing.", RATES, slow="fig1")
def drops() -> Found:
    factors = [group(alpha, r)["drop_at_rank"] for alpha in (1.0, 2.0) for r in (2, 6)]
    shown = ", ".join(f"{drop:,.0f}" for drop in factors)
    return Found("least drop of nMSE, r − 1 → r", shown, min(factors) > SEEN)


FIGURES.item("Figure 1 (a)", "For α = 1, r = ∞ the error falls as m_h^−1.", RATES)(
    partial(slope, 1.0, "mse", -1.0)
)
FIGURES.item("Figure 1 (b)", "For α = 2, r = ∞ as m_h^−3; found less steep.", RATES, "differs")(
    partial(slope, 2.0, "mse", -3.0)
)


@FIGURES.item(
    "Figure 1, norm",
    "m_h^−(2α−1) beside an L¹-type norm; the squared error's, absolute ones fall half as fast.",
    RATES,
    "slip",
)
def figure_1_norm() -> Found:
    finding = slope(1.0, "mae", -1.0)
    return finding._replace(mended=slope(1.0, "mae", -0.5).holds)


@FIGURES.item("Figure 1, ranks", "At a fixed m_h the error rises with the rank.", RATES)
def figure_1_ranks() -> Found:
    """Where a rank is not reached: below it is the noise of training."""
    errors = np.array([group(1.0, rank)["error"] for rank in (2, 6, None)])
    rises = bool(((errors[0] < errors[2]) & (errors[1] < errors[2])).all())
    below = bool((errors[0, :5] < errors[1, :5]).all())
    return Found("r = 2 < 6 < ∞ at every m_h < 6", f"{rises and below}", rises and below)


@FIGURES.item("Braun (2005)", "σ_k of ρ at τ random tokens, over τ, tend to those of ρ.", SMOOTH)
def from_tokens() -> Found:
    wanted = pod(smooth()).sigma[:3]
    estimates = sampled.of_coupling(smooth(), len(wanted), centred=False)
    few, many = estimates.errors(wanted)[[1, -1]]
    claim = f"error at τ = {estimates.tau[1]} → {estimates.tau[-1]}"
    return Found(claim, f"{number(few)} → {number(many)}", many < few / 2)


@FIGURES.item(
    "Figure 2",
    "Over inputs the σ_k of ViT-B/16's first head concentrate; here of DINOv2 ViT-S.",
    REAL,
    slow="fig2",
)
def figure_2() -> Found:
    sigma = real.shipped()["vit"].raw[:, 0, 0, :5]
    varies = float((sigma.std(0) / sigma.mean(0)).max())
    return Found("deviation over pictures ÷ mean below ½", number(varies), varies < 0.5)


@FIGURES.item("Low rank", "Real couplings are of low rank.", at("real", real='{"model":"smollm2"}'))
def low_rank() -> Found:
    shares = {
        name: spectra.raw_rank.mean() / spectra.raw.shape[-1]
        for name, spectra in real.shipped().items()
    }
    shown = ", ".join(f"{name} {number(share)}" for name, share in shares.items())
    return Found("terms for 99 % ÷ m_h", shown, max(shares.values()) < 0.5)


@FIGURES.item(
    "Figure 3 (a)", "With m_h the σ_k converge; not here, on MNIST.", REAL, "differs", "fig3"
)
def figure_3a() -> Found:
    width = trained.converged(trained.shipped().group)
    return Found("a width from which they agree", str(width), width is not None)


@FIGURES.item("Figure 3 (b)", "Training error m_h^−0.27 + 1.05; none on MNIST.", REAL, "differs")
def figure_3b() -> Found:
    curve = trained.shipped().group
    first, last = (float(np.mean(curve["training"][i])) for i in (0, -1))
    computed = f"{number(first)} at m_h = {curve['m_h'][0]}, {number(last)} at {curve['m_h'][-1]}"
    return Found("a fitted power law", computed, bool(curve["decay"] and curve["decay"]["told"]))


@SETTINGS.item("Eq. 67, 68", "Σ σ_i φ_i(u) ψ_i(v) of sines has just these σ_i, exactly.", DESIGN)
def designed() -> Found:
    sigma = pod(Design(CouplingSpec(rank=8)).coupling).sigma[:8]
    return least("σ_i = 1/i by quadrature", sigma - 1 / np.arange(1, 9))


@SETTINGS.item("Section 5.1, sizes", "d = 1, τ = 16, n = d_v = 32, width 128, depth 3.", PAPER)
def sizes() -> Found:
    spec = coupling_spec(PRESETS["paper"][1])
    fields = (spec.tau, spec.n, spec.d_v, spec.m_ff, spec.depth)
    return Found("τ, n, d_v, m_FF, depth of `paper`", str(fields), fields == (16, 32, 32, 128, 3))


@SETTINGS.item("n = 32", "n = 32 for m_h ≤ 16; Theorem 4.1 asks 2m_h + m_v ≥ 33.", PAPER, "slip")
def dimension() -> Found:
    n = coupling_spec(PRESETS["paper"][1]).n
    fits = [2 * m_h + 1 <= n for m_h in (15, 16)]
    return Found("2·16 + 1 ≤ n", f"n = {n}: m_h ≤ 15 {fits[0]}, 16 {fits[1]}", fits[1], fits[0])


def drop(sweep: str) -> Found:
    """Of the error at the rank, in a shipped sweep."""
    factor = group(1.0, 6, sweep=sweep)["drop_at_rank"]
    return Found(f"drop of nMSE at r = 6 above {SEEN:g}", number(factor), factor > SEEN)


SETTINGS.item(
    "Section 5.1, recipe",
    "ReLU and Adam show Figure 1; one reading of it shows no drop at r = 6 here.",
    at("rates"),
    "differs",
)(partial(drop, "paper"))
SETTINGS.item(
    "Section 5.1, epochs",
    "On a data set until the training loss rests: no drop at r = 6 here either.",
    at("train", spec=compact(PRESETS["paper-set"][1])),
    "differs",
)(partial(drop, "printed"))
SETTINGS.missing(
    "Section 5.2, ViT",
    "ViT-B/16 trained as Dosovitskiy et al.: needs pictures and weeks of a GPU that are not here.",
    REAL,
)


@SETTINGS.item("Section 6, sizes", "32 steps, 128 linear units; n = d_v = m_h = 32.", ORDER)
def sizes_6() -> Found:
    spec = LinearSpec()
    fields = (spec.tau, spec.hidden, spec.n, spec.d_v, spec.m_h)
    return Found("defaults of a linear target", str(fields), fields == (32, 128, 32, 32, 32))


@SETTINGS.item("Section 6, order", "The first 10 values are exchanged with the last 10.", ORDER)
def exchange() -> Found:
    p = named_order("block", 32)
    wanted = (*range(22, 32), *range(10, 22), *range(10))
    return Found("22…31, 10…21, 0…9", f"{p[0]}, {p[10]}, {p[-1]}", tuple(p) == wanted)


@SETTINGS.item("Table 1, order", "The first 10 tokens are shifted to the end.", REAL)
def rolled() -> Found:
    p = np.array(named_order("roll", 32))
    return near("x(p(t)) = x(t + 10)", float((p == np.roll(np.arange(32), -10)).mean()), 1.0)
