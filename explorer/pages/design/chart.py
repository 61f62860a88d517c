"""Charts of the Design page."""

from __future__ import annotations

from typing import Any

from explorer.charts import Palette
from explorer.charts.axes import (
    cliff_ticks,
    doublings,
    heights,
    log_scale,
    note,
    powers,
    with_column,
    zero_lane,
)
from explorer.charts.marks import across, looks, tips, upright
from explorer.slow import alt, pd
from explorer.views.series import THEORY, TRUNCATION
from explorer.views.text import number

HEIGHT = 260
NORMS = {"nmse": "nMSE, in Var(y)", "mae": "mean absolute error, in y"}
"""What a column of errors is called: each has a unit of its own."""
ENDS = [f"{name}{end}" for name in NORMS for end in ("", "_low", "_high")]
TRAINED = "trained: nMSE of one seed"
PARTS = ["kept", "left out", "below the tolerance"]
LOG_FROM = 30
"""Ratio of the ends from which a softmax is drawn on a log axis."""


def _dots(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """A mark for each σ_k, by its part."""
    parts = [part for part in PARTS if (table["part"] == part).any()]
    filled = [palette.ink if part == "kept" else "transparent" for part in parts]
    shapes = ["cross" if part == PARTS[-1] else "circle" for part in parts]
    dots = alt.Chart(table).mark_point(size=45, strokeWidth=1.4, stroke=palette.ink, opacity=1)
    return dots.encode(
        **looks("part", parts, fill=filled, shape=shapes),
        tooltip=["k:Q", alt.Tooltip("sigma:Q", format=".4~g", title="σₖ"), "part:N"],
    )


def spectrum_chart(
    table: pd.DataFrame, m: int, palette: Palette, slope: str = ""
) -> alt.LayerChart:
    """σ_k on log axes: dots, kept ones filled, the edge after the first m, the tolerance as a line,
    the decay line dotted with its `slope`.

    `table` has k, sigma (a zero has a lane of its own), part, tolerance and law; without a positive
    σ_k there is only the reason.
    """
    if not (table["sigma"] > 0).any():
        return alt.layer(note("every σₖ is 0", palette)).properties(height=HEIGHT)
    k = alt.X("k:Q", title="k", scale=log_scale(table["k"]), axis=doublings())
    line = float(table["tolerance"].iloc[0])
    seen = pd.concat([table["sigma"], pd.Series([line] if _near(table) else [], dtype=float)])
    axis = heights(seen, "σₖ", log_scale(seen))
    y = axis.y
    dots = _dots(table.assign(height=axis.heights_of(table["sigma"])), palette)
    layers = [*_law(table, k, y, palette), dots.encode(k, y)]
    if _near(table):
        layers += _line(y, line, f"tolerance {number(line)}", palette.grey)
    if m < table["k"].max():
        layers += _edge(k, (m * (m + 1)) ** 0.5, m, palette)
    if slope:
        layers.append(note(f"dotted: {slope}", palette))
    return alt.layer(*layers, *axis.border(palette)).properties(height=HEIGHT)


def _law(table: pd.DataFrame, k: alt.X, y: alt.Y, palette: Palette) -> list[alt.Chart]:
    """The decay line, where there is one, as far as the σ_k reach."""
    seen = table["sigma"][table["sigma"] > 0]
    inside = table["law"].between(seen.min() / 3, seen.max() * 3)
    line = table.loc[inside, ["k", "law"]]
    drawn = alt.Chart(line).mark_line(strokeDash=[2, 4], color=palette.grey)
    return [drawn.encode(k, with_column(y, "law"))] if len(line) else []


def _line(y: alt.Y, at: float, words: str, colour: str, **place: Any) -> list[alt.Chart]:
    """A dashed line at a height, with its words above it at the left, or at another `place`."""
    return across(y, at, words, colour, {"dx": 4, "dy": -8} | place, strokeDash=[2, 3])


def _wanted(y: alt.Y, error: float, words: str, palette: Palette) -> list[alt.Chart]:
    """The error that is wanted; its words stand where no error is: above the right end of the line,
    where they have fallen below it."""
    clear = {} if ">" in words else {"align": "right", "dx": -4}
    return _line(y, error, words, palette.accent, **clear)


def _edge(x: alt.X, at: float, m: int, palette: Palette) -> list[alt.Chart]:
    """The line of the chosen m."""
    return upright(x, at, f"m = {m}", palette.accent, {"dx": 5, "dy": 10}, strokeWidth=1.5)


def functions_chart(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """φ_k and ψ_k over [0, 1]: solid and dashed. `table` has x, value, function."""
    names = list(dict.fromkeys(table["function"]))
    axes = alt.X("x:Q", title="u, v"), alt.Y("value:Q", title="φ_k(u), ψ_k(v)")
    return _curves(table, *axes, "function", names, [palette.ink, palette.second])


def row_chart(table: pd.DataFrame, palette: Palette) -> alt.VConcatChart:
    """A row of ρ and of its kept terms, and below it their softmax relative to uniform, over v.

    `table` has v, rho, weight (> 0) and coupling. The softmax is drawn on a log axis where its ends
    are a factor of thirty apart.
    """
    names, colours = ["ρ", "ρ_m"], [palette.ink, palette.second]
    x, weights = alt.X("v:Q", title="v"), table["weight"]
    rows = _curves(table, x, alt.Y("rho:Q", title="ρ(u, v)"), "coupling", names, colours)
    y = alt.Y("weight:Q", title="softmax, uniform = 1")
    if weights.max() > LOG_FROM * weights.min():
        y = y.scale(
            type="log", nice=False, domain=[max(weights.min(), 1e-12) / 1.5, weights.max() * 1.5]
        )
    softmax = _curves(table, x, y, "coupling", names, colours)
    return alt.vconcat(*(part.properties(height=HEIGHT // 2 + 20) for part in (rows, softmax)))


def floor_chart(
    table: pd.DataFrame, palette: Palette, *, m: int, error: float, wanted: str, rate: str = ""
) -> alt.LayerChart:
    """Both norms of the truncation floor over m with 95% bars, the chosen m, the error that is
    `wanted` with its words, the `rate` of the law dotted, and trained runs.

    `table` has series, m, nmse, mae and the ends of their intervals, _low and _high. From the rank
    on the error is exactly 0, which has no place on a log axis: it falls into a lane of its own,
    and that is said. m = 0, where ρ = 0, is left out.
    """
    runs = table[(table["series"] == "trained") & (table["nmse"] > 0)]
    floor = table[(table["series"] == TRUNCATION) & (table["m"] > 0)]
    shown, zeros = floor[floor["nmse"] > 0], floor["m"][floor["nmse"] == 0]
    rank = int(zeros.min()) if len(zeros) else None
    whole = alt.Scale(type="log", nice=False, padding=10, domain=[1, max(floor["m"])])
    wide = alt.X("m:Q", title="m", scale=whole, axis=doublings(cliff_ticks(rank)))
    errors = pd.concat([*(shown[name] for name in NORMS), runs["nmse"], pd.Series([error])])
    y = alt.Y("nmse:Q", title="error", scale=log_scale(errors), axis=powers(errors))
    channels, layers = _looks(palette, bool(len(runs))), []
    if rank:
        lane = zero_lane(errors)
        y = alt.Y("nmse:Q", title="error", scale=lane.scale, axis=lane.axis)
        shown = floor.assign(**{name: lane.drawn(floor[name]) for name in ENDS})
        layers.append(lane.border(y, palette))
    layers += _edge(wide, m, m, palette) if m <= floor["m"].max() else []
    layers += _wanted(y, error, wanted, palette)
    if rate:
        law = alt.Chart(table[table["series"] == THEORY])
        dotted = law.mark_line(strokeDash=[2, 4], color=palette.grey)
        layers += [dotted.encode(wide, y), note(f"dotted: theory, {rate}", palette)]
    for name, title in NORMS.items():
        layers += _norm(shown.assign(norm=title), name, wide, y, channels)
    layers.append(_learned(runs.assign(norm=TRAINED), wide, y, channels))
    why = f"0 from m = {rank} on, in its own lane: a log axis has no 0"
    layers += [note(why, palette, line=bool(rate))] if rank else []
    return alt.layer(*layers).properties(height=HEIGHT)


def _looks(palette: Palette, trained: bool) -> dict[str, Any]:
    """Colour and shape of both norms and, where there are any, of trained runs."""
    named = {NORMS["nmse"]: (palette.grey, "circle"), NORMS["mae"]: (palette.second, "square")}
    named |= {TRAINED: (palette.accent, "diamond")} if trained else {}
    colours, shapes = zip(*named.values(), strict=True)
    return looks("norm", named, color=colours, shape=shapes)


def _norm(table: pd.DataFrame, name: str, x: alt.X, y: alt.Y, channels: dict) -> list[alt.Chart]:
    """Line, 95% bars and dots of one norm."""
    base, colour, own = alt.Chart(table).encode(x), channels["color"], with_column(y, name)
    tip = [*tips("m:Q", **{name: ".3~g"}), "norm:N"]
    low, high = with_column(y, f"{name}_low"), alt.Y2(f"{name}_high:Q")
    return [
        base.mark_line(strokeDash=[5, 3], strokeWidth=1.5).encode(own, colour),
        base.mark_rule(strokeWidth=2).encode(low, high, colour),
        base.mark_point(filled=True, size=34, opacity=1).encode(own, tooltip=tip, **channels),
    ]


def _learned(runs: pd.DataFrame, x: alt.X, y: alt.Y, channels: dict) -> alt.Chart:
    """A mark for each trained run."""
    learned = alt.Chart(runs).mark_point(filled=True, size=110, opacity=1)
    tip = [*tips(nmse=".3~g"), "m:Q", "run:N", "seed:N"]
    return learned.encode(x, with_column(y, "nmse"), tooltip=tip, **channels)


def _curves(
    table: pd.DataFrame, x: alt.X, y: alt.Y, name: str, names: list[str], colours: list[str]
) -> alt.Chart:
    """Two curves over [0, 1], told apart by colour and dash."""
    channels = looks(name, names, color=colours, strokeDash=[[1, 0], [6, 3]])
    x, y = x.scale(domain=[0, 1]).axis(tickCount=5), y.axis(tickCount=5)
    return (
        alt.Chart(table).mark_line(strokeWidth=2).encode(x, y, **channels).properties(height=HEIGHT)
    )


def _near(table: pd.DataFrame) -> bool:
    """Whether the tolerance is within three decades of a σ_k, so that its line squeezes nothing."""
    seen = table["sigma"][table["sigma"] > 0]
    return bool(len(seen)) and table["tolerance"].iloc[0] * 1e3 >= seen.min()
