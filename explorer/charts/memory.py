"""Charts of what remembering leaves, against heads or layers."""

from __future__ import annotations

import json
import math
from typing import Any

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical, heights, log_domain, powers, whole
from explorer.charts.rates import SHAPES
from explorer.views.text import SUPERSCRIPTS

FONT: dict[str, Any] = {"labelFontSize": LABEL, "titleFontSize": TITLE}
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
        ticks = alt.Axis(values=counts, **FONT)
        scale = alt.Scale(type="log", nice=False, domain=[0.9, counts[-1] * 1.1])
        x = alt.X(f"{axis}:Q", title=title, scale=scale, axis=ticks)
    drawn = cells[cells["best"] > 1e-12]
    heights = pd.concat([cells["low"], cells["high"], drawn["best"]])

    def y(column: str) -> alt.Y:
        scale = log_domain(heights)
        return alt.Y(f"{column}:Q", title="MSE / Var(y)", scale=scale, axis=powers(heights))

    base = alt.Chart(cells)
    tips = ["of:N", f"{axis}:Q", *(alt.Tooltip(f"{n}:Q", format=".3~g") for n in ("mean", "best"))]
    layers = [
        base.mark_rule().encode(x, y("low"), y2="high:Q", color=colour),
        base.mark_line(strokeWidth=1.4).encode(x, y("mean"), color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x, y("mean"), color=colour, tooltip=tips
        ),
    ]
    if len(drawn):  # marks without data have no name for a screen reader
        best = alt.Chart(drawn).mark_point(shape="diamond", size=90)
        layers.append(best.encode(x, y("best"), color=colour, tooltip=tips))
    return alt.layer(*layers).properties(height=340)


def heads_chart(cells: pd.DataFrame, line: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """nMSE against heads on a linear axis: dots are means over seeds with their interval, a line
    each `of`; the exact line 1 − H/V is dashed.

    `cells` has of, heads, seeds, mean, low, high; `line` has heads, best.
    """
    names = list(dict.fromkeys(cells["of"]))
    colour = categorical(alt.Color, "of", names, palette.series(len(names)), columns=1)
    shape = categorical(alt.Shape, "of", names, SHAPES[: len(names)], columns=1)
    counts = sorted({*cells["heads"], *line["heads"]})
    x = whole("heads", "heads H", counts, room=0.3)
    axis = alt.Axis(tickCount=5, **FONT)
    top = max(1.0, 1.05 * cells["high"].max())
    look = {"scale": alt.Scale(domain=[0, top], nice=False), "axis": axis, "title": "MSE / Var(y)"}
    base, y = alt.Chart(cells), alt.Y("mean:Q", **look)
    tips = ["of:N", "heads:Q", "seeds:Q", alt.Tooltip("mean:Q", format=".3~g")]
    exact = alt.Chart(line).encode(x, alt.Y("best:Q", **look))
    name = alt.Chart(line[line["heads"] == line["heads"].min()]).encode(x, alt.Y("best:Q", **look))
    return alt.layer(
        exact.mark_line(strokeDash=[6, 4], color=palette.grey),
        name.mark_text(
            align="left", dx=14, dy=-6, color=palette.grey, fontSize=LABEL, text="1 − H/V, exact"
        ),
        base.mark_rule().encode(x, alt.Y("low:Q", **look), y2="high:Q", color=colour),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x, y, color=colour, shape=shape, tooltip=tips
        ),
    ).properties(height=320)


TRAINED, BEST = "trained, mean of seeds", "best, without training"


