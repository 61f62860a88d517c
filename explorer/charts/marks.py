"""What many figures are made of: series told apart, their tooltips, lines with points, rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from explorer.charts.axes import categorical, with_column
from explorer.slow import alt, pd

SHAPES = ["circle", "square", "diamond", "triangle-up", "cross", "triangle-down"]


def looks(
    column: str, names: Iterable[str], columns: int = 3, lines: bool = False, **values: Sequence
) -> dict[str, Any]:
    """Channels that tell the `names` in a column apart, with one legend: each, such as color or
    strokeDash, by its `values`, which come again where they are fewer."""
    names = list(names)
    room = max(2, len(names))  # a range of one is none
    return {
        channel: categorical(
            getattr(alt, channel[0].upper() + channel[1:]),
            column,
            names,
            ([*each] * room)[:room],
            columns,
            lines=lines,
        )
        for channel, each in values.items()
    }


def tips(*columns: str, **formats: str) -> list[Any]:
    """Tooltips: columns as they are, then numbers, each in its format."""
    return [*columns, *(alt.Tooltip(f"{name}:Q", format=form) for name, form in formats.items())]


def curves(
    table: pd.DataFrame, x: alt.X, y: alt.Y, width: float = 1.6, size: float = 70, **looks: Any
) -> list[alt.Chart]:
    """A line of each series and its points, as `looks` has them: a line has neither shape nor
    tooltip, and a point no dash."""
    base = alt.Chart(table).encode(x, y)
    line, point = (
        {channel: encoding for channel, encoding in looks.items() if channel not in others}
        for others in (("shape", "tooltip"), ("strokeDash",))
    )
    return [
        base.mark_line(strokeWidth=width).encode(**line),
        base.mark_point(filled=True, size=size, opacity=1).encode(**point),
    ]


def banded(
    table: pd.DataFrame, x: alt.X, y: alt.Y, size: float, opacity: float = 0.15, **looks: Any
) -> list[alt.Chart]:
    """A line with points within a band from low to high; first the line, since the key is drawn as
    it is."""
    base = alt.Chart(table).encode(x)
    line = base.mark_line(strokeWidth=2, point={"size": size})
    return [line.encode(y, **looks), band(base, y, "low", "high", opacity, looks["color"])]


def band(
    base: alt.Chart, y: alt.Y, low: str, high: str, opacity: float, colour: alt.Color
) -> alt.Chart:
    """An area from one column to another."""
    return base.mark_area(opacity=opacity).encode(with_column(y, low), y2=f"{high}:Q", color=colour)


def across(
    y: alt.Y, at: float, words: str, colour: str, text: dict[str, Any], **rule: Any
) -> list[alt.Chart]:
    """A line at a height, with its words at the left, or at the end to which they are aligned."""
    base = alt.Chart(pd.DataFrame({"at": [at]})).encode(with_column(y, "at"))
    named = base.mark_text(**{"align": "left", "color": colour} | text)
    place = alt.value("width" if text.get("align") == "right" else 0)
    return [base.mark_rule(color=colour, **rule), named.encode(x=place, text=alt.value(words))]


def upright(
    x: alt.X, at: float, words: str, colour: str, text: dict[str, Any], **rule: Any
) -> list[alt.Chart]:
    """A line up from the axis, with its words at its upper end."""
    base = alt.Chart(pd.DataFrame({"at": [at]})).encode(with_column(x, "at"))
    named = base.mark_text(**{"align": "left", "color": colour} | text)
    return [
        base.mark_rule(color=colour, **rule),
        named.encode(y=alt.value(0), text=alt.value(words)),
    ]


def at_foot(rule: alt.Chart, words: alt.Chart) -> list[alt.Chart]:
    """Such a line with its words where it begins."""
    return [rule, words.encode(y=alt.value("height"))]
