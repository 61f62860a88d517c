"""A figure for a paper: a PDF as wide as its text, in a serif, without title line and footer, which
its metadata hold."""

from __future__ import annotations

import re
import unicodedata

from explorer.charts.export import FONT, specification
from explorer.slow import alt, vl

INCHES = 6.75
"""The width of the text of a page, across both columns."""
SMALLER = 0.7
"""The letters of an index, of those beside it."""
SERIF = "Latin Modern Roman, CMU Serif, Liberation Serif, DejaVu Serif, serif"
"""As in papers, the first that this machine has; its letters are none wider than those of FONT, by
which the figure was laid out."""
WRITTEN = re.compile(r"(?<=>)[^<>]+(?=</text>)")
INDEX = re.compile(r"(?<=\b[A-Za-zΑ-ω])(\u0302?)_(?:\{(\w{1,3})\}|(\w))|([₀-₉ₐₑₕ-ₜᵢᵣᵤᵥⱼ]+)")
"""φ_k, σ̂_{12}, m_h; and σₖ."""
SIZE = re.compile(r'(<svg[^>]*) width="([\d.]+)" height="([\d.]+)"')
TRAILER = re.compile(rb"/Size (\d+)\s*/Root (\d+ 0 R).*startxref\s+(\d+)\s+%%EOF\s*$", re.DOTALL)


def for_paper(chart: alt.TopLevelMixin, *, title: str, footer: str = "") -> bytes:
    """The chart as such a PDF."""
    svg = vl.vegalite_to_svg(specification(chart, "", ""), allowed_base_urls=[])
    svg = WRITTEN.sub(_indices, svg.replace(FONT, SERIF))
    return _told(vl.svg_to_pdf(SIZE.sub(_sized, svg, count=1)), title, footer)


def _sized(match: re.Match) -> str:
    """The picture in points, as wide as it is to be."""
    begin, width, height = match[1], float(match[2]), float(match[3])
    wide = 72 * INCHES
    return f'{begin} width="{wide:g}" height="{wide * height / width:g}"'


def _indices(written: re.Match) -> str:
    """A text with real subscripts."""
    return INDEX.sub(_index, written[0])


def _index(match: re.Match) -> str:
    hat, braced, letter, small = match.groups()
    index = braced or letter or unicodedata.normalize("NFKC", small)
    return f'{hat or ""}<tspan baseline-shift="sub" font-size="{SMALLER:.0%}">{index}</tspan>'


def _told(pdf: bytes, title: str, subject: str) -> bytes:
    """The file with both in its metadata: an object more, and a table of it, at its end."""
    match = TRAILER.search(pdf)
    assert match, "a PDF ends with its trailer"
    size, root, table = int(match[1]), match[2].decode(), int(match[3])
    info = f"{size} 0 obj\n<< /Title {_text(title)} /Subject {_text(subject)} >>\nendobj\n"
    tail = (
        f"xref\n{size} 1\n{len(pdf):010d} {0:05d} n\r\n"
        f"trailer\n<< /Size {size + 1} /Root {root} /Info {size} 0 R /Prev {table} >>\n"
        f"startxref\n{len(pdf) + len(info)}\n%%EOF\n"
    )
    return pdf + (info + tail).encode("ascii")


def _text(words: str) -> str:
    """Words as PDF has those of any letters."""
    return f"<FEFF{words.encode('utf-16-be').hex()}>"
