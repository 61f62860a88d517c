"""Charts of how an attention task is learned: errors and agreement against the step."""

from __future__ import annotations

from functools import partial

from explorer.charts import Palette
from explorer.charts.axes import log_axis
from explorer.charts.marks import SHAPES, curves, looks, tips
from explorer.pages.attention.view_tables import ERRORS
from explorer.slow import alt, pd

progress_tips = partial(tips, "metric:N", "step:Q", value=".3~g")


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
    look = looks(
        "metric", names, color=palette.categories, strokeDash=[[1, 0], [8, 3], [2, 3]], shape=SHAPES
    )
    x, y = _steps(table, None), log_axis(alt.Y, "value", "error", errors["value"])
    _level(y["axis"])
    look["tooltip"] = progress_tips()
    return alt.layer(*curves(errors, x, y, 1.6, 45, **look)).properties(height=260)


def agreement_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The agreement of `progress_chart`."""
    share = alt.Y(
        "value:Q",
        title="agreement",
        scale=alt.Scale(domain=[0, 1]),
        axis=_level(alt.Axis(tickCount=5)),
    )
    lower, x = table[table["metric"] == "agreement"], _steps(table, "training step")
    look = {"color": alt.value(palette.ink), "tooltip": progress_tips()}
    return alt.layer(*curves(lower, x, share, 1.6, 45, **look)).properties(height=120)


def _steps(table: pd.DataFrame, title: str | None) -> alt.X:
    return log_axis(alt.X, "step", title, table["step"], grid=False)


def _level(axis: alt.Axis) -> alt.Axis:
    """As wide as the axis above or below, so that the steps stand over each other."""
    axis.minExtent = axis.maxExtent = 44
    return axis
