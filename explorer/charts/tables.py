"""A table of text as a figure."""

from __future__ import annotations

import textwrap

from explorer.charts import Palette
from explorer.slow import alt, pd

WRAP = 88  # characters of a cell in a line
LINE, LETTER, GAP, SIZE = 16, 6.9, 18, 12  # pixels of a line, of a letter, between columns, of text


def table_chart(table: pd.DataFrame, palette: Palette) -> alt.LayerChart:
    """The columns side by side under their names; long cells are broken into lines."""
    text = table.astype(str).map(lambda cell: textwrap.wrap(cell, WRAP) or [""])
    lines = [1, *text.map(len).max(axis=1)]
    tops = [sum(lines[:i]) * LINE + 6 * i for i in range(len(lines) + 1)]
    cells, x = [], 0.0
    for name in table.columns:
        column = [[name], *text[name]]
        cells += [
            {"x": x, "y": top, "text": cell, "head": i == 0}
            for i, (top, cell) in enumerate(zip(tops, column, strict=False))
        ]
        x += LETTER * max(len(line) for cell in column for line in cell) + GAP
    place = {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, x], nice=False)),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[tops[-1], 0], nice=False)),
    }
    mark = {"align": "left", "baseline": "top", "fontSize": SIZE, "lineHeight": LINE}
    head, body = (
        alt.Chart(pd.DataFrame([cell for cell in cells if cell["head"] == is_head]))
        .mark_text(fontWeight=weight, color=palette.ink, **mark)
        .encode(**place, text="text:N")
        for is_head, weight in ((True, "bold"), (False, "normal"))
    )
    return alt.layer(head, body).properties(width=x, height=tops[-1])
