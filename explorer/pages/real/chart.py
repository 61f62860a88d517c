"""Figures of real models: ranks of heads, spectra over inputs, answers with k terms."""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical, doublings, log_domain, powers
from explorer.pages.real.view import LEAST

FONT = {"labelFontSize": LABEL, "titleFontSize": TITLE}


def head_map(
    table: pd.DataFrame, one: tuple[int, int] | None, width: int, palette: Palette
) -> alt.LayerChart:
    """The 99 % rank of every head as a cell of layer × head; one that is picked has a frame.

    `table` has layer and head from 1, rank, spread, weights; `one` counts from 0; `width` is the
    greatest rank there can be.
    """
    base = alt.Chart(table).encode(
        x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, **FONT)),
        y=alt.Y("layer:O", title="layer", axis=alt.Axis(labelOverlap=True, **FONT)),
        tooltip=[
            "layer:O",
            "head:O",
            alt.Tooltip("rank:Q", title="99 % rank, mean", format=".1f"),
            alt.Tooltip("spread:Q", title="its spread over inputs", format=".1f"),
            alt.Tooltip("weights:Q", title="of its weights alone"),
        ],
    )
    colour = alt.Color(
        "rank:Q",
        title="terms",
        scale=alt.Scale(domain=[0, width], range=list(palette.sequential)),
        legend=alt.Legend(gradientLength=150, **FONT),
    )
    cells = base.mark_rect().encode(color=colour)
    if one is None:
        return alt.layer(cells).properties(height=400)
    chosen = (table["layer"] == one[0] + 1) & (table["head"] == one[1] + 1)
    place = {"x": base.encoding.x, "y": base.encoding.y}
    frame = alt.Chart(table[chosen]).mark_rect(fillOpacity=0, stroke=palette.accent, strokeWidth=3)
    return alt.layer(cells, frame.encode(**place)).properties(height=400)


def spectrum_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """How σ_k / σ_1 is spread over inputs: median, quartiles and extremes against k, coupling and
    weights.

    `table` has series, k, low, lower, median, upper, high.
    """
    names = list(dict.fromkeys(table["series"]))
    colour = categorical(alt.Color, "series", names, [palette.accent, palette.grey], lines=True)
    dash = categorical(alt.StrokeDash, "series", names, [[1, 0], [6, 3]], lines=True)
    x = alt.X("k:Q", title="k", scale=alt.Scale(nice=False), axis=alt.Axis(grid=False, **FONT))
    scale, axis = log_domain(table["low"]), powers(table["low"])
    y = {
        name: alt.Y(f"{name}:Q", title="σₖ / σ₁", scale=scale, axis=axis)
        for name in ("low", "lower", "median")
    }
    base = alt.Chart(table)
    tooltip = ["series:N", "k:Q", alt.Tooltip("median:Q", format=".2~g")]
    return alt.layer(  # lines first: the key is drawn as they are
        base.mark_line(strokeWidth=2, point={"size": 12}).encode(
            x, y["median"], color=colour, strokeDash=dash, tooltip=tooltip
        ),
        base.mark_area(opacity=0.15).encode(x, y["low"], y2="high:Q", color=colour),
        base.mark_area(opacity=0.25).encode(x, y["lower"], y2="upper:Q", color=colour),
    ).properties(height=400)


