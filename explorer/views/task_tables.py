"""Tables of the attention tasks: pictures of a head beside the truth, and sweeps of its width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from explorer.runs.record import Record
from explorer.spec import AnySweep, GravitySpec, NearestSpec, SelectionSpec, TaskSpec
from explorer.theory import tasks
from explorer.views.head import Head
from explorer.views.series import CENTRED, DIFFERENCE, IDEAL, LEARNED, RAW
from explorer.views.sweeps import ASSETS, Finished, of_text

Pictures = Mapping[str, np.ndarray]
"""The arrays of `analysis.task_diagnostics`, as a snapshot has them."""

FAINT = 0.02  # weights below are not drawn
GRID = 25  # points of a side of the plane over which learned values are drawn
ERRORS = {"nmse": "nMSE", "attention_error": "|Â − A|", "value_error": "F̂∘W_V∘f̂ − F∘f, squared"}
"""What is measured at every kept step and falls, in words."""
WIDTHS = {
    "nearest": "nearest point in d = 1, 2, 3 dimensions",
    "qsa-k": "qSA of k = 1, 2, 3 indices, τ = 8",
    "qsa-tau": "qSA of k = 1 index, τ = 4, 8, 16, 32",
}
"""Finished sweeps over m_h in assets/attention-width-NAME.json, and what they show."""
SHARED = {"tau": "τ", "d": "d", "k": "k", "segments": "segments"}


def matrices(pictures: Pictures) -> pd.DataFrame:
    """t, s, weight, matrix ('learned Â', 'ideal A', 'Â − A'): τ² rows each; without a head there is
    only the ideal one."""
    sides = {IDEAL: pictures["ideal"].astype(float)}
    if "attention" in pictures:
        learned = pictures["attention"].astype(float)
        sides = {LEARNED: learned, **sides, DIFFERENCE: learned - sides[IDEAL]}
    t, s = (index.ravel() for index in np.indices(sides[IDEAL].shape))
    parts = [
        pd.DataFrame({"t": t, "s": s, "weight": side.ravel(), "matrix": name})
        for name, side in sides.items()
    ]
    return pd.concat(parts, ignore_index=True)


def links(table: pd.DataFrame) -> pd.DataFrame:
    """Of `matrices` the weights that are drawn as lines: those of at least 0.02."""
    kept = (table["matrix"] != DIFFERENCE) & (table["weight"] >= FAINT)
    return table[kept].reset_index(drop=True)


def values(pictures: Pictures) -> pd.DataFrame:
    """token, coordinate ('coordinate 1', …), designed, learned: F∘f(x) and F̂(W_V f̂(x)) of random
    tokens, a row for each of the d_out coordinates."""
    designed, learned = (pictures[name].astype(float) for name in ("values", "alone"))
    token, coordinate = (index.ravel() for index in np.indices(designed.shape))
    names = [f"coordinate {i + 1}" for i in coordinate]
    return pd.DataFrame(
        {
            "token": token,
            "coordinate": names,
            "designed": designed.ravel(),
            "learned": learned.ravel(),
        }
    )


def plane(spec: TaskSpec, weights: Mapping[str, np.ndarray], size: int = GRID) -> pd.DataFrame:
    """x1, x2, value, map ('F∘f', 'F̂∘W_V∘f̂'): |x| and what has been learned of it, at `size`² points
    of [−1, 1]², of mass ½ at place 1 in the first segment.

    Raises ValueError for a task whose values are no numbers on a plane.
    """
    if not isinstance(spec, GravitySpec) or spec.d != 2:
        raise ValueError("only centres of gravity in d = 2 dimensions have values over a plane")
    ends = np.linspace(-1, 1, size)
    x1, x2 = (side.ravel() for side in np.meshgrid(ends, ends))
    rest = np.concatenate([[0.5, 0], np.eye(spec.tau)[1], np.eye(spec.segments)[0]])
    tokens = np.column_stack([x1, x2, np.broadcast_to(rest, (size**2, len(rest)))])
    sides = {"F∘f": np.hypot(x1, x2), "F̂∘W_V∘f̂": Head(spec, weights).alone(tokens)[:, 0]}
    parts = [
        pd.DataFrame({"x1": x1, "x2": x2, "value": side, "map": name})
        for name, side in sides.items()
    ]
    return pd.concat(parts, ignore_index=True)


def spectrum(spec: TaskSpec, pictures: Pictures) -> tuple[pd.DataFrame, int]:
    """k, sigma (> 0), spectrum ('e^λ W_QᵀW_K' or the centred one of ρ̂ over random tokens); and the
    centred rank of a coupling that solves the task, which the first k need not exceed."""
    sides = {RAW: pictures["sigma_hat"], CENTRED: pictures["sigma_centred"]}
    parts = [
        pd.DataFrame(
            {"k": np.arange(1, len(sigma) + 1), "sigma": sigma.astype(float), "spectrum": name}
        )
        for name, sigma in sides.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[table["sigma"] > 0].reset_index(drop=True), tasks.sufficient_width(spec)


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
def shipped_widths(name: str) -> Finished:
    """One of the sweeps over m_h that come with the explorer."""
    return of_text((ASSETS / f"attention-width-{name}.json").read_text("utf-8"))


def label(sweep: AnySweep, row: Mapping[str, Any]) -> str:
    """What a model of a sweep has that the others have not, as 'd = 2' or 'τ = 8, k = 3'."""
    own = [name for name in sweep.swept if name not in ("m_h", "seed")]
    several = [name for name in own if len(getattr(sweep, name)) > 1] or own[-1:]
    return ", ".join(f"{SHARED[name]} = {row[name]}" for name in several)


def widths(sweep: AnySweep, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """group, m_h, seeds; best, median, worst: nMSE (> 0) over the seeds; agreement and
    attention_error: medians over them. Rows that diverged are left out."""
    table = pd.DataFrame([row for row in rows if row["status"] == "finished"])
    if table.empty:
        names = ["group", "m_h", "seeds", "best", "median", "worst", "agreement"]
        return pd.DataFrame(columns=[*names, "attention_error"])
    table["group"] = [label(sweep, row) for row in table.to_dict("records")]
    found = []
    for (group, m_h), of in table.groupby(["group", "m_h"], sort=False):
        found.append(
            {
                "group": group,
                "m_h": int(m_h),
                "seeds": len(of),
                "best": of["nmse"].min(),
                "median": of["nmse"].median(),
                "worst": of["nmse"].max(),
                "agreement": of["agreement"].median(),
                "attention_error": of["attention_error"].median(),
            }
        )
    return pd.DataFrame(found)


def needed(sweep: AnySweep) -> pd.DataFrame:
    """group, m_h, words: the width from which each group of a sweep can be right, and its formula.

    Nearest point: the centred rank of −|u − v|², d + 1. qSA: min(2k, τ − 1) (theory.tasks).
    Centres of gravity: the centred rank of one coupling that solves them.
    """
    found = {label(sweep, member.model_dump()): member for member in sweep.members()}
    rows = [
        {"group": group, "m_h": at, "words": f"{formula} = {at}"}
        for group, member in found.items()
        for at, formula in [_needed(member)]
    ]
    return pd.DataFrame(rows, columns=["group", "m_h", "words"])


def _needed(spec: TaskSpec) -> tuple[int, str]:
    match spec:
        case SelectionSpec():
            return tasks.neighbourly_width(spec.tau, spec.k), "min(2k, τ − 1)"
        case NearestSpec():
            return tasks.sufficient_width(spec), "d + 1"
    return tasks.sufficient_width(spec), "τ − 1 + segments"
