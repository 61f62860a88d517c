"""Charts of how an attention task is learned: errors and agreement against the step, against m_h in
sweeps, and with and without `aux`."""

from __future__ import annotations

from functools import partial

from explorer.charts import Palette
from explorer.charts.axes import log_axis, whole, with_column
from explorer.charts.marks import SHAPES, curves, looks, tips
from explorer.pages.attention.view_tables import ERRORS
from explorer.slow import alt, pd

progress_tips = partial(tips, "metric:N", "step:Q", value=".3~g")


def progress_chart(
    table: pd.DataFrame, palette: Palette, at: int | None = None
) -> alt.VConcatChart:
    """Errors on fresh sequences against step, log-log, and under them the agreement from 0 to 1; a
    line at the step that is looked back at.

    `table` has step, value (> 0 but for the agreement), metric.
    """
    panels = _errors(table, palette), _agreement(table, palette)
    if at is None:
        return alt.vconcat(*panels)
    line = alt.Chart(pd.DataFrame({"step": [at]})).mark_rule(color=palette.grey)
    return alt.vconcat(*(alt.layer(panel, line.encode(x="step:Q")) for panel in panels))


def _errors(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    errors = table[table["metric"] != "agreement"]
    names = [name for name in ERRORS.values() if name in set(errors["metric"])]
    channels = looks(
        "metric", names, color=palette.categories, strokeDash=[[1, 0], [8, 3], [2, 3]], shape=SHAPES
    )
    x = log_axis(alt.X, "step", None, table["step"], grid=False)
    y = log_axis(alt.Y, "value", "error", errors["value"])
    _level(y["axis"])
    channels["tooltip"] = progress_tips()
    return alt.layer(*curves(errors, x, y, 1.6, 45, **channels)).properties(height=260)


def _agreement(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    share = alt.Y(
        "value:Q",
        title="agreement",
        scale=alt.Scale(domain=[0, 1]),
        axis=_level(alt.Axis(tickCount=5)),
    )
    lower = table[table["metric"] == "agreement"]
    x = log_axis(alt.X, "step", "training step", table["step"], grid=False)
    channels = {"color": alt.value(palette.ink), "tooltip": progress_tips()}
    return alt.layer(*curves(lower, x, share, 1.6, 45, **channels)).properties(height=120)


def _level(axis: alt.Axis) -> alt.Axis:
    """As wide as the axis above or below, so that the steps stand over each other."""
    axis.minExtent = axis.maxExtent = 44
    return axis


def width_chart(
    table: pd.DataFrame, knees: pd.DataFrame, measure: str, palette: Palette
) -> alt.LayerChart:
    """Error of the best seed, with a tick at their median and a bar to the worst, or median
    agreement, against m_h, a line for each group of models; a dotted line stands at the width that
    theory says a group needs.

    `table` has group, m_h, best, median, worst (nMSE > 0) and agreement, where `measure` is "nMSE"
    or "agreement"; `knees` has group, m_h, words.
    """
    names = list(dict.fromkeys(table["group"]))
    channels = looks("group", names, color=palette.categories, shape=SHAPES)
    colour = channels["color"]
    widths = sorted({*table["m_h"], *knees["m_h"]})
    x = whole("m_h", "mₕ, attention width", widths, room=0.4)
    error = measure == "nMSE"
    errors = pd.concat([table["best"], table["worst"]])
    high = log_axis(alt.Y, "best", "MSE / Var(y): best seed, median, worst", errors)
    share = alt.Y(
        "agreement:Q",
        title="agreement, median of the seeds",
        scale=alt.Scale(domain=[0, 1.02], nice=False),
        axis=alt.Axis(tickCount=5),
    )
    y, base = high if error else share, alt.Chart(table)
    spread = [
        base.mark_rule(strokeWidth=0.8).encode(x, y, y2="worst:Q", color=colour),
        base.mark_tick(thickness=2, size=14).encode(x, with_column(high, "median"), color=colour),
    ]
    formats = dict.fromkeys(("best", "median", "worst", "agreement"), ".3~g")
    tip = tips("group:N", "m_h:Q", "seeds:Q", **formats)
    return alt.layer(
        *_needed(knees, x, colour, palette, top=error),
        *(spread if error else []),
        *curves(table, x, y, 1.4, tooltip=tip, **channels),
    ).properties(height=340)


def _needed(
    knees: pd.DataFrame, x: alt.X, colour: alt.Color, palette: Palette, top: bool
) -> list[alt.Chart]:
    """A dotted line at each width that is needed, in the colour of its group, or in grey where it
    is that of several; its words stand in a row of their own, at the top or at the bottom."""
    layers, place = [], alt.value(0 if top else "height")
    for row, (_, own) in enumerate(knees.groupby(["m_h", "words"], sort=False)):
        shade = colour if len(own) == 1 else alt.value(palette.grey)
        base, away = alt.Chart(own.head(1)).encode(x, color=shade), 12 + 16 * row
        text = base.mark_text(align="left", dx=6, dy=away if top else -away)
        rule = base.mark_rule(strokeDash=[1, 4], strokeWidth=2)
        layers += [rule, text.encode(y=place, text="words:N")]
    return layers


def aux_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Agreement against step of every seed, with and without aux; a panel for each recipe.

    `table` has recipe, aux, seed, step, agreement.
    """
    words = ["with single tokens", "without"]
    named = table.assign(aux=table["aux"].map({True: words[0], False: words[1]}))
    channels = looks(
        "aux", words, color=[palette.accent, palette.second], strokeDash=[[1, 0], [6, 3]]
    )
    share = alt.Y(
        "agreement:Q", title="agreement", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)
    )
    panels = [
        alt.Chart(part, title=name, width=300, height=220)
        .mark_line(strokeWidth=1.4, point={"size": 18})
        .encode(
            log_axis(alt.X, "step", "training step", part["step"], grid=False),
            share,
            detail="seed:N",
            tooltip=tips("aux:N", "seed:N", "step:Q", agreement=".3f"),
            **channels,
        )
        for name, part in named.groupby("recipe", sort=False)
    ]
    return alt.hconcat(*panels)
