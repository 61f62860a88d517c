"""Chart of Theorem 4.1's bound."""

from __future__ import annotations

import json
import math

from explorer.charts import Palette
from explorer.charts.axes import counts
from explorer.charts.marks import across
from explorer.pages.design.view_theory import Trivial
from explorer.slow import alt, pd
from explorer.views.text import SUPERSCRIPTS

HEIGHT = 380
NAME = "m_FF "  # what a line is called before its value


def bound_chart(
    table: pd.DataFrame,
    along: pd.DataFrame,
    points: pd.DataFrame,
    trivial: Trivial,
    palette: Palette,
) -> alt.LayerChart:
    """The bound over m_h on log axes: a dotted line for each m_FF, with its value at the right; the
    curve along a budget of parameters; a dot here and a diamond at the optimum; `trivial` as a
    rule. It can be read from 320 pixels of width on.

    `table` and `along` have m_h, m_ff, line, bound (> 0); `points` has m_h, bound, name, label.
    Tables without rows draw nothing.
    """
    drawn = [table["bound"], along["bound"], points["bound"], pd.Series([trivial.most])]
    x, y = _axes(pd.concat([bounds for bounds in drawn if len(bounds)]), table["m_h"])
    lines = (
        alt.Chart(table)
        .mark_line(color=palette.grey, strokeDash=[2, 3], strokeWidth=1.8)
        .encode(x, y, detail="line:N", tooltip=_tooltip())
    )
    layers = [
        *_trivial(trivial, palette),
        lines,
        _line_labels(table, x, y, palette),
        _budget(along, x, y, palette),
        *_points(points, x, y, palette),
    ]
    return alt.layer(*layers).properties(height=HEIGHT)


def _axes(bounds: pd.Series, m_h: pd.Series) -> tuple[alt.X, alt.Y]:
    widest = int(m_h.max()) if len(m_h) else 32
    x = alt.X(
        "m_h:Q",
        title="mₕ, attention width",
        # Room on the right for the labels of the lines.
        scale=alt.Scale(type="log", nice=False, domain=[0.75, widest * 2.2]),
        axis=counts(2**i for i in range(widest.bit_length())),
    )
    low, high = math.floor(math.log10(bounds.min())), math.ceil(math.log10(bounds.max()))
    powers = range(low, high + 1, max(1, math.ceil((high - low) / 6)))
    labels = {power: f"10{str(power).translate(SUPERSCRIPTS)}" for power in powers}
    y = alt.Y(
        "bound:Q",
        title="bound on Σₜ |Hₜ − Ĥₜ|",
        scale=alt.Scale(type="log", nice=False, domain=[10.0**low, 10.0**high]),
        axis=alt.Axis(
            values=[10.0**power for power in powers],
            labelExpr=f"{json.dumps(labels)}[round(log(datum.value) / LN10)]",
        ),
    )
    return x, y


def _line_labels(table: pd.DataFrame, x: alt.X, y: alt.Y, palette: Palette) -> alt.LayerChart:
    """The m_FF of each line at its right end, and above the highest what the numbers are."""
    ends = table[table["m_h"] == table["m_h"].max()]
    ends = ends.assign(label=ends["line"].str.removeprefix(NAME))
    look = {"align": "left", "dx": 6, "color": palette.grey}
    title = alt.Chart(ends.nlargest(1, "bound")).mark_text(dy=-18, **look)
    return alt.layer(
        alt.Chart(ends).mark_text(**look).encode(x, y, text="label:N"),
        title.encode(x, y, text=alt.value("mꜰꜰ")),
    )


def _budget(along: pd.DataFrame, x: alt.X, y: alt.Y, palette: Palette) -> alt.Chart:
    line = alt.Chart(along).mark_line(color=palette.second, strokeWidth=3)
    return line.encode(x, y, tooltip=_tooltip())


def _trivial(trivial: Trivial, palette: Palette) -> list[alt.Chart]:
    words, text = f"{trivial.text}: {trivial.answering}", {"baseline": "top", "dx": 8, "dy": 5}
    return across(alt.Y("bound:Q"), trivial.most, words, palette.ink, text, strokeWidth=1)


def _points(points: pd.DataFrame, x: alt.X, y: alt.Y, palette: Palette) -> list[alt.LayerChart]:
    here = {"align": "right", "dx": -10, "dy": -10}  # the lines rise to the right
    above = {"align": "left", "dx": -6, "dy": -20}
    looks = {"here": ("circle", palette.ink, here), "optimum": ("diamond", palette.second, above)}
    drawn = []
    for name, (shape, colour, place) in looks.items():
        base = alt.Chart(points[points["name"] == name]).encode(x, y)
        dot = base.mark_point(
            shape=shape, filled=True, size=170, color=colour, opacity=1, stroke=palette.ink
        )
        text = base.mark_text(fontWeight="bold", color=colour, **place)
        drawn.append(alt.layer(dot, text.encode(text="name:N")))
    return drawn


def _tooltip() -> list[alt.Tooltip]:
    formats = {"m_h": "d", "m_ff": ".3~g", "bound": ".3~g", "first": ".3~g", "second": ".3~g"}
    titles = {"m_h": "mₕ", "m_ff": "mꜰꜰ", "first": "coupling's term", "second": "feed-forward term"}
    return [alt.Tooltip(f"{k}:Q", format=f, title=titles.get(k, k)) for k, f in formats.items()]
