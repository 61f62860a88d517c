"""A sweep as the component `rates` draws it: panels of targets, points of seeds, lines under;
and what stands beside its figure as tables, made of what the component draws."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from explorer.pages.rates.view import RatesView, known_floors, tail_share
from explorer.pages.rates.view_text import (
    DESIGN,
    Group,
    alpha_name,
    bend_text,
    interval_text,
    is_bent,
    rank_name,
    slope_text,
)
from explorer.slow import pd
from explorer.spec import SweepSpec, spec_id
from explorer.theory import sweep as theory
from explorer.theory.sweep import ERROR, GROUP
from explorer.views.series import AT_K, CUT, DESIGNED, LEARNED_SIGMA, TRUNCATION
from explorer.views.sweeps import Finished
from explorer.views.text import DRAWN, held

TERMS = 32  # σ_k of a design that are drawn beside the learned ones
UNTOLD = {
    **dict.fromkeys(("points", "line", "floor", "tail", "optimum", "on_own"), ()),
    **dict.fromkeys(("rank", "fit", "knee")),
}
"""What a series says of which nothing is told; theory's slope begins at its first error."""
AXES = {"mse": "nMSE = MSE / Var(y)", "mae": "mean absolute error"}


def rates_drawing(
    finished: Finished[SweepSpec],
    view: RatesView,
    live: tuple[Mapping[str, Any], Mapping[str, np.ndarray]] | None = None,
    own: tuple | None = None,
) -> dict[str, Any]:
    """The header of the component; all is JSON. `own` is the target, as (α, rank), that is looked
    at first.

    Each of `panels`, one for each α, has `series`, one for each (rank, m_FF): `cell`, those three
    as the rows have them, the `rank` that was found, `points` as {m_h, seed, error, sigma,
    surgery}, the `line` through them and each line under them as [m_h, error] pairs, `fit`, `knee`,
    `sigma` of the design, `why` in words what each width holds of them. `training` holds what a
    unit at work is at, of which only the squared error is known.
    """
    sweep = finished.sweep
    panels = [
        {
            "title": alpha_name(alpha) if theory.is_power(sweep) else DESIGN,
            "series": [
                _series(finished, view, (alpha, rank, m_ff))
                for rank, m_ff in product(sweep.rank, sweep.m_ff)
            ],
        }
        for alpha in sweep.alpha
    ]
    return {
        "subject": spec_id(sweep),
        "norm": view.norm,
        "axis": AXES[view.norm],
        "statistic": view.statistic,
        "widths": list(sweep.m_h),
        "panels": panels,
        "own": own and {"alpha": own[0], "rank": own[1]},
        "training": _training(live) if live and view.norm == "mse" else None,
    }


def only(drawing: dict[str, Any], rank_from: int | None) -> dict[str, Any]:
    """A drawing that tells of finite ranks from this one on alone, and of no slope; the series of
    others keep their places and names. None tells of all."""
    if rank_from is None:
        return drawing
    panels = [
        {**panel, "series": [_told(series, rank_from) for series in panel["series"]]}
        for panel in drawing["panels"]
    ]
    return {**drawing, "panels": panels}


def _told(series: dict[str, Any], rank_from: int) -> dict[str, Any]:
    rank = series["rank"]
    told = rank is not None and rank >= rank_from
    return {**series, "fit": None} if told else {**series, **UNTOLD}


def _series(finished: Finished[SweepSpec], view: RatesView, cell: tuple) -> dict[str, Any]:
    alpha, rank, m_ff = cell
    group = next((g for g in view.groups if tuple(g["cell"]) == cell), None)
    m_h = finished.sweep.m_h
    floors = known_floors(finished, (alpha, rank), m_h, view.norm)
    sigma = finished.design((alpha, rank)).decomposition().sigma
    rows = [row for row in finished.rows if tuple(row[name] for name in GROUP) == cell]
    return {
        "name": _name(finished.sweep, floors["rank"], m_ff),
        "rank": floors["rank"],
        "cell": {"alpha": alpha, "rank": rank, "m_ff": m_ff},
        "points": [_point(row, view) for row in rows if row[ERROR[view.norm]] is not None],
        "diverged": sum(row[ERROR[view.norm]] is None for row in rows),
        "line": _pairs(group["m_h"], group["error"]) if group else [],
        "floor": [
            (m, error)
            for m, error in _pairs(m_h, floors["truncation"])
            if floors["rank"] is None
            or m < floors["rank"]  # from there on it is 0 but for rounding
        ],
        "tail": _pairs(m_h, tail_share(floors, view.norm)) if view.all_lines else [],
        "optimum": _pairs(group["m_h"], group["optimum"]) if group and view.all_lines else [],
        "on_own": _pairs(group["m_h"], group["on_own"]) if group else [],
        "fit": _fit(group),
        "theory": theory.law(finished.sweep, alpha, floors["rank"], view.norm),
        "knee": group["knee"] if group else None,
        "sigma": [float(f"{value:.6g}") for value in sigma[:TERMS]],
        "why": [held(sigma, floors["rank"], m) for m in m_h],
    }


