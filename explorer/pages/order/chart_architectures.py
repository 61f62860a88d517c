"""Charts of which architecture remembers a kernel: error against parameters, and the spectra."""

from __future__ import annotations

import numpy as np

from explorer.charts import Palette
from explorer.charts.axes import Heights, heights, log_axis, log_domain, of, whole
from explorer.charts.marks import SHAPES, curves, looks, tips
from explorer.pages.order.view_architectures import BOUND, DRAWN, FOUND, SHORT, SHOWN
from explorer.slow import alt, pd

DASHES = {FOUND: [1, 0], BOUND: [5, 4]}
LINE = "line"
"""What the reader drags, a selection of one `share`."""
PLACES = 20
"""Of the line, in each decade."""
ITEM = "event.item && event.item.datum && event.item.datum.share"
DRAGGED = f"[event.buttons && {ITEM}]"


def parameters_chart(table: pd.DataFrame, error: float, palette: Palette) -> alt.LayerChart:
    """Error over ‖ρ‖² against parameters: found, and below which no model is (dashed), with a rule
    that is dragged, at `error` first. `table` is that of `view_architectures.errors`."""
    errors = pd.concat([table["error"], pd.Series([1.0, error, 0.0])])
    y = heights(errors, "‖ρ̂ − ρ‖² / ‖ρ‖²", log_domain(errors))
    table = table.assign(height=y.of(table["error"]))
    names = [name for name in SHORT.values() if name in set(table["architecture"])]
    look = looks(
        "architecture", names, 1, color=palette.series(len(names)), shape=SHAPES[: len(names)]
    )
    x = log_axis(alt.X, "parameters", "parameters", table["parameters"], grid=False)
    tip = tips("architecture:N", "what:N", "size:Q", "parameters:Q", error=".3~g")
    layers: list[alt.Chart] = []
    for what, dash in DASHES.items():
        base = alt.Chart(table[table["what"] == what]).encode(x, y.y, look["color"], tooltip=tip)
        layers.append(base.mark_line(strokeWidth=2, interpolate="step-after", strokeDash=dash))
        if what == FOUND:
            points = base.mark_point(filled=True, size=55, opacity=1)
            layers.append(points.encode(shape=look["shape"]))
    return alt.layer(*_line(error, y, palette), *layers, *y.border(palette)).properties(height=360)


def _line(error: float, y: Heights, palette: Palette) -> list[alt.Chart]:
    """The rule, and the places to which it is dragged."""
    decades = -np.log10(DRAWN)
    even = np.logspace(-decades, 0, round(decades * PLACES) + 1)
    shares = pd.Series(sorted({error, *(float(f"{share:.2g}") for share in even)}))
    half = 10 ** (0.5 / PLACES)
    places = pd.DataFrame({"share": shares, "low": shares / half, "high": shares * half})
    line = alt.selection_point(
        name=LINE,
        fields=["share"],
        on=f"pointerdown{DRAGGED}, pointermove{DRAGGED}",
        toggle=False,
        clear=False,
        value=[{"share": error}],
    )
    base = alt.Chart(places).encode(tooltip=alt.value(None))
    bands = base.mark_rect(opacity=0, clip=True, cursor="ns-resize")
    rule = base.mark_rule(clip=True, color=palette.grey, strokeWidth=2, strokeDash=[2, 3])
    return [
        bands.encode(of(y.y, "low"), y2="high").add_params(line),
        rule.encode(of(y.y, "share")).transform_filter(line),
    ]


def spectrum_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """Values against k; `table` is one panel of `view_architectures.spectra`."""
    names = list(dict.fromkeys(table["series"]))
    most = max(int(table["k"].max()), 2)
    x = whole("k", "k", [k for k in (1, 2, 4, 8, 16, 32) if k <= most])
    x.scale = alt.Scale(domain=[0.5, most + 0.5], nice=False)
    y = log_axis(alt.Y, "value", None, pd.Series([SHOWN, 1.0]))
    shades = palette.series(len(names))
    several = looks("series", names, 5, color=shades) if len(names) > 1 else {}
    look = several or {"color": alt.value(palette.accent)}
    tip = tips("series:N", "k:Q", value=".3~g")
    drawn = curves(table, x, y, size=30, tooltip=tip, **look)
    return alt.layer(*drawn).properties(height=200)
