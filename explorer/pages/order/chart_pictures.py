"""Altair twins of what the canvases of the Order page draw: tokens, stems, maps, errors, curves."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical, log_domain, powers

FONT = {"labelFontSize": LABEL, "titleFontSize": TITLE}
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
MODELS = ("linear RNN", "Transformer")
SIDE = 300  # pixels of a map


def tokens_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Where each token of the target stands for the model: a line each, the moved ones darker.

    `table` has token, row, place, moved.
    """
    rows = list(dict.fromkeys(table["row"]))
    axis = alt.Axis(format="d", tickMinStep=1, grid=False, **FONT)
    x = alt.X(
        "place:Q",
        title="place t",
        axis=axis,
        scale=alt.Scale(domain=[-0.6, table["place"].max() + 0.6], nice=False),
    )
    y = alt.Y("row:N", sort=rows, title=None, axis=alt.Axis(**FONT))
    named = table.assign(moves=table["moved"].map({True: "moved", False: "in its place"}))
    names, colours = ["moved", "in its place"], [palette.ink, palette.grey]
    colour = categorical(alt.Color, "moves", names, colours)
    base = alt.Chart(named).encode(x, y)
    return alt.layer(
        base.mark_line(strokeWidth=1.2).encode(
            detail="token:N",
            color=colour,
            strokeDash=categorical(alt.StrokeDash, "moves", names, [[1, 0], [2, 3]]),
        ),
        base.mark_text(fontSize=10, color=palette.ink, dy=-9)
        .encode(text="token:N")
        .transform_filter(alt.datum.row == rows[0]),
        base.mark_text(fontSize=10, color=palette.ink, dy=10)
        .encode(text="token:N")
        .transform_filter(alt.datum.row == rows[1]),
    ).properties(width=max(420, 22 * int(table["place"].max() + 1)), height=170)


def stems_chart(table: pd.DataFrame, at: str, value: str, palette: Palette) -> alt.LayerChart:
    """Stems over a whole number `at`, side by side where several stand at one.

    `table` has the columns `at` and `value`, and what, one of STEMS.
    """
    names = [name for name in STEMS if name in set(table["what"])]
    apart = {name: 0.18 * (i - (len(names) - 1) / 2) for i, name in enumerate(names)}
    placed = table[table["what"].isin(names)]
    placed = placed.assign(beside=placed[at] + placed["what"].map(apart), zero=0.0)
    colours, shapes = zip(*(STEMS[name] for name in names), strict=True)
    colour = categorical(alt.Color, "what", names, [getattr(palette, c) for c in colours])
    x = alt.X(
        "beside:Q",
        title=at,
        axis=alt.Axis(format="d", tickMinStep=1, grid=False, **FONT),
        scale=alt.Scale(domain=[-0.6, placed[at].max() + 0.6], nice=False),
    )
    y = alt.Y(f"{value}:Q", title=value, axis=alt.Axis(**FONT))
    tips = ["what:N", f"{at}:Q", alt.Tooltip(f"{value}:Q", format=".4~g")]
    base = alt.Chart(placed)
    return alt.layer(
        base.mark_rule(strokeWidth=1.5).encode(x, y, y2="zero:Q", color=colour),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            x, y, color=colour, tooltip=tips, shape=categorical(alt.Shape, "what", names, [*shapes])
        ),
    ).properties(width=560, height=260)


def maps_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Maps on one scale centred at 0: rows t, downwards, columns s.

    `table` has t, s, value, what.
    """
    reach = max(float(table["value"].abs().max()), 1e-3)
    return _maps(table, [-reach, reach], palette.diverging)


def weights_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Attention weights as `maps_chart` has a map, on their own scale from 0 to 1."""
    return _maps(table, [0, 1], palette.weights)


def _maps(table: pd.DataFrame, domain: list[float], colours: Sequence[str]) -> alt.HConcatChart:
    scale = alt.Scale(domain=domain, range=[*colours], interpolate="rgb")
    axis = alt.Axis(labelAngle=0, labelOverlap=True, **FONT)
    names = list(dict.fromkeys(table["what"]))
    panels = [
        alt.Chart(table[table["what"] == name], width=SIDE, height=SIDE, title=name)
        .mark_rect()
        .encode(
            x=alt.X("s:O", title="s", axis=axis),
            y=alt.Y("t:O", title="t", axis=axis),
            color=alt.Color(
                "value:Q",
                scale=scale,
                legend=alt.Legend(title=None, gradientLength=SIDE, format=".2~g", **FONT),
            ),
            tooltip=["t:O", "s:O", alt.Tooltip("value:Q", format=".3~g")],
        )
        for name in names
    ]
    return alt.hconcat(*panels)