def _name(sweep: SweepSpec, rank: int | None, m_ff: int) -> str:
    """What tells a series from the others of its panel; the rank where there is only one."""
    m_ff_text = [f"m_{{FF}} = {m_ff}"] if len(sweep.m_ff) > 1 else []
    rank_text = [rank_name(rank)] if len(sweep.rank) > 1 or not m_ff_text else []
    return ", ".join([*rank_text, *m_ff_text])


def _point(row: Mapping[str, Any], view: RatesView) -> dict[str, Any]:
    """A trained model; `surgery` are its errors when cut to rank 1, 2, …"""
    cut = row["surgery"]
    return {
        "m_h": row["m_h"],
        "seed": row["seed"],
        "error": row[ERROR[view.norm]],
        "sigma": row["sigma"],
        "surgery": cut and cut[ERROR[view.norm]],
    }


def _pairs(m_h: Sequence[int], errors: Sequence[float | None]) -> list[tuple[int, float]]:
    """(m_h, error) where there is one above 0, which a log axis can show."""
    both = zip(m_h, errors, strict=True)
    return [(m, error) for m, error in both if error is not None and error > DRAWN]


def _fit(group: Group | None) -> dict[str, Any] | None:
    """A slope and what it is worth in words, and the ends of its line; a curve that is none has no
    ends."""
    if group is None or group["slope"] is None:
        return None
    if is_bent(group):
        _, _, worth = bend_text(group).partition(": ")
        return {"slope": "no straight line", "worth": worth, "ends": None}
    first, last = group["fit_range"]
    inside = [i for i, m in enumerate(group["m_h"]) if first <= m <= last]
    log_m = np.log([group["m_h"][i] for i in inside])
    middle = np.mean(np.log([group["error"][i] for i in inside])) - group["slope"] * log_m.mean()
    ends = [(m, float(np.exp(middle) * m ** group["slope"])) for m in (first, last)]
    return {"slope": f"slope {slope_text(group)}", "worth": interval_text(group), "ends": ends}


def _training(live: tuple[Mapping[str, Any], Mapping[str, np.ndarray]]) -> dict[str, Any]:
    """The losses of a unit at work, in units of Var(y), which is what nMSE is in."""
    header, arrays = live
    losses = zip(header["members"], arrays["loss"].tolist(), strict=True)
    points = [{**member, "error": loss} for member, loss in losses if loss > DRAWN]
    return {"step": header["step"], "steps": header["steps"], "points": points}


def spectra(drawing: Mapping[str, Any]) -> pd.DataFrame:
    """target, spectrum, m_h, seed, k, sigma: of each target the designed singular values, and those
    that each of its models has learned. Of designed ones m_h and seed are missing."""
    rows = []
    for target, series in _trained(drawing):
        row = {"target": target, "spectrum": DESIGNED, "m_h": None, "seed": None}
        rows += [row | {"k": k, "sigma": value} for k, value in enumerate(series["sigma"], 1)]
        for point in series["points"]:
            row = {"target": target, "spectrum": LEARNED_SIGMA} | _which(point)
            rows += [row | {"k": k, "sigma": s} for k, s in enumerate(point["sigma"] or [], 1)]
    return pd.DataFrame(rows, columns=["target", "spectrum", "m_h", "seed", "k", "sigma"])


def cuts(drawing: Mapping[str, Any]) -> pd.DataFrame:
    """target, line, m_h, seed, k, error (> 0): each widest model cut to rank k, the models trained
    at m_h = k, and what truncation leaves. Of the latter m_h and seed are missing."""
    rows = []
    for target, series in _trained(drawing):
        for point in series["points"]:
            whole = [*point["surgery"], point["error"]] if point["surgery"] else []
            row = {"target": target, "line": CUT} | _which(point)
            rows += [row | {"k": k, "error": error} for k, error in enumerate(whole, 1)]
            row = {"target": target, "line": AT_K} | _which(point)
            rows.append(row | {"k": point["m_h"], "error": point["error"]})
        row = {"target": target, "line": TRUNCATION, "m_h": None, "seed": None}
        rows += [row | {"k": m, "error": error} for m, error in series["floor"]]
    table = pd.DataFrame(rows, columns=["target", "line", "m_h", "seed", "k", "error"])
    return table[table["error"] > 0]


def _trained(drawing: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The targets with a model, by panel and name."""
    for panel in drawing["panels"]:
        for series in panel["series"]:
            if series["points"]:
                name = series["name"].replace("{", "").replace("}", "")
                yield f"{panel['title']}, {name}", series


def _which(point: Mapping[str, Any]) -> dict[str, int]:
    return {"m_h": point["m_h"], "seed": point["seed"]}
