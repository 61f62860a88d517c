"""The example of App. D.3, and the best filter in front: mixing (Section 6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from explorer.charts import LIGHT
from explorer.coupling import Formula
from explorer.pages.order.chart import best_filter_chart, mixing_chart
from explorer.pages.order.view_mixing import gains_of, learned_instead
from explorer.reproduce.request import Request, check, trained
from explorer.spec import CouplingSpec, amended, compact
from explorer.theory.mixing import (
    EXACT,
    EXACT_CENTRED,
    EXAMPLE,
    PRINTED,
    falling_range,
    filtered,
    mixed_spectrum,
)

NOTES_D3 = [
    "Exactly σ = (√11 ± √3)/4 and 1/2; the paper prints 1.265, 0.5, 0.4.",
    "Softmax does not see the constant 1: what it sees has rank 1 before mixing and 2 after.",
    "The rank rises, yet C₁^(α) falls for α between 0.34 and 2.28.",
]


TITLE_D3 = "App. D.3: mixing moves a spectrum"


def example_d3(request: Request) -> dict[str, Any]:
    """App. D.3: the spectrum of ρ(u, a·u + v), ρ = 1 + 2 sin 2πu sin 2πv; nothing is trained."""
    table = _mixed_table(np.linspace(0, 1, 11 if request.quick else 51))
    chart, footer = mixing_chart(table, LIGHT), "ρ = 1 + 2 sin 2πu sin 2πv"
    before, mixed = (mixed_spectrum(EXAMPLE, a, 1.0) for a in (0.0, 1.0))
    back = mixed_spectrum(EXAMPLE, 1.0, 1.0, c=1.0)
    checks = [
        _spectrum_check(mixed.sigma(), EXACT, "raw"),
        _spectrum_check(mixed.sigma(centred=True), EXACT_CENTRED, "centred"),
        _spectrum_check(back.sigma(), (1.0, 1.0), "behind a filter x₂ + x₁"),
    ]
    beside = [
        {"quantity": f"σ_{k}", "measured": float(sigma), "printed": printed, "source": "App. D.3"}
        for k, (sigma, printed) in enumerate(zip(mixed.sigma(), PRINTED, strict=True), start=1)
    ]
    ranks = {
        f"{gauge}{when}": len(spectrum.sigma(bool(gauge)))
        for gauge in ("", "centred_")
        for when, spectrum in (("before", before), ("after", mixed))
    }
    c_1 = {"before": before.c_1, "after": mixed.c_1, "alpha": 1.0}
    return {
        "printed": beside,
        "checks": checks,
        "rank": ranks,
        "c_1": c_1 | {"falls_for_alpha_between": list(falling_range())},
        "notes": NOTES_D3,
        "text": [TITLE_D3],
        "files": request.written("d3", table, chart, TITLE_D3, footer),
    }


@dataclass(frozen=True)
class Case:
    """A coupling ρ(u, a·u + v), its formula of period 1."""

    name: str
    formula: str
    a: float


CASES = (
    Case("App. D.3, mixed", EXAMPLE.text, 1.0),
    Case("of the sum u + v", "exp(cos(2*pi*(u + v)))", 0.0),
)
WIDTHS, SEEDS = (1, 2), (0, 1, 2, 3, 4)
WITHOUT, BEHIND = "without a filter", "behind the best filter"
TITLE_FILTER = "Heads behind the filter that is best for their width"
NOTES_FILTER = [
    "The filter is the one that leaves least of Σ_{k>m} σ_k² on the POD, found without training.",
    "Behind it a token is v + c·u, for a ρ of period 1 uniform again: both are the same recipe.",
]
GAIN = 10.0  # times that a filter which leaves nothing lowers the error, at least


def best_filters(request: Request) -> dict[str, Any]:
    """Heads on mixed couplings, and behind the filter in front that the POD says is best."""
    seeds = SEEDS[:1] if request.quick else SEEDS
    table = pd.DataFrame(
        [
            line
            for case in CASES
            for m in WIDTHS
            for known in _filters(case, m)
            for line in _trained_behind(request, case, known, seeds)
        ]
    )
    chart, footer = best_filter_chart(table, LIGHT), f"{len(seeds)} seeds each"
    gains: list[Any] = [gain for gain in gains_of(table).itertuples() if gain.c]
    what = "error without ÷ behind the best filter"
    return {
        "checks": [check(f"{g.case}, m = {g.m}: {what}", g.ratio, least=GAIN) for g in gains],
        "notes": NOTES_FILTER,
        "text": [TITLE_FILTER],
        "files": request.written("best-filter", table, chart, TITLE_FILTER, footer),
    }


def _filters(case: Case, m: int) -> list[dict[str, Any]]:
    """None, and the one that leaves least behind m terms."""
    best = filtered(Formula(case.formula), case.a, 1.0, 1.0, m)
    return [
        {"case": case.name, "m": m, "c": c, "row": row, "left": left}
        for row, c, left in ((WITHOUT, 0.0, best.without), (BEHIND, best.best, best.least))
    ]


def _trained_behind(
    request: Request, case: Case, known: dict[str, Any], seeds: Sequence[int]
) -> list[dict[str, Any]]:
    learned = learned_instead(CouplingSpec(formula=case.formula), case.a, 1.0, known["c"])
    assert learned is not None, "these have a formula, and period 1"
    specs = [amended(learned, m_h=known["m"], seed=seed) for seed in seeds]
    rows = [trained(request, spec).row for spec in specs]
    return [
        known
        | {"seed": spec.seed, "nmse": row.outcome["nmse"], "spec_id": row.spec_id}
        | {"spec": compact(spec)}
        for spec, row in zip(specs, rows, strict=True)
    ]


def _mixed_table(amounts: np.ndarray) -> pd.DataFrame:
    """σ_k and C₁ against the amount of mixing, raw and centred."""
    lines = []
    for amount in amounts.tolist():
        spectrum = mixed_spectrum(EXAMPLE, amount, 1.0)
        both = ("raw", False, spectrum.c_1), ("centred", True, spectrum.c_1_centred)
        for gauge, centred, c_1 in both:
            lines += [
                {"gauge": gauge, "mixing": amount, "k": f"σ_{k}", "sigma": float(sigma), "c_1": c_1}
                for k, sigma in enumerate(spectrum.sigma(centred), start=1)
            ]
    return pd.DataFrame(lines)


def _spectrum_check(measured: np.ndarray, exact: Sequence[float], gauge: str) -> dict[str, Any]:
    size = max(len(measured), len(exact))
    ours, wanted = (np.pad(sigma, (0, size - len(sigma))) for sigma in (measured, exact))
    what = f"distance of σ to the closed form, {gauge}"
    return check(what, np.abs(ours - wanted).max(), most=1e-12)
