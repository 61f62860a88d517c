"""Chart of where Theorem 4.1's bound is lost."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from explorer.charts import Palette
from explorer.charts.axes import drawable, of, powers
from explorer.charts.marks import at_foot, looks, upright
from explorer.slow import alt, pd
from explorer.views.text import number, written

ROW = 38
"""Pixels of a step: its words, below them its bar."""
BAR = 11
AXIS, KEY = 80, 26
"""Pixels of the axis and of a line of the key: on a page both are within the figure's height."""
ROOM = 0.08
"""Of the axis, left free on either side."""


def losses_chart(
    table: pd.DataFrame, trivial: float, kinds: tuple[str, ...], palette: Palette
) -> alt.LayerChart:
    """A bar for each step of the proof on a log axis, from what stands on its left to what stands
    on its right, with its factor; `trivial` as a rule. It can be read from 320 pixels of width on.

    `table` has step (from 1), equation, given_away, before (≥ 0), after (> 0), factor, kind (one of
    the `kinds`: proved, slip, exists, trained), sides, mended. A bar from 0, which has no place on
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
    colours = dict(zip(kinds, _colours(palette), strict=True))
    there = [kind for kind in kinds if (table["kind"] == kind).any()]
    colour = looks("kind", there, columns=1, color=[colours[kind] for kind in there])
    base = alt.Chart(rows).encode(y, **colour, tooltip=_tooltip())
    bars = base.mark_rule(strokeWidth=BAR).encode(x, x2="high:Q")
    look = {"orient": "vertical", "size": BAR + 8, "thickness": 3, "opacity": 1}
    come_to = base.mark_tick(**look).encode(of(x, "after"))
    text = {"dx": 4, "dy": -4}
    layers = [
        *at_foot(*upright(x, trivial, "τ/2", palette.grey, text, strokeDash=[2, 3])),
        bars,
        come_to,
        *_texts(rows, x, y, palette),
    ]
    height = ROW * (len(table) + 1) + AXIS + KEY * len(there)
    return alt.layer(*layers).properties(height=height)


def _colours(palette: Palette) -> tuple[str, ...]:
    """Of proved, slip, exists, trained."""
    return palette.ink, palette.second, palette.grey, palette.accent


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
    words = alt.Chart(rows).encode(of(y, "line"), x=alt.value(0), text="words:N")
    layers = _on_paper(words, palette, align="left")
    for right, end, place in ((True, "high", "left"), (False, "low", "right")):
        times = alt.Chart(rows[rows["right"] == right]).encode(of(x, end), y, text="times:N")
        look = {"align": place, "dx": 6 if right else -6, "fontWeight": "bold"}
        layers += _on_paper(times, palette, **look)
    return layers


def _on_paper(texts: alt.Chart, palette: Palette, **look: Any) -> list[alt.Chart]:
    """Texts with a halo that keeps lines off them."""
    look["baseline"] = "middle"
    halo = texts.mark_text(color=palette.paper, stroke=palette.paper, strokeWidth=4, **look)
    return [halo, texts.mark_text(color=palette.ink, **look)]


def _tooltip() -> list[alt.Tooltip]:
    titles = {
        "words": "step",
        "from_to": "from → to",
        "times": "factor",
        "sides": "its sides",
        "mended": "mended",
        "kind": "kind",
    }
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]
