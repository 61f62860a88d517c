"""Charts of errors over (m_h, m_FF): a map of what is measured or bounded, error against m_FF."""

from __future__ import annotations

import math

from explorer.charts import LIGHT, Palette
from explorer.charts.axes import counts, log_axis, log_domain
from explorer.charts.marks import SHAPES, curves, looks, tips
from explorer.slow import alt, pd
from explorer.views.text import number

CELL, AROUND = 46, 60  # pixels of a row of a map, and of what stands under them
LIGHT_FROM = 0.55  # share of the logarithmic range from which a cell of a map is light
MAPS = {"measured": "error", "bound": "bound"}
"""The column of each map."""


def map_chart(
    table: pd.DataFrame, optima: pd.DataFrame, of: str, _: Palette = LIGHT
) -> alt.LayerChart:
    """What `of` names, "measured" or "bound", over (m_h, m_FF), colours by logarithm: a ring is its
    least within the budget, a dashed one that of the other; alike on any paper.

    `table` has m_h, m_ff, parameters, error, bound; cells without a number stay empty.
    """
    column = MAPS[of]
    known = table.dropna(subset=[column])
    low, high = known[column].min(), known[column].max()
    share = (known[column] / low).map(math.log) / max(math.log(high / low), 1e-9)
    drawn = known.assign(words=known[column].map(number), light=share > LIGHT_FROM)
    base = alt.Chart(drawn).encode(
        alt.X("m_ff:O", title="mꜰꜰ", axis=alt.Axis(labelAngle=0)),
        alt.Y("m_h:O", title="mₕ", sort="descending", axis=alt.Axis(labelAngle=0)),
    )
    scale = alt.Scale(type="log", range=[*LIGHT.sequential], domain=[low, high * 1.0001])
    said = tips("m_h:O", "m_ff:O", parameters=",", **{column: ".3~g"})
    colour = alt.Color(f"{column}:Q", scale=scale, legend=None)
    words = base.mark_text(dy=12).encode(
        text="words:N",
        color=alt.condition("datum.light", alt.value(LIGHT.ink), alt.value(LIGHT.paper)),
    )
    height = CELL * known["m_h"].nunique() + AROUND
    layers = [base.mark_rect().encode(color=colour, tooltip=said), words, *_rings(optima, of)]
    return alt.layer(*layers).properties(height=height)


def _rings(optima: pd.DataFrame, own: str) -> list[alt.Chart]:
    found = []
    for name, dash in ((own, [1, 0]), *((o, [3, 3]) for o in optima["of"] if o != own)):
        ring = alt.Chart(optima[optima["of"] == name]).mark_point(
            size=180, strokeWidth=2.5, strokeDash=dash, color=LIGHT.paper, yOffset=-8, filled=False
        )
        found.append(ring.encode(alt.X("m_ff:O"), alt.Y("m_h:O", sort="descending")))
    return found


def feed_forward_chart(table: pd.DataFrame, error: str, palette: Palette) -> alt.LayerChart:
    """Error against m_FF, log-log, a line for each m_h."""
    known = table.dropna(subset=["error"])
    known = known.assign(width="mₕ = " + known["m_h"].astype(str))
    names = [f"mₕ = {m}" for m in sorted(known["m_h"].unique())]
    colours = [*palette.categories[:3], palette.grey, *palette.categories[3:5]]
    axis = counts(sorted(known["m_ff"].unique().tolist()))
    x = alt.X("m_ff:Q", title="mꜰꜰ, feed-forward width", axis=axis, scale=log_domain(known["m_ff"]))
    look = looks("width", names, color=colours, shape=SHAPES)
    y = log_axis(alt.Y, "error", error, known["error"])
    return alt.layer(*curves(known, x, y, **look)).properties(height=320)
