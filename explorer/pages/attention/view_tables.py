"""Tables of the attention tasks: pictures of a head beside the truth, and sweeps of its width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from explorer.pages.attention.view_head import Head
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.spec import AnySweep, TaskSpec
from explorer.targets import TASKS, task_of
from explorer.views.pictures import by_k, entries, stacked
from explorer.views.series import CENTRED, DIFFERENCE, IDEAL, LEARNED, RAW
from explorer.views.sweeps import ASSETS, Finished, of_text

Pictures = Mapping[str, np.ndarray]
"""The arrays of `analysis.task_diagnostics`, as a snapshot has them."""

FAINT = 0.02  # weights below are not drawn
GRID = 25  # points of a side of the plane over which learned values are drawn
ERRORS = {"nmse": "nMSE", "attention_error": "|Â − A|", "value_error": "F̂∘W_V∘f̂ − F∘f, squared"}
"""What is measured at every kept step and falls, in words."""
WIDTHS = {name: sweep for kind in TASKS.values() for name, sweep in kind.page.width_sweeps.items()}
"""Finished sweeps over m_h in assets/attention-width-NAME.json, and what they show."""
SYMBOLS = {"tau": "τ"}
"""Of the fields whose name is none."""


def matrices(pictures: Pictures) -> pd.DataFrame:
    """t, s, weight, matrix ('learned Â', 'ideal A', 'Â − A'): τ² rows each; without a head there is
    only the ideal one."""
    sides = {IDEAL: pictures["ideal"].astype(float)}
    if "attention" in pictures:
        learned = pictures["attention"].astype(float)
        sides = {LEARNED: learned, **sides, DIFFERENCE: learned - sides[IDEAL]}
    return stacked(
        "matrix", {name: entries(side, "t", "s", "weight") for name, side in sides.items()}
    )


def links(table: pd.DataFrame) -> pd.DataFrame:
    """Of `matrices` the weights that are drawn as lines: those of at least 0.02."""
    visible = (table["matrix"] != DIFFERENCE) & (table["weight"] >= FAINT)
    return table[visible].reset_index(drop=True)


def values(pictures: Pictures) -> pd.DataFrame:
    """token, coordinate ('coordinate 1', …), designed, learned: F∘f(x) and F̂(W_V f̂(x)) of random
    tokens, a row for each of the d_out coordinates."""
    designed, learned = (pictures[name].astype(float) for name in ("values", "alone"))
    table = pd.DataFrame(entries(designed, "token", "coordinate", "designed"))
    names = [f"coordinate {i + 1}" for i in table["coordinate"]]
    return table.assign(coordinate=names, learned=learned.ravel())


def plane(spec: TaskSpec, weights: Mapping[str, np.ndarray]) -> pd.DataFrame | None:
    """x1, x2, value, map ('F∘f', 'F̂∘W_V∘f̂'): a value and what has been learned of it, at GRID²
    points of [−1, 1]²; None for a task that has none (`Task.over_plane`)."""
    ends = np.linspace(-1, 1, GRID)
    x1, x2 = (side.ravel() for side in np.meshgrid(ends, ends))
    grid = task_of(spec).over_plane(x1, x2)
    if grid is None:
        return None
    tokens, values = grid
    sides = {"F∘f": values, "F̂∘W_V∘f̂": Head(spec, weights).value_map(tokens)[:, 0]}
    return stacked(
        "map", {name: {"x1": x1, "x2": x2, "value": side} for name, side in sides.items()}
    )


def spectrum(spec: TaskSpec, pictures: Pictures) -> tuple[pd.DataFrame, int]:
    """k, sigma (> 0), spectrum ('e^λ W_QᵀW_K' or the centred one of ρ̂ over random tokens); and the
    centred rank of a coupling that solves the task, which the first k need not exceed."""
    sides = {RAW: pictures["sigma_hat"], CENTRED: pictures["sigma_centred"]}
    table = stacked("spectrum", {name: by_k(sigma) for name, sigma in sides.items()})
    return table[table["sigma"] > 0].reset_index(drop=True), task_of(spec).sufficient_width


def progress(record: Record) -> pd.DataFrame:
    """step, value, metric: the errors of `ERRORS` (> 0) and 'agreement' at the kept steps."""
    headers = [record.snapshot(step)[0] for step in record.snapshot_steps.tolist()]
    rows = [
        {"step": header["step"], "value": float(header[name]), "metric": words}
        for name, words in (ERRORS | {"agreement": "agreement"}).items()
        for header in headers
        if name == "agreement" or header[name] > 0
    ]
    return pd.DataFrame(rows, columns=["step", "value", "metric"])


@lru_cache(maxsize=len(WIDTHS))
def shipped_widths(name: str) -> Finished[AnySweep]:
    """One of the sweeps over m_h that come with the explorer."""
    return of_text(widths_file(name).read_text("utf-8"))


def widths_file(name: str) -> Path:
    """Where one of them is shipped; it may be missing."""
    return ASSETS / f"attention-width-{name}.json"


def label(sweep: AnySweep, row: Mapping[str, Any]) -> str:
    """What a model of a sweep has that the others have not, as 'd = 2' or 'τ = 8, k = 3'."""
    own = [name for name in sweep.swept if name not in ("m_h", "seed")]
    several = [name for name in own if len(getattr(sweep, name)) > 1] or own[-1:]
    return ", ".join(f"{SYMBOLS.get(name, name)} = {row[name]}" for name in several)


def widths(sweep: AnySweep, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """group, m_h, seeds; best, median, worst: nMSE (> 0) over the seeds; agreement and
    attention_error: medians over them. Rows that diverged are left out."""
    finished = [{**row, "group": label(sweep, row)} for row in rows if row["status"] == "finished"]
    table = pd.DataFrame(finished, columns=["group", "m_h", "nmse", "agreement", "attention_error"])
    groups = table.groupby(["group", "m_h"], sort=False)
    summary = groups.agg(
        seeds=("nmse", "size"),
        best=("nmse", "min"),
        median=("nmse", "median"),
        worst=("nmse", "max"),
        agreement=("agreement", "median"),
        attention_error=("attention_error", "median"),
    )
    return summary.reset_index()


def needed(sweep: AnySweep) -> pd.DataFrame:
    """group, m_h, words: the width from which each group of a sweep can be right, and its formula
    (`Task.least_width`)."""
    members = {label(sweep, member.model_dump()): member for member in sweep.members()}
    rows = [
        {"group": group, "m_h": at, "words": f"{formula} = {at}"}
        for group, member in members.items()
        for at, formula in [task_of(member).least_width]
    ]
    return pd.DataFrame(rows, columns=["group", "m_h", "words"])
