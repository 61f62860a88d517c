"""Charts of Section 6: errors under alterations beside their floors, and spectra under mixing."""

from __future__ import annotations

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
    look = looks(
        "model",
        MODELS,
        color=[palette.second, palette.accent, palette.ink],
        shape=["square", "circle", "triangle-up"],
    )
    dash = looks("mark", FLOORS, strokeDash=[[1, 0], [5, 2], [1, 2]])
    tip = tips("row:N", "model:N", error=".3~g")
    ends = {"y": _rows(rows, 0.12), "y2": alt.Y2("row:N", bandPosition=0.88)}
    lines = alt.Chart(marks).mark_rule(strokeWidth=2)
    dots = alt.Chart(points).mark_point(filled=True, size=60, opacity=0.75)
    return alt.layer(
        lines.encode(x, **ends, color=look["color"], **dash, tooltip=[*tip, "mark:N"]),
        dots.encode(x, _rows(rows, 0.5), **look, tooltip=tip),
    ).properties(width=560, height=height or ROW * len(rows))


def _rows(rows: list[str], at: float) -> alt.Y:
    return alt.Y(
        "row:N",
        sort=rows,
        title=None,
        scale=alt.Scale(type="band"),
        bandPosition=at,
        axis=alt.Axis(labelLimit=320),
    )


def mixing_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """σ_k of a mixed coupling against the amount of mixing, raw and centred beside each other.

    `table` has gauge, k, mixing and sigma.
    """
    names = sorted(table["k"].unique())
    look = looks("k", names, color=palette.categories, strokeDash=[[1, 0], [6, 3], [2, 3]])
    panels = [
        alt.Chart(of, title=gauge, width=320, height=260)
        .mark_line(strokeWidth=2)
        .encode(
            alt.X("mixing:Q", title="a, of ρ(u, a·u + v)"),
            alt.Y("sigma:Q", title="σₖ"),
            tooltip=tips("k:N", "mixing:Q", sigma=".6~g"),
            **look,
        )
        for gauge, of in table.groupby("gauge", sort=False)
    ]
    return alt.hconcat(*panels)


def units_chart(table: pd.DataFrame, column: str, title: str, palette: Palette) -> alt.LayerChart:
    """Errors of RNNs against their hidden units, log-log: the best kernel found of so many states,
    the bound that none is below, trained RNNs; of L¹ errors also the scale of App. D.1.

    `table` has units, the `column` of errors (> 0), what.
    """
    names = [name for name in UNITS if name in set(table["what"])]
    colours, dashes, shapes = zip(*(UNITS[name] for name in names), strict=True)
    shades = [getattr(palette, colour) for colour in colours]
    look = looks("what", names, 1, color=shades, strokeDash=dashes, shape=shapes)
    x = log_axis(alt.X, "units", "hidden units n", table["units"], grid=False)
    y, more = log_axis(alt.Y, column, title, table[column]), ("seed", "steps", "source")
    tip = tips("what:N", "units:Q", **{column: ".3~g"})
    tip += [f"{name}:N" for name in more if name in table]
    line, _ = curves(table[table["what"] != TRAINED_RNN], x, y, **look)
    _, dots = curves(table, x, y, size=55, tooltip=tip, **look)
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
    look = looks(
        "row",
        list(dict.fromkeys(table["row"])),
        color=[palette.grey, palette.accent],
        shape=["circle", "triangle-up"],
    )
    names = list(dict.fromkeys(table["of"]))
    y = alt.Y("of:N", sort=names, title=None, axis=alt.Axis(labelLimit=320))
    dots = alt.Chart(table).mark_point(filled=True, size=60, opacity=0.75)
    x = log_axis(alt.X, "nmse", "nMSE", table["nmse"])
    drawn = dots.encode(x, y, **look, tooltip=tips("of:N", "row:N", nmse=".3~g"))
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
