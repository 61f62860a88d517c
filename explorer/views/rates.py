"""Rates: the groups of a sweep (`theory.sweep.summary`) as tables to draw and lines to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

Group = Mapping[str, Any]
DRAWN = 1e-20  # from the rank on a floor is 0, which has no place on a log axis


def rank_name(rank: int | None) -> str:
    """ "r = 6" or "r = ∞"."""
    return f"r = {'∞' if rank is None else rank}"


def points(groups: Sequence[Group]) -> pd.DataFrame:
    """Best, median and worst error over seeds: alpha, rank, m_h, best, median, worst, seeds."""
    listed = ("m_h", "best", "median", "worst", "seeds")
    rows = [
        _of(group) | {"m_ff": group["m_ff"]} | {name: group[name][i] for name in listed}
        for group in groups
        for i in range(len(group["m_h"]))
    ]
    columns = ["alpha", "rank", "m_ff", "m_h", "best", "median", "worst", "seeds"]
    return pd.DataFrame(rows, columns=columns)


def lines(groups: Sequence[Group]) -> pd.DataFrame:
    """What is drawn under the points: alpha, rank, line, m_h, error (> 0).

    "truncation floor" for all; "rank-optimal kernel" where it was computed; "theory", the law
    m^predicted_slope through the first best error, for r = ∞.
    """
    rows: list[dict[str, Any]] = []
    for group in groups:
        drawn = {"truncation floor": group["truncation"]}
        if group.get("optimum"):
            drawn["rank-optimal kernel"] = group["optimum"]
        if group["predicted_slope"] is not None and group["best"]:
            m = np.asarray(group["m_h"], dtype=np.float64)
            law = group["best"][0] * (m / m[0]) ** group["predicted_slope"]
            drawn["theory"] = law.tolist()
        rows += [
            _of(group) | {"line": name, "m_h": m_h, "error": error}
            for name, errors in drawn.items()
            for m_h, error in zip(group["m_h"], errors, strict=True)
            if error is not None and error > DRAWN
        ]
    return pd.DataFrame(rows, columns=["alpha", "rank", "line", "m_h", "error"])


def _of(group: Group) -> dict[str, str]:
    return {"alpha": f"α = {group['alpha']:g}", "rank": rank_name(group["rank"])}


def group_lines(groups: Sequence[Group]) -> list[str]:
    """One line of text for each group: its slope beside the theory's, its knee, its drop."""
    return [_group_line(group) for group in groups]


def _group_line(group: Group) -> str:
    words = [f"α = {group['alpha']:g}, {rank_name(group['rank'])}, m_FF = {group['m_ff']}:"]
    if group["slope"] is None:
        words.append("too few widths for a slope;")
    else:
        low, high = group["slope_ci"]
        first, last = group["fit_range"]
        words.append(f"slope {group['slope']:.2f} [{low:.2f}, {high:.2f}]")
        words.append(f"over m_h = {first:g}…{last:g} ({group['norm']}, {group['statistic']});")
    if group["predicted_slope"] is not None:
        words.append(f"theory {group['predicted_slope']:g};")
    if group["tail_slope"] is not None:
        words.append(f"against the exact tail {group['tail_slope']:.2f};")
    if group["knee"] is not None:
        words.append(f"knee at m_h = {group['knee']['m_h']} (÷ {group['knee']['ratio']:.0f});")
    return " ".join(words).rstrip(";")
