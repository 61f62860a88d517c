"""Axes that several figures share."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from explorer.slow import alt, pd
from explorer.views.text import SUPERSCRIPTS, number

LABEL = TITLE = 13
"""Font sizes, as the canvases write (core/theme.js)."""
SIZES: dict[str, Any] = {
    "axis": {"labelFontSize": LABEL, "titleFontSize": TITLE},
    "legend": {"labelFontSize": LABEL, "titleFontSize": TITLE},
    "header": {"labelFontSize": TITLE},
    "text": {"fontSize": LABEL},
}
"""Vega-Lite's configuration of what is written, in every figure."""


def log_scale(values: pd.Series, padding: float = 10) -> alt.Scale:
    """Log scale over positive values; none, or one alone, get room on both sides."""
    values = drawable(values)
    low, high = (values.min(), values.max()) if len(values) else (1.0, 1.0)
    if high > 1.01 * low:
        return alt.Scale(type="log", nice=False, padding=padding)
    return alt.Scale(type="log", nice=False, domain=[low / 3, high * 3])


def drawable(values: pd.Series) -> pd.Series:
    """Those of the values that have a place on a log axis: finite ones above 0."""
    return values[(values > 0) & (values < math.inf)]


def log_domain(values: pd.Series) -> alt.Scale:
    """Log scale over exactly these values and a little more, whatever a figure's own data are;
    of them only those that a log axis can show count."""
    values = drawable(values)
    low, high = (values.min(), values.max()) if len(values) else (1.0, 1.0)
    room = (max(high / low, 2.0)) ** 0.06
    return alt.Scale(type="log", nice=False, domain=[low / room, high * room])


class ZeroLane(NamedTuple):
    """A log axis with a lane for 0 at its foot, which has no place on it."""

    scale: alt.Scale
    axis: alt.Axis
    at: float
    """Where a 0 is drawn."""
    edge: float
    """Where the axis is broken."""

    def drawn(self, values: pd.Series) -> pd.Series:
        """The values, each 0 in the lane."""
        return values.where(values != 0, self.at)

    def border(self, y: alt.Y, palette) -> alt.Chart:
        """The line between axis and lane, on the axis of `y`."""
        base = alt.Chart(pd.DataFrame({"edge": [self.edge]}))
        return base.mark_rule(color=palette.grey, strokeDash=[1, 3]).encode(with_column(y, "edge"))


def zero_lane(values: pd.Series) -> ZeroLane:
    """A log axis over the positive ones of `values`, with a lane for 0 below them."""
    shown = drawable(values)
    low, high = (shown.min(), shown.max()) if len(shown) else (1.0, 1.0)
    room = max(high / low, 10.0) ** 0.07
    at, bottom = low / room**2.6, low / room**3.4
    scale = alt.Scale(type="log", nice=False, domain=[bottom, high * room])
    return ZeroLane(scale, powers(values, zero=at), at, low / room**1.6)


class Heights(NamedTuple):
    """An axis of `height`, where values that may be 0 are drawn."""

    y: alt.Y
    lane: ZeroLane | None

    def heights_of(self, values: pd.Series) -> pd.Series:
        """Where these values are drawn."""
        return self.lane.drawn(values) if self.lane else values

    def border(self, palette) -> list[alt.Chart]:
        """The line above the lane, where there is one."""
        return [self.lane.border(self.y, palette)] if self.lane else []


def heights(values: pd.Series, title: str, scale: alt.Scale) -> Heights:
    """A log axis on a `scale`; where one of the values is 0 instead one with a lane for it."""
    lane = zero_lane(values) if (values == 0).any() else None
    options = {"scale": lane.scale, "axis": lane.axis} if lane else {"scale": scale}
    return Heights(alt.Y("height:Q", title=title, **({"axis": powers(values)} | options)), lane)


def log_axis(
    channel: type, column: str, title: str | None, values: pd.Series, grid: bool = True
) -> Any:
    """A channel, alt.X or alt.Y, with a `column` on a log axis over exactly these values."""
    scale, axis = log_domain(values), powers(values, grid)
    return channel(f"{column}:Q", title=title, scale=scale, axis=axis)


def with_column(channel: Any, column: str) -> Any:
    """The channel, with another column."""
    other = channel.copy()
    other.shorthand = f"{column}:Q"
    return other


