"""The spectrum of a coupling of tokens with several numbers."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import doublings, log_axis
from explorer.charts.marks import looks, tips
from explorer.pages.design.view_several import PARTS
from explorer.slow import alt, pd


def several_chart(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """σ_k against k on log axes, filled where it is kept; `table` has k, sigma, part."""
    look = looks("part", PARTS, 2, color=(palette.accent, palette.grey))
    k = alt.X("k:Q", scale=alt.Scale(type="log", domain=[0.9, 40]), axis=doublings())
    y = log_axis(alt.Y, "sigma", "σₖ", table["sigma"])
    marks = alt.Chart(table).mark_point(filled=True, size=70)
    return marks.encode(k, y, tooltip=tips("k", sigma=".4~g"), **look).properties(height=200)
