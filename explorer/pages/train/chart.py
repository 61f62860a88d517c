"""Figures of a run for paper and slide: Altair twins of what the live canvas draws."""

from __future__ import annotations

import math

from explorer.charts import Palette
from explorer.charts.axes import (
    doublings,
    heights,
    log_domain,
    log_scale,
    powers,
    with_column,
    zero_lane,
)
from explorer.charts.marks import across, looks, tips, upright
from explorer.slow import alt, pd
from explorer.views.text import DRAWN, number

HEIGHT = 380
CURVES = ["training loss", "nMSE on fresh sequences", "nMSE on its own sequences"]
ROWS = ["ideal", "learned"]
ROW, AXIS = 24, 130
"""Pixels of a bar; of key and axis, which on a page are within the height."""


def error_chart(table: pd.DataFrame, floor: float, words: str, palette: Palette) -> alt.LayerChart:
    """Error against step, log-log: training loss as a line, evaluations as dots, floor dashed.

    `table` has step, error (> 0) and curve; `floor` is called `words`. A floor of 0 has no place on
    a log axis, and a lane of its own at its foot.
    """
    errors = pd.concat([table["error"], pd.Series([floor] if floor > 0 else [], dtype=float)])
    lane = zero_lane(errors)
    scale = {"axis": powers(errors), "scale": log_scale(errors)}
    if floor <= 0:
        scale = {"axis": lane.axis, "scale": lane.scale}
    wide = log_scale(table["step"], padding=6)
    x = alt.X("step:Q", title="training step", scale=wide, axis=powers(table["step"], grid=False))
    y = alt.Y("error:Q", title="error in units of Var(y)", **scale)
    named = CURVES[: 2 + (table["curve"] == CURVES[2]).any()]  # the last of a training set alone
    shades, shapes = [palette.grey, palette.accent, palette.second], ["stroke", "circle", "square"]
    channels = looks("curve", named, color=shades[: len(named)], shape=shapes[: len(named)])
    loss, *evaluations = (alt.Chart(table[table["curve"] == name]) for name in named)
    layers = [loss.mark_line(strokeWidth=1.2, opacity=0.8).encode(x, y, color=channels["color"])]
    for each in evaluations:
        layers.append(
            each.mark_line(strokeWidth=1.5, opacity=0.6).encode(x, y, color=channels["color"])
        )
        layers.append(each.mark_point(size=60, filled=True, opacity=1).encode(x, y, **channels))
    text, dashed = {"dx": 6, "dy": -9}, {"strokeDash": [6, 4], "strokeWidth": 1.5}
    layers += across(y, floor if floor > 0 else lane.at, words, palette.grey, text, **dashed)
    layers += [] if floor > 0 else [lane.border(y, palette)]
    return alt.layer(*layers).properties(height=HEIGHT)


def spectrum_chart(
    table: pd.DataFrame, m_h: int, palette: Palette, beside: pd.DataFrame | None = None
) -> alt.LayerChart:
    """σ_k hollow and σ̂_k filled on log axes, with m_h marked. `table` has k, sigma, spectrum.

    A zero has a lane of its own. The axes reach over the table `beside` as well, so that several
    figures have the same.
    """
    whole = table if beside is None else beside
    x = alt.X("k:Q", title="k", axis=doublings(), scale=log_domain(whole["k"]))
    axis = heights(whole["sigma"], "singular value", log_domain(whole["sigma"]))
    named = list(dict.fromkeys(table["spectrum"]))  # designed, learned, pinned ones
    shades = [palette.accent, palette.second, *palette.categories[3:]][: len(named) - 1]
    channels = looks(
        "spectrum",
        named,
        columns=3 if len(named) <= 3 else 1,
        stroke=[palette.ink, *shades],
        fill=["transparent", *shades],
        shape=["circle", "diamond", "square", "triangle-up", "cross"],
        size=[150, 45, 30, 30, 30],  # one is no scale
    )
    dots = alt.Chart(table.assign(height=axis.heights_of(table["sigma"]))).mark_point(
        strokeWidth=1.5, opacity=1
    )
    dots = dots.encode(x, axis.y, tooltip=[*tips("k:Q", sigma=".4~g"), "spectrum:N"], **channels)
    side = {"align": "right", "dx": -5} if m_h > 1 else {"align": "left", "dx": 5}
    text = {"baseline": "top", "dy": 6} | side
    edge = upright(x, m_h, f"mₕ = {m_h}", palette.grey, text)
    return alt.layer(*edge, dots, *axis.border(palette)).properties(height=300)