def powers(values: pd.Series, grid: bool = True, zero: float | None = None) -> alt.Axis:
    """Ticks at powers of ten, written 10⁻³ since Vega itself has no superscripts; over less than
    two decades at 1, 2 and 5 times them. What stands at `zero` is 0."""
    values = drawable(values)
    if values.empty:
        return alt.Axis(values=[])
    low, high = (math.log10(end) for end in (values.min(), values.max()))
    few = high - low < 2
    step = 1 if few else max(1, math.ceil((high - low) / 6))
    every = range(math.floor(low) - few, math.ceil(high) + 1)
    shown = [power for power in every if power % step == 0]
    factors = (1, 2, 5) if few else (1,)
    ticks = {
        factor * 10.0**power: _tick(factor, power, few) for power in shown for factor in factors
    }
    if zero is not None:
        ticks = {tick: text for tick, text in ticks.items() if tick >= 0.9 * values.min()}
        ticks[zero] = "0"
    return alt.Axis(
        values=list(ticks),
        # by rounded logarithm: the keys of the table are then exact
        labelExpr=f"{json.dumps({round(100 * math.log10(at)): s for at, s in ticks.items()})}"
        "[round(100 * log(datum.value) / LN10)]",
        grid=grid,
    )


def _tick(factor: int, power: int, few: bool) -> str:
    if factor == 1 and power in (0, 1):
        return str(10**power)
    whole = f"10{str(power).translate(SUPERSCRIPTS)}"
    if few and -4 < power < 4:
        return number(factor * 10.0**power, 1)
    return whole if factor == 1 else f"{factor}·{whole}"


def told(table: pd.DataFrame, column: str, title: str) -> tuple[pd.DataFrame, alt.Tooltip]:
    """The table, and the tooltip of a column of it, its numbers written as on the pages."""
    text = f"{column} as text"
    return table.assign(**{text: table[column].map(lambda value: number(value, 3))}), alt.Tooltip(
        f"{text}:N", title=title
    )


def lying(axis: alt.Axis, left: int = 44) -> alt.Axis:
    """With its title above it, to be read without turning one's head."""
    axis.titleAngle, axis.titleAlign, axis.titleAnchor = 0, "left", "end"
    axis.titleX, axis.titleY = -left, -12
    return axis


def cliff_ticks(rank: int | None) -> list[int]:
    """The widths between which a coupling of this rank falls to 0."""
    return [m for m in (rank, rank - 1) if m > 0] if rank else []


def doublings(also: Sequence[int] = ()) -> alt.Axis:
    """Ticks at 1, 2, 4, … 64 for k and m on a log axis, and at others."""
    return counts(sorted({*(2**i for i in range(7)), *also}))


def counts(values: Iterable[int]) -> alt.Axis:
    """An axis without a grid, with ticks at these whole numbers."""
    return alt.Axis(values=[*values], format="d", grid=False)


def whole(column: str, title: str, values: Sequence[int], room: float = 0.6) -> alt.X:
    """An axis of whole numbers, these `values`, with room on both sides."""
    scale = alt.Scale(domain=[values[0] - room, values[-1] + room], nice=False)
    return alt.X(f"{column}:Q", title=title, scale=scale, axis=counts(values))


WRITTEN = "replace(replace(datum.label, /m_h/g, 'mₕ'), /_k/g, 'ₖ')"
"""Names of a column as a legend writes them; see `views.text.written`."""


def categorical(
    channel: type,
    name: str,
    names: list[str],
    values: list,
    columns: int = 3,
    *,
    lines: bool = False,
) -> alt.Color:
    """A channel that gives each name its value, with a legend above the figure; the channels that
    share it have the same `columns`, fewer where the figure is narrow, and of `lines` all show
    pieces of them: a dashed ring around a dot is no dash."""
    symbols = {"symbolType": "stroke", "symbolSize": 400} if lines else {}
    return channel(
        f"{name}:N",
        title=None,
        sort=names,
        scale=alt.Scale(domain=names, range=values),
        legend=alt.Legend(
            orient="top",
            labelExpr=WRITTEN,
            symbolStrokeWidth=2,
            symbolOpacity=1,
            labelLimit=320,
            columns=columns,
            **symbols,
        ),
    )


def note(text: str, palette, line: int = 0) -> alt.Chart:
    """A line in the upper right corner, on what a log axis cannot show."""
    mark = alt.Chart(pd.DataFrame({"note": [text]})).mark_text(
        align="right", dx=-4, dy=10 + 16 * line, color=palette.grey
    )
    return mark.encode(x=alt.value("width"), y=alt.value(0), text="note:N")
