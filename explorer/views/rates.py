"""Rates: error against width for the targets of a sweep, over floors that need no training."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.spec import Spec, SweepSpec, design_of
from explorer.targets import target_of
from explorer.theory import sweep as theory
from explorer.theory.floor import truncation_floor
from explorer.theory.sweep import Norm, Statistic
from explorer.views.sweeps import Finished, designs_of
from explorer.views.text import number, rank_text

if TYPE_CHECKING:
    import pandas as pd

FLOOR_SAMPLES = 512  # sequences behind a floor that the page computes itself
SHIPPED_SAMPLES = 4096  # and behind one that comes with a sweep
NORMS: dict[Norm, str] = {"mse": "squared error", "mae": "absolute error"}

Group = Mapping[str, Any]
GridLoader = Callable[[str], np.ndarray]


@dataclass(frozen=True, eq=False)
class RatesView:
    """What the page shows of a sweep in one norm."""

    sweep: SweepSpec
    norm: Norm
    statistic: Statistic
    groups: tuple[Group, ...]
    """As `theory.sweep.summary` has them, each with `optimum` where that is known."""
    verdict: str
    notes: tuple[str, ...]
    table: str
    """Markdown: a line for each target."""


def rates_view(
    found: Finished, norm: Norm, statistic: Statistic, load_grid: GridLoader | None = None
) -> RatesView:
    """Slopes, knees and floors of what has been trained so far."""
    known = partial(known_floors, found, load_grid=load_grid)
    keys = {key: key for key in designs_of(found.sweep)}
    groups = theory.summary(found.sweep, found.rows, keys, norm, statistic, known)["groups"]
    for group in groups:
        group["optimum"] = _optimum(found.optimum, group, norm)
    return RatesView(
        found.sweep, norm, statistic, tuple(groups), verdict(found.sweep, groups, norm),
        tuple(_notes(found.sweep, groups, norm)), table(groups),
    )  # fmt: skip


def known_floors(
    found: Finished,
    key: tuple,
    m_h: Sequence[int],
    norm: Norm,
    load_grid: GridLoader | None = None,
) -> dict[str, list[float]]:
    """`floors` of a target of a sweep, by (α, rank): what came with it, or computed here."""
    kept = next((each for each in found.floors if (each["alpha"], each["rank"]) == key), None)
    if kept is None:
        return floors(design_of(designs_of(found.sweep)[key]), tuple(m_h), norm, load_grid)
    places = [found.sweep.m_h.index(m) for m in m_h]
    names = {"truncation": "nmse" if norm == "mse" else "mae", "tail": "tail"}
    return {to: [kept[name][i] for i in places] for to, name in names.items()}


def all_floors(sweep: SweepSpec, load_grid: GridLoader | None = None) -> list[dict[str, Any]]:
    """The floors of every target of a sweep, as `Finished` holds them."""
    found = []
    for (alpha, rank), member in designs_of(sweep).items():
        nmse, mae, tail = _floors(design_of(member), sweep.m_h, load_grid, SHIPPED_SAMPLES)
        found.append({"alpha": alpha, "rank": rank, "nmse": nmse, "mae": mae, "tail": tail})
    return found


def floors(
    design: Spec, m_h: tuple[int, ...], norm: Norm, load_grid: GridLoader | None = None
) -> dict[str, list[float]]:
    """`theory.sweep.floors` of a design, remembered, by fewer sequences."""
    nmse, mae, tail = _floors(design, m_h, load_grid)
    return {"truncation": nmse if norm == "mse" else mae, "tail": tail}


@lru_cache(maxsize=64)
def _floors(
    design: Spec, m_h: tuple[int, ...], load_grid: GridLoader | None, samples: int = FLOOR_SAMPLES
) -> tuple[list, ...]:
    target = target_of(design, load_grid)
    found = truncation_floor(target, m_h, samples=samples)
    return found.nmse.tolist(), found.mae.tolist(), theory.exact_tail(target, m_h).tolist()


def _optimum(
    known: Iterable[Mapping[str, Any]], group: Group, norm: Norm
) -> list[float | None]:
    """The error of the rank-optimal kernel at each width of a group, where it was computed."""
    errors = {
        cell["m_h"]: cell["nmse" if norm == "mse" else "mae"]
        for cell in known
        if (cell["alpha"], cell["rank"]) == (group["alpha"], group["rank"])
    }
    return [errors.get(m) for m in group["m_h"]]


# What the numbers say


def rank_name(rank: int | None) -> str:
    """ "r = 6" or "r = ∞"."""
    return f"r = {rank_text(rank)}"


def verdict(sweep: SweepSpec, groups: Sequence[Group], norm: Norm) -> str:
    """The rate of the targets without end, and the drop of the others."""
    widest = max(sweep.m_ff)
    rates = [_rate_text(group) for group in groups if _has_rate(group) and group["m_ff"] == widest]
    drops = [
        f"÷ {number(group['drop_at_rank'])} at {_target_text(group)}"
        for group in groups
        if group["drop_at_rank"] is not None
    ]
    parts = []
    if rates:
        at = rf" at $m_\mathrm{{FF}}={widest}$" if len(sweep.m_ff) > 1 else ""
        parts.append(f"The {NORMS[norm]}{at} falls like " + "; ".join(rates) + ".")
    if drops:
        parts.append("From $m_h=r-1$ to $r$ it drops: " + ", ".join(drops) + ".")
    if not parts:
        trained = sum(len(group["m_h"]) for group in groups)
        return (
            "Nothing is trained yet: the dashed floors are what truncation leaves."
            if trained == 0
            else "A slope needs three widths below the rank, a drop the widths r − 1 and r."
        )
    return " ".join(parts)


def _has_rate(group: Group) -> bool:
    return group["rank"] is None and group["slope"] is not None


def _rate_text(group: Group) -> str:
    low, high = group["slope_ci"]
    text = rf"$m_h^{{{group['slope']:.2f}\pm{(high - low) / 2:.2f}}}$"
    about = [f"α = {group['alpha']:g}"]
    if group["predicted_slope"] is not None:
        about.append(f"theory {_signed(group['predicted_slope'])}")
    return f"{text} ({', '.join(about)})"


def _target_text(group: Group) -> str:
    return f"r = {group['rank']}, α = {group['alpha']:g}"


def _signed(value: float) -> str:
    return _two(value).rstrip("0").rstrip(".")


def table(groups: Sequence[Group]) -> str:
    """A line of Markdown for each target: slope and its range, theory, exact tail, knee."""
    several = len({group["m_ff"] for group in groups}) > 1
    head = ["α", "r", *([r"$m_\mathrm{FF}$"] * several), "seeds", "slope", "95 %", "over $m_h$",
            "theory", r"on $\sum_{k>m}\sigma_k^2$", "knee"]  # fmt: skip
    lines = [head, ["---:"] * len(head)]
    for group in sorted(groups, key=_order):
        seeds = group["seeds"]
        lines.append([
            f"{group['alpha']:g}", rank_text(group["rank"]), *([str(group["m_ff"])] * several),
            _range_text(min(seeds, default=0), max(seeds, default=0)),
            *_slope_texts(group), _maybe(group["predicted_slope"], _signed),
            _maybe(group["tail_slope"], _two), _knee_text(group),
        ])  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _order(group: Group) -> tuple:
    rank = math.inf if group["rank"] is None else group["rank"]
    return group["alpha"], rank, group["m_ff"]


def _range_text(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"


def _slope_texts(group: Group) -> tuple[str, str, str]:
    """Slope, its interval, and the widths that were fitted."""
    if group["slope"] is None:
        return "–", "–", "–"
    (low, high), (first, last) = group["slope_ci"], group["fit_range"]
    return _two(group["slope"]), f"{_two(low)} … {_two(high)}", f"{first:g} … {last:g}"


def _two(value: float) -> str:
    """With two decimals, whatever they are: columns of numbers stay aligned."""
    return f"{value:.2f}".replace("-", "−")


def _knee_text(group: Group) -> str:
    """Where the error falls most from one width to the next, and whether that is the rank."""
    if group["knee"] is None:
        return "–"
    at, ratio = group["knee"]["m_h"], group["knee"]["ratio"]
    return f"at {at}{' = r' if at == group['rank'] else ''}, ÷ {number(ratio)}"


def _maybe(value: Any, text: Callable[[Any], str]) -> str:
    return "–" if value is None else text(value)


def _notes(sweep: SweepSpec, groups: Sequence[Group], norm: Norm) -> Iterable[str]:
    """What a reader must know to read the picture rightly."""
    if norm == "mse":
        yield (
            r"**Which norm.** The squared error of a rank-$m$ truncation falls like "
            r"$m^{-(2\alpha-1)}$, the absolute one like $m^{-(\alpha-1/2)}$. The paper prints the "
            "first exponent beside an L¹-type norm (Theorem 4.1, Figure 1); it belongs to the "
            "squared error, shown here."
        )
    else:
        yield (
            r"**Which norm.** The mean absolute error falls like $m^{-(\alpha-1/2)}$, half as fast "
            r"as the squared one. The paper prints $-(2\alpha-1)$ beside an L¹-type norm: that "
            "exponent belongs to the squared error."
        )
    yield (
        "**Floors.** Truncation to $m_h$ terms is an *upper* bound on the best error of that "
        "width; trained models do go below it, towards the rank-optimal kernel. That one is no "
        "lower bound either: it is the best kernel found, with F = f = id, where a model has F̂ "
        "and its values besides. A wide model *cut* to rank k is left "
        "with about the truncation error, while one *trained* at that width does better: it does "
        "not learn the first k modes of ρ, but what serves H best."
    )
    if sweep.left_basis == sweep.right_basis == "sine":
        yield DIAGONAL
    elif sweep.left_basis == "sine" and sweep.right_basis == "shifted_sine":
        yield SHIFTED
    if sweep.activation == "relu" and sweep.init == "torch":
        yield from _recipe(groups)


DIAGONAL = (
    r"**ψ = φ.** The pairs $s=t$ see $\rho(u,u)=\sum_k\sigma_k(1-\cos4\pi ku)$: its terms add up "
    r"coherently, so what truncation leaves on the diagonal falls only like $m^{-(\alpha-1)}$, and "
    "not at all at α = 1. The norm of L²(I×I) does not see a diagonal, the error of H does (the "
    r"paper's Eq. 46 passes over it). With the half shift $\psi_k(v)=\phi_k(v+\tfrac12)$, still "
    "the same sines up to sign, the terms alternate there and the rate is seen."
)
SHIFTED = (
    r"**The half shift.** $\psi_k(v)=\phi_k(v+\tfrac12)=(-1)^k\sqrt2\sin2\pi kv$: the paper's "
    "sines up to sign. With ψ = φ the diagonal ρ(u, u) adds up coherently and hides the rate."
)


def _recipe(groups: Sequence[Group]) -> Iterable[str]:
    """How little the error of the paper's literal recipe falls, beside what truncation does."""
    falls = [f"{rank_name(group['rank'])}: {_fall(group)}" for group in groups if group["error"]]
    yield (
        "**As printed.** ReLU networks on the raw x, PyTorch's start and Adam at a constant rate "
        "(App. C). Fast oscillations of ψ_k are learned last by such networks (spectral bias), so "
        "that training, not the width, sets the error. From the narrowest to the widest head it "
        "falls for " + "; ".join(falls) + ". Figure 1 here uses sine networks for f̂, SOAP and "
        "the half shift."
    )


