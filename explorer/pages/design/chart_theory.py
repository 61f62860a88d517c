"""Charts of what opens on demand: Theorem 4.1's bound and where it is lost, Theorem A.3's rough
functions and errors, the spectrum of tokens with several numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from explorer.charts import Palette
from explorer.charts.axes import counts, doublings, drawable, log_axis, powers, with_column
from explorer.charts.marks import across, at_foot, curves, looks, tips, upright
from explorer.pages.design.view_losses import LEGEND
from explorer.pages.design.view_representation import HEAD, MEASURES, SUM
from explorer.pages.design.view_several import PARTS
from explorer.pages.design.view_theory import Trivial
from explorer.slow import alt, pd
from explorer.views.text import SUPERSCRIPTS, number, written

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
    words, text = f"{trivial.text}: {trivial.answering}", {"baseline": "top", "dx": 8, "dy": 5}
    lines = alt.Chart(table).mark_line(color=palette.grey, strokeDash=[2, 3], strokeWidth=1.8)
    budget = alt.Chart(along).mark_line(color=palette.second, strokeWidth=3)
    layers = [
        *across(alt.Y("bound:Q"), trivial.most, words, palette.ink, text, strokeWidth=1),
        lines.encode(x, y, detail="line:N", tooltip=_tooltip()),
        _line_labels(table, x, y, palette),
        budget.encode(x, y, tooltip=_tooltip()),
        *_points(points, x, y, palette),
    ]
    return alt.layer(*layers).properties(height=380)


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
    style = {"align": "left", "dx": 6, "color": palette.grey}
    title = alt.Chart(ends.nlargest(1, "bound")).mark_text(dy=-18, **style)
    return alt.layer(
        alt.Chart(ends).mark_text(**style).encode(x, y, text="label:N"),
        title.encode(x, y, text=alt.value("mꜰꜰ")),
    )


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


ROW = 38
"""Pixels of a step: its words, below them its bar."""
BAR = 11
AXIS, KEY = 80, 26
"""Pixels of the axis and of a line of the key: on a page both are within the figure's height."""
ROOM = 0.08
"""Of the axis, left free on either side."""


def losses_chart(table: pd.DataFrame, trivial: float, palette: Palette) -> alt.LayerChart:
    """A bar for each step of the proof on a log axis, from what stands on its left to what stands
    on its right, with its factor; `trivial` as a rule. It can be read from 320 pixels of width on.

    `table` has step (from 1), equation, given_away, before (≥ 0), after (> 0), factor, kind (of
    LEGEND: proved, slip, exists, trained), sides, mended. A bar from 0, which has no place on
    the axis, begins at its end; the tick is where a step has come to.
    """
    scale, ends = _scale(pd.concat([table["before"], table["after"], pd.Series([trivial])]))
    x = alt.X(
        "low:Q",
        title="from the error to the bound on Σₜ |Hₜ − Ĥₜ|",
        scale=scale,
        axis=powers(pd.Series(ends), grid=False),
    )
    y = alt.Y(
        "bar:Q", axis=None, scale=alt.Scale(domain=[len(table) + 1.1, 0.4], nice=False, zero=False)
    )
    rows = _drawn(table, ends)
    shades = palette.ink, palette.second, palette.grey, palette.accent
    colours = dict(zip(LEGEND, shades, strict=True))
    there = [kind for kind in LEGEND if (table["kind"] == kind).any()]
    colour = looks("kind", there, columns=1, color=[colours[kind] for kind in there])
    base = alt.Chart(rows).encode(y, **colour, tooltip=_step_tips())
    bars = base.mark_rule(strokeWidth=BAR).encode(x, x2="high:Q")
    style = {"orient": "vertical", "size": BAR + 8, "thickness": 3, "opacity": 1}
    come_to = base.mark_tick(**style).encode(with_column(x, "after"))
    text = {"dx": 4, "dy": -4}
    layers = [
        *at_foot(*upright(x, trivial, "τ/2", palette.grey, text, strokeDash=[2, 3])),
        bars,
        come_to,
        *_texts(rows, x, y, palette),
    ]
    height = ROW * (len(table) + 1) + AXIS + KEY * len(there)
    return alt.layer(*layers).properties(height=height)


