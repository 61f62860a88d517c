"""Rates: error against width for the targets of a sweep, over floors that need no training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np

from explorer.pages.rates.view_notes import notes
from explorer.pages.rates.view_text import Group, alpha_name, rank_name, table, verdict
from explorer.slow import pd
from explorer.spec import SweepSpec
from explorer.theory import sweep as theory
from explorer.theory.design import Design
from explorer.theory.floor import SAMPLES, exact_rank
from explorer.theory.slopes import Statistic
from explorer.theory.sweep import Norm
from explorer.views.series import CUT, ON_OWN, OPTIMUM, TAIL, THEORY, TRUNCATION
from explorer.views.sweeps import Finished, designs_of
from explorer.views.text import DRAWN, number

SHIPPED_SAMPLES = 4096  # sequences behind a floor that comes with a sweep


@dataclass(frozen=True, eq=False)
class RatesView:
    """What the page shows of a sweep in one norm."""

    sweep: SweepSpec
    norm: Norm
    statistic: Statistic
    all_lines: bool
    """Whether the exact tail and the rank-optimal kernel are drawn beside truncation and theory."""
    groups: tuple[Group, ...]
    """As `theory.sweep.summary` has them, each with `optimum` where that is known, and `on_own`,
    the error on the training set where there is one."""
    verdict: str
    notes: tuple[str, ...]
    table: str
    """Markdown: a line for each target."""


def rates_view(
    finished: Finished[SweepSpec], norm: Norm, statistic: Statistic, all_lines: bool = False
) -> RatesView:
    """Slopes, knees and floors of what has been trained so far."""
    known = partial(known_floors, finished)
    keys = {key: key for key in designs_of(finished.sweep)}
    groups = theory.summary(finished.sweep, finished.rows, keys, norm, statistic, known)["groups"]
    for group in groups:
        group["optimum"] = _optimum(finished.optimum, group, norm)
        on_own = theory.training_errors(finished.rows, group["cell"], statistic)
        group["on_own"] = [on_own.get(m) if norm == "mse" else None for m in group["m_h"]]
    return RatesView(
        finished.sweep,
        norm,
        statistic,
        all_lines,
        tuple(groups),
        verdict(finished.sweep, groups, norm, len(finished.rows)),
        tuple(notes(finished, groups, norm, statistic, all_lines)),
        table(groups, statistic),
    )


def known_floors(
    finished: Finished[SweepSpec], key: tuple, m_h: Sequence[int], norm: Norm
) -> dict[str, Any]:
    """`theory.sweep.floors` of a target of a sweep, by (α, rank): what came with it, or computed
    here."""
    design = finished.design(key)
    floors = next((each for each in finished.floors if (each["alpha"], each["rank"]) == key), None)
    if floors is None:
        return _floors(design.bare, tuple(m_h)).read(norm)
    widths, centred = finished.sweep.m_h, design.decomposition()
    ends = [
        error
        for m, error in zip(widths, floors["nmse"], strict=True)
        if centred.whole_rank is not None and m >= centred.whole_rank
    ]
    rank = exact_rank(centred, lambda m: ends[0] if ends else design.left_by(m))
    lists = ([floors[name][widths.index(m)] for m in m_h] for name in ("tail", "nmse", "mae"))
    return theory.Floors(rank, float(centred.tail_energy()[0]), *lists).read(norm)


def all_floors(finished: Finished[SweepSpec]) -> list[dict[str, Any]]:
    """The floors of every target of a sweep, as `Finished` holds them."""
    floors = []
    for alpha, rank in designs_of(finished.sweep):
        design = finished.design((alpha, rank)).bare
        known = _floors(design, finished.sweep.m_h, SHIPPED_SAMPLES)
        lists = {name: getattr(known, name) for name in ("nmse", "mae", "tail")}
        floors.append({"alpha": alpha, "rank": rank, **lists})
    return floors


@lru_cache(maxsize=64)
def _floors(design: Design, m_h: tuple[int, ...], samples: int = SAMPLES) -> theory.Floors:
    """The floors of a design, remembered; a page computes them by fewer sequences."""
    return theory.all_floors(design.target, m_h, samples, design.decomposition())


def _optimum(known: Iterable[Mapping[str, Any]], group: Group, norm: Norm) -> list[float | None]:
    """The error of the rank-optimal kernel at each width of a group, where it was computed."""
    errors = {
        cell["m_h"]: cell["nmse" if norm == "mse" else "mae"]
        for cell in known
        if [cell["alpha"], cell["rank"]] == group["cell"][:2]
    }
    return [errors.get(m) for m in group["m_h"]]


def surgery_table(design: Design, cuts: Mapping[str, Sequence]) -> pd.DataFrame:
    """A run cut to each rank beside the truncation floor of its design: k, error (≥ 0), line.

    `cuts` has k and nmse, as the surgery of a run gives them.
    """
    floor = _floors(design.bare, tuple(cuts["k"])).nmse
    both = {CUT: cuts["nmse"], TRUNCATION: floor}
    rows = [
        {"k": k, "error": float(error) if error and error > DRAWN else 0.0, "line": name}
        for name, errors in both.items()
        for k, error in zip(cuts["k"], errors, strict=True)
    ]
    return pd.DataFrame(rows, columns=["k", "error", "line"])


def surgery_text(m_h: int, cuts: Mapping[str, Sequence]) -> str:
    """What the cuts of a run leave: at half its width, at the last rank before, uncut."""
    errors = dict(zip(cuts["k"], cuts["nmse"], strict=True))
    ranks = sorted({max(1, m_h // 2), max(1, m_h - 1), m_h})
    return "; ".join(
        f"{'uncut' if k == m_h else f'cut to rank {k}'}: nMSE {number(errors[k])}" for k in ranks
    )


def points(groups: Sequence[Group]) -> pd.DataFrame:
    """A table of errors over seeds: alpha, rank, m_ff, m_h, error (the one of the next two that is
    read), best, median, worst, seeds."""
    listed = ("m_h", "error", "best", "median", "worst", "seeds")
    rows = [
        _of(group) | {"m_ff": group["m_ff"]} | {name: group[name][i] for name in listed}
        for group in groups
        for i in range(len(group["m_h"]))
    ]
    return pd.DataFrame(rows, columns=["alpha", "rank", "m_ff", *listed])


def lines(groups: Sequence[Group], all_lines: bool = False) -> pd.DataFrame:
    """A table of what is drawn under the points: alpha, rank, line, m_h, error (> 0, and exactly 0
    for truncation from the rank on).

    TRUNCATION for all; ON_OWN where there is a training set; THEORY, the law m^predicted_slope
    through the first error, for r = ∞; of `all_lines` TAIL, too, and OPTIMUM where it was computed.
    """
    rows = [
        _of(group) | {"line": name, "m_h": m_h, "error": error}
        for group in groups
        for name, drawn in under(group, all_lines).items()
        for m_h, error in drawn
    ]
    return pd.DataFrame(rows, columns=["alpha", "rank", "line", "m_h", "error"])


def falls(groups: Sequence[Group]) -> pd.DataFrame:
    """A table of the knees: alpha, rank, before and m_h (the widths of the fall), the errors above
    and below it, its factor in words, and where on log axes that is written."""
    rows = []
    for group in groups:
        if group["knee"] is None:
            continue
        at = group["m_h"].index(group["knee"]["m_h"])
        above, below = group["error"][at - 1], group["error"][at]
        rows.append(
            _of(group)
            | {"before": group["m_h"][at - 1], "m_h": group["m_h"][at]}
            | {"above": above, "below": below, "middle": (above * below) ** 0.5}
            | {"beside": 1.06 * group["m_h"][at], "words": f"↓ ÷ {number(above / below)}"}
        )
    names = ("before", "m_h", "above", "below", "middle", "beside", "words")
    return pd.DataFrame(rows, columns=["alpha", "rank", *names])


def drawn(groups: Sequence[Group], norm: Norm, all_lines: bool = False) -> pd.DataFrame:
    """`points` and `lines` in one table, as a figure has them: `line` is "trained" or the name of a
    line, `unit` that of its error, which for the tail of ρ is Σ σ_k² (its root in MAE)."""
    parts = [points(groups).assign(line="trained"), lines(groups, all_lines)]
    table = pd.concat(parts, ignore_index=True)
    unit, whole = ("Var(y)", "Σ σ_k²") if norm == "mse" else ("y", "√(Σ σ_k²)")
    tail = table["line"] == TAIL
    return table.assign(unit=tail.map({True: whole, False: unit}))


def tail_share(floors: Mapping[str, Any], norm: Norm) -> list[float]:
    """The exact tail over Σ σ_k², the squared error of ρ without a unit; its root in MAE."""
    power = 1.0 if norm == "mse" else 0.5
    return [(tail / floors["energy"]) ** power if tail else 0.0 for tail in floors["tail"]]


def under(group: Group, all_lines: bool) -> dict[str, list[tuple[int, float]]]:
    """The lines under the points of a group as (m_h, error > 0), by name; truncation goes on at
    exactly 0 from the rank on."""
    curves = {TRUNCATION: group["truncation"]}
    if any(group.get("on_own") or ()):
        curves[ON_OWN] = group["on_own"]
    if all_lines:
        curves[TAIL] = tail_share(group, group["norm"])
    if all_lines and any(group.get("optimum") or ()):
        curves[OPTIMUM] = group["optimum"]
    if group["predicted_slope"] is not None and group["error"]:
        m = np.asarray(group["m_h"], dtype=np.float64)
        curves[THEORY] = (group["error"][0] * (m / m[0]) ** group["predicted_slope"]).tolist()
    lines = {
        name: [
            (m_h, error)
            for m_h, error in zip(group["m_h"], errors, strict=True)
            if error is not None and error > DRAWN
        ]
        for name, errors in curves.items()
    }
    if (rank := group["rank"]) is not None:
        above = [(m_h, error) for m_h, error in lines[TRUNCATION] if m_h < rank]
        lines[TRUNCATION] = above + [(m_h, 0.0) for m_h in group["m_h"] if m_h >= rank]
    return lines


def _of(group: Group) -> dict[str, str]:
    return {"alpha": alpha_name(group["alpha"]), "rank": rank_name(group["rank"])}
