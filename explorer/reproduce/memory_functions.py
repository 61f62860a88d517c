"""Four memory functions ρ(s, α), and the architectures that are to remember them, raced.

The benchmark of H. Jiang and others (arXiv 2506.05678) has targets of four memory functions,
exponential and polynomial decay, an impulse and Airy's function, whose α turns the difficulty. Its
settings were not to be had: here every kernel is a family of Order, with α its one number, and
every architecture has as many parameters.
"""

from typing import Any

import numpy as np
import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.order import view_memory_functions as view
from explorer.pages.order import view_race
from explorer.pages.order.chart_architectures import memory_functions_chart
from explorer.reproduce.request import Request, check, raced
from explorer.spec import LinearSpec, compact, spec_id
from explorer.theory.architectures.race import ENTRANTS

TITLE = "Error against α: four memory functions, equal parameters"
NOTES = [
    "The benchmark's own settings were not to be had: sizes, α and training are those of `race`.",
    view.UNLIKE,
]
MISSED = 0.08
"""Of verdicts, at most, that optimisation may miss: 3 of 40."""


def memory_functions(request: Request) -> dict[str, Any]:
    """Every architecture on every memory function: its table, its picture, what must hold."""
    specs = [(name, alpha, spec) for name, alpha, spec in view.cases() if _wanted(request, alpha)]
    table = pd.concat(
        [_rows(request, name, alpha, spec) for name, alpha, spec in specs], ignore_index=True
    )
    chart, footer = memory_functions_chart(table, LIGHT), view.FOOTER
    return {
        "checks": _checks(table),
        "notes": NOTES,
        "text": [TITLE, view.sentence(table), view.beside_the_abstract(table)],
        "files": request.written("memory-functions", table, chart, TITLE, footer),
    }


def _wanted(request: Request, alpha: float) -> bool:
    """A blunt one has the first α of each."""
    return not request.quick or alpha in {alphas[0] for *_, alphas in view.FUNCTIONS.values()}


def _rows(request: Request, name: str, alpha: float, spec: LinearSpec) -> pd.DataFrame:
    """A line for each architecture and seed."""
    race = view_race.race_of(spec, view.SIZE, "parameters", not request.quick)
    rows = raced(request.store, race)
    told, lines = view_race.verdicts(race, rows, view.ERROR), []
    for row in rows:
        lines += [
            {
                "memory": name,
                "alpha": alpha,
                "architecture": ENTRANTS[row["name"]].title,
                "seed": seed,
                "error": np.nan if error is None else error,
                "floor": view_race.known(race)[row["name"]].bound,
                "verdict": told[row["name"]].label,
                "spec_id": spec_id(spec),
                "spec": compact(spec),
            }
            for seed, error in enumerate(row["errors"][-1])
        ]
    return pd.DataFrame(lines)


def _checks(table: pd.DataFrame) -> list[dict[str, Any]]:
    """No theorem is broken, and few predictions are missed."""
    told = table.drop_duplicates(["memory", "alpha", "architecture"])["verdict"]
    missed = "missed by optimisation"
    return [
        check("share of verdicts that disagree", (told == "disagrees").mean(), most=0.0),
        check(f"share of verdicts {missed}", (told == missed).mean(), most=MISSED),
    ]