def encodings_chart(
    trained: pd.DataFrame | None, best: pd.DataFrame, count: int, palette: Palette
) -> alt.LayerChart:
    """‖ρ − κ‖² / ‖ρ‖² against heads, log-log, of log and lin: trained ones with their interval, if
    any, and the best, which may be 0; a dotted rule at the `count` whose kernels are drawn beside.

    `trained` has encoding, heads, mean, low, high; `best` has encoding, heads, error.
    """
    names, colours = ["log", "lin"], [palette.accent, palette.second]
    colour = categorical(alt.Color, "encoding", names, colours, columns=1)
    parts = [best.assign(what=BEST)]
    if trained is not None:
        parts = [trained.rename(columns={"mean": "error"}).assign(what=TRAINED), *parts]
    table = pd.concat(parts, ignore_index=True)
    high = heights(table["error"], "‖ρ − κ‖² / ‖ρ‖²", log_domain(table["error"]))
    table = table.assign(height=high.of(table["error"]))
    counts = [n for n in (1, 2, 3, 4, 6, 8, 16, 32, 64) if n <= table["heads"].max()]
    ticks = alt.Axis(values=counts, format="d", grid=False, **FONT)
    scale = alt.Scale(type="log", nice=False, domain=[0.9, 1.12 * counts[-1]])
    x = alt.X("heads:Q", title="heads H", axis=ticks, scale=scale)
    whats = [TRAINED, BEST][-len(parts) :]
    dashes = [[1, 0], [5, 3]][-len(parts) :]
    dash = categorical(alt.StrokeDash, "what", whats, dashes, columns=1, lines=True)
    if trained is None:  # there is nothing to tell apart
        dash["legend"] = None
    else:
        dash["legend"]["symbolStrokeColor"] = palette.ink
        dash["legend"]["symbolSize"] = 110  # it shows the shapes, too
    shapes = alt.Scale(domain=whats, range=["circle", "diamond"][-len(parts) :])
    shape = alt.Shape("what:N", scale=shapes, legend=None)
    base = alt.Chart(table)
    tips = ["encoding:N", "what:N", "heads:Q", alt.Tooltip("error:Q", format=".3~g")]
    layers = [
        *high.border(palette),
        alt.Chart(pd.DataFrame({"heads": [count]}))
        .mark_rule(strokeDash=[2, 3], color=palette.grey)
        .encode(x),
        base.mark_line(strokeWidth=1.4).encode(x, high.y, color=colour, strokeDash=dash),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x, high.y, color=colour, shape=shape, tooltip=tips
        ),
    ]
    if trained is not None:  # marks without data have no name for a screen reader
        spread = alt.Chart(trained.assign(height=trained["low"])).mark_rule()
        layers.insert(-2, spread.encode(x, high.y, y2="high:Q", color=colour))
    return alt.layer(*layers).properties(height=320)


