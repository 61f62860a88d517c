"""Feed-forward width beside attention width: measured errors over (m_h, m_FF), and Theorem 4.1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from explorer.pages.design.view_theory import bound_of, many
from explorer.pages.rates.view_bases import itself, unattentive
from explorer.pages.rates.view_text import target_name
from explorer.slow import pd
from explorer.spec import CouplingSpec, SweepSpec
from explorer.theory.bound import Bound, ModelDims, parameters
from explorer.theory.slopes import REDUCE, Statistic
from explorer.theory.sweep import ERROR, Norm, is_power, statistic_name
from explorer.views.sweeps import Finished, numbers_text
from explorer.views.text import number


@dataclass(frozen=True, eq=False)
class BudgetView:
    """One target of a sweep over m_h and m_FF."""

    target: str
    table: pd.DataFrame
    """m_h, m_ff, parameters, error (over seeds what `statistic` reads, NaN if untrained), best,
    worst, seeds, bound (NaN without)."""
    budgets: tuple[int, ...]
    """Parameters of the models, ascending: what a budget may be."""
    budget: int
    optima: pd.DataFrame
    """m_h, m_ff, of ("measured" or "bound"), value: the least within the budget."""
    titles: Mapping[str, str]
    """What the maps "measured" and "bound" hold, with the unit."""
    sentences: tuple[str, ...]


UNITS = {"mse": "nMSE", "mae": "mean absolute error"}


def targets(finished: Finished[SweepSpec]) -> dict[str, tuple[float, int | None]]:
    """The (α, rank) of a sweep that has several m_h and m_FF, by name; else none."""
    sweep = finished.sweep
    if len(sweep.m_ff) < 2 or len(sweep.m_h) < 2:
        return {}
    power = is_power(sweep)
    return {
        target_name(
            {"alpha": key[0] if power else None, "rank": finished.design(key).exact_rank}
        ): key
        for key in product(sweep.alpha, reversed(sweep.rank))
    }


def budget_view(
    finished: Finished[SweepSpec],
    target: str,
    norm: Norm,
    statistic: Statistic = "median",
    budget: int | None = None,
) -> BudgetView:
    """Measured errors of a target and the bound over the same models, with both optima.

    Without a budget the largest model's counts.
    """
    key = targets(finished)[target]
    design = finished.design(key)
    spec, (bound, missing) = design.spec, bound_of(design)
    rows = [row for row in finished.rows if (row["alpha"], row["rank"]) == key]
    errors: dict[tuple[int, int], list[float]] = {}
    for row in rows:
        if row[ERROR[norm]]:
            errors.setdefault((row["m_h"], row["m_ff"]), []).append(row[ERROR[norm]])
    table = _table(finished.sweep, spec, errors, bound, statistic)
    budgets = tuple(sorted(set(table["parameters"])))
    most = budgets[-1] if budget is None or budget not in budgets else int(budget)
    optima = _optima(table[table["parameters"] <= most])
    read = statistic_name(statistic, int(table["seeds"].max()))
    titles = {"measured": f"measured {UNITS[norm]}, {read}", "bound": "bound of Theorem 4.1"}
    sentences = [*_best(optima, most, read), *_over_width(table, read), *_spread(table)]
    if stuck := unattentive(rows, itself(design.bare).nmse):
        sentences.append(stuck)
    if bound:
        sentences += [_units(norm, spec.tau), ONLY_THE_BOUND]
    return BudgetView(target, table, budgets, most, optima, titles, (*sentences, *missing))


def _table(
    sweep: SweepSpec, spec: CouplingSpec, errors: Mapping, bound: Bound | None, statistic: Statistic
) -> pd.DataFrame:
    dims = ModelDims(spec.n, spec.d_v, spec.depth)
    lines = []
    for m_h, m_ff in product(sweep.m_h, sweep.m_ff):
        by_seed = errors.get((m_h, m_ff), [])
        lines.append(
            {
                "m_h": m_h,
                "m_ff": m_ff,
                "parameters": parameters(dims, m_h, m_ff),
                "error": float(REDUCE[statistic](by_seed)) if by_seed else np.nan,
                "seeds": len(by_seed),
                "best": min(by_seed, default=np.nan),
                "worst": max(by_seed, default=np.nan),
                "bound": float(bound(m_h, m_ff)) if bound else np.nan,
            }
        )
    return pd.DataFrame(lines)


def _optima(within: pd.DataFrame) -> pd.DataFrame:
    """The least measured error and the least bound; of equal ones the smallest model."""
    optima = []
    for column, name in (("error", "measured"), ("bound", "bound")):
        known = within.dropna(subset=[column])
        if len(known):
            best = known.sort_values([column, "parameters"]).iloc[0]
            widths = {"m_h": int(best["m_h"]), "m_ff": int(best["m_ff"])}
            optima.append(widths | {"of": name, "value": float(best[column])})
    return pd.DataFrame(optima, columns=["m_h", "m_ff", "of", "value"])


def _best(optima: pd.DataFrame, budget: int, read: str) -> list[str]:
    """Where training does best within the budget, and where the bound is least."""
    at = {row.of: row for row in optima.itertuples()}
    if "measured" not in at:
        return []
    best = at["measured"]
    text = (
        f"Of the models with at most {many(budget)} parameters training does best at "
        f"$m_h={best.m_h}$, $m_\\mathrm{{FF}}={best.m_ff}$ ({number(best.value)}, {read})"
    )
    if "bound" in at:
        least = at["bound"]
        text += f"; the bound is least at $m_h={least.m_h}$, $m_\\mathrm{{FF}}={least.m_ff}$"
    return [text + "."]


def _over_width(table: pd.DataFrame, read: str) -> list[str]:
    """What a wider head changes, at every m_FF that was trained at all widths."""
    texts = []
    for m_ff, line in table.sort_values("m_h").groupby("m_ff"):
        if line["error"].notna().all():
            steps = line["error"].to_numpy()[1:] / line["error"].to_numpy()[:-1]
            ups = line["m_h"].to_numpy()[1:][steps > 1].tolist()
            rises = f" (up at $m_h$ = {numbers_text(ups)})" if ups else ""
            texts.append(f"× {number(float(np.prod(steps)))} at {m_ff}{rises}")
    if not texts:
        return []
    first, last = table["m_h"].min(), table["m_h"].max()
    text = (
        f"From $m_h={first}$ to {last} the measured error ({read}) becomes, by "
        f"$m_\\mathrm{{FF}}$: {', '.join(texts)}"
    )
    wide = table[table["m_ff"] == table["m_ff"].max()].sort_values("m_h")
    if wide["bound"].notna().all():
        growth = wide["bound"].iloc[-1] / wide["bound"].iloc[0]
        text += f"; the bound by × {number(growth)} at {int(wide['m_ff'].iloc[0])}"
    return [text + "."]


def _spread(table: pd.DataFrame) -> list[str]:
    """How far the seeds of one cell are apart, at the widest and at the worst m_FF."""
    several = table[table["seeds"] > 1]
    if several.empty:
        return []
    ratio = (several["worst"] / several["best"]).groupby(several["m_ff"]).max()
    at = ratio.idxmax()
    return [
        f"The seeds of one cell are up to × {number(ratio[at])} apart at $m_\\mathrm{{FF}}={at}$, "
        f"× {number(ratio.iloc[-1])} at {ratio.index[-1]}: smaller differences are chance."
    ]


def _units(norm: Norm, tau: int) -> str:
    """What can be compared between the two maps."""
    measured = {
        "mse": "the measured number is MSE / Var(y), without a unit",
        "mae": "the measured number is the mean of $|y_t-\\hat y_t|$ over t and sequences",
    }[norm]
    return (
        rf"The bound (Eq. 17) is of $\sum_t|H_t-\hat H_t|$ over the {tau} positions of a sequence, "
        f"in units of y; {measured}. Only where each is least can be compared, not how large it is."
    )


ONLY_THE_BOUND = (
    r"The factor $m_h^{\beta+1}$ of the bound's second term pertains only to the bound (paper, "
    "after Eq. 18), since a wider head can always leave its further rows at zero: where the "
    "measured error grows with $m_h$, training falls short, not the class of models."
)
