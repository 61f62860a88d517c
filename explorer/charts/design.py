"""Charts of the Design page."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import doublings, log_scale, note, powers, told_apart
from explorer.views.design import Trained

HEIGHT = 260
NORMS = ["nMSE", "mean absolute error"]
PARTS = ["kept", "left out", "below the tolerance"]


def spectrum_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """σ_k on log axes: dots, kept ones filled, the tolerance as a line.

    `table` has k, sigma (> 0), part and tolerance; without rows there is only the reason.
    """
    if table.empty:
        return alt.layer(note("every σ_k is 0", palette)).properties(height=HEIGHT)
    k = alt.X("k:Q", title="k", scale=log_scale(table["k"]), axis=doublings())
    height = log_scale(table["sigma"])
    parts = [part for part in PARTS if (table["part"] == part).any()]
    filled = [palette.ink if part == "kept" else "transparent" for part in parts]
    shapes = ["cross" if part == PARTS[-1] else "circle" for part in parts]
    dots = (
        alt.Chart(table)
        .mark_point(size=45, strokeWidth=1.4, stroke=palette.ink, opacity=1)
        .encode(
            k,
            alt.Y("sigma:Q", title="σ_k", scale=height, axis=powers(table["sigma"])),
            fill=told_apart(alt.Fill, "part", parts, filled),
            shape=told_apart(alt.Shape, "part", parts, shapes),
            tooltip=["k:Q", alt.Tooltip("sigma:Q", format=".4~g", title="σ_k"), "part:N"],
        )
    )
    if not _near(table):
        return alt.layer(dots).properties(height=HEIGHT)
    base = alt.Chart(table.head(1)).encode(alt.Y("tolerance:Q"))
    line = base.mark_rule(strokeDash=[2, 3], color=palette.grey)
    text = base.mark_text(align="left", dx=4, dy=-8, color=palette.grey, fontSize=12)
    label = text.encode(x=alt.value(0), text=alt.value("tolerance"))
    return alt.layer(dots, line, label).properties(height=HEIGHT)


def functions_chart(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """φ_k and ψ_k over [0, 1]: solid and dashed. `table` has x, value, function."""
    names = list(dict.fromkeys(table["function"]))
    axes = alt.X("x:Q", title="u, v"), alt.Y("value:Q", title="φ_k(u), ψ_k(v)")
    return _curves(table, *axes, "function", names, [palette.ink, palette.second])


def row_chart(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """A row of ρ through softmax, relative to uniform. `table` has v, weight, coupling."""
    axes = alt.X("v:Q", title="v"), alt.Y("weight:Q", title="weight, uniform = 1")
    return _curves(table, *axes, "coupling", ["ρ", "ρ_m"], [palette.ink, palette.second])


def floor_chart(
    table: pd.DataFrame, trained: Sequence[Trained], palette: Palette, m: int
) -> alt.LayerChart:
    """Both norms of the truncation floor over m with 95% bars, the chosen m, and trained runs.

    `table` has m, error, low, high, norm. A zero has no place on a
    log axis and is left out, and said: from there on the floor is exactly 0. So is m = 0, where
    ρ = 0.
    """
    trained = pd.DataFrame(trained, columns=Trained._fields)
    table = table[table["m"] > 0]
    shown, zero = table[table["error"] > 0], table[table["error"] == 0]
    whole = alt.Scale(type="log", nice=False, padding=10, domain=[1, max(table["m"])])
    wide = alt.X("m:Q", title="m", scale=whole, axis=doublings())
    errors = pd.concat([shown["error"], trained["nmse"]])
    height = alt.Y("error:Q", title="error", scale=log_scale(errors), axis=powers(errors))
    colours = told_apart(alt.Color, "norm", NORMS, [palette.grey, palette.second])
    base = alt.Chart(shown).encode(wide, color=colours)
    line = base.mark_line(strokeDash=[5, 3], strokeWidth=1.5).encode(height)
    bars = base.mark_rule(strokeWidth=2).encode(alt.Y("low:Q"), alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=34, opacity=1).encode(
        height,
        shape=told_apart(alt.Shape, "norm", NORMS, ["circle", "square"]),
        tooltip=["m:Q", alt.Tooltip("error:Q", format=".3~g"), "norm:N"],
    )
    here = alt.Chart(pd.DataFrame({"m": [m]})).mark_rule(color=palette.grey).encode(wide)
    learned = (
        alt.Chart(trained)
        .mark_point(shape="diamond", filled=True, size=110, color=palette.accent, opacity=1)
        .encode(
            alt.X("m_h:Q"),
            alt.Y("nmse:Q"),
            tooltip=[alt.Tooltip("nmse:Q", format=".3~g", title="trained nMSE"), "m_h:Q", "run:N"],
        )
    )
    layers = [here, line, bars, dots, learned]
    if len(zero):
        layers.append(note(f"0 from m = {zero['m'].min()} on, not on a log axis", palette))
    return alt.layer(*layers).properties(height=HEIGHT)


def _curves(
    table: pd.DataFrame, x: alt.X, y: alt.Y, name: str, names: list[str], colours: list[str]
) -> alt.Chart:
    """Two curves over [0, 1], told apart by colour and dash."""
    return (
        alt.Chart(table)
        .mark_line(strokeWidth=2)
        .encode(
            x.scale(domain=[0, 1]).axis(tickCount=5, labelFontSize=12, titleFontSize=13),
            y.axis(tickCount=5, labelFontSize=12, titleFontSize=13),
            color=told_apart(alt.Color, name, names, colours),
            strokeDash=told_apart(alt.StrokeDash, name, names, [[1, 0], [6, 3]]),
        )
        .properties(height=HEIGHT)
    )


def _near(table: pd.DataFrame) -> bool:
    """Whether the tolerance is within three decades of a σ_k, so that its line squeezes nothing."""
    return bool(len(table)) and table["tolerance"].iloc[0] * 1e3 >= table["sigma"].min()
