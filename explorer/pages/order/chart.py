"""Charts of Section 6: errors under alterations beside their floors, and spectra under mixing; and
of what the canvases of the Order page draw: tokens, stems, maps, errors, curves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from explorer.charts import Palette
from explorer.charts.axes import log_axis, whole
from explorer.charts.marks import curves, looks, tips, upright
from explorer.slow import alt, pd
from explorer.views.series import BEST_KERNEL, NO_KERNEL, SCALE, TAPS_KEPT, TRAINED_RNN

MODELS = ("RNN", "Transformer", "Transformer with convolution")
FLOORS = ("printed in the paper", "time-invariant floor", "constant")
UNITS = {
    BEST_KERNEL: ("ink", [1, 0], "circle"),
    NO_KERNEL: ("grey", [6, 4], "square"),
    TAPS_KEPT: ("accent", [8, 3, 2, 3], "triangle-up"),
    SCALE: ("grey", [2, 3], "cross"),
    TRAINED_RNN: ("second", [1, 0], "diamond"),
}
"""What stands against hidden units: colour of the palette, dash, shape."""
ROW = 30  # height of a row of the figure


def errors_chart(
    points: pd.DataFrame, marks: pd.DataFrame, palette: Palette, height: int | None = None
) -> alt.LayerChart:
    """1 − R² of trained models, a row for each alteration, over what is known without training.

    `points` has row, model and error (> 0), one line a trained model; `marks` has row, model, mark
    and error (> 0), mark one of FLOORS, in the colour of its model.
    """
    rows = list(dict.fromkeys(points["row"]))
    errors = pd.concat([points["error"], marks["error"]])
    x = log_axis(alt.X, "error", "1 − R² = MSE / Var(y)", errors)
    channels = looks(
        "model",
        MODELS,
        color=[palette.second, palette.accent, palette.ink],
        shape=["square", "circle", "triangle-up"],
    )
    dash = looks("mark", FLOORS, strokeDash=[[1, 0], [5, 2], [1, 2]])
    tip = tips("row:N", "model:N", error=".3~g")
    ends = {"y": _row("row", rows, 0.12), "y2": alt.Y2("row:N", bandPosition=0.88)}
    lines = alt.Chart(marks).mark_rule(strokeWidth=2)
    dots = alt.Chart(points).mark_point(filled=True, size=60, opacity=0.75)
    return alt.layer(
        lines.encode(x, **ends, color=channels["color"], **dash, tooltip=[*tip, "mark:N"]),
        dots.encode(x, _row("row", rows, 0.5), **channels, tooltip=tip),
    ).properties(width=560, height=height or ROW * len(rows))


def _row(name: str, rows: Sequence[str], at: float) -> alt.Y:
    """A band for each of the `rows`, and a place in it."""
    scale, axis = alt.Scale(type="band", domain=[*rows]), alt.Axis(labelLimit=320)
    return alt.Y(f"{name}:N", sort=[*rows], title=None, bandPosition=at, scale=scale, axis=axis)


def mixing_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """σ_k of a mixed coupling against the amount of mixing, raw and centred beside each other.

    `table` has gauge, k, mixing and sigma.
    """
    names = sorted(table["k"].unique())
    channels = looks("k", names, color=palette.categories, strokeDash=[[1, 0], [6, 3], [2, 3]])
    panels = [
        alt.Chart(part, title=gauge, width=320, height=260)
        .mark_line(strokeWidth=2)
        .encode(
            alt.X("mixing:Q", title="a, of ρ(u, a·u + v)"),
            alt.Y("sigma:Q", title="σₖ"),
            tooltip=tips("k:N", "mixing:Q", sigma=".6~g"),
            **channels,
        )
        for gauge, part in table.groupby("gauge", sort=False)
    ]
    return alt.hconcat(*panels)


def _styles(table: Mapping[str, tuple], names: Iterable[str], palette: Palette) -> list[list[Any]]:
    """The colours, by their names in the palette, and what else a table has of these names."""
    colours, *more = zip(*(table[name] for name in names), strict=True)
    return [[getattr(palette, colour) for colour in colours], *map(list, more)]


def units_chart(table: pd.DataFrame, column: str, title: str, palette: Palette) -> alt.LayerChart:
    """Errors of RNNs against their hidden units, log-log: the best kernel found of so many states,
    the bound that none is below, trained RNNs; of L¹ errors also the scale of App. D.1.

    `table` has units, the `column` of errors (> 0), what.
    """
    names = [name for name in UNITS if name in set(table["what"])]
    shades, dashes, shapes = _styles(UNITS, names, palette)
    channels = looks("what", names, 1, color=shades, strokeDash=dashes, shape=shapes)
    x = log_axis(alt.X, "units", "hidden units n", table["units"], grid=False)
    y, more = log_axis(alt.Y, column, title, table[column]), ("seed", "steps", "source")
    tip = tips("what:N", "units:Q", **{column: ".3~g"})
    tip += [f"{name}:N" for name in more if name in table]
    line, _ = curves(table[table["what"] != TRAINED_RNN], x, y, **channels)
    _, dots = curves(table, x, y, size=55, tooltip=tip, **channels)
    return alt.layer(line, dots).properties(height=300)


def filters_chart(
    table: pd.DataFrame, at: float, best: float, title: str, palette: Palette
) -> alt.LayerChart:
    """What every filter v + c·u in front leaves; `table` has c and left (≥ 0). Lines at the c that
    is chosen, and at the best."""
    x = alt.X("c:Q", title="c", scale=alt.Scale(nice=False))
    y = alt.Y("left:Q", title=title, scale=alt.Scale(domainMin=0))
    curve = alt.Chart(table).mark_line(strokeWidth=2, color=palette.second)
    text = {"dx": 4, "dy": 8}
    return alt.layer(
        curve.encode(x, y, tooltip=tips(c=".3~g", left=".4~g")),
        *upright(x, at, "chosen", palette.accent, text | {"dy": 22}, strokeWidth=2),
        *upright(x, best, "best", palette.ink, text, strokeDash=[4, 3]),
    ).properties(height=200)


def best_filter_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """nMSE of trained heads without a filter and behind the best, a row for each coupling and
    width; `table` has case, m, row and nmse (> 0)."""
    table = table.assign(of=table["case"] + ", m = " + table["m"].astype(str))
    channels = looks(
        "row",
        list(dict.fromkeys(table["row"])),
        color=[palette.grey, palette.accent],
        shape=["circle", "triangle-up"],
    )
    names = list(dict.fromkeys(table["of"]))
    y = alt.Y("of:N", sort=names, title=None, axis=alt.Axis(labelLimit=320))
    dots = alt.Chart(table).mark_point(filled=True, size=60, opacity=0.75)
    x = log_axis(alt.X, "nmse", "nMSE", table["nmse"])
    drawn = dots.encode(x, y, **channels, tooltip=tips("of:N", "row:N", nmse=".3~g"))
    return alt.layer(drawn).properties(width=560, height=ROW * len(names))


def spectra_chart(table: pd.DataFrame, title: str, palette: Palette) -> alt.LayerChart:
    """σ_k, or what rank m leaves, Σ_{k>m} σ_k², on a log axis before (hollow) and after mixing
    (filled), raw and centred beside each other.

    `table` has, in this order, a whole number (k or m), a value (> 0), when, gauge.
    """
    number, value, *_ = table.columns
    table = table.assign(what=table["gauge"] + ", " + table["when"])
    names = [
        name
        for name in ("raw, before", "raw, after", "centred, before", "centred, after")
        if name in set(table["what"])
    ]
    table["at"] = table[number] + table["gauge"].map({"raw": -0.12, "centred": 0.12})
    first, last = (0, 3) if number == "m" else (1, 4)
    last = max(int(table[number].max()), last)
    x = whole("at", number, range(first, last + 1))
    y = log_axis(alt.Y, value, title, table[value])
    tip = tips("what:N", f"{number}:Q", **{value: ".7~g"})
    points = alt.Chart(table).mark_point(size=110, strokeWidth=2, opacity=1)
    drawn = points.encode(x, y, tooltip=tip, **_gauges(names, palette))
    return alt.layer(drawn).properties(height=230)


def _gauges(names: list[str], palette: Palette) -> dict[str, Any]:
    """How marks look by what they are called: raw or centred, filled after mixing."""
    colours = {"raw": palette.accent, "centred": palette.second}
    strokes = [colours[name.split(",")[0]] for name in names]
    fills = [
        colour if "after" in name else "transparent"
        for name, colour in zip(names, strokes, strict=True)
    ]
    shapes = ["circle" if "raw" in name else "square" for name in names]
    return looks("what", names, 2, stroke=strokes, fill=fills, shape=shapes)


# Of the pictures

STEMS = {
    "θ": ("ink", "circle"),
    "learned, up to sign and scale": ("accent", "diamond"),
    "ρ": ("ink", "circle"),
    "best time-invariant k": ("grey", "square"),
    "learned k̂": ("second", "diamond"),
    "y": ("ink", "circle"),
    "ŷ": ("accent", "diamond"),
}
"""Colour of the palette and shape of what stands at a lag or a step."""
MARKS = {
    "trained": "circle",
    "with convolution": "triangle-up",
    "this run": "square",
    "printed": "diamond",
}
LINES = {"any causal model": [7, 4], "time-invariant": [2, 2], "a constant": [1, 3]}
ROWS = ("linear RNN", "Transformer")
SIDE = 300  # pixels of a map


def pieces_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """φ_k on the intervals of τ tokens in an order, each piece in the shade of its token, over the
    same as designed, grey. `table` has row, token, z, value; its first row is the design's."""
    design, *_ = table["row"]
    x = alt.X("z:Q", title="encoded token, x/2τ + t/τ", scale=alt.Scale(domain=[0, 1]))
    line = (
        alt.Chart(table)
        .mark_line(strokeWidth=3)
        .encode(x, alt.Y("value:Q", title=None), detail="token:N")
    )
    shades = alt.Scale(range=[palette.second, palette.accent])
    key = alt.Legend(orient="top", tickCount=3, direction="horizontal")
    colour = alt.Color("token:Q", title="token", scale=shades, legend=key)
    tip = tips("token:O", z=".3f", value=".3~g")
    return alt.layer(
        line.transform_filter(alt.datum.row == design).encode(color=alt.value(palette.grey)),
        line.transform_filter(alt.datum.row != design).encode(color=colour, tooltip=tip),
    ).properties(height=240)