def attention_chart(table: pd.DataFrame, query: str, palette: Palette) -> alt.LayerChart:
    """The row of attention of a `query` over the keys: learned as bars, ideal as a thin outline.

    `table` has s, weight, row ('learned' or 'ideal').
    """
    x = alt.X("s:O", title=f"key s (query {query})", axis=alt.Axis(labelAngle=0))
    y = alt.Y("weight:Q", title="attention weight", axis=alt.Axis(tickCount=5))
    channels = looks(
        "row", ROWS, fill=["transparent", palette.accent], stroke=[palette.ink, palette.accent]
    )
    learned, ideal = (alt.Chart(table[table["row"] == name]) for name in ("learned", "ideal"))
    bars = learned.mark_bar(opacity=0.75).encode(x, y, **channels)
    outline = ideal.mark_bar(strokeWidth=1.6).encode(x, y, **channels)
    return alt.layer(bars, outline).properties(height=HEIGHT, width=640)


def angles_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Bars from 0 to 90 degrees. `table` has k, angle and tied; a tie has a sign and no bar."""
    x = alt.X("k:O", title="k, dimension of the leading subspaces", axis=alt.Axis(labelAngle=0))
    axis, scale = alt.Axis(values=[0, 30, 60, 90]), alt.Scale(domain=[0, 90])
    y = alt.Y("angle:Q", title="largest principal angle, degrees", axis=axis, scale=scale)
    base = alt.Chart(table[~table["tied"]]).encode(x, y)
    bars = base.mark_bar(color=palette.accent)
    values = base.mark_text(dy=-8, color=palette.ink)
    values = values.encode(text=alt.Text("angle:Q", format=".2~g"))
    ties = alt.Chart(table[table["tied"]]).mark_text(dy=-8, color=palette.grey)
    words = ties.encode(x, y=alt.value("height"), text=alt.value("tied"))
    return alt.layer(bars, values, words).properties(height=HEIGHT, width=640)


def apart_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """A bar on a log axis, which begins a decade below the least, for each line of a `table` that
    has what, how and nmse; one that is 0 has no place on it and is drawn as DRAWN."""
    named, errors = list(dict.fromkeys(table["how"])), table["nmse"].clip(lower=DRAWN)
    low = 10.0 ** (math.floor(math.log10(errors.min())) - 1)
    ends = pd.Series([low, errors.max() * 30])  # room for a bar's number
    scale = alt.Scale(type="log", nice=False, domain=ends.tolist())
    x = alt.X("low:Q", title="nMSE", scale=scale, axis=powers(ends, grid=False))
    y = alt.Y("what:N", title=None, sort=None, axis=alt.Axis(labelLimit=240, labelOverlap=False))
    channels = looks("how", named, columns=1, color=[palette.accent, palette.second][: len(named)])
    base = alt.Chart(table.assign(low=low, said=errors.map(number))).encode(y)
    texts = base.mark_text(align="left", dx=4, color=palette.ink)
    return alt.layer(
        base.mark_bar().encode(x, x2="nmse:Q", **channels, tooltip=tips("what:N", "said:N")),
        texts.encode(with_column(x, "nmse"), text="said:N"),
    ).properties(height=ROW * len(table) + AXIS)
