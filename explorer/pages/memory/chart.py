"""Charts of what remembering leaves, against heads or layers."""

from __future__ import annotations

import json
import math

from explorer.charts import Palette
from explorer.charts.axes import (
    categorical,
    counts,
    heights,
    log_axis,
    log_domain,
    powers,
    whole,
    with_column,
)
from explorer.charts.marks import SHAPES, curves, looks, tips
from explorer.slow import alt, pd
from explorer.views.text import SUPERSCRIPTS

MANY = 16  # from more than so many on the axis is logarithmic


def outcomes_chart(
    rows: pd.DataFrame, cells: pd.DataFrame, axis: str, title: str, palette: Palette
) -> alt.LayerChart:
    """Errors against whole numbers on a log axis: a dot is a seed, a line for each `of` goes
    through their medians, and a hollow diamond is what is known without training.

    `rows` has of, the column `axis`, seed, nmse; `cells` has of, the column `axis`, median, and
    best, NaN where it is not known.
    """
    colour = looks("of", dict.fromkeys(cells["of"]), color=palette.categories)
    values = sorted(set(cells[axis]))
    x = whole(axis, title, values, room=0.4)
    if values[-1] > MANY:
        scale = alt.Scale(type="log", nice=False, domain=[0.9, values[-1] * 1.1])
        x = alt.X(f"{axis}:Q", title=title, scale=scale, axis=alt.Axis(values=values))
    drawn = cells[cells["best"] > 1e-12]
    y = log_axis(alt.Y, "nmse", "MSE / Var(y)", pd.concat([rows["nmse"], drawn["best"]]))
    seeds = alt.Chart(rows).mark_point(filled=True, size=50, opacity=0.8)
    layers = [
        alt.Chart(cells).mark_line(strokeWidth=1.4).encode(x, with_column(y, "median"), **colour),
        seeds.encode(x, y, tooltip=tips("of:N", f"{axis}:Q", "seed:Q", nmse=".3~g"), **colour),
    ]
    if len(drawn):  # marks without data have no name for a screen reader
        best = alt.Chart(drawn).mark_point(shape="diamond", size=90)
        layers.append(best.encode(x, with_column(y, "best"), **colour))
    return alt.layer(*layers).properties(height=340)


