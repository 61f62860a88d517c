"""Charts of the attention tasks (App. B.1): matrices, F∘f, spectra, curves, error against width."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from explorer.charts import LIGHT, Palette
from explorer.charts.axes import LABEL, TITLE, log_axis, whole
from explorer.charts.marks import SHAPES, at_foot, looks, tips, upright
from explorer.slow import alt, pd
from explorer.views.series import CENTRED, DIFFERENCE, IDEAL, LEARNED, RAW

CELL = 26  # pixels of a weight, where the matrix is not larger than LARGEST
LARGEST = 260
SQUARE = 260
FOUND = {"y": "diamond", "ŷ": "diamond", "centre by A": "cross", "centre by Â": "cross"}
"""Kinds of what is answered, and the shapes of them."""
weight_tips = partial(tips, "t:O", "s:O", weight=".3~g")


def matrices_chart(table: pd.DataFrame, palette: Palette = LIGHT) -> alt.HConcatChart:
    """Learned and ideal attention on one scale from 0 to 1, and their difference on one centred at
    0; rows are queries t, downwards, columns keys s. Without a head there is only the ideal one.

    `table` has t, s, weight, matrix ('learned Â', 'ideal A' or 'Â − A'), and where a row is locked
    lit: that row is framed.
    """
    gap = table[table["matrix"] == DIFFERENCE]["weight"].abs()
    reach, weights = max([1e-3, *gap]), ([0, 1], palette.weights)
    kinds = {
        LEARNED: (weights, None),
        IDEAL: (weights, "weight"),
        DIFFERENCE: (([-reach, reach], palette.diverging), "difference"),
    }
    panels = [
        _matrix(part, _scale(*colours), bar, palette).properties(title=name)
        for name, (colours, bar) in kinds.items()
        if len(part := table[table["matrix"] == name])
    ]
    return alt.hconcat(*panels).resolve_scale(color="independent")


def _scale(domain: Sequence[float], colours: Sequence[str]) -> alt.Scale:
    return alt.Scale(domain=[*domain], range=[*colours], interpolate="rgb")


def layers_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Attention of several layers on one scale from 0 to 1. `table` has layer, t, s, weight."""
    scale, last = _scale([0, 1], palette.weights), table["layer"].max()
    panels = [
        _matrix(part, scale, "weight" if layer == last else None, palette).properties(
            title=f"layer {layer}"
        )
        for layer, part in table.groupby("layer")
    ]
    return alt.hconcat(*panels)


def _matrix(
    table: pd.DataFrame, scale: alt.Scale, bar: str | None, palette: Palette
) -> alt.Chart | alt.LayerChart:
    side = min(LARGEST, CELL * (int(table["s"].max()) + 1))
    legend = alt.Legend(title=bar, gradientLength=side, format=".2~g") if bar else None
    axis = alt.Axis(labelAngle=0, labelOverlap=True)
    x, y = alt.X("s:O", title="key s", axis=axis), alt.Y("t:O", title="query t", axis=axis)
    colour = alt.Color("weight:Q", scale=scale, legend=legend)
    whole = alt.Chart(table, width=side, height=side)
    cells = whole.mark_rect().encode(x, y, color=colour, tooltip=weight_tips())
    if "lit" not in table:
        return cells
    frame = whole.transform_filter("datum.lit").mark_rect(
        filled=False, stroke=palette.second, strokeWidth=2
    )
    return alt.layer(cells, frame.encode(x, y))


def graph_chart(table: pd.DataFrame, tau: int, palette: Palette) -> alt.HConcatChart:
    """Which key each query looks at: keys above, queries below, a line as strong as its weight.

    `table` has t, s, weight, matrix ('learned Â' or 'ideal A'): the lines to draw; where a row is
    locked lit: the lines of the others are faint.
    """
    panels = [
        _graph(part, tau, palette).properties(title=name)
        for name in (LEARNED, IDEAL)
        if len(part := table[table["matrix"] == name])
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
            x,
            y,
            x2="t:Q",
            y2="lower:Q",
            strokeWidth=_strength(alt.StrokeWidth, 0, 4),
            strokeOpacity=_lit(table),
            tooltip=weight_tips(),
        )
    )
    levels = (("x", 1), ("y", 0))
    tokens = [(i, level, f"{kind}({i})", kind) for kind, level in levels for i in range(tau)]
    nodes = pd.DataFrame(tokens, columns=["s", "upper", "words", "kind"])
    dots = alt.Chart(nodes).mark_point(filled=True, size=70, opacity=1, color=palette.ink)
    names = [
        alt.Chart(nodes[nodes["upper"] == level])
        .mark_text(dy=away, color=palette.ink)
        .encode(x, y, text="words:N")
        for level, away in ((1, -16), (0, 16))
    ]
    shown = alt.layer(lines, dots.encode(x, y), *names)
    return shown.properties(width=max(LARGEST, 44 * tau), height=LARGEST)


