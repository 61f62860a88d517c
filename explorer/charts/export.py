"""A chart as a file, made without a browser and without a network.

What is saved is white, whatever the page's theme, and carries a title line above and a footer
below: the specification and the seeds the figure was made from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from explorer.charts.axes import SIZES
from explorer.charts.palette import LIGHT
from explorer.slow import alt, pd, vl

FORMULA = re.compile(r'(^|[;\t\n])(?=[\s"]*[=+\-@＝＋－＠])|^(?=[\t\n])')
"""Where a spreadsheet may find the beginning of a formula, in East Asian width, too: where a text
begins, or behind what separates cells where no comma does."""
MIME = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "csv": "text/csv"}
PIXELS = 3.0  # of a PNG for each unit of length: sharp on a projector
FONT = "DejaVu Sans, Verdana, Arial, Helvetica, sans-serif"  # the first has ρ̂, σ̂ and 10⁻³
LINE = 16  # between the baselines of a footer
UNSEEN = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n\r"}
UNSEEN |= {0xFFFE: 0xFFFD, 0xFFFF: 0xFFFD}
"""Characters that no SVG may hold, and what is written for each: ␐ for 0x10. Of one of them the
renderer ends the whole process."""
WHOLE = ("$schema", "config", "datasets", "padding", "autosize", "background", "usermeta")
"""What Vega-Lite takes at the outermost level only."""

CONFIG = {
    "font": FONT,
    "view": {"continuousWidth": 640, "continuousHeight": 380, "stroke": LIGHT.grid},
    "axis": SIZES["axis"]
    | {
        "labelColor": LIGHT.ink,
        "titleColor": LIGHT.ink,
        "gridColor": LIGHT.grid,
        "domainColor": LIGHT.grey,
        "tickColor": LIGHT.grey,
        "titleFontWeight": "normal",
    },
    "legend": SIZES["legend"]
    | {"labelColor": LIGHT.ink, "titleColor": LIGHT.ink, "titleFontWeight": "normal"},
    "header": SIZES["header"] | {"labelColor": LIGHT.ink, "titleColor": LIGHT.ink},
    "text": SIZES["text"],
    "title": {
        "color": LIGHT.ink,
        "fontSize": 17,
        "fontWeight": 600,
        "anchor": "start",
        "offset": 14,
    },
}


def export(chart: alt.TopLevelMixin, kind: str, *, title: str, footer: str = "") -> bytes:
    """The chart as "svg", "png" or "pdf"; raises ValueError for another kind."""
    spec = specification(chart, title, footer)
    local: dict[str, Any] = {"allowed_base_urls": []}
    if kind == "svg":
        return vl.vegalite_to_svg(spec, **local).encode()
    if kind == "png":
        return vl.vegalite_to_png(spec, scale=PIXELS, ppi=72, **local)
    if kind == "pdf":
        return vl.vegalite_to_pdf(spec, **local)
    raise ValueError(f"a figure is svg, png or pdf, not {kind!r}")


def specification(chart: alt.TopLevelMixin, title: str, footer: str) -> dict[str, Any]:
    """Vega-Lite of the figure with its title line and its footer, where they are not empty.

    The data go in as values first: Altair's transformer of data frames is a setting of the whole
    process, and Streamlit changes it while it draws for another reader.
    """
    inner = _with_values(chart.copy(deep=True)).to_dict()
    outer = {name: inner.pop(name) for name in WHOLE if name in inner} | {"background": LIGHT.paper}
    if any("views" in param for param in inner.get("params", ())):
        outer["params"] = inner.pop("params")
    return _visible(outer) | {
        **({"title": {"text": _visible(title)}} if title else {}),
        "vconcat": _visible([inner, _footer(footer)] if footer else [inner]),
        "spacing": 14,
        "config": CONFIG,
    }


def _visible(part: Any) -> Any:
    """A part of a specification without characters that no SVG may hold."""
    if isinstance(part, str):
        return part.translate(UNSEEN)
    if isinstance(part, dict):
        return {name: _visible(value) for name, value in part.items()}
    return [_visible(value) for value in part] if isinstance(part, list | tuple) else part


def csv(table: pd.DataFrame, units: Mapping[str, str] | None = None) -> bytes:
    """A tidy table as CSV: one header line, with the unit of a column in brackets.

    What a spreadsheet would take for a formula in a text, by whatever it separates cells, has an
    apostrophe before it; numbers are left as they are, negative ones too.
    """
    names = {name: f"{name} [{unit}]" for name, unit in (units or {}).items()}
    inert = table.map(_inert).rename(columns=names).rename(columns=_inert)
    return inert.to_csv(index=False, lineterminator="\n").encode()


def _inert(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = re.sub("\r\n?", "\n", cell)  # which alone is quoted: another begins a row
    return FORMULA.sub(r"\1'", text)


def _with_values(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    data = getattr(chart, "data", alt.Undefined)
    if isinstance(data, pd.DataFrame):
        rows = json.loads(data.to_json(orient="records", double_precision=15))
        chart.data = {"values": rows}
    for name in ("layer", "hconcat", "vconcat", "concat"):
        for part in _parts(chart, name):
            _with_values(part)
    if (spec := getattr(chart, "spec", alt.Undefined)) is not alt.Undefined:
        _with_values(spec)
    return chart


def _parts(chart: alt.TopLevelMixin, name: str) -> list:
    parts = getattr(chart, name, alt.Undefined)
    return [] if parts is alt.Undefined else parts


def _footer(text: str) -> dict[str, Any]:
    """Lines of small print under a figure."""
    lines = text.split("\n")
    mark = {
        "type": "text",
        "align": "left",
        "baseline": "top",
        "color": LIGHT.grey,
        "text": lines,
        "lineHeight": LINE,
    }
    place = {"x": {"value": 0}, "y": {"value": 0}}
    return {
        "data": {"values": [{}]},
        "mark": mark,
        "encoding": place,
        "width": 1,
        "height": LINE * len(lines),
        "view": {"stroke": None},
    }
