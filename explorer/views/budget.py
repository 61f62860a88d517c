"""Feed-forward width beside attention width: measured errors over (m_h, m_FF), and Theorem 4.1."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from explorer.spec import Spec, SweepSpec, design_of
from explorer.theory.bound import Bound, Shape, parameters
from explorer.theory.sweep import ERROR, Norm, is_power
from explorer.views.design import exact_rank
from explorer.views.rates import GridLoader
from explorer.views.rates_text import target_name
from explorer.views.sweeps import Finished, designs_of
from explorer.views.text import number
from explorer.views.theory import bound_of


@dataclass(frozen=True, eq=False)
class BudgetView:
    """One target of a sweep over m_h and m_FF."""

    target: str
    table: pd.DataFrame
    """m_h, m_ff, parameters, error (median over seeds, NaN if untrained), bound (NaN without)."""
    budgets: tuple[int, ...]
    """Parameters of the models, ascending: what a budget may be."""
    budget: int
    optima: pd.DataFrame
    """m_h, m_ff, of ("measured" or "bound"), value: the least within the budget."""
    sentences: tuple[str, ...]


def targets(
    found: Finished, load_grid: GridLoader | None = None
) -> dict[str, tuple[float, int | None]]:
    """The (α, rank) of a sweep that has several m_h and m_FF, by name; else none."""
    sweep = found.sweep
    if len(sweep.m_ff) < 2 or len(sweep.m_h) < 2:
        return {}
    return {
        _name(sweep, key, exact_rank(design_of(designs_of(sweep)[key]), load_grid)): key
        for key in product(sweep.alpha, reversed(sweep.rank))
    }


def _name(sweep: SweepSpec, key: tuple, rank: int | None) -> str:
    return target_name({"alpha": key[0] if is_power(sweep) else None, "rank": rank})


def budget_view(
    found: Finished, target: str, norm: Norm, budget: int | None = None,
    load_grid: GridLoader | None = None,
) -> BudgetView:  # fmt: skip
    """Measured errors of a target and the bound over the same models, with both optima.

    Without a budget the largest model's counts.
    """
    alpha, rank = key = targets(found, load_grid)[target]
    spec = designs_of(found.sweep)[key]
    bound, missing = bound_of(spec, load_grid=load_grid)
    rows = [row for row in found.rows if (row["alpha"], row["rank"]) == (alpha, rank)]
    table = _table(found, spec, rows, bound, norm)
    budgets = tuple(sorted(set(table["parameters"])))
    budget = budgets[-1] if budget not in budgets else budget
    optima = _optima(table[table["parameters"] <= budget])
    sentences = (*_sentences(table, optima, budget), *missing)
    return BudgetView(target, table, budgets, budget, optima, sentences)


def _table(
    found: Finished, spec: Spec, rows: list, bound: Bound | None, norm: Norm
) -> pd.DataFrame:
    shape = Shape(spec.n, spec.d_v, spec.depth)
    lines = []
    for m_h in found.sweep.m_h:
        for m_ff in found.sweep.m_ff:
            errors = [
                row[ERROR[norm]] for row in rows
                if (row["m_h"], row["m_ff"]) == (m_h, m_ff) and row[ERROR[norm]] is not None
            ]  # fmt: skip
            lines.append({
                "m_h": m_h, "m_ff": m_ff, "parameters": parameters(shape, m_h, m_ff),
                "error": float(np.median(errors)) if errors else np.nan,
                "bound": float(bound(m_h, m_ff)) if bound else np.nan,
            })  # fmt: skip
    return pd.DataFrame(lines)


def _optima(within: pd.DataFrame) -> pd.DataFrame:
    """The least measured error and the least bound; of equal ones the smallest model."""
    found = []
    for column, name in (("error", "measured"), ("bound", "bound")):
        known = within.dropna(subset=[column])
        if len(known):
            best = known.sort_values([column, "parameters"]).iloc[0]
            found.append({"m_h": int(best["m_h"]), "m_ff": int(best["m_ff"]), "of": name,
                          "value": float(best[column])})  # fmt: skip
    return pd.DataFrame(found, columns=["m_h", "m_ff", "of", "value"])


def _sentences(table: pd.DataFrame, optima: pd.DataFrame, budget: int) -> list[str]:
    at = {row.of: row for row in optima.itertuples()}
    found = []
    if "measured" in at:
        best = at["measured"]
        text = (
            f"Of the models with at most {budget:,} parameters training does best at "
            f"$m_h={best.m_h}$, $m_\\mathrm{{FF}}={best.m_ff}$ ({number(best.value)})"
        ).replace(",", " ", 1)
        if "bound" in at:
            least = at["bound"]
            text += f"; the bound is least at $m_h={least.m_h}$, $m_\\mathrm{{FF}}={least.m_ff}$"
        found.append(text + ".")
    wide = table[table["m_ff"] == table["m_ff"].max()].sort_values("m_h")
    if len(wide.dropna()) == len(wide):
        first, last = wide.iloc[0], wide.iloc[-1]
        found.append(
            f"At $m_\\mathrm{{FF}}={int(first['m_ff'])}$, from $m_h={int(first['m_h'])}$ to "
            f"{int(last['m_h'])}, the measured error goes from {number(first['error'])} to "
            f"{number(last['error'])}, the bound from {number(first['bound'])} to "
            f"{number(last['bound'])}: the factor $m_h^{{\\beta+1}}$ of its second term pertains "
            "only to the bound (paper, after Eq. 18), since a wider head can always leave its "
            "further rows at zero."
        )
    return found
