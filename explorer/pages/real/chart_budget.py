"""Figures of real models whose heads are cut one by one, or all to a budget."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import doublings
from explorer.charts.marks import banded, looks, tips
from explorer.pages.real.view_budget import ONE, OWN
from explorer.slow import alt, pd


def loss_map(table: pd.DataFrame, title: str, palette: Palette) -> alt.Chart:
    """The loss that each head alone adds, as a cell of layer × head.

    `table` has layer and head from 1, added, low, high. A loss that falls is drawn as 0.
    """
    shown = table.assign(shade=table["added"].clip(lower=0))
    return (
        alt.Chart(shown)
        .mark_rect()
        .encode(
            x=alt.X("head:O", title="head", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("layer:O", title="layer", axis=alt.Axis(labelOverlap=True)),
            color=alt.Color(
                "shade:Q",
                title="added",
                scale=alt.Scale(type="sqrt", domainMin=0, range=list(palette.sequential)),
                legend=alt.Legend(gradientLength=150, format=".2~g"),
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
    look = looks(
        "kind", [ONE, OWN], color=[palette.accent, palette.second], strokeDash=[[1, 0], [6, 3]]
    )
    x = alt.X("k:Q", title="k, mean over the heads", scale=alt.Scale(type="log"), axis=doublings())
    y = alt.Y("added:Q", title=title, axis=alt.Axis(tickCount=5))
    tip = tips("kind:N", k=".3~g", added=".2~g")
    return alt.layer(*banded(table, x, y, 36, tooltip=tip, **look)).properties(height=360)
