"""Figures beside that of a sweep, a panel for each target: spectra, and models cut to rank k."""

from __future__ import annotations

import altair as alt
import pandas as pd

from explorer.charts import Palette
from explorer.charts.axes import LABEL, TITLE, categorical, doublings, log_domain, powers
from explorer.pages.rates.chart import DASHES
from explorer.views.series import AT_K, CUT, DESIGNED, LEARNED_SIGMA, TRUNCATION

COLUMNS, WIDTH, HEIGHT = 3, 300, 220


def spectra_chart(table: pd.DataFrame, palette: Palette) -> alt.ConcatChart:
    """σ_k hollow and σ̂_k of the models of all widths filled, log-log.

    `table` has target, spectrum, k and sigma (≥ 0).
    """
    return _panels(table[table["sigma"] > 0], lambda of: _spectra(of, palette))


def _spectra(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    x = alt.X("k:Q", title="k", axis=doublings(), scale=log_domain(table["k"]))
    y = alt.Y(
        "sigma:Q",
        title="singular value",
        axis=powers(table["sigma"]),
        scale=log_domain(table["sigma"]),
    )
    names = [DESIGNED, LEARNED_SIGMA]
    looks = [
        categorical(alt.Stroke, "spectrum", names, [palette.ink, palette.accent]),
        categorical(alt.Fill, "spectrum", names, ["transparent", palette.accent]),
        categorical(alt.Size, "spectrum", names, [110, 22]),
    ]
    return alt.Chart(table).mark_point(strokeWidth=1.4, opacity=1).encode(x, y, *looks)


def cuts_chart(table: pd.DataFrame, error: str, palette: Palette) -> alt.ConcatChart:
    """The error of the widest model cut to rank k, of models trained at m_h = k and of truncation,
    log-log. `table` has target, line, k and error (> 0), which `error` names."""
    return _panels(table, lambda of: _cuts(of, error, palette))


def _cuts(table: pd.DataFrame, error: str, palette: Palette) -> alt.LayerChart:
    names = [CUT, AT_K, TRUNCATION]
    x = alt.X("k:Q", title="k, rank kept", axis=doublings(), scale=log_domain(table["k"]))
    y = alt.Y("error:Q", title=error, axis=powers(table["error"]), scale=log_domain(table["error"]))
    colour = categorical(alt.Color, "line", names, [palette.accent, palette.ink, palette.grey])
    dash = categorical(alt.StrokeDash, "line", names, [[1, 0], [1, 0], DASHES[TRUNCATION]])
    shape = categorical(alt.Shape, "line", names, ["square", "diamond", "stroke"])
    base = alt.Chart(table)
    return alt.layer(
        base.mark_line(strokeWidth=1.4).encode(x, y, color=colour, strokeDash=dash),
        base.mark_point(filled=True, size=40, opacity=1).encode(x, y, color=colour, shape=shape),
    )


def _panels(table: pd.DataFrame, panel) -> alt.ConcatChart:
    """A panel for each target, a few in a row."""
    return alt.concat(
        *(
            panel(table[table["target"] == target]).properties(
                width=WIDTH,
                height=HEIGHT,
                title=alt.Title(target, fontSize=TITLE, anchor="start"),
            )
            for target in dict.fromkeys(table["target"])
        ),
        columns=COLUMNS,
    ).configure_axis(labelFontSize=LABEL, titleFontSize=TITLE)
