"""Charts of the attention tasks (App. B.1): matrices, F∘f, spectra, curves, error against width."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import LIGHT, Palette
from explorer.charts.axes import LABEL, TITLE, log_domain, powers, told_apart
from explorer.charts.rates import SHAPES

CELL = 26  # pixels of a weight, where the matrix is not larger than LARGEST
LARGEST = 260
SQUARE = 260
MATRICES = ("learned Â", "ideal A", "Â − A")
SPECTRA = ("e^λ W_QᵀW_K", "ρ̂ over tokens, centred")
CURVES = ("MSE", "|Â − A|", "F̂∘W_V∘f̂ − F∘f, squared")
FONT = {"labelFontSize": LABEL, "titleFontSize": TITLE}
PROGRESS_TIPS = ["metric:N", "step:Q", alt.Tooltip("value:Q", format=".3~g")]


def matrices_chart(table: pd.DataFrame, palette: Palette = LIGHT) -> alt.HConcatChart:
    """Learned and ideal attention on one scale from 0 to 1, and their difference on one centred at
    0; rows are queries t, downwards, columns keys s.

    `table` has t, s, weight, matrix ('learned Â', 'ideal A' or 'Â − A').
    """
    gap = table[table["matrix"] == MATRICES[2]]["weight"].abs().max()
    reach = max(float(gap), 1e-3)
    weight = alt.Scale(domain=[0, 1], scheme="viridis")
    colours = list(palette.diverging)
    difference = alt.Scale(domain=[-reach, reach], range=colours, interpolate="rgb")
    scales = dict(zip(MATRICES, (weight, weight, difference), strict=True))
    bars = dict(zip(MATRICES, (None, "weight", "difference"), strict=True))
    panels = [
        _matrix(table[table["matrix"] == name], scales[name], bars[name]).properties(title=name)
        for name in MATRICES
    ]
    return alt.hconcat(*panels).resolve_scale(color="independent")


def _matrix(table: pd.DataFrame, scale: alt.Scale, bar: str | None) -> alt.Chart:
    side = min(LARGEST, CELL * (int(table["s"].max()) + 1))
    legend = bar and alt.Legend(title=bar, gradientLength=side, format=".2~g", **FONT)
    axis = alt.Axis(labelAngle=0, labelOverlap=True, **FONT)
    tips = ["t:O", "s:O", alt.Tooltip("weight:Q", format=".3~g")]
    return (
        alt.Chart(table, width=side, height=side)
        .mark_rect()
        .encode(
            x=alt.X("s:O", title="key s", axis=axis),
            y=alt.Y("t:O", title="query t", axis=axis),
            color=alt.Color("weight:Q", scale=scale, legend=legend),
            tooltip=tips,
        )
    )


def graph_chart(table: pd.DataFrame, tau: int, palette: Palette) -> alt.HConcatChart:
    """Which key each query looks at: keys above, queries below, a line as strong as its weight.

    `table` has t, s, weight, matrix ('learned Â' or 'ideal A'): the lines to draw.
    """
    panels = [
        _graph(table[table["matrix"] == name], tau, palette).properties(title=name)
        for name in MATRICES[:2]
    ]
    return alt.hconcat(*panels)


def _graph(table: pd.DataFrame, tau: int, palette: Palette) -> alt.LayerChart:
    place = alt.Scale(domain=[-0.5, tau - 0.5], nice=False)
    rows = alt.Scale(domain=[-0.45, 1.45], nice=False)
    x, y = alt.X("s:Q", scale=place, axis=None), alt.Y("upper:Q", scale=rows, axis=None)
    lines = (
        alt.Chart(table.assign(upper=1, lower=0))
        .mark_rule(color=palette.accent)
        .encode(
            x, y, x2="t:Q", y2="lower:Q",
            strokeWidth=alt.StrokeWidth("weight:Q", legend=None,
                                        scale=alt.Scale(domain=[0, 1], range=[0, 4])),
            opacity=alt.Opacity("weight:Q", legend=None,
                                scale=alt.Scale(domain=[0, 1], range=[0.15, 1])),
            tooltip=["t:O", "s:O", alt.Tooltip("weight:Q", format=".3~g")],
        )
    )  # fmt: skip
    nodes = pd.DataFrame(
        [{"s": i, "upper": level, "words": f"{kind}({i})", "kind": kind}
         for kind, level in (("x", 1), ("y", 0)) for i in range(tau)]
    )  # fmt: skip
    dots = alt.Chart(nodes).mark_point(filled=True, size=70, opacity=1, color=palette.ink)
    names = [
        alt.Chart(nodes[nodes["upper"] == level])
        .mark_text(dy=away, fontSize=LABEL, color=palette.ink)
        .encode(x, y, text="words:N")
        for level, away in ((1, -16), (0, 16))
    ]
    shown = alt.layer(lines, dots.encode(x, y), *names)
    return shown.properties(width=max(LARGEST, 44 * tau), height=LARGEST)


def pairs_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The points u and v on the unit square, joined by lines as strong as the learned weight.

    `table` has kind ('u', 'v' or 'link'), label, x1, x2, and of links end1, end2, weight.
    """
    whole = alt.Scale(domain=[-0.03, 1.03], nice=False)
    axis = alt.Axis(values=[0, 0.5, 1], grid=False, **FONT)
    x = alt.X("x1:Q", title="first coordinate", scale=whole, axis=axis)
    y = alt.Y("x2:Q", title="second coordinate", scale=whole, axis=axis)
    lines = alt.Chart(table[table["kind"] == "link"]).mark_rule(color=palette.grey)
    points = alt.Chart(table[table["kind"] != "link"])
    names, colours = ["u", "v"], [palette.accent, palette.second]
    width, strength = (
        channel("weight:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[least, most]))
        for channel, least, most in ((alt.StrokeWidth, 0, 4), (alt.Opacity, 0.15, 1))
    )
    return alt.layer(
        lines.encode(x, y, x2="end1:Q", y2="end2:Q", strokeWidth=width, opacity=strength,
                     tooltip=["label:N", alt.Tooltip("weight:Q", format=".3~g")]),
        points.mark_point(filled=True, size=90, opacity=1).encode(
            x, y, tooltip=["label:N"],
            color=told_apart(alt.Color, "kind", names, colours),
            shape=told_apart(alt.Shape, "kind", names, ["circle", "square"]),
        ),
    ).properties(width=LARGEST, height=LARGEST)  # fmt: skip


def figure_chart(matrices: alt.HConcatChart, *below: alt.TopLevelMixin) -> alt.VConcatChart:
    """The panels of Figures 4 to 6: the matrices, and what belongs under them side by side."""
    lower = alt.hconcat(*below, spacing=40).resolve_scale(color="independent", shape="independent")
    return alt.vconcat(matrices, lower, spacing=30)


def values_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """What is learned of F∘f at random tokens against F∘f itself; on the diagonal they are equal.

    `table` has designed, learned, coordinate.
    """
    both = pd.concat([table["designed"], table["learned"]])
    ends = [float(both.min()), float(both.max())]
    room = 0.04 * max(ends[1] - ends[0], 1e-6)
    scale = alt.Scale(domain=[ends[0] - room, ends[1] + room], nice=False)
    axis = alt.Axis(tickCount=5, format="~g", **FONT)
    x = alt.X("designed:Q", title="F∘f(x)", scale=scale, axis=axis)
    y = alt.Y("learned:Q", title="F̂(W_V f̂(x))", scale=scale, axis=axis)
    line = alt.Chart(pd.DataFrame({"designed": ends, "learned": ends}))
    names = sorted(table["coordinate"].unique())
    colours = [palette.accent, palette.second, palette.ink, palette.grey][: len(names)]
    only = len(names) == 1
    colour = alt.value(palette.accent) if only else told_apart(
        alt.Color, "coordinate", names, colours
    )
    shape = alt.value("circle") if only else told_apart(
        alt.Shape, "coordinate", names, SHAPES[: len(names)]
    )
    dots = alt.Chart(table).mark_point(filled=True, size=24, opacity=0.55)
    tips = [alt.Tooltip(f"{name}:Q", format=".3~f") for name in ("designed", "learned")]
    return alt.layer(
        line.mark_line(strokeWidth=1.2, strokeDash=[6, 4], color=palette.grey).encode(x, y),
        dots.encode(x, y, color=colour, shape=shape, tooltip=tips),
    ).properties(width=SQUARE, height=SQUARE)


def plane_chart(table: pd.DataFrame, cells: int) -> alt.FacetChart:
    """F∘f of points of the plane beside what is learned of it, on one scale of colours.

    `table` has x1, x2, value, map for `cells` × `cells` centres of squares each.
    """
    reach = float(table["x1"].max()) * cells / (cells - 1)
    half = 1.06 * reach / cells  # overlapping a little, or hairlines show between the cells
    ends = {f"{side}{way}": f"datum.{side} {sign} {half}"
            for side in ("x1", "x2") for way, sign in (("a", "-"), ("b", "+"))}  # fmt: skip
    whole = alt.Scale(domain=[-reach, reach], nice=False)
    axis = alt.Axis(tickCount=5, grid=False, **FONT)
    top = float(table["value"].max())
    scale = alt.Scale(domain=[0, top], scheme="viridis", clamp=True)
    bar = alt.Legend(gradientLength=SQUARE, format=".2~g", **FONT)
    squares = (
        alt.Chart(table, width=SQUARE, height=SQUARE)
        .transform_calculate(**ends)
        .mark_rect(clip=True)
        .encode(
            x=alt.X("x1a:Q", title="first coordinate of x", scale=whole, axis=axis), x2="x1b:Q",
            y=alt.Y("x2a:Q", title="second coordinate", scale=whole, axis=axis), y2="x2b:Q",
            color=alt.Color("value:Q", title="|x|", scale=scale, legend=bar),
        )
    )  # fmt: skip
    header = alt.Header(title=None, labelFontSize=TITLE)
    order = list(dict.fromkeys(table["map"]))
    return squares.facet(column=alt.Column("map:N", header=header, sort=order))


def spectrum_chart(
    table: pd.DataFrame, rank: int, words: str, palette: Palette
) -> alt.LayerChart:
    """Singular values on a log axis, the raw ones filled, the centred ones hollow, and after the
    `rank`-th a line that `words` names.

    `table` has k, sigma (> 0), spectrum.
    """
    names = [name for name in SPECTRA if name in set(table["spectrum"])]
    top = max(int(table["k"].max()), rank) + 1
    x = alt.X("k:Q", title="k", scale=alt.Scale(domain=[0.4, top - 0.4], nice=False),
              axis=alt.Axis(values=list(range(1, top)), format="d", grid=False,
                            labelOverlap=True, **FONT))  # fmt: skip
    y = alt.Y("sigma:Q", title="singular value", scale=log_domain(table["sigma"]),
              axis=powers(table["sigma"]))  # fmt: skip
    fills = [palette.accent, "transparent"][: len(names)]
    strokes = [palette.accent, palette.ink][: len(names)]
    dots = (
        alt.Chart(table)
        .mark_point(size=80, strokeWidth=1.5, opacity=1)
        .encode(
            x, y,
            stroke=told_apart(alt.Stroke, "spectrum", names, strokes),
            fill=told_apart(alt.Fill, "spectrum", names, fills),
            shape=told_apart(alt.Shape, "spectrum", names, ["diamond", "circle"][: len(names)]),
            tooltip=["spectrum:N", "k:Q", alt.Tooltip("sigma:Q", format=".4~g")],
        )
    )  # fmt: skip
    mark = alt.Chart(pd.DataFrame({"k": [rank + 0.5], "words": [words]})).encode(x)
    side = {"align": "right", "dx": -6} if rank + 0.5 > top / 2 else {"align": "left", "dx": 6}
    return alt.layer(
        mark.mark_rule(strokeDash=[6, 4], strokeWidth=1.5, color=palette.grey),
        mark.mark_text(baseline="bottom", dy=-6, fontSize=LABEL, color=palette.grey, **side)
        .encode(y=alt.value("height"), text="words:N"),
        dots,
    ).properties(height=300)  # fmt: skip


def progress_chart(table: pd.DataFrame, palette: Palette) -> alt.VConcatChart:
    """Errors on fresh sequences against step, log-log, and under them the agreement from 0 to 1.

    `table` has step, value (> 0 but for the agreement), metric.
    """
    return alt.vconcat(errors_chart(table, palette), agreement_chart(table, palette))


def errors_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The errors of `progress_chart`."""
    errors = table[table["metric"] != "agreement"]
    names = [name for name in CURVES if name in set(errors["metric"])]
    colours = [palette.accent, palette.second, palette.ink][: len(names)]
    dashes = [[1, 0], [8, 3], [2, 3]][: len(names)]
    y = alt.Y("value:Q", title="error", scale=log_domain(errors["value"]),
              axis=_level(powers(errors["value"])))  # fmt: skip
    colour = told_apart(alt.Color, "metric", names, colours)
    dash = told_apart(alt.StrokeDash, "metric", names, dashes)
    shape = told_apart(alt.Shape, "metric", names, SHAPES[: len(names)])
    x, upper = _steps(table, None), alt.Chart(errors)
    return alt.layer(
        upper.mark_line(strokeWidth=1.6).encode(x, y, color=colour, strokeDash=dash),
        upper.mark_point(filled=True, size=45, opacity=1)
        .encode(x, y, color=colour, shape=shape, tooltip=PROGRESS_TIPS),
    ).properties(height=260)  # fmt: skip


def agreement_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The agreement of `progress_chart`."""
    share = alt.Y("value:Q", title="agreement", scale=alt.Scale(domain=[0, 1]),
                  axis=_level(alt.Axis(tickCount=5, **FONT)))  # fmt: skip
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


def width_chart(
    table: pd.DataFrame, knees: pd.DataFrame, measure: str, palette: Palette
) -> alt.LayerChart:
    """Error or agreement against m_h, a line for each group of models; a dotted line stands at the
    width that a group needs.

    `table` has group, m_h, best, worst (nMSE > 0) and agreement, where `measure` is "nMSE" or
    "agreement"; `knees` has group, m_h, words.
    """
    names = list(dict.fromkeys(table["group"]))
    colours = [palette.accent, palette.second, palette.ink, palette.grey]
    colour = told_apart(alt.Color, "group", names, (colours * len(names))[: len(names)])
    shape = told_apart(alt.Shape, "group", names, (SHAPES * len(names))[: len(names)])
    widths = sorted({*table["m_h"], *knees["m_h"]})
    x = alt.X("m_h:Q", title="m_h, attention width",
              scale=alt.Scale(domain=[widths[0] - 0.4, widths[-1] + 0.4], nice=False),
              axis=alt.Axis(values=widths, format="d", grid=False, **FONT))  # fmt: skip
    error = measure == "nMSE"
    column = "best" if error else "agreement"
    title = "MSE / Var(y), best seed" if error else "agreement of the largest weights"
    heights = pd.concat([table["best"], table["worst"]])
    share = alt.Axis(tickCount=5, **FONT)
    scale = log_domain(heights) if error else alt.Scale(domain=[0, 1.02], nice=False)
    y = alt.Y(f"{column}:Q", title=title, scale=scale, axis=powers(heights) if error else share)
    base = alt.Chart(table)
    tips = ["group:N", "m_h:Q", "seeds:Q", *(alt.Tooltip(f"{name}:Q", format=".3~g")
                                             for name in ("best", "worst", "agreement"))]
    bars = base.mark_rule(strokeWidth=0.8).encode(x, y, y2="worst:Q", color=colour)
    return alt.layer(
        *_needed(knees, x, colour, palette, top=error), *([bars] if error else []),
        base.mark_line(strokeWidth=1.4).encode(x, y, color=colour),
        base.mark_point(filled=True, size=70, opacity=1)
        .encode(x, y, color=colour, shape=shape, tooltip=tips),
    ).properties(height=340)  # fmt: skip


def _needed(
    knees: pd.DataFrame, x: alt.X, colour: alt.Color, palette: Palette, top: bool
) -> list[alt.Chart]:
    """A dotted line at each width that is needed, in the colour of its group, or in grey where it
    is that of several; its words stand in a row of their own, at the top or at the bottom."""
    layers = []
    for row, (_, of) in enumerate(knees.groupby(["m_h", "words"], sort=False)):
        base = alt.Chart(of.head(1))
        own = colour if len(of) == 1 else alt.value(palette.grey)
        rule = base.mark_rule(strokeDash=[1, 4], strokeWidth=2)
        text = base.mark_text(
            align="left", dx=6, dy=(1 if top else -1) * (12 + 16 * row), fontSize=LABEL
        )
        place = alt.value(0 if top else "height")
        layers += [rule.encode(x, color=own), text.encode(x, y=place, text="words:N", color=own)]
    return layers
