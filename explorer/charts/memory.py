"""Charts of what remembering leaves, against heads or layers."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical, log_domain, powers, whole

MANY = 16  # from more than so many on the axis is logarithmic


def errors_chart(cells: pd.DataFrame, axis: str, title: str, palette: Palette) -> alt.LayerChart:
    """Errors against whole numbers on a log axis, a line for each `of`: a dot is a geometric mean
    over seeds, a bar its 95 % interval, and a hollow diamond what is known without training.

    `cells` has of, the column `axis`, mean, low, high, and best, NaN where it is not known.
    """
    names = list(dict.fromkeys(cells["of"]))
    colour = categorical(alt.Color, "of", names, palette.series(len(names)))
    counts = sorted(set(cells[axis]))
    x = whole(axis, title, counts, room=0.4)
    if counts[-1] > MANY:
        ticks = alt.Axis(values=counts, labelFontSize=LABEL, titleFontSize=TITLE)
        scale = alt.Scale(type="log", nice=False, domain=[0.9, counts[-1] * 1.1])
        x = alt.X(f"{axis}:Q", title=title, scale=scale, axis=ticks)
    drawn = cells[cells["best"] > 1e-12]
    heights = pd.concat([cells["low"], cells["high"], drawn["best"]])

    def y(column: str) -> alt.Y:
        scale = log_domain(heights)
        return alt.Y(f"{column}:Q", title="MSE / Var(y)", scale=scale, axis=powers(heights))

    base = alt.Chart(cells)
    tips = ["of:N", f"{axis}:Q", *(alt.Tooltip(f"{n}:Q", format=".3~g") for n in ("mean", "best"))]
    return alt.layer(
        base.mark_rule().encode(x, y("low"), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=1.4).encode(x, y("mean"), color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x, y("mean"), color=colour, tooltip=tips
        ),
        alt.Chart(drawn)
        .mark_point(shape="diamond", size=90)
        .encode(x, y("best"), color=colour, tooltip=tips),
    ).properties(height=340)