def kernel_chart(curves: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """A kernel and its best approximations against the distance, log-log; where the kernel is not
    above 0 everywhere, on a linear axis of weights. `curves` has of, s, value."""
    names = list(dict.fromkeys(curves["of"]))
    colours = [palette.ink, palette.accent, palette.second][: len(names)]
    colour = categorical(alt.Color, "of", names, colours, lines=True)
    dash = categorical(
        alt.StrokeDash, "of", names, [[1, 0], [7, 3], [2, 2]][: len(names)], lines=True
    )
    kernel = curves[curves["of"] == names[0]]
    shown = curves
    y = alt.Y("value:Q", title="weight", axis=alt.Axis(tickCount=6, **FONT))
    if (kernel["value"] > 0).all():
        shown = curves[curves["value"] > 0.3 * kernel["value"].min()]
        y.scale, y.axis = log_domain(kernel["value"]), powers(kernel["value"])
    ticks = [s for s in (1, 10, 100, 1000) if s <= kernel["s"].max()]
    axis = alt.Axis(values=ticks, format="d", grid=False, **FONT)
    x = alt.X("s:Q", title="distance s", axis=axis, scale=log_domain(kernel["s"]))
    base = alt.Chart(shown).mark_line(strokeWidth=2.4, clip=True)
    return alt.layer(
        base.encode(x, y, color=colour, strokeDash=dash, tooltip=["of:N", "s:Q", "value:Q"])
    ).properties(height=320)


LEARNED = 0.01
"""The share of Var(y) below which a memory counts as learned."""
KNOWN = [f"trained, below {LEARNED:.0%}", "trained, above"]
CROSS = "M-1,-1L1,1M1,-1L-1,1"


def jumps_chart(cells: pd.DataFrame, bounds: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Layers against jumps: what is known to be enough as lines, and rings around what was learned,
    crosses on what was not.

    `cells` has of, jumps, layers, seeds, mean, a share of Var(y); `bounds` has jumps, layers, of.
    """
    names = list(dict.fromkeys(bounds["of"]))
    colour = categorical(alt.Color, "of", names, [palette.ink, palette.second], 1, lines=True)
    dash = categorical(alt.StrokeDash, "of", names, [[6, 4], [1, 0]], 1, lines=True)
    jumps = sorted({*bounds["jumps"], *cells["jumps"].astype(int)})
    layers = list(range(1, int(bounds["layers"].max()) + 1))
    x = whole("jumps", "K, jumps (0: fixed lags)", jumps, room=0.6)
    y = alt.Y(
        "layers:Q",
        title="L, layers",
        scale=alt.Scale(domain=[0.4, layers[-1] + 0.6], nice=False),
        axis=alt.Axis(values=layers, format="d", grid=False, **FONT),
    )
    lines = alt.layer(
        alt.Chart(bounds).mark_line(strokeWidth=2).encode(x, y, color=colour, strokeDash=dash),
        alt.Chart(bounds).mark_point(filled=True, size=36, opacity=1).encode(x, y, color=colour),
    ).properties(height=340)
    if cells.empty:  # marks without data have no name for a screen reader
        return lines
    known = categorical(alt.Shape, "found", KNOWN, ["circle", CROSS], 1)
    known["legend"]["symbolStrokeColor"] = palette.accent
    tips = ["of:N", "layers:Q", "seeds:Q", alt.Tooltip("mean:Q", format=".3~g")]
    measured = (
        alt.Chart(cells.assign(found=[KNOWN[mean >= LEARNED] for mean in cells["mean"]]))
        .mark_point(size=200, strokeWidth=2.5, opacity=1, color=palette.accent)
        .encode(x, y, shape=known, tooltip=tips)
    )
    return alt.layer(lines, measured).properties(height=340)


AXES = {"T": "T, furthest memory", "M": "M, kernels", "m": "m, width of the network behind"}


def rates_chart(
    table: pd.DataFrame, axis: str, here: tuple[int, int] | None, palette: Palette
) -> alt.LayerChart:
    """A rate over heads and another axis, both by powers of 2, as a map on one log scale; a ring
    stands in the cell nearest to `here`. `table` has heads, the column `axis`, rate."""
    heads, others = (sorted(set(table[name])) for name in ("heads", axis))
    x = alt.X("heads:O", title="heads H", axis=alt.Axis(labelAngle=0, **FONT))
    y = alt.Y(f"{axis}:O", title=AXES[axis], sort="descending", axis=alt.Axis(**FONT))
    ends = [math.ceil(math.log10(table["rate"].min())), math.floor(math.log10(table["rate"].max()))]
    ticks = range(ends[0], ends[1] + 1, max(1, (ends[1] - ends[0]) // 4))
    labels = {power: f"10{str(power).translate(SUPERSCRIPTS)}" for power in ticks}
    legend = alt.Legend(
        title="rate ÷ C(n)",
        values=[10.0**power for power in ticks],
        labelExpr=f"{json.dumps(labels)}[round(log(datum.value) / LN10)]",
        gradientLength=200,
        **FONT,
    )
    scale = alt.Scale(type="log", range=[*palette.sequential])
    tips = ["heads:O", f"{axis}:O", alt.Tooltip("rate:Q", format=".2~e")]
    tips += ["larger:N"] if "larger" in table else []
    cells = (
        alt.Chart(table)
        .mark_rect(stroke=palette.paper, strokeWidth=1)
        .encode(x, y, alt.Color("rate:Q", scale=scale, legend=legend), tooltip=tips)
    )
    if here is None:
        return alt.layer(cells).properties(height=300)
    own = {"heads": _nearest(heads, here[0]), axis: _nearest(others, here[1])}
    base = alt.Chart(pd.DataFrame([own])).encode(x, y)
    return alt.layer(
        cells,
        base.mark_point(size=190, stroke=palette.paper, strokeWidth=5, filled=False, opacity=1),
        base.mark_point(size=190, stroke=palette.ink, strokeWidth=2, filled=False, opacity=1),
    ).properties(height=300)


def _nearest(values: list[int], wanted: int) -> int:
    return min(values, key=lambda value: abs(math.log(value / max(1, wanted))))
