"""Charts of how an attention task is learned: errors and agreement against the step."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import categorical, log_domain, powers
from explorer.pages.attention.chart import FONT
from explorer.pages.attention.view_tables import ERRORS
from explorer.pages.rates.chart import SHAPES

PROGRESS_TIPS = ["metric:N", "step:Q", alt.Tooltip("value:Q", format=".3~g")]


def progress_chart(
    table: pd.DataFrame, palette: Palette, at: int | None = None
) -> alt.VConcatChart:
    """Errors on fresh sequences against step, log-log, and under them the agreement from 0 to 1; a
    line at the step that is looked back at.

    `table` has step, value (> 0 but for the agreement), metric.
    """
    panels = errors_chart(table, palette), agreement_chart(table, palette)
    if at is None:
        return alt.vconcat(*panels)
    line = alt.Chart(pd.DataFrame({"step": [at]})).mark_rule(color=palette.grey)
    return alt.vconcat(*(alt.layer(panel, line.encode(x="step:Q")) for panel in panels))


def errors_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The errors of `progress_chart`."""
    errors = table[table["metric"] != "agreement"]
    names = [name for name in ERRORS.values() if name in set(errors["metric"])]
    colours = palette.series(len(names))
    dashes = [[1, 0], [8, 3], [2, 3]][: len(names)]
    y = alt.Y(
        "value:Q",
        title="error",
        scale=log_domain(errors["value"]),
        axis=_level(powers(errors["value"])),
    )
    colour = categorical(alt.Color, "metric", names, colours)
    dash = categorical(alt.StrokeDash, "metric", names, dashes)
    shape = categorical(alt.Shape, "metric", names, SHAPES[: len(names)])
    x, upper = _steps(table, None), alt.Chart(errors)
    return alt.layer(
        upper.mark_line(strokeWidth=1.6).encode(x, y, color=colour, strokeDash=dash),
        upper.mark_point(filled=True, size=45, opacity=1).encode(
            x, y, color=colour, shape=shape, tooltip=PROGRESS_TIPS
        ),
    ).properties(height=260)


def agreement_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The agreement of `progress_chart`."""
    share = alt.Y(
        "value:Q",
        title="agreement",
        scale=alt.Scale(domain=[0, 1]),
        axis=_level(alt.Axis(tickCount=5, **FONT)),
    )
    lower = alt.Chart(table[table["metric"] == "agreement"]).encode(
        _steps(table, "training step"), share, tooltip=PROGRESS_TIPS
    )
    return alt.layer(
        lower.mark_line(strokeWidth=1.6, color=palette.ink),
        lower.mark_point(filled=True, size=45, opacity=1, color=palette.ink),
    ).properties(height=120)


def _steps(table: pd.DataFrame, title: str | None) -> alt.X:
    axis = powers(table["step"], grid=False)
    return alt.X("step:Q", title=title, scale=log_domain(table["step"]), axis=axis)


def _level(axis: alt.Axis) -> alt.Axis:
    """As wide as the axis above or below, so that the steps stand over each other."""
    axis.minExtent = axis.maxExtent = 44
    return axis
