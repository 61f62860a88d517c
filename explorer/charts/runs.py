"""Charts of the Runs page: several runs in one picture."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import LIGHT, Palette
from explorer.charts.axes import LABEL, log_scale, powers

HEIGHT = 400
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
RUNS = {
    True: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#1b1f24"],
    False: ["#56b4e9", "#e69f00", "#2fbf93", "#cc79a7", "#f0e442", "#e8eaed"],
}
"""Okabe and Ito's colours that are seen on a light and on a dark ground, one for each run."""


def colours(palette: Palette) -> list[str]:
    """The colours of the compared runs, in order."""
    return RUNS[palette == LIGHT]


def errors_chart(
    curves: pd.DataFrame, floors: pd.DataFrame, ends: pd.DataFrame, palette: Palette
) -> alt.LayerChart:
    """nMSE on fresh sequences against step, log-log, a line and a shape for each run.

    `curves` has run, step, error (> 0); `floors` has run, error (> 0), dashed; `ends` has run,
    step, error and at, the height of its label, so that labels keep apart.
    """
    names = list(ends["run"])
    heights = pd.concat([curves["error"], floors["error"], ends["at"]])
    wide = alt.Scale(type="log", nice=False, domain=_wide(curves["step"]))
    axis = powers(curves["step"], grid=False)
    axis.values = [at for at in axis.values if at <= curves["step"].max()]  # labels stand beyond
    x = alt.X("step:Q", title="training step", scale=wide, axis=axis)
    y = alt.Y("error:Q", title="nMSE on fresh sequences", scale=log_scale(heights),
              axis=powers(heights))  # fmt: skip
    told = colours(palette)
    colour = alt.Color("run:N", legend=None, scale=alt.Scale(domain=names, range=told))
    shape = alt.Shape("run:N", legend=None, scale=alt.Scale(domain=names, range=SHAPES))
    base = alt.Chart(curves).encode(x, y, color=colour)
    tips = ["run:N", "step:Q", alt.Tooltip("error:Q", format=".3~g", title="nMSE")]
    floor = alt.Chart(floors).mark_rule(strokeDash=[6, 4], strokeWidth=1.5, opacity=0.8)
    dashed = [floor.encode(y, color=colour)] if len(floors) else []  # an empty mark has no name
    last = alt.Chart(ends).encode(x)
    height = alt.Y("at:Q")
    return alt.layer(
        *dashed,
        base.mark_line(strokeWidth=1.8),
        base.mark_point(size=46, filled=True, opacity=1).encode(shape=shape, tooltip=tips),
        last.mark_point(size=60, filled=True, xOffset=16, opacity=1)
        .encode(height, color=colour, shape=shape),
        last.mark_text(align="left", dx=26, fontSize=LABEL, color=palette.ink)
        .encode(height, text="run:N"),
    ).properties(height=HEIGHT)  # fmt: skip


def _wide(steps: pd.Series) -> list[float]:
    """From the first step to a good third more of the axis, where the labels stand."""
    low, high = float(steps.min()), max(float(steps.max()), 2.0)
    return [low, high * (high / low) ** 0.5]
