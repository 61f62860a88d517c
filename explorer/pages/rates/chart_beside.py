"""Figures beside that of a sweep, a panel for each target: spectra, and models cut to rank k."""

from __future__ import annotations

from explorer.charts import Palette
from explorer.charts.axes import TITLE, doublings, log_axis, log_domain
from explorer.charts.marks import curves, looks
from explorer.pages.rates.chart import DASHES
from explorer.slow import alt, pd
from explorer.views.series import AT_K, CUT, DESIGNED, LEARNED_SIGMA, TRUNCATION

COLUMNS, WIDTH, HEIGHT = 3, 300, 220


def spectra_chart(table: pd.DataFrame, palette: Palette) -> alt.ConcatChart:
    """σ_k hollow and σ̂_k of the models of all widths filled, log-log.

    `table` has target, spectrum, k and sigma (≥ 0).
    """
    return _panels(table[table["sigma"] > 0], lambda of: _spectra(of, palette))


def _spectra(table: pd.DataFrame, palette: Palette) -> alt.Chart:
    x = alt.X("k:Q", title="k", axis=doublings(), scale=log_domain(table["k"]))
    look = looks(
        "spectrum",
        [DESIGNED, LEARNED_SIGMA],
        stroke=[palette.ink, palette.accent],
        fill=["transparent", palette.accent],
        size=[110, 22],
    )
    y = log_axis(alt.Y, "sigma", "singular value", table["sigma"])
    return alt.Chart(table).mark_point(strokeWidth=1.4, opacity=1).encode(x, y, **look)


def cuts_chart(table: pd.DataFrame, error: str, palette: Palette) -> alt.ConcatChart:
    """The error of the widest model cut to rank k, of models trained at m_h = k and of truncation,
    log-log. `table` has target, line, k and error (> 0), which `error` names."""
    return _panels(table, lambda of: _cuts(of, error, palette))


def _cuts(table: pd.DataFrame, error: str, palette: Palette) -> alt.LayerChart:
    x = alt.X("k:Q", title="k, rank kept", axis=doublings(), scale=log_domain(table["k"]))
    look = looks(
        "line",
        [CUT, AT_K, TRUNCATION],
        color=[palette.accent, palette.ink, palette.grey],
        strokeDash=[[1, 0], [1, 0], DASHES[TRUNCATION]],
        shape=["square", "diamond", "stroke"],
    )
    y = log_axis(alt.Y, "error", error, table["error"])
    return alt.layer(*curves(table, x, y, 1.4, 40, **look))


def _panels(table: pd.DataFrame, panel) -> alt.ConcatChart:
    """A panel for each target, a few in a row."""
    panels = [
        panel(of).properties(
            width=WIDTH, height=HEIGHT, title=alt.Title(name, fontSize=TITLE, anchor="start")
        )
        for name, of in table.groupby("target", sort=False)
    ]
    return alt.concat(*panels, columns=COLUMNS)
