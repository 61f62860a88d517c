"""Altair twins of what the canvases of the Order page draw: tokens, stems, maps, errors, curves."""

from __future__ import annotations

from collections.abc import Sequence

from explorer.charts import Palette
from explorer.charts.axes import log_axis
from explorer.charts.marks import curves, looks, tips
from explorer.slow import alt, pd

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
    look = looks(
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
        base.mark_line(strokeWidth=1.2).encode(detail="token:N", **look), *names
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
    colours, shapes = zip(*(STEMS[name] for name in names), strict=True)
    shades = [getattr(palette, colour) for colour in colours]
    look = looks("what", names, color=shades, shape=shapes)
    x, y = _at("beside", at, placed[at].max()), alt.Y(f"{value}:Q", title=value)
    rules = alt.Chart(placed).mark_rule(strokeWidth=1.5)
    dots = alt.Chart(placed).mark_point(filled=True, size=50, opacity=1)
    return alt.layer(
        rules.encode(x, y, y2="zero:Q", color=look["color"]),
        dots.encode(x, y, tooltip=tips("what:N", f"{at}:Q", **{value: ".4~g"}), **look),
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
    axis = alt.Axis(labelAngle=0, labelOverlap=True)
    colour = alt.Color(
        "value:Q",
        scale=alt.Scale(domain=domain, range=[*colours], interpolate="rgb"),
        legend=alt.Legend(title=None, gradientLength=SIDE, format=".2~g"),
    )
    panels = [
        alt.Chart(of, width=SIDE, height=SIDE, title=name)
        .mark_rect()
        .encode(
            alt.X("s:O", title="s", axis=axis),
            alt.Y("t:O", title="t", axis=axis),
            colour,
            tooltip=tips("t:O", "s:O", value=".3~g"),
        )
        for name, of in table.groupby("what", sort=False)
    ]
    return alt.hconcat(*panels)


def _by_row(floors: pd.DataFrame) -> pd.DataFrame:
    """Each floor in the rows of the models that it holds for."""
    each = floors.merge(pd.DataFrame({"row": MODELS}), how="cross")
    return each[(each["model"] == "every model") | (each["model"] == each["row"])]


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
    each = _by_row(drawn)
    values = pd.concat([drawn[value], dots[value].clip(lower=1e-16)])
    x = log_axis(alt.X, value, title, values)
    named, kinds = [*lines["what"]], [name for name in MARKS if name in set(dots["what"])]
    dash = looks("what", named, strokeDash=[LINES[name.split(" (")[0]] for name in named])
    look = looks("model", MODELS, color=[palette.second, palette.accent])
    look |= looks("what", kinds, shape=[MARKS[name] for name in kinds])
    tip = tips("what:N", **{value: ".4~g"})
    more = [f"{name}:N" for name in ("seed", "steps", "hidden", "conv", "source")]
    rules = alt.Chart(each).mark_rule(strokeWidth=2, color=palette.ink)
    ends = {"y": _row("row", 0.1), "y2": alt.Y2("row:N", bandPosition=0.9)}
    points = alt.Chart(dots).mark_point(filled=True, size=70, opacity=0.8)
    floors = rules.encode(x, **ends, tooltip=tip, **dash)
    models = points.encode(x, _row("model", 0.5), tooltip=[*tip, *more], **look)
    there = [layer for layer, rows in ((floors, named), (models, kinds)) if rows]
    return (  # a legend of nothing has no size
        alt.layer(*there)
        .resolve_scale(shape="independent", strokeDash="independent")
        .properties(width=560, height=130)
    )


def _named(what: str, error: float) -> str:
    return f"{what} ({error:.3g})" if error > 1e-12 else f"{what} (0)"


def _row(name: str, at: float) -> alt.Y:
    scale = alt.Scale(type="band", domain=list(MODELS))
    return alt.Y(f"{name}:N", sort=list(MODELS), title=None, bandPosition=at, scale=scale)


def learning_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Error against step, log-log: the training loss, evaluations, those of the run beside it.

    `table` has step, error (> 0), curve.
    """
    table = table[table["step"] > 0]
    look = looks(
        "curve",
        dict.fromkeys(table["curve"]),
        color=[palette.grey, palette.accent, palette.ink],
        strokeDash=[[1, 0], [1, 0], [4, 4]],
    )
    x = log_axis(alt.X, "step", "training step", table["step"], grid=False)
    y = log_axis(alt.Y, "error", "error in units of Var(y)", table["error"])
    line, dots = curves(table, x, y, 1.3, 30, **look)
    seen = dots.transform_filter(alt.datum.curve != "training loss")
    return alt.layer(line, seen).properties(width=560, height=300)
