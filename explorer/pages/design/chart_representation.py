"""Charts of Theorem A.3's construction: its rough functions, and its errors beside a head's."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import drawable, log_axis
from explorer.charts.marks import curves, looks, tips
from explorer.pages.design.view_representation import HEAD, MEASURES, SUM
from explorer.slow import alt, pd

HEIGHT, LOW = 300, 200


def rough_chart(table: pd.DataFrame, x: str, y: str, palette: Palette) -> alt.Chart:
    """A function (x, y) as a thin line; `x` and `y` are the titles of the axes."""
    base = alt.Chart(table).mark_line(color=palette.accent, strokeWidth=1)
    return base.encode(alt.X("x:Q", title=x), alt.Y("y:Q", title=y)).properties(height=LOW)


def errors_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Errors off the grid against how many numbers are stored, both on log axes.

    `table` has numbers, error, measure, series; errors of 0 are not drawn.
    """
    shown = table.loc[drawable(table["error"]).index]
    colours = looks("series", (SUM, HEAD), 1, color=(palette.second, palette.accent))
    dashes = looks("measure", MEASURES, 1, strokeDash=([1, 0], [4, 3]), shape=("circle", "square"))
    tooltip = tips("series", "measure", numbers=".3~g", error=".2~g")
    x = log_axis(alt.X, "numbers", "numbers stored", shown["numbers"])
    y = log_axis(alt.Y, "error", "error off the grid", shown["error"])
    return alt.layer(*curves(shown, x, y, tooltip=tooltip, **colours, **dashes)).properties(
        height=HEIGHT
    )
