"""Figure 3: spectra and training error of a small vision Transformer against the width of its
heads, trained here."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.charts.export import csv
from explorer.families.pictures import CLASSES
from explorer.pages.real.chart_labelled import widths_chart
from explorer.pages.real.view_labelled import PRINTED, Widths, widths
from explorer.reproduce.request import Request, check
from explorer.runs.files import write_durably
from explorer.targets.labelled.presets import PICTURES_SWEEPS
from explorer.views.sweeps import Finished

TITLE = "Figure 3: a small vision Transformer against the width of its heads"
LEARNED = 0.2  # times the entropy of the classes that every training error is below
FEW, QUICK_FEW = 0.5, 0.75  # of m_h, that may be needed for 99 % of the energy at the widest
NOTES = [
    "The paper trains ViT-B/16 (12 layers, 12 heads) on CIFAR-10; here 2 layers of 2 heads learn "
    "4000 pictures of MNIST. Width of values and all else stays as it is, as there.",
    "The paper's fit has no interval and one model for each m_h; here the exponent is said only "
    "where the seeds agree on it.",
    "Residuals carry each token past the heads, and the outputs ask by heads of their own: narrow "
    "heads can be made up for, which Eq. 5 does not allow.",
]


def figure_3(request: Request) -> dict[str, Any]:
    """Figure 3: (a) σ_k of a coupling over inputs for each m_h, (b) training error against m_h."""
    sweep = PICTURES_SWEEPS["fig3-quick" if request.quick else "fig3"][1]
    summary = request.swept(sweep)
    view = widths(Finished(sweep, tuple(summary["rows"])))
    write_durably(request.out / "fig3-spectra.csv", csv(view.spectra))
    chart = widths_chart(view.spectra, view.errors, view.band, view.fit, LIGHT)
    footer = f"{view.signature} · {summary['sweep']}"
    files = request.written("fig3", _table(summary["rows"]), chart, TITLE, footer)
    return {
        "spec": sweep.model_dump(mode="json"),
        **summary,
        "printed": _printed(view.group),
        "checks": checks(view, request.quick),
        "notes": NOTES,
        "text": [f"{TITLE}, {view.signature}", *view.sentences],
        "files": ["fig3-spectra.csv", *files],
    }


def _table(rows: list[Mapping[str, Any]]) -> pd.DataFrame:
    """The rows without their spectra, which have a file of their own."""
    return pd.DataFrame(rows).drop(columns=["sigma", "sigma_spread", "sigma_centred", "surgery"])


def _printed(group: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The fit to the training error, beside the paper's."""
    decay = group["decay"]
    source = f"paper, Figure 3(b): {PRINTED}"
    return [
        {
            "quantity": name,
            "measured": decay[name] if decay and decay["told"] else None,
            "ci": decay and list(decay["b_ci"] or ()) if name == "b" else None,
            "printed": value,
            "source": source,
        }
        for name, value in (("b", 0.27), ("c", 1.05))
    ]


def checks(view: Widths, quick: bool) -> list[dict[str, Any]]:
    """What must hold whatever the exponent: that all have learned, that the rank is low."""
    worst, most = view.errors["training"].max(), LEARNED * math.log(CLASSES)
    what = "terms that hold 99 % at the widest, as a share of m_h"
    share = view.group["energy_rank"][-1] / view.group["m_h"][-1]
    return [
        check("largest training error", worst, most=most),
        check(what, share, most=QUICK_FEW if quick else FEW),
    ]
