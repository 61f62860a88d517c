"""Charts of the sweeps of attention tasks over m_h."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, categorical, log_domain, powers, whole
from explorer.pages.attention.chart import FONT
from explorer.pages.rates.chart import SHAPES


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
    colour = categorical(alt.Color, "group", names, palette.series(len(names)))
    shape = categorical(alt.Shape, "group", names, (SHAPES * len(names))[: len(names)])
    widths = sorted({*table["m_h"], *knees["m_h"]})
    x = whole("m_h", "mₕ, attention width", widths, room=0.4)
    error = measure == "nMSE"
    y, base = _errors(table, "best") if error else AGREEMENT, alt.Chart(table)
    spread = [
        base.mark_rule(strokeWidth=0.8).encode(x, y, y2="worst:Q", color=colour),
        base.mark_tick(thickness=2, size=14).encode(x, _errors(table, "median"), color=colour),
    ]
    measures = ("best", "median", "worst", "agreement")
    numbers = [alt.Tooltip(f"{name}:Q", format=".3~g") for name in measures]
    return alt.layer(
        *_needed(knees, x, colour, palette, top=error),
        *(spread if error else []),
        base.mark_line(strokeWidth=1.4).encode(x, y, color=colour),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x, y, color=colour, shape=shape, tooltip=["group:N", "m_h:Q", "seeds:Q", *numbers]
        ),
    ).properties(height=340)


AGREEMENT = alt.Y(
    "agreement:Q",
    title="agreement, median of the seeds",
    scale=alt.Scale(domain=[0, 1.02], nice=False),
    axis=alt.Axis(tickCount=5, **FONT),
)


def _errors(table: pd.DataFrame, column: str) -> alt.Y:
    """A column of errors on the log axis of them all."""
    title, heights = (
        "MSE / Var(y): best seed, median, worst",
        pd.concat([table["best"], table["worst"]]),
    )
    return alt.Y(f"{column}:Q", title=title, scale=log_domain(heights), axis=powers(heights))


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


def aux_chart(table: pd.DataFrame, palette: Palette) -> alt.HConcatChart:
    """Agreement against step of every seed, with and without aux; a panel for each recipe.

    `table` has recipe, aux, seed, step, agreement.
    """
    words = ["with aux", "without aux"]
    named = table.assign(aux=table["aux"].map({True: words[0], False: words[1]}))
    colour = categorical(alt.Color, "aux", words, [palette.accent, palette.second])
    dash = categorical(alt.StrokeDash, "aux", words, [[1, 0], [6, 3]])
    share = alt.Y(
        "agreement:Q",
        title="agreement",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(tickCount=5, **FONT),
    )
    panels = [
        alt.Chart(of, title=name, width=300, height=220)
        .mark_line(strokeWidth=1.4, point={"size": 18})
        .encode(
            alt.X(
                "step:Q",
                title="training step",
                scale=log_domain(of["step"]),
                axis=powers(of["step"], grid=False),
            ),
            share,
            color=colour,
            strokeDash=dash,
            detail="seed:N",
            tooltip=["aux:N", "seed:N", "step:Q", alt.Tooltip("agreement:Q", format=".3f")],
        )
        for name, of in named.groupby("recipe", sort=False)
    ]
    return alt.hconcat(*panels)