def heads_chart(cells: pd.DataFrame, line: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """nMSE against heads on a linear axis: dots are medians, bars go from the least of the seeds to
    the greatest; the exact line 1 − H/V is dashed.

    `cells` has of, heads, seeds, median, low, high; `line` has heads, best.
    """
    names = list(dict.fromkeys(cells["of"]))
    channels = looks("of", names, columns=1, color=palette.categories, shape=SHAPES)
    x = whole("heads", "heads H", sorted({*cells["heads"], *line["heads"]}), room=0.3)
    scale = alt.Scale(domain=[0, max(1.0, 1.05 * cells["high"].max())], nice=False)
    y = alt.Y("median:Q", title="MSE / Var(y)", scale=scale, axis=alt.Axis(tickCount=5))
    base, best = alt.Chart(cells), with_column(y, "best")
    tip = tips("of:N", "heads:Q", "seeds:Q", median=".3~g")
    first = alt.Chart(line[line["heads"] == line["heads"].min()])
    name = {"align": "left", "dx": 14, "dy": -6, "text": "1 − H/V, exact"}
    exact = alt.Chart(line).mark_line(strokeDash=[6, 4], color=palette.grey)
    return alt.layer(
        exact.encode(x, best),
        first.mark_text(color=palette.grey, **name).encode(x, best),
        base.mark_rule().encode(x, with_column(y, "low"), y2="high:Q", color=channels["color"]),
        base.mark_point(filled=True, size=80, opacity=1).encode(x, y, tooltip=tip, **channels),
    ).properties(height=320)


BEST = "best, without training"
TRAINED = {"normalised": "trained, normalised", "plain": "trained, plain"}
"""How heads are written, and what their marks are called."""


def encodings_chart(
    trained: pd.DataFrame | None, best: pd.DataFrame, count: int, palette: Palette
) -> alt.LayerChart:
    """‖ρ − κ‖² / ‖ρ‖² against heads, log-log, of log and lin: the best, which may be 0, as a line,
    and trained ones, if any, each seed a mark; a dotted rule at the `count` whose kernels are drawn
    beside.

    `trained` has encoding, how, heads, seed, error; `best` has encoding, heads, error.
    """
    colour = looks("encoding", ["log", "lin"], 1, color=[palette.accent, palette.second])
    marks = None if trained is None else trained.assign(what=trained["how"].map(TRAINED))
    errors = pd.concat([best["error"], *([] if marks is None else [marks["error"]])])
    high = heights(errors, "‖ρ − κ‖² / ‖ρ‖²", log_domain(errors))
    last = best["heads"].max() if marks is None else marks["heads"].max()
    x = _heads(last)
    line = best.assign(what=BEST, height=high.heights_of(best["error"]))
    tip = tips("encoding:N", "what:N", "heads:Q", error=".3~g")
    rule = alt.Chart(pd.DataFrame({"heads": [count]})).encode(x)
    layers = [
        *high.border(palette),
        rule.mark_rule(strokeDash=[2, 3], color=palette.grey),
        alt.Chart(line).mark_line(strokeWidth=1.4, strokeDash=[5, 3]).encode(x, high.y, **colour),
    ]
    dots = alt.Chart(line).mark_point(filled=True, shape="diamond", size=60, opacity=1)
    channels = colour
    if marks is not None:
        seeds = alt.Chart(marks.assign(height=high.heights_of(marks["error"])))
        dots, tip = seeds.mark_point(filled=True, size=45, opacity=0.7), [*tip, "seed:Q", "lr:Q"]
        channels = colour | looks("what", marks["what"].unique(), 1, shape=["circle", "cross"])
    drawn = dots.encode(x, high.y, tooltip=tip, **channels)
    return alt.layer(*layers, drawn).properties(height=320)


def _heads(last: int) -> alt.X:
    """The axis of how many heads, up to the last one."""
    counts = [n for n in (1, 2, 3, 4, 6, 8, 16, 32, 64) if n <= last]
    ticks = alt.Axis(values=counts, format="d", grid=False)
    scale = alt.Scale(type="log", nice=False, domain=[0.9, 1.12 * counts[-1]])
    return alt.X("heads:Q", title="heads H", axis=ticks, scale=scale)


def kernel_chart(curves: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """A kernel and its best approximations against the distance, log-log; where the kernel is not
    above 0 everywhere, on a linear axis of weights. `curves` has of, s, value."""
    names = list(dict.fromkeys(curves["of"]))
    channels = looks(
        "of",
        names,
        lines=True,
        color=[palette.ink, palette.accent, palette.second],
        strokeDash=[[1, 0], [7, 3], [2, 2]],
    )
    kernel = curves[curves["of"] == names[0]]
    shown = curves
    y = alt.Y("value:Q", title="weight", axis=alt.Axis(tickCount=6))
    if (kernel["value"] > 0).all():
        shown = curves[curves["value"] > 0.3 * kernel["value"].min()]
        y.scale, y.axis = log_domain(kernel["value"]), powers(kernel["value"])
    ticks = [s for s in (1, 10, 100, 1000) if s <= kernel["s"].max()]
    x = alt.X("s:Q", title="distance s", axis=counts(ticks), scale=log_domain(kernel["s"]))
    base = alt.Chart(shown).mark_line(strokeWidth=2.4, clip=True)
    return alt.layer(base.encode(x, y, tooltip=["of:N", "s:Q", "value:Q"], **channels)).properties(
        height=320
    )


LEARNED = 0.01
"""The share of Var(y) below which a memory counts as learned."""
KNOWN = {"all": f"all seeds below {LEARNED:.0%}", "some": "some seeds", "none": "no seed"}
CROSS = "M-1,-1L1,1M1,-1L-1,1"


def jumps_chart(cells: pd.DataFrame, bounds: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Layers against jumps: what is known to be enough as lines, and a mark for how many seeds have
    learned it.

    `cells` has of, jumps, layers, seeds, low, high, shares of Var(y); `bounds` has jumps, layers,
    of.
    """
    channels = looks(
        "of",
        dict.fromkeys(bounds["of"]),
        columns=1,
        lines=True,
        color=[palette.ink, palette.second],
        strokeDash=[[6, 4], [1, 0]],
    )
    jumps = sorted({*bounds["jumps"], *cells["jumps"].astype(int)})
    layers = list(range(1, int(bounds["layers"].max()) + 1))
    x = whole("jumps", "K, jumps (0: fixed lags)", jumps, room=0.6)
    scale = alt.Scale(domain=[0.4, layers[-1] + 0.6], nice=False)
    y = alt.Y("layers:Q", title="L, layers", scale=scale, axis=counts(layers))
    lines = alt.layer(*curves(bounds, x, y, 2, 36, **channels)).properties(height=340)
    if cells.empty:  # marks without data have no name for a screen reader
        return lines
    return alt.layer(lines, _measured(cells, x, y, palette)).properties(height=340)


def _measured(cells: pd.DataFrame, x: alt.X, y: alt.Y, palette: Palette) -> alt.Chart:
    """A mark for how many seeds have learned it."""
    known = categorical(alt.Shape, "found", [*KNOWN.values()], ["circle", "triangle-up", CROSS], 1)
    known["legend"]["symbolStrokeColor"] = palette.accent
    labels = [
        KNOWN["all" if high < LEARNED else "some" if low < LEARNED else "none"]
        for low, high in zip(cells["low"], cells["high"], strict=True)
    ]
    tip = tips("of:N", "layers:Q", "seeds:Q", low=".3~g", high=".3~g")
    marks = alt.Chart(cells.assign(found=labels)).mark_point(
        size=200, strokeWidth=2.5, opacity=1, color=palette.accent
    )
    return marks.encode(x, y, shape=known, tooltip=tip)


AXES = {"T": "T, furthest memory", "M": "M, kernels", "m": "m, width of the network behind"}


def _powers_legend(rates: pd.Series) -> alt.Legend:
    """Up to five powers of 10 between the least and the largest rate."""
    ends = [math.ceil(math.log10(rates.min())), math.floor(math.log10(rates.max()))]
    ticks = range(ends[0], ends[1] + 1, max(1, (ends[1] - ends[0]) // 4))
    labels = {power: f"10{str(power).translate(SUPERSCRIPTS)}" for power in ticks}
    return alt.Legend(
        title="rate ÷ C(n)",
        values=[10.0**power for power in ticks],
        labelExpr=f"{json.dumps(labels)}[round(log(datum.value) / LN10)]",
        gradientLength=200,
    )


def rates_chart(
    table: pd.DataFrame, axis: str, here: tuple[int, int] | None, palette: Palette
) -> alt.LayerChart:
    """A rate over heads and another axis, both by powers of 2, as a map on one log scale; a ring
    stands in the cell nearest to `here`. `table` has heads, the column `axis`, rate."""
    heads, others = (sorted(set(table[name])) for name in ("heads", axis))
    x = alt.X("heads:O", title="heads H", axis=alt.Axis(labelAngle=0))
    y = alt.Y(f"{axis}:O", title=AXES[axis], sort="descending")
    legend = _powers_legend(table["rate"])
    scale = alt.Scale(type="log", range=[*palette.sequential])
    tip = [*tips("heads:O", f"{axis}:O", rate=".2~e"), *["larger:N"] * ("larger" in table)]
    cells = (
        alt.Chart(table)
        .mark_rect(stroke=palette.paper, strokeWidth=1)
        .encode(x, y, alt.Color("rate:Q", scale=scale, legend=legend), tooltip=tip)
    )
    if here is None:
        return alt.layer(cells).properties(height=300)
    own = {"heads": _nearest(heads, here[0]), axis: _nearest(others, here[1])}
    base = alt.Chart(pd.DataFrame([own])).encode(x, y)
    rings = (
        base.mark_point(size=190, stroke=colour, strokeWidth=width, filled=False, opacity=1)
        for colour, width in ((palette.paper, 5), (palette.ink, 2))
    )
    return alt.layer(cells, *rings).properties(height=300)


def _nearest(values: list[int], wanted: int) -> int:
    return min(values, key=lambda value: abs(math.log(value / max(1, wanted))))
