"""Figures of real models whose heads are cut one by one, or all to a budget."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical, doublings
from explorer.pages.real.view_budget import ONE, OWN

FONT = {"labelFontSize": LABEL, "titleFontSize": TITLE}


def loss_map(table: pd.DataFrame, title: str, palette: Palette) -> alt.Chart:
    """The loss that each head alone adds, as a cell of layer × head.

    `table` has layer and head from 1, added, low, high. A loss that falls is drawn as 0.
    """
    shown = table.assign(shade=table["added"].clip(lower=0))
    return (
        alt.Chart(shown)
        .mark_rect()
        .encode(
            x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0, **FONT)),
            y=alt.Y("layer:O", title="layer", axis=alt.Axis(labelOverlap=True, **FONT)),
            color=alt.Color(
                "shade:Q",
                title="added",
                scale=alt.Scale(type="sqrt", domainMin=0, range=list(palette.sequential)),
                legend=alt.Legend(gradientLength=150, format=".2~g", **FONT),
            ),
            tooltip=[
                "layer:O",
                "head:O",
                alt.Tooltip("added:Q", title=title, format=".2~g"),
                alt.Tooltip("low:Q", title="95 % interval, from", format=".2~g"),
                alt.Tooltip("high:Q", title="to", format=".2~g"),
            ],
        )
        .properties(height=360)
    )


def budget_chart(table: pd.DataFrame, title: str, palette: Palette) -> alt.LayerChart:
    """The loss of all heads cut together against the terms that they keep on average: one k for
    all, and each head its own; bands are intervals over inputs.

    `table` has kind, k, added, low, high.
    """
    colour = categorical(alt.Color, "kind", [ONE, OWN], [palette.accent, palette.second])
    dash = categorical(alt.StrokeDash, "kind", [ONE, OWN], [[1, 0], [6, 3]])
    x = alt.X("k:Q", title="k, mean over the heads", scale=alt.Scale(type="log"), axis=doublings())
    y, low = (
        alt.Y(f"{name}:Q", title=title, axis=alt.Axis(tickCount=5, **FONT))
        for name in ("added", "low")
    )
    base = alt.Chart(table)
    tooltip = ["kind:N", alt.Tooltip("k:Q", format=".3~g"), alt.Tooltip("added:Q", format=".2~g")]
    return alt.layer(
        base.mark_line(strokeWidth=2, point={"size": 36}).encode(
            x, y, color=colour, strokeDash=dash, tooltip=tooltip
        ),
        base.mark_area(opacity=0.15).encode(x, low, y2="high:Q", color=colour),
    ).properties(height=360)