def rank_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Mean 99 % rank of a layer's heads against the layer, with the lowest and highest head.

    `table` has layer, kind, rank, low, high.
    """
    names = list(dict.fromkeys(table["kind"]))
    colours = [palette.accent, palette.second, palette.grey]
    colour = categorical(alt.Color, "kind", names, colours, 2, lines=True)
    dash = categorical(alt.StrokeDash, "kind", names, [[1, 0], [2, 2], [6, 3]], 2, lines=True)
    x = alt.X(
        "layer:Q",
        scale=alt.Scale(nice=False),
        axis=alt.Axis(grid=False, tickMinStep=1, format="d", **FONT),
    )
    y, low = (
        alt.Y(f"{name}:Q", title="terms that hold 99 %", axis=alt.Axis(tickCount=5, **FONT))
        for name in ("rank", "low")
    )
    base = alt.Chart(table)
    tooltip = ["kind:N", "layer:Q", alt.Tooltip("rank:Q", format=".1f")]
    return alt.layer(
        base.mark_line(strokeWidth=2, point={"size": 24}).encode(
            x, y, color=colour, strokeDash=dash, tooltip=tooltip
        ),
        base.mark_area(opacity=0.12).encode(x, low, y2="high:Q", color=colour),
    ).properties(height=300)


def cut_chart(curve: pd.DataFrame, title: str, palette: Palette) -> alt.LayerChart:
    """The measure of a model, called `title`, against the k terms that its couplings keep: median
    and extremes over inputs, raw and centred; dotted, that of the whole model where it is not 0.

    `curve` has gauge, k, middle, low, high, own. k = 0 has no place on the log axis and is left
    out; distances that are rounding are drawn at LEAST.
    """
    colour = categorical(
        alt.Color, "gauge", ["raw", "centred"], [palette.accent, palette.second], lines=True
    )
    dash = categorical(alt.StrokeDash, "gauge", ["raw", "centred"], [[1, 0], [6, 3]], lines=True)
    heights = {each: curve[each].clip(lower=LEAST) for each in ("low", "middle", "high")}
    drawn = curve.assign(**heights)[curve["k"] > 0]
    own = drawn.head(1)[drawn.head(1)["own"] > LEAST]
    ends = pd.concat([drawn["low"], drawn["high"], own["own"]])
    scale, axis = log_domain(ends), powers(ends)
    x = alt.X(
        "k:Q",
        title="k, terms kept of every coupling",
        scale=alt.Scale(type="log", nice=False),
        axis=doublings(),
    )
    y, low = (alt.Y(f"{name}:Q", title=title, scale=scale, axis=axis) for name in ("middle", "low"))
    base = alt.Chart(drawn)
    tooltip = ["gauge:N", "k:Q", alt.Tooltip("middle:Q", format=".3~g")]
    return alt.layer(
        base.mark_line(strokeWidth=2, point={"size": 36}).encode(
            x, y, color=colour, strokeDash=dash, tooltip=tooltip
        ),
        base.mark_area(opacity=0.15).encode(x, low, y2="high:Q", color=colour),
        alt.Chart(own)
        .mark_rule(strokeDash=[1, 4], strokeWidth=2, color=palette.grey)
        .encode(y=alt.Y("own:Q", title=title, scale=scale, axis=axis)),
    ).properties(height=300)


def width_chart(table: pd.DataFrame, tolerance: float, palette: Palette) -> alt.LayerChart:
    """σ_k of centred logits against k; dashed, below which they count as 0.

    `table` has k, sigma. What is rounding, far below the tolerance, is drawn a decade below it.
    """
    least = max(tolerance / 10, 1e-300)
    drawn = table.assign(sigma=table["sigma"].clip(lower=least))
    ends = pd.concat([drawn["sigma"], pd.Series([least, 10 * least])])
    scale, axis = log_domain(ends), powers(ends)
    y = alt.Y("sigma:Q", title="σₖ", scale=scale, axis=axis)
    x = alt.X("k:Q", title="k", axis=alt.Axis(grid=False, tickMinStep=1, format="d", **FONT))
    line = pd.DataFrame({"tolerance": [tolerance]})
    return alt.layer(
        alt.Chart(drawn)
        .mark_point(filled=True, size=70, color=palette.accent)
        .encode(x, y, tooltip=["k:Q", alt.Tooltip("sigma:Q", format=".3~g")]),
        alt.Chart(line)
        .mark_rule(strokeDash=[6, 3], color=palette.grey)
        .encode(y=alt.Y("tolerance:Q", title="σₖ", scale=scale, axis=axis)),
    ).properties(height=260)


def orders_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Perplexity of a text in other orders, on a log axis: medians and extremes over the texts.

    `table` has order, row, middle, low, high.
    """
    rows = list(dict.fromkeys(table["row"]))
    colours = [palette.ink, palette.second, palette.accent]
    colour = categorical(alt.Color, "row", rows, colours, 1)
    shape = categorical(alt.Shape, "row", rows, ["diamond", "square", "circle"], 1)
    ends = pd.concat([table["low"], table["high"]])
    scale, axis = log_domain(ends), powers(ends)
    y = alt.Y(
        "order:N", sort=list(dict.fromkeys(table["order"])), title=None, axis=alt.Axis(**FONT)
    )
    offset = alt.YOffset("row:N", sort=rows)
    base = alt.Chart(table)
    x, low = (
        alt.X(f"{of}:Q", title="perplexity", scale=scale, axis=axis) for of in ("middle", "low")
    )
    tooltip = ["order:N", "row:N", alt.Tooltip("middle:Q", format=".3~g")]
    return alt.layer(
        base.mark_point(filled=True, size=80).encode(
            x, y, offset, color=colour, shape=shape, tooltip=tooltip
        ),
        base.mark_rule(opacity=0.5, strokeWidth=2).encode(
            low, y, offset, x2="high:Q", color=colour
        ),
    ).properties(height=160 + 40 * table["order"].nunique())


def beside(panels: Mapping[str, alt.LayerChart]) -> alt.HConcatChart:
    """Panels by their titles, each with its own axes."""
    drawn = [panel.properties(title=title, width=300) for title, panel in panels.items()]
    return alt.hconcat(*drawn).resolve_scale(color="shared", strokeDash="shared")


def kinds_chart(cuts: pd.DataFrame, palette: Palette) -> alt.Chart:
    """How many times its own the perplexity of each text is with k terms of every coupling.

    `cuts` has kind, centred, k, value, own; raw is drawn.
    """
    drawn = cuts[~cuts["centred"] & (cuts["k"] > 0)]
    drawn = drawn.assign(times=drawn["value"] / drawn["own"])
    kinds = list(dict.fromkeys(drawn["kind"]))
    colour = categorical(alt.Color, "kind", kinds, palette.series(len(kinds)), lines=True)
    scale, axis = log_domain(drawn["times"]), powers(drawn["times"])
    return (
        alt.Chart(drawn)
        .mark_line(strokeWidth=2, point={"size": 36})
        .encode(
            alt.X(
                "k:Q",
                title="k, terms kept of every coupling",
                scale=alt.Scale(type="log", nice=False),
                axis=doublings(),
            ),
            alt.Y("times:Q", title="perplexity ÷ its own", scale=scale, axis=axis),
            color=colour,
            tooltip=["kind:N", "k:Q", alt.Tooltip("times:Q", format=".3~g")],
        )
        .properties(height=300)
    )
