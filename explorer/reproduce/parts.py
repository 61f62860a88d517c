"""The error of trained heads told apart by part: ρ, f and F given one at a time (Eq. 8)."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.train import view_apart as view
from explorer.pages.train.chart import apart_chart
from explorer.reproduce.request import Request, check, trained
from explorer.spec import CouplingSpec, amended, compact

BASE = CouplingSpec(rank=4, outer="tanh 3", inner="power 2", steps=600)
CASES = {
    "m_h = 2 below r = 4": amended(BASE, m_h=2),
    "m_FF = 4": amended(BASE, m_ff=4),
    "wide enough": BASE,
}
GIVEN = ("none", "rho", "inner", "outer")
SEEDS, QUICK_SEEDS = (0, 1, 2, 3, 4), (0,)
GAIN, APART = 2.0, 10.0
"""Times that a given ρ lowers the error, and that exact parts in place raise it, at least."""
TITLE = "Error of trained heads, and of those that are given a part of their target"
NOTES = [
    "A given part does not move: f is the first of the d_v values, F reads it.",
    "Exchanged after training: the exact ρ, or the exact F and f, in heads that learned all three.",
]


def by_part(request: Request) -> dict[str, Any]:
    """Heads that learn all three parts, and two of them: what knowing one is worth."""
    seeds = QUICK_SEEDS if request.quick else SEEDS
    table = pd.DataFrame(
        [
            row
            for case, spec in CASES.items()
            for given in GIVEN
            for seed in seeds
            for row in _rows(request, case, amended(spec, frozen=given, seed=seed))
        ]
    )
    lines = pd.concat(
        [
            view.lines_of(own).assign(
                case=case,
                name=lambda rows: rows["what"],
                what=lambda rows, case=case: f"{case}: " + rows["what"],
            )
            for case, own in table.groupby("case", sort=False)
        ]
    )
    footer = f"medians of {len(seeds)} seeds"
    return {
        "checks": [*_checks(lines)],
        "notes": NOTES,
        "text": [TITLE],
        "files": request.written("parts", table, apart_chart(lines, LIGHT), TITLE, footer),
    }


def _checks(lines: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """A narrow head, and narrow networks, gain by a given ρ; where all is wide enough, trained
    heads have another (F, f, ρ)."""
    at = {(line.case, line.name): line.nmse for line in lines.itertuples()}
    narrow, small, wide = CASES
    for what, over, under, least in (
        (narrow, "all learned", "ρ given", GAIN),
        (small, "all learned", "ρ given", GAIN),
        (wide, "exact ρ in place", "all learned", APART),
    ):
        words = f"{what}: nMSE of {over} ÷ that of {under}"
        yield check(words, at[what, over] / at[what, under], least=least)


def _rows(request: Request, case: str, spec: CouplingSpec) -> Iterator[dict[str, Any]]:
    """A trained head, and what exchanging parts of it leaves."""
    row = trained(request, spec).row
    own = {"case": case, "given": spec.frozen, "seed": spec.seed, "spec_id": row.spec_id}
    yield own | view.errors_of(row) | {"spec": compact(spec)}
