"""The memory paper's experiments (arXiv 2402.00522): depth, heads, encodings of positions."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.memory.chart import outcomes_chart
from explorer.pages.memory.view_tables import LIVE, WIDE, cells, of_depth
from explorer.reproduce.request import Request, check
from explorer.spec import EssentialMemorySpec, MemorySpec, MemorySweep, amended, compact, narrowed
from explorer.targets import SWEEPS
from explorer.targets.memory import kernel_of
from explorer.targets.memory.presets import SEEDS
from explorer.theory.best_heads import MOST, best_heads
from explorer.theory.memory import head_floor
from explorer.views.text import ROUNDING, number

ALONE = {
    f"memory-{encoding}-{fall}{end}": f"{encoding} heads on {rho}, {how}"
    for end, how in (("", "normalised"), ("-plain", "plain"))
    for encoding in ("log", "lin")
    for fall, rho in (("power", "s^−0.5"), ("exponential", "e^(−s/20)"))
}
"""Of heads alone."""
OF = {
    "memory-depth-fixed": "two fixed lags",
    "memory-depth": "jumps",
    "memory-depth-more": "jumps",
    "memory-depth-slow": "jumps",
    LIVE: "jumps",
    WIDE: "jumps",
    "memory-depth-induction": "induction",
    "memory-heads": "weights by distance alone",
    "memory-heads-pointed": "learned positions and dot product",
    **ALONE,
}
"""What each sweep is called in a figure."""
RATES = (0.01, 0.03, 0.1, 0.3)
"""Learning rates of heads alone, of which each cell has the best."""
TUNED_BY = (5, 6, 7)
"""The seeds that decide which: others than those that are shown."""
NEAR, QUICK_NEAR = 0.02, 0.06  # of Var(y), within which heads by distance are at 1 − H/V
BROKEN = 0.1  # of Var(y), by which one head with dot product is below that line, at least
PARTED, QUICK_PARTED = 20.0, 3.0  # times the error of two layers that one layer leaves, at least
NEAR_EXACT = 1e-4  # of ‖ρ‖², below which six log heads come on a power, which one can be
COLUMNS = ["sweep", "of", "layers", "heads", "seed", "nmse", "mse", "best", "spec_id", "spec"]


def memory_depth(request: Request) -> dict[str, Any]:
    """Error against layers: fixed lags, one and two jumps, induction."""
    names = [f"memory-depth{part}" for part in ("-fixed", "", "-induction", "-more", "-slow")]
    table = _table(request, (*names, WIDE, LIVE))
    rows = of_depth(table)
    medians = cells(rows, "layers")
    least = QUICK_PARTED if request.quick else PARTED
    ratios = {
        label: _at(medians, label, "layers", 1) / _at(medians, label, "layers", 2)
        for label in ("2 jumps", "induction")
    }
    checks = [
        check(f"{label}: error of one layer ÷ of two", ratio, least=least)
        for label, ratio in ratios.items()
    ]
    wide = cells(table[table["sweep"] == WIDE], "heads")
    few, many = (float(wide[wide["heads"] == heads]["median"].iloc[0]) for heads in (4, 8))
    what = "2 jumps, one layer: error of 4 heads by distance ÷ of 8"
    checks.append(check(what, few / many, least=2))
    notes = [
        "K + 1 layers are enough for K jumps (Theorem 4.4), by doubling ⌈log₂(K + 1)⌉, and one "
        "with a head for each distance that they reach.",
        "Each depth is at the better of two learning rates, where two were tried.",
    ]
    return _answer(request, "memory-depth", table, (rows, medians), checks, notes)


def memory_heads(request: Request) -> dict[str, Any]:
    """Error against heads of y_t = b_{t−x_t}, beside the exact line 1 − H/V."""
    table = _table(request, ("memory-heads", "memory-heads-pointed"))
    medians = cells(table, "heads")
    own = medians[(medians["of"] == OF["memory-heads"]) & (medians["best"] > 0)]
    most = QUICK_NEAR if request.quick else NEAR
    off = float((own["median"] - own["best"]).abs().max())
    below = head_floor(1, 4) - _at(medians, OF["memory-heads-pointed"], "heads", 1)
    checks = [
        check("largest distance from 1 − H/V, H < V", off, most=most),
        check("one head with dot product: below the line by", below, least=BROKEN),
    ]
    notes = [
        "Weights that hang on distances alone give H mixtures of V normal values, which tell H of "
        "their V directions. With positions and a dot product the weights follow x_t itself."
    ]
    return _answer(request, "memory-heads", table, (table, medians), checks, notes)


def memory_encodings(request: Request) -> dict[str, Any]:
    """Trained error against heads of log and lin encodings, beside the best approximation."""
    ends = ("",) if request.quick else ("", "-plain")
    names = [
        f"memory-{how}-{fall}{end}"
        for end in ends
        for fall in ("power", "exponential")
        for how in ("log", "lin")
    ]
    table = pd.concat([_tuned(request, name) for name in names], ignore_index=True)[COLUMNS]
    medians = cells(table, "heads")
    known = table[table["best"] > 0]
    above = float((known["nmse"] / known["best"]).min())
    six = table[(table["sweep"] == "memory-log-power") & (table["heads"] == 6)]
    checks = [
        check("smallest trained error ÷ the best", above, least=1 - 1e-5),
        check("six log heads on s^−0.5: largest trained error", six["nmse"].max(), most=NEAR_EXACT),
    ]
    notes = [
        "Trained by Adam on the exact error ‖ρ − κ‖² from random p and c, at the best of "
        f"{len(RATES)} learning rates for each cell, by the median of other seeds; the best heads "
        "are found by variable projection, without training.",
        "Normalised heads have c in units of Σρ: from c of order 1 the recipe's steps do not reach "
        "it, and what is then left measures their number.",
    ]
    return _answer(request, "memory-encodings", table, (table, medians), checks, notes)


def _tuned(request: Request, name: str) -> pd.DataFrame:
    """The rows of a sweep of heads alone, for each number of them at the rate that other seeds find
    best."""
    tuning, shown = ((5,), (0,)) if request.quick else (TUNED_BY, SEEDS)
    rates = RATES[1:3] if request.quick else RATES
    tried = pd.concat(
        [_rows(request, name, lr=rate, seed=(*shown, *tuning)).assign(lr=rate) for rate in rates],
        ignore_index=True,
    )
    others = tried["seed"].isin(tuning)
    median = tried[others].groupby(["heads", "lr"])["nmse"].median()
    best = median.groupby("heads").idxmin().map(lambda at: at[1])
    tuned = tried[~others & (tried["lr"] == tried["heads"].map(best))]
    return tuned.sort_values(["heads", "seed"])


def _table(request: Request, names: tuple[str, ...]) -> pd.DataFrame:
    """A row for each trained model of some sweeps."""
    return pd.concat([_rows(request, name) for name in names], ignore_index=True)[COLUMNS]


def _rows(request: Request, name: str, **changes: Any) -> pd.DataFrame:
    sweep = narrowed(SWEEPS[name][1], MemorySweep)
    if request.quick:
        changes = {"seed": [0], "steps": sweep.steps * 2 // 3} | changes
    sweep = amended(sweep, **changes)
    summary = request.swept(sweep)
    known: dict[int, float] = {}
    lines = []
    for spec, row in zip(sweep.members(), summary["rows"], strict=True):
        if spec.heads not in known:
            known[spec.heads] = BEST[name](spec) if name in BEST else math.nan
        own = {"sweep": name, "of": _of(name, spec), "best": known[spec.heads]}
        measured = {key: row[key] for key in ("layers", "heads", "seed", "nmse", "mse", "spec_id")}
        lines.append(own | measured | {"spec": compact(spec)})
    return pd.DataFrame(lines)


def _of(name: str, spec: MemorySpec) -> str:
    jumps = getattr(spec, "jumps", 0)
    return f"{jumps} jump{'s' * (jumps > 1)}" if OF[name] == "jumps" else OF[name]


def _best_alone(spec: EssentialMemorySpec) -> float:
    """The least nMSE of heads alone."""
    if spec.heads > MOST:
        return math.nan
    encoding = "log" if spec.encoding == "log" else "lin"
    error = best_heads(kernel_of(spec), spec.heads, encoding).error
    return 0.0 if error < ROUNDING else float(f"{error:.6g}")


BEST: dict[str, Callable[[Any], float]] = {
    "memory-heads": lambda spec: head_floor(spec.heads, spec.tokens),
    **dict.fromkeys(ALONE, _best_alone),
}
"""The least nMSE of a model of a sweep, where it is sought without training."""


def _at(medians: pd.DataFrame, label: str, axis: str, value: int) -> float:
    return float(medians[(medians["of"] == label) & (medians[axis] == value)]["median"].iloc[0])


def _answer(
    request: Request,
    name: str,
    table: pd.DataFrame,
    drawn: tuple[pd.DataFrame, pd.DataFrame],
    checks: list[dict[str, Any]],
    notes: list[str],
) -> dict[str, Any]:
    """Its files, the picture of the rows and cells `drawn`, and what summary.json holds."""
    rows, medians = drawn
    axis, title = AXES[name]
    seeds = sorted(set(table["seed"]))
    footer = f"{name}, seeds {', '.join(map(str, seeds))}"
    chart = outcomes_chart(rows, medians, axis, title, LIGHT)
    return {
        "seeds": [int(seed) for seed in seeds],
        "cells": medians.replace({np.nan: None}).to_dict("records"),
        "checks": checks,
        "notes": notes,
        "text": [TITLE, *(_line(cell, axis) for cell in medians.to_dict("records"))],
        "files": request.written(name, table, chart, TITLE, footer),
    }


AXES = {
    "memory-depth": ("layers", "layers"),
    **dict.fromkeys(("memory-heads", "memory-encodings"), ("heads", "heads H")),
}
"""Over what each figure is drawn: the column and its name."""
TITLE = "What is left of Var(y): medians, the least to the greatest of the seeds"


def _line(cell: dict[str, Any], axis: str) -> str:
    between = f"{number(cell['low'])} to {number(cell['high'])}"
    known = "" if np.isnan(cell["best"]) else f"; without training {number(cell['best'])}"
    return f"{cell['of']}, {axis} = {cell[axis]}: {number(cell['median'])} ({between}){known}"
