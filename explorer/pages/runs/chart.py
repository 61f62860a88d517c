"""Charts of the Runs page: several runs in one picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from explorer.charts import Palette
from explorer.charts.axes import log_scale, lying, powers, told
from explorer.slow import alt, pd
from explorer.views.text import written

HEIGHT, RATIO = 400, 190
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]


def errors_chart(
    curves: pd.DataFrame, floors: pd.DataFrame, ends: pd.DataFrame, palette: Palette
) -> alt.LayerChart:
    """nMSE on fresh sequences against step, log-log, a line and a shape for each run.

    `curves` has run, step, error (> 0); `floors` has run, error (> 0), dashed; `ends` has run,
    step, error and at, the height of its label, so that labels keep apart.
    """
    names = list(ends["run"])
    heights = pd.concat([curves["error"], floors["error"], ends["at"]])
    steps = curves["step"]
    x = _steps(steps)
    axis, scale = _beside(powers(heights)), log_scale(heights)
    y = alt.Y("error:Q", title="nMSE on fresh sequences", scale=scale, axis=axis)
    shades = palette.series(len(SHAPES))
    colour = alt.Color("run:N", legend=None, scale=alt.Scale(domain=names, range=shades))
    shape = alt.Shape("run:N", legend=None, scale=alt.Scale(domain=names, range=SHAPES))
    curves, error = told(curves, "error", "nMSE")
    base = alt.Chart(curves).encode(x, y, color=colour)
    tips = ["run:N", "step:Q", error]
    floor = alt.Chart(floors).mark_rule(strokeDash=[6, 4], strokeWidth=1.5, opacity=0.8)
    ends_at = {"x": alt.datum(float(steps.min())), "x2": alt.datum(float(steps.max()))}
    dashed = [floor.encode(y, color=colour, **ends_at)] if len(floors) else []  # empty: no name
    return alt.layer(
        *dashed,
        base.mark_line(strokeWidth=1.8),
        base.mark_point(size=46, filled=True, opacity=1).encode(shape=shape, tooltip=tips),
        *_named(ends, x, palette, color=colour, shape=shape),
    ).properties(height=HEIGHT)


def _named(ends: pd.DataFrame, x: alt.X, palette: Palette, **looks: Any) -> Iterator[alt.Chart]:
    """The name of every run at the end of its line, behind its mark."""
    named, height = alt.Chart(ends.assign(words=ends["run"].map(written))).encode(x), alt.Y("at:Q")
    marks = named.mark_point(size=60, filled=True, xOffset=16, opacity=1)
    yield marks.encode(height, **looks)
    words = named.mark_text(align="left", dx=26, color=palette.ink)
    yield words.encode(height, text="words:N")


def ratio_chart(
    ratios: pd.DataFrame, steps: pd.Series, name: str, palette: Palette
) -> alt.LayerChart:
    """Error of the run called `name` over that of others against step, logarithmic, around 1.

    `ratios` has step, ratio and over, which run; `steps` are those of the figure above it, whose
    axis this one has. The side of the line at 1 says which error is the lower.
    """
    x, reach = _steps(steps), max(2.0, *ratios["ratio"], *(1 / ratios["ratio"])) * 1.2
    scale = alt.Scale(type="log", nice=False, domain=[1 / reach, reach])
    ends = pd.Series([1 / reach, reach])
    y = alt.Y("ratio:Q", title="ratio", scale=scale, axis=_beside(powers(ends, grid=False)))
    ratios, ratio = told(ratios, "ratio", "ratio")
    others = list(dict.fromkeys(ratios["over"]))
    lines = palette.series(len(SHAPES))[1:] if len(others) > 1 else [palette.ink]
    base = alt.Chart(ratios).encode(x, y, color=_over(others, lines))
    tips, either = ["over:N", "step:Q", ratio], others[0] if len(others) == 1 else "the other"
    equal = alt.Chart(pd.DataFrame({"ratio": [1.0]})).mark_rule(color=palette.grey, strokeWidth=1.5)
    lower = [
        _corner(f"above 1: {either} has the lower error", 0, palette),
        _corner(f"below 1: {name} has the lower error", "height", palette),
    ]
    return alt.layer(
        equal.encode(y),
        base.mark_line(strokeWidth=1.8),
        base.mark_point(size=36, filled=True, opacity=1).encode(tooltip=tips),
        *lower,
    ).properties(height=RATIO)


def _over(others: Sequence[str], lines: Sequence[str]) -> alt.Color:
    """Which run the ratio is over, with a legend where there are several: the colours of their
    curves in the figure above."""
    legend = alt.Legend(orient="top", title="÷") if len(others) > 1 else None
    scale = alt.Scale(domain=list(others), range=list(lines[: len(others)]))
    return alt.Color("over:N", legend=legend, scale=scale)


def _corner(text: str, at: int | str, palette: Palette) -> alt.Chart:
    """A line of text in the upper left corner (`at` = 0) or the lower left one."""
    mark = alt.Chart(pd.DataFrame({"words": [written(text)]})).mark_text(
        align="left", dx=6, dy=12 if at == 0 else -10, color=palette.grey
    )
    return mark.encode(x=alt.value(0), y=alt.value(at), text="words:N")


def gap_chart(gaps: pd.DataFrame, palette: Palette) -> alt.Chart:
    """Bars up and down from 0. `gaps` has k and gap, σ̂_k of one run less that of another."""
    reach = max(float(gaps["gap"].abs().max()) * 1.1, 1e-12)
    axis = lying(alt.Axis(tickCount=5, format="~g"), 30)
    gaps, gap = told(gaps, "gap", "difference")
    x = alt.X("k:O", title="k", axis=alt.Axis(labelAngle=0))
    y = alt.Y(
        "gap:Q",
        title="difference of learned σ̂ₖ",
        axis=axis,
        scale=alt.Scale(domain=[-reach, reach], nice=False),
    )
    tips = ["k:O", gap]
    zero = alt.Chart(pd.DataFrame({"gap": [0.0]})).mark_rule(color=palette.grey).encode(y)
    bars = alt.Chart(gaps).mark_bar(size=14, color=palette.ink).encode(x, y, tooltip=tips)
    return alt.layer(bars, zero).properties(height=300)


def _steps(steps: pd.Series) -> alt.X:
    axis = powers(steps, grid=False)
    axis.values = [at for at in axis.values if at <= steps.max()]  # labels stand beyond
    # from the first step to a good third more of the axis, where the labels stand
    low, high = float(steps.min()), max(float(steps.max()), 2.0)
    wide = alt.Scale(type="log", nice=False, domain=[low, high * (high / low) ** 0.5])
    return alt.X("step:Q", title="training step", scale=wide, axis=axis)


def _beside(axis: alt.Axis) -> alt.Axis:
    """As wide as the axis of the figure above or below, so that the steps stand over each other."""
    axis.minExtent = axis.maxExtent = 44
    return lying(axis)
