"""Figures of one head of a real model: its maps, its terms, and what the model answers."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import LABEL
from explorer.charts.marks import looks, tips
from explorer.slow import alt, pd


def answers_chart(table: pd.DataFrame, title: str, palette: Palette) -> alt.Chart:
    """The best answers of a model, whole and cut, beside each other.

    `table` has answer, kind, value and place, the order from above.
    """
    names, kinds = list(dict.fromkeys(table.sort_values("place")["answer"])), ["whole", "cut"]
    bars = alt.Chart(table).mark_bar().properties(height=alt.Step(13))
    return bars.encode(
        x=alt.X("value:Q", title=title, axis=alt.Axis(tickCount=4)),
        y=alt.Y("answer:N", title=None, sort=names, axis=alt.Axis(labelLimit=260)),
        yOffset=alt.YOffset("kind:N", sort=kinds),
        tooltip=tips("answer:N", "kind:N", value=".3~g"),
        **looks("kind", kinds, color=[palette.grey, palette.accent]),
    )


def maps_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Coupling and attention, whole and with k terms, as maps of query × key.

    `table` has query, key, coupling, attention, kept.
    """
    bare = alt.Axis(labels=False, ticks=False)
    base = alt.Chart(table, width=260, height=260).mark_rect()
    limit = float(table["coupling"].abs().max()) or 1.0
    colours = {
        "coupling": ([-limit, limit], palette.diverging),
        "attention": ([0, 1], palette.weights),
        "kept": ([0, 1], palette.weights),
    }
    panels = [
        base.properties(title=name).encode(
            alt.X("key:O", axis=bare),
            alt.Y("query:O", axis=bare),
            alt.Color(f"{name}:Q", scale=alt.Scale(domain=domain, range=[*shades])),
        )
        for name, (domain, shades) in colours.items()
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
                y=alt.Y(f"{name}:Q", title=None, axis=alt.Axis(tickCount=3)),
                row=alt.Row("k:O", header=alt.Header(labelFontSize=LABEL)),
            ).properties(width=300, height=60, title=title)
        )
    return alt.hconcat(*panels)