def _strength(channel: type, least: float, most: float) -> Any:
    """A weight from 0 to 1 as width or opacity of a line."""
    return channel("weight:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[least, most]))


def _lit(table: pd.DataFrame) -> Any:
    """Opacity of a line by its weight; what does not belong to the locked row is faint. That of the
    whole mark would have a renderer draw each line on a layer of its own, minutes of 1,000."""
    strong = _strength(alt.StrokeOpacity, 0.15, 1)
    return alt.condition("datum.lit", strong, alt.value(0.06)) if "lit" in table else strong


def board_chart(table: pd.DataFrame, ends: tuple[float, float], palette: Palette) -> alt.LayerChart:
    """The plane: points, answers, and lines from each query to the keys that it looks at, as strong
    as the weight, ideal ones dashed. Of more than two coordinates the first two are drawn; a single
    one is drawn on lanes.

    `table` has token, kind, label, x1 …; of lines s, end1 …, weight; where d = 1 lane and end_lane;
    where a row is locked lit.
    """
    across, up, end = ("x1", "lane", "end_lane") if "lane" in table else ("x1", "x2", "end2")
    scale = alt.Scale(domain=[ends[0] - 0.03, ends[1] + 0.03], nice=False)
    axis = alt.Axis(values=[ends[0], sum(ends) / 2, ends[1]], grid=False)
    x = alt.X(f"{across}:Q", title="first coordinate", scale=scale, axis=axis)
    y = alt.Y(f"{up}:Q", title="second coordinate", scale=scale, axis=axis)
    if "lane" in table:
        y = alt.Y("lane:Q", scale=alt.Scale(domain=[0, 1]), axis=None)
    drawn = table[table["x1"].notna()]
    marks = drawn[~drawn["kind"].isin([LEARNED, IDEAL, DIFFERENCE])]
    names = alt.Chart(marks[~marks["kind"].isin(FOUND)]).mark_text(
        align="left", dx=6, dy=-8, fontSize=LABEL, color=palette.grey
    )
    return alt.layer(
        _lines(drawn[drawn["kind"].isin([LEARNED, IDEAL, DIFFERENCE])], x, y, end, palette),
        _marks(marks, x, y, palette),
        names.encode(x, y, text="label:N"),
    ).properties(width=1.4 * LARGEST, height=1.4 * LARGEST)


def _lines(table: pd.DataFrame, x: alt.X, y: alt.Y, end: str, palette: Palette) -> alt.Chart:
    kinds = {LEARNED: (palette.accent, [1, 0]), IDEAL: (palette.ink, [3, 4])}
    names = [name for name in kinds if name in set(table["kind"])]
    colours, dashes = zip(*(kinds[name] for name in names), strict=True) if names else ((), ())
    channels = looks("kind", names, color=colours, strokeDash=dashes)
    for channel in channels.values():
        channel["legend"]["symbolOpacity"] = 1  # however faint the lines are
    lines = alt.Chart(table).mark_rule()
    return lines.encode(
        x,
        y,
        x2="end1:Q",
        y2=f"{end}:Q",
        strokeOpacity=_lit(table),
        strokeWidth=_strength(alt.StrokeWidth, 0.8, 4),
        tooltip=tips("kind:N", "label:N", weight=".3~g"),
        **channels,
    )


def _marks(table: pd.DataFrame, x: alt.X, y: alt.Y, palette: Palette) -> alt.Chart:
    names = list(dict.fromkeys(table["kind"]))
    points = [name for name in names if name not in FOUND]
    shapes = dict(zip(points, SHAPES, strict=False)) | FOUND
    learned, hollow = {"ŷ", "centre by Â"}, {"u", "y"}
    colours = {name: palette.accent if name in learned else palette.ink for name in names}
    mark = alt.Chart(table).mark_point(strokeWidth=1.4, opacity=1, invalid=None)
    if "mass" in table:  # answers have none
        size = alt.Size(
            "mass:Q",
            legend=alt.Legend(title="mass", orient="bottom"),
            scale=alt.Scale(domainMin=0, range=[30, 260]),
        )
        mark = mark.encode(size=alt.condition("isValid(datum.mass)", size, alt.value(90)))
    else:
        mark = mark.encode(size=alt.value(80))
    channels = looks(
        "kind",
        names,
        shape=[shapes[name] for name in names],
        fill=["transparent" if name in hollow else colours[name] for name in names],
        stroke=[*colours.values()],
    )
    return mark.encode(x, y, tooltip=["kind:N", "label:N"], **channels)


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
    axis = alt.Axis(tickCount=5, format="~g")
    x = alt.X("designed:Q", title="F∘f(x)", scale=scale, axis=axis)
    y = alt.Y("learned:Q", title="F̂(W_V f̂(x))", scale=scale, axis=axis)
    line = alt.Chart(pd.DataFrame({"designed": ends, "learned": ends}))
    names = sorted(table["coordinate"].unique())
    channels = looks("coordinate", names, color=palette.categories, shape=SHAPES)
    if len(names) == 1:
        channels = {"color": alt.value(palette.accent), "shape": alt.value("circle")}
    dots = alt.Chart(table).mark_point(filled=True, size=24, opacity=0.55)
    return alt.layer(
        line.mark_line(strokeWidth=1.2, strokeDash=[6, 4], color=palette.grey).encode(x, y),
        dots.encode(x, y, tooltip=tips(designed=".3~f", learned=".3~f"), **channels),
    ).properties(width=SQUARE, height=SQUARE)


def plane_chart(table: pd.DataFrame, palette: Palette) -> alt.FacetChart:
    """F∘f of points of the plane beside what is learned of it, on one scale of colours.

    `table` has x1, x2, value, map at n × n points, from one end to the other, each.
    """
    cells = table["x1"].nunique()
    reach = float(table["x1"].max()) * cells / (cells - 1)
    half = 1.06 * reach / cells  # overlapping a little, or hairlines show between the cells
    ends = {
        f"{side}{way}": f"datum.{side} {sign} {half}"
        for side in ("x1", "x2")
        for way, sign in (("a", "-"), ("b", "+"))
    }
    whole = alt.Scale(domain=[-reach, reach], nice=False)
    axis = alt.Axis(tickCount=5, grid=False)
    top = float(table["value"].max())
    scale = alt.Scale(domain=[0, top], range=[*palette.sequential], clamp=True)
    bar = alt.Legend(gradientLength=SQUARE, format=".2~g")
    squares = (
        alt.Chart(table, width=SQUARE, height=SQUARE)
        .transform_calculate(**ends)
        .mark_rect(clip=True)
        .encode(
            x=alt.X("x1a:Q", title="first coordinate of x", scale=whole, axis=axis),
            x2="x1b:Q",
            y=alt.Y("x2a:Q", title="second coordinate", scale=whole, axis=axis),
            y2="x2b:Q",
            color=alt.Color("value:Q", title="|x|", scale=scale, legend=bar),
        )
    )
    header = alt.Header(title=None, labelFontSize=TITLE)
    order = list(dict.fromkeys(table["map"]))
    return squares.facet(column=alt.Column("map:N", header=header, sort=order))


def spectrum_chart(table: pd.DataFrame, rank: int, words: str, palette: Palette) -> alt.LayerChart:
    """Singular values on a log axis, the raw ones filled, the centred ones hollow, and after the
    `rank`-th a line that `words` names; after the last one that is kept the knife.

    `table` has k, sigma (> 0), spectrum, and of a head that may be cut kept.
    """
    names = [name for name in (RAW, CENTRED) if name in set(table["spectrum"])]
    last = max(int(table["k"].max()), rank)
    x = whole("k", "k", range(1, last + 1))
    y = log_axis(alt.Y, "sigma", "singular value", table["sigma"])
    channels = looks(
        "spectrum",
        names,
        stroke=[palette.accent, palette.ink],
        fill=[palette.accent, "transparent"],
        shape=["diamond", "circle"],
    )
    dots = alt.Chart(table).mark_point(size=80, strokeWidth=1.5, opacity=1)
    dots = dots.encode(x, y, tooltip=tips("spectrum:N", "k:Q", sigma=".4~g"), **channels)
    if "kept" in table:
        dots = dots.encode(opacity=alt.condition("datum.kept", alt.value(1), alt.value(0.3)))
    enough = _enough(rank, words, x, last, palette)
    return alt.layer(*enough, dots, *_knife(table, x, palette)).properties(height=300)


def _enough(rank: int, words: str, x: alt.X, last: int, palette: Palette) -> list[alt.Chart]:
    """The line after the `rank`-th of `last` values, its words on the side that has more room."""
    side = {"align": "right", "dx": -6} if 2 * rank > last else {"align": "left", "dx": 6}
    text = {"baseline": "bottom", "dy": -6} | side
    stroke = {"strokeDash": [6, 4], "strokeWidth": 1.5}
    return at_foot(*upright(x, rank + 0.5, words, palette.grey, text, **stroke))


def _knife(table: pd.DataFrame, x: alt.X, palette: Palette) -> list[alt.Chart]:
    """A line after the last singular value that is kept, where some are not."""
    if "kept" not in table or table["kept"].all():
        return []
    cut = int(table[table["kept"]]["k"].max())
    text = {"dx": 6, "dy": 10}
    return upright(x, cut + 0.5, f"cut to k = {cut}", palette.second, text, strokeWidth=2)