def tokens_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Where each token of the target stands for the model: a line each, the moved ones darker.

    `table` has token, row, place, moved.
    """
    rows = list(dict.fromkeys(table["row"]))
    x = _at("place", "place t", table["place"].max())
    y = alt.Y("row:N", sort=rows, title=None)
    named = table.assign(moves=table["moved"].map({True: "moved", False: "in its place"}))
    channels = looks(
        "moves",
        ["moved", "in its place"],
        color=[palette.ink, palette.grey],
        strokeDash=[[1, 0], [2, 3]],
    )
    base = alt.Chart(named).encode(x, y)
    names = (
        base.mark_text(fontSize=10, color=palette.ink, dy=away)
        .encode(text="token:N")
        .transform_filter(alt.datum.row == row)
        for row, away in zip(rows, (-9, 10), strict=True)
    )
    return alt.layer(
        base.mark_line(strokeWidth=1.2).encode(detail="token:N", **channels), *names
    ).properties(width=max(420, 22 * int(table["place"].max() + 1)), height=170)


def _at(column: str, title: str, last: float) -> alt.X:
    """An axis of whole numbers from 0 to the last one."""
    axis = alt.Axis(format="d", tickMinStep=1, grid=False)
    scale = alt.Scale(domain=[-0.6, last + 0.6], nice=False)
    return alt.X(f"{column}:Q", title=title, axis=axis, scale=scale)


def stems_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Stems side by side where several stand at one whole number.

    `table` has, in this order, a whole number, a value, and what, one of STEMS.
    """
    at, value, _ = table.columns
    names = [name for name in STEMS if name in set(table["what"])]
    apart = {name: 0.18 * (i - (len(names) - 1) / 2) for i, name in enumerate(names)}
    placed = table[table["what"].isin(names)]
    placed = placed.assign(beside=placed[at] + placed["what"].map(apart), zero=0.0)
    shades, shapes = _styles(STEMS, names, palette)
    channels = looks("what", names, color=shades, shape=shapes)
    x, y = _at("beside", at, placed[at].max()), alt.Y(f"{value}:Q", title=value)
    rules = alt.Chart(placed).mark_rule(strokeWidth=1.5)
    dots = alt.Chart(placed).mark_point(filled=True, size=50, opacity=1)
    return alt.layer(
        rules.encode(x, y, y2="zero:Q", color=channels["color"]),
        dots.encode(x, y, tooltip=tips("what:N", f"{at}:Q", **{value: ".4~g"}), **channels),
    ).properties(width=560, height=260)


