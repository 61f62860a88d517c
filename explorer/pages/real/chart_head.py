"""Figures of one head of a real model: its maps, its terms, and what the model answers."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical

FONT = {"labelFontSize": LABEL, "titleFontSize": TITLE}


def answers_chart(table: pd.DataFrame, title: str, palette: Palette) -> alt.Chart:
    """The best answers of a model, whole and cut, beside each other.

    `table` has answer, kind, value and place, the order from above.
    """
    names = list(dict.fromkeys(table.sort_values("place")["answer"]))
    kinds = ["whole", "cut"]
    return (
        alt.Chart(table)
        .mark_bar()
        .encode(
            x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=4, **FONT)),
            y=alt.Y("answer:N", title=None, sort=names, axis=alt.Axis(labelLimit=260, **FONT)),
            yOffset=alt.YOffset("kind:N", sort=kinds),
            color=categorical(alt.Color, "kind", kinds, [palette.grey, palette.accent]),
            tooltip=["answer:N", "kind:N", alt.Tooltip("value:Q", format=".3~g")],
        )
        .properties(height=alt.Step(13))
    )


def maps_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Coupling and attention, whole and with k terms, as maps of query × key.

    `table` has query, key, coupling, attention, kept.
    """
    base = alt.Chart(table).encode(
        x=alt.X("key:O", axis=alt.Axis(labels=False, ticks=False, titleFontSize=TITLE)),
        y=alt.Y("query:O", axis=alt.Axis(labels=False, ticks=False, titleFontSize=TITLE)),
    )
    limit = float(table["coupling"].abs().max()) or 1.0
    scales = {
        "coupling": alt.Scale(domain=[-limit, limit], range=list(palette.diverging)),
        "attention": alt.Scale(domain=[0, 1], range=list(palette.weights)),
        "kept": alt.Scale(domain=[0, 1], range=list(palette.weights)),
    }
    panels = [
        base.mark_rect()
        .encode(color=alt.Color(f"{name}:Q", scale=scale, legend=alt.Legend(**FONT)))
        .properties(width=260, height=260, title=name)
        for name, scale in scales.items()
    ]
    return alt.hconcat(*panels).resolve_scale(color="independent")


def terms_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """φ_k over query tokens and ψ_k over key tokens, the first terms below each other.

    `table` has k, position, token, phi, psi.
    """
    panels = []
    for name, title in (("phi", "φₖ over query tokens"), ("psi", "ψₖ over key tokens")):
        bars = alt.Chart(table).mark_bar(color=palette.accent)
        panels.append(
            bars.encode(
                x=alt.X("position:O", axis=alt.Axis(labels=False, ticks=False)),
                y=alt.Y(f"{name}:Q", title=None, axis=alt.Axis(tickCount=3, **FONT)),
                row=alt.Row("k:O", header=alt.Header(labelFontSize=LABEL)),
            ).properties(width=300, height=60, title=title)
        )
    return alt.hconcat(*panels)