def _fall(group: Group) -> str:
    fall, floor = group["error"][0] / group["error"][-1], group["truncation"]
    beside = "to 0" if floor[-1] <= DRAWN else f"by ÷ {number(floor[0] / floor[-1])}"
    return f"by ÷ {number(fall)}, its truncation floor {beside}"


def surgery_table(
    spec: Spec, found: Mapping[str, Sequence], load_grid: GridLoader | None = None
) -> pd.DataFrame:
    """A run cut to each rank beside the truncation floor: k, error (> 0), line.

    `found` has k and nmse, as the surgery of a run gives them.
    """
    import pandas as pd

    floor = floors(design_of(spec), tuple(found["k"]), "mse", load_grid)["truncation"]
    both = {"cut to rank k": found["nmse"], "truncation floor": floor}
    rows = [
        {"k": k, "error": error, "line": name}
        for name, errors in both.items()
        for k, error in zip(found["k"], errors, strict=True)
        if error > DRAWN
    ]
    return pd.DataFrame(rows, columns=["k", "error", "line"])


def surgery_text(m_h: int, found: Mapping[str, Sequence]) -> str:
    """What the cuts of a run leave: at half its width, at the last rank before, uncut."""
    errors = dict(zip(found["k"], found["nmse"], strict=True))
    ranks = sorted({max(1, m_h // 2), max(1, m_h - 1), m_h})
    return "; ".join(
        f"{'uncut' if k == m_h else f'cut to rank {k}'}: nMSE {number(errors[k])}" for k in ranks
    )


# The tables of the exported figure


DRAWN = 1e-20  # from the rank on a floor is 0, which has no place on a log axis


def points(groups: Sequence[Group]) -> pd.DataFrame:
    """A table of errors over seeds: alpha, rank, m_ff, m_h, error (the one of the next two that is
    read), best, median, worst, seeds."""
    import pandas as pd

    listed = ("m_h", "error", "best", "median", "worst", "seeds")
    rows = [
        _of(group) | {"m_ff": group["m_ff"]} | {name: group[name][i] for name in listed}
        for group in groups
        for i in range(len(group["m_h"]))
    ]
    return pd.DataFrame(rows, columns=["alpha", "rank", "m_ff", *listed])


def lines(groups: Sequence[Group]) -> pd.DataFrame:
    """A table of what is drawn under the points: alpha, rank, line, m_h, error (> 0).

    "truncation floor" for all; "rank-optimal kernel" where it was computed; "theory", the law
    m^predicted_slope through the first error, for r = ∞.
    """
    import pandas as pd

    rows = [
        _of(group) | {"line": name, "m_h": m_h, "error": error}
        for group in groups
        for name, drawn in under(group).items()
        for m_h, error in drawn
    ]
    return pd.DataFrame(rows, columns=["alpha", "rank", "line", "m_h", "error"])


def under(group: Group) -> dict[str, list[tuple[int, float]]]:
    """The lines under the points of a group as (m_h, error > 0), by name."""
    found = {"truncation floor": group["truncation"]}
    if any(group.get("optimum") or ()):
        found["rank-optimal kernel"] = group["optimum"]
    if group["predicted_slope"] is not None and group["error"]:
        m = np.asarray(group["m_h"], dtype=np.float64)
        found["theory"] = (group["error"][0] * (m / m[0]) ** group["predicted_slope"]).tolist()
    return {
        name: [
            (m_h, error)
            for m_h, error in zip(group["m_h"], errors, strict=True)
            if error is not None and error > DRAWN
        ]
        for name, errors in found.items()
    }


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