def _scale(values: pd.Series) -> tuple[alt.Scale, tuple[float, float]]:
    """A log scale over all of them, and its ends."""
    shown = drawable(values)
    room = max(shown.max() / shown.min(), 10.0) ** ROOM
    ends = float(shown.min() / room), float(shown.max() * room)
    return alt.Scale(type="log", nice=False, domain=list(ends)), ends


def _drawn(table: pd.DataFrame, ends: tuple[float, float]) -> pd.DataFrame:
    """Where bars, words and factors stand: a factor is on the side of its bar with more room."""
    before = table["before"].where(table["before"] > 0, ends[0])
    low, high = np.minimum(before, table["after"]), np.maximum(before, table["after"])
    words = (table["equation"] + " " + table["given_away"]).str.strip().map(written)
    return table.assign(
        low=low,
        high=high,
        bar=table["step"] + 0.2,
        line=table["step"] - 0.22,
        words=words,
        times=[_times(*row) for row in zip(table["factor"], table["mended"], strict=True)],
        right=low * high < ends[0] * ends[1],
        from_to=[
            f"{number(a, 3)} → {number(b, 3)}"
            for a, b in zip(table["before"], table["after"], strict=True)
        ],
    )


def _times(factor: float, mended: str) -> str:
    if math.isinf(factor):
        return "from 0"
    return f"×{number(factor, 3 if factor > 0.995 else 2)}" + " (×1)" * bool(mended)


def _texts(rows: pd.DataFrame, x: alt.X, y: alt.Y, palette: Palette) -> list[alt.Chart]:
    """The words of each step above its bar, and its factor beside it."""
    words = alt.Chart(rows).encode(with_column(y, "line"), x=alt.value(0), text="words:N")
    layers = _on_paper(words, palette, align="left")
    for right, end, place in ((True, "high", "left"), (False, "low", "right")):
        times = alt.Chart(rows[rows["right"] == right]).encode(
            with_column(x, end), y, text="times:N"
        )
        style = {"align": place, "dx": 6 if right else -6, "fontWeight": "bold"}
        layers += _on_paper(times, palette, **style)
    return layers


def _on_paper(texts: alt.Chart, palette: Palette, **style: Any) -> list[alt.Chart]:
    """Texts with a halo that keeps lines off them."""
    style["baseline"] = "middle"
    halo = texts.mark_text(color=palette.paper, stroke=palette.paper, strokeWidth=4, **style)
    return [halo, texts.mark_text(color=palette.ink, **style)]


def _step_tips() -> list[alt.Tooltip]:
    titles = {
        "words": "step",
        "from_to": "from → to",
        "times": "factor",
        "sides": "its sides",
        "mended": "mended",
        "kind": "kind",
    }
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]


def rough_chart(table: pd.DataFrame, x: str, y: str, palette: Palette) -> alt.Chart:
    """A function (x, y) as a thin line; `x` and `y` are the titles of the axes."""
    base = alt.Chart(table).mark_line(color=palette.accent, strokeWidth=1)
    return base.encode(alt.X("x:Q", title=x), alt.Y("y:Q", title=y)).properties(height=200)


def errors_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Errors off the grid against how many numbers are stored, both on log axes.

    `table` has numbers, error, measure, series; errors of 0 are not drawn.
    """
    shown = table.loc[drawable(table["error"]).index]
    colours = looks("series", (SUM, HEAD), 1, color=(palette.second, palette.accent))
    dashes = looks("measure", MEASURES, 1, strokeDash=([1, 0], [4, 3]), shape=("circle", "square"))
    tooltip = tips("series:N", "measure:N", numbers=".3~g", error=".2~g")
    x = log_axis(alt.X, "numbers", "numbers stored", shown["numbers"])
    y = log_axis(alt.Y, "error", "error off the grid", shown["error"])
    return alt.layer(*curves(shown, x, y, tooltip=tooltip, **colours, **dashes)).properties(
        height=300
    )


def several_chart(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    """σ_k against k on log axes, filled where it is kept; `table` has k, sigma, part."""
    channels = looks("part", PARTS, 2, color=(palette.accent, palette.grey))
    k = alt.X("k:Q", scale=alt.Scale(type="log", domain=[0.9, 40]), axis=doublings())
    y = log_axis(alt.Y, "sigma", "σₖ", table["sigma"])
    marks = alt.Chart(table).mark_point(filled=True, size=70)
    return marks.encode(k, y, tooltip=tips("k:Q", sigma=".4~g"), **channels).properties(height=200)
