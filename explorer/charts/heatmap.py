"""Couplings as heatmaps side by side: each one image, since Vega draws single cells slowly."""

from __future__ import annotations

import base64
import io
import json
import math

import numpy as np

from explorer.charts import Palette
from explorer.charts.axes import TITLE
from explorer.slow import Image, alt, pd
from explorer.views.text import number

SQUARE = 240
PIXELS = 720
"""Least pixels of an image along a side, a whole number for each cell: sharp in print."""


def colour_range(values: np.ndarray) -> float:
    """The end of a colour scale centred at 0: the largest |value|, or where a few are far out (a
    ridge, a corner) the one that 98 % stay within. The canvases' `colourRange` is the same."""
    sizes = np.sort(np.abs(np.asarray(values, float)), axis=None)
    top, most = float(sizes[-1]) or 1.0, float(sizes[math.floor(0.98 * (len(sizes) - 1))])
    return most if top > 1.5 * most > 0 else top


def coupling_chart(
    table: pd.DataFrame, palette: Palette, limit: float | None = None
) -> alt.HConcatChart:
    """ρ, ρ̂ and what is beside them on one diverging scale from −limit to limit, u downwards.

    `table` has u, v, rho and coupling, for each coupling at the centres of equal squares, row by
    row; `limit` is the `colour_range` of all of them where it is None. An end of the scale beyond
    which there are values says so.
    """
    limit = float(limit or colour_range(table["rho"]))
    scale = _scale(table["rho"], limit, palette)
    names = list(dict.fromkeys(table["coupling"]))
    squares = [
        _square(table["rho"][table["coupling"] == name], name, scale, limit, palette, i == 0)
        for i, name in enumerate(names)
    ]
    return alt.hconcat(*squares, spacing=26)


def _scale(rho: pd.Series, limit: float, palette: Palette) -> alt.Color:
    """The colours as a legend whose ends say where values lie beyond them."""
    ticks = [-limit, -limit / 2, 0.0, limit / 2, limit]
    beyond = 1.0000001 * limit
    marks = {0: "≤ " * bool(rho.min() < -beyond), 4: "≥ " * bool(rho.max() > beyond)}
    texts = {i: marks.get(i, "") + number(tick) for i, tick in enumerate(ticks)}
    label = f"{json.dumps(texts)}[round(2 * datum.value / {limit!r}) + 2]"
    bar = alt.Legend(gradientLength=SQUARE, values=ticks, labelExpr=label)
    domain = alt.Scale(domain=[-limit, limit], range=list(palette.diverging), interpolate="rgb")
    return alt.Color("rho:Q", title="ρ", scale=domain, legend=bar)


def _square(
    rho: pd.Series, name: str, scale: alt.Color, limit: float, palette: Palette, first: bool
) -> alt.LayerChart:
    side = math.isqrt(len(rho))
    picture = pd.DataFrame({"url": [_url(rho.to_numpy().reshape(side, side), limit, palette)]})
    image = (
        alt.Chart(picture)
        .mark_image(width=SQUARE, height=SQUARE, align="left", baseline="top", aspect=False)
        .encode(url="url:N", x=alt.value(0), y=alt.value(0))
    )
    axis = alt.Axis(tickCount=5, grid=False)
    ends = pd.DataFrame({"u": [0.0, 1.0], "v": [0.0, 1.0], "rho": [-limit, limit]})
    frame = (
        alt.Chart(ends)
        .mark_point(opacity=0)
        .encode(
            x=alt.X("v:Q", title="v", axis=axis, scale=alt.Scale(domain=[0, 1], nice=False)),
            y=alt.Y(
                "u:Q",
                title="u" if first else None,
                axis=axis,
                scale=alt.Scale(domain=[0, 1], nice=False, reverse=True),
            ),
            color=scale,
        )
    )
    title = alt.Title(name, fontSize=TITLE, fontWeight="normal", anchor="middle", offset=8)
    return alt.layer(image, frame).properties(width=SQUARE, height=SQUARE, title=title)


def _url(rho: np.ndarray, limit: float, palette: Palette) -> str:
    """The matrix as an image in itself: no cell is between two pixels, and none is smoothed."""
    each = math.ceil(PIXELS / len(rho))
    pixels = np.kron(coloured(rho, limit, palette), np.ones((each, each, 1), np.uint8))
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def coloured(rho: np.ndarray, limit: float, palette: Palette) -> np.ndarray:
    """The colours of a matrix (a, b) on the scale, (a, b, 3) bytes; beyond its ends, the ends'."""
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in palette.diverging])
    places = np.linspace(-limit, limit, len(stops))
    channels = [np.interp(rho, places, stop) for stop in stops.T]
    return np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