def maps_chart(table: pd.DataFrame, palette: Palette, weights: bool = False) -> alt.HConcatChart:
    """Maps on one scale centred at 0, attention `weights` on theirs from 0 to 1: rows t, downwards,
    columns s.

    `table` has t, s, value, what.
    """
    reach = max(float(table["value"].abs().max()), 1e-3)
    domain, colours = ([0, 1], palette.weights) if weights else ([-reach, reach], palette.diverging)
    axis = alt.Axis(labelAngle=0, labelOverlap=True)
    colour = alt.Color(
        "value:Q",
        scale=alt.Scale(domain=domain, range=[*colours], interpolate="rgb"),
        legend=alt.Legend(title=None, gradientLength=SIDE, format=".2~g"),
    )
    panels = [
        alt.Chart(part, width=SIDE, height=SIDE, title=name)
        .mark_rect()
        .encode(
            alt.X("s:O", title="s", axis=axis),
            alt.Y("t:O", title="t", axis=axis),
            colour,
            tooltip=tips("t:O", "s:O", value=".3~g"),
        )
        for name, part in table.groupby("what", sort=False)
    ]
    return alt.hconcat(*panels)


def floors_chart(
    table: pd.DataFrame, palette: Palette, *, value: str, title: str
) -> alt.LayerChart:
    """Errors of trained models on a log axis, a row for each kind, over the floors of the target.

    `table` has what, how, model and the column `value`; a floor of 0, or one that is rounding, has
    no place on the axis and is said in the legend alone.
    """
    lines, dots = table[table["how"] == "computed"], table[table["how"] != "computed"]
    lines = lines.assign(what=[_named(*pair) for pair in lines[["what", value]].to_numpy()])
    drawn = lines[lines[value] > 1e-12]
    each = drawn.merge(pd.DataFrame({"row": ROWS}), how="cross")  # in the rows that it holds for
    each = each[(each["model"] == "every model") | (each["model"] == each["row"])]
    values = pd.concat([drawn[value], dots[value].clip(lower=1e-16)])
    x = log_axis(alt.X, value, title, values)
    named, kinds = [*lines["what"]], [name for name in MARKS if name in set(dots["what"])]
    dash = looks("what", named, strokeDash=[LINES[name.split(" (")[0]] for name in named])
    channels = looks("model", ROWS, color=[palette.second, palette.accent])
    channels |= looks("what", kinds, shape=[MARKS[name] for name in kinds])
    tip = tips("what:N", **{value: ".4~g"})
    more = [f"{name}:N" for name in ("seed", "steps", "hidden", "conv", "source")]
    rules = alt.Chart(each).mark_rule(strokeWidth=2, color=palette.ink)
    ends = {"y": _row("row", ROWS, 0.1), "y2": alt.Y2("row:N", bandPosition=0.9)}
    points = alt.Chart(dots).mark_point(filled=True, size=70, opacity=0.8)
    floors = rules.encode(x, **ends, tooltip=tip, **dash)
    models = points.encode(x, _row("model", ROWS, 0.5), tooltip=[*tip, *more], **channels)
    there = [layer for layer, rows in ((floors, named), (models, kinds)) if rows]
    return (  # a legend of nothing has no size
        alt.layer(*there)
        .resolve_scale(shape="independent", strokeDash="independent")
        .properties(width=560, height=130)
    )


def _named(what: str, error: float) -> str:
    return f"{what} ({error:.3g})" if error > 1e-12 else f"{what} (0)"


def learning_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Error against step, log-log: the training loss, evaluations, those of the run beside it.

    `table` has step, error (> 0), curve.
    """
    table = table[table["step"] > 0]
    channels = looks(
        "curve",
        dict.fromkeys(table["curve"]),
        color=[palette.grey, palette.accent, palette.ink],
        strokeDash=[[1, 0], [1, 0], [4, 4]],
    )
    x = log_axis(alt.X, "step", "training step", table["step"], grid=False)
    y = log_axis(alt.Y, "error", "error in units of Var(y)", table["error"])
    line, dots = curves(table, x, y, 1.3, 30, **channels)
    seen = dots.transform_filter(alt.datum.curve != "training loss")
    return alt.layer(line, seen).properties(width=560, height=300)
