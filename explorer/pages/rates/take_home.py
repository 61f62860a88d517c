"""What of a sweep is taken home: specification, command line, its figures with their data."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from explorer.pages.rates import view
from explorer.pages.rates.chart import cuts_chart, rates_chart, spectra_chart
from explorer.pages.rates.page import badge
from explorer.pages.rates.view_drawing import AXES, cuts, rates_drawing, spectra
from explorer.spec import SweepSpec, spec_id
from explorer.ui import chrome
from explorer.ui.exports import About
from explorer.ui.part import part
from explorer.views import anew
from explorer.views.sweeps import Finished


@part
def take_home(finished: Finished[SweepSpec], view_: view.RatesView) -> None:
    """Specification, command line, and the figure with its data."""
    figures = partial(_figures, finished, view_) if view_.groups else None
    chrome.take_home(finished.sweep, anew.of_sweep(finished.sweep, view_.norm), figures, "rates")


def _figures(finished: Finished[SweepSpec], view_: view.RatesView) -> dict[str, Any]:
    points, falls = view.points(view_.groups), view.falls(view_.groups)
    lines = view.lines(view_.groups, view_.all_lines)
    name, axis = spec_id(finished.sweep), AXES[view_.norm]
    about = About(
        f"{name}-rates",
        "Error against m_h",
        f"spec {name} · trained, {view_.groups[0]['statistic']}: {badge(finished)}\n"
        "grey lines, computed; truncation is an upper bound on the best error of its m_h",
        view.drawn(view_.groups, view_.norm, view_.all_lines),
        EXPLAINED.format(tail=TAIL_TOO * view_.all_lines),
    )
    beside = _beside(finished, view_, about)
    return {"rates": (lambda p: rates_chart(points, lines, axis, p, falls), about), **beside}


def _beside(finished: Finished[SweepSpec], view_: view.RatesView, about: About) -> dict[str, Any]:
    """What the panels beside the figure draw of the model that is chosen, of all of them: the
    figures of one seed, the data of all."""
    drawn, name, seed = (
        rates_drawing(finished, view_),
        spec_id(finished.sweep),
        min(finished.sweep.seed),
    )
    footer = f"spec {name} · trained, seed {seed}: {badge(finished)}"
    charts = {
        "spectra": ("Singular values", spectra(drawn), spectra_chart),
        "surgery": ("Rank surgery", cuts(drawn), partial(cuts_chart, error=AXES[view_.norm])),
    }
    figures = {}
    for key, (title, table, chart) in charts.items():
        shown = table[table["seed"].isna() | (table["seed"] == seed)]
        fields = {"title": title, "footer": footer, "table": table, "explain": ""}
        figures[key] = partial(chart, shown), replace(about, name=f"{name}-{key}", **fields)
    return figures


EXPLAINED = (
    r"Errors of trained models against $m_h$; bars from the best to the worst seed. Grey: what the "
    r"first $m=m_h$ terms of the POD leave in $H${tail}, and the power $m_h^{{-(2\alpha-1)}}$ of "
    "Theorem 4.1 (Eq. 17)."
)
TAIL_TOO = r" and as the tail $\sum_{k>m}\sigma_k^2$ of $\rho$"