def _by_row(floors: pd.DataFrame) -> pd.DataFrame:
    """Each floor in the rows of the models that it holds for."""
    each = floors.merge(pd.DataFrame({"row": MODELS}), how="cross")
    return each[(each["model"] == "every model") | (each["model"] == each["row"])]


def floors_chart(table: pd.DataFrame, value: str, title: str, palette: Palette) -> alt.LayerChart:
    """Errors of trained models on a log axis, a row for each kind, over the floors of the target.

    `table` has what, how, model and the column `value`; a floor of 0, or one that is rounding, has
    no place on the axis and is said in the legend alone.
    """
    lines, dots = table[table["how"] == "computed"], table[table["how"] != "computed"]
    lines = lines.assign(what=[_named(*pair) for pair in lines[["what", value]].to_numpy()])
    drawn = lines[lines[value] > 1e-12]
    each = _by_row(drawn)
    values = pd.concat([drawn[value], dots[value].clip(lower=1e-16)])
    x = alt.X(f"{value}:Q", title=title, scale=log_domain(values), axis=powers(values))
    named, kinds = [*lines["what"]], [name for name in MARKS if name in set(dots["what"])]
    dashes = [LINES[name.split(" (")[0]] for name in named]
    model = categorical(alt.Color, "model", list(MODELS), [palette.second, palette.accent])
    tips = ["what:N", alt.Tooltip(f"{value}:Q", format=".4~g")]
    more = [f"{name}:N" for name in ("seed", "steps", "hidden", "conv", "source")]
    rules = alt.Chart(each).mark_rule(strokeWidth=2, color=palette.ink)
    dash = categorical(alt.StrokeDash, "what", named, dashes)
    ends = {"y": _row("row", 0.1), "y2": alt.Y2("row:N", bandPosition=0.9)}
    floors = rules.encode(x, **ends, tooltip=tips, strokeDash=dash)
    shape = categorical(alt.Shape, "what", kinds, [MARKS[name] for name in kinds])
    points = alt.Chart(dots).mark_point(filled=True, size=70, opacity=0.8)
    models = points.encode(
        x, y=_row("model", 0.5), color=model, tooltip=[*tips, *more], shape=shape
    )
    there = [layer for layer, rows in ((floors, named), (models, kinds)) if rows]
    return (  # a legend of nothing has no size
        alt.layer(*there)
        .resolve_scale(shape="independent", strokeDash="independent")
        .properties(width=560, height=130)
    )


def _named(what: str, error: float) -> str:
    return f"{what} ({error:.3g})" if error > 1e-12 else f"{what} (0)"


def _row(name: str, at: float) -> alt.Y:
    return alt.Y(
        f"{name}:N",
        sort=list(MODELS),
        title=None,
        bandPosition=at,
        scale=alt.Scale(type="band", domain=list(MODELS)),
        axis=alt.Axis(**FONT),
    )


def learning_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Error against step, log-log: the training loss, evaluations, those of the run beside it.

    `table` has step, error (> 0), curve.
    """
    table = table[table["step"] > 0]
    names = list(dict.fromkeys(table["curve"]))
    looks = [(palette.grey, [1, 0]), (palette.accent, [1, 0]), (palette.ink, [4, 4])][: len(names)]
    colour = categorical(alt.Color, "curve", names, [look[0] for look in looks])
    dash = categorical(alt.StrokeDash, "curve", names, [look[1] for look in looks])
    x = alt.X(
        "step:Q",
        title="training step",
        scale=log_domain(table["step"]),
        axis=powers(table["step"], grid=False),
    )
    y = alt.Y(
        "error:Q",
        title="error in units of Var(y)",
        scale=log_domain(table["error"]),
        axis=powers(table["error"]),
    )
    base = alt.Chart(table)
    return alt.layer(
        base.mark_line(strokeWidth=1.3).encode(x, y, color=colour, strokeDash=dash),
        base.mark_point(filled=True, size=30, opacity=1)
        .encode(x, y, color=colour)
        .transform_filter(alt.datum.curve != "training loss"),
    ).properties(width=560, height=300)
