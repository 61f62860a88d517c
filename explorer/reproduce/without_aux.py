"""What `aux` buys (App. B.1): heads that are trained with and without it by one recipe."""

from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.attention import view_without_aux as view
from explorer.pages.attention.chart_learning import aux_chart
from explorer.reproduce.request import Request, check, trained
from explorer.runs.record import Record
from explorer.spec import amended, compact, task_spec
from explorer.targets import TASK_PRESETS

SEEDS, QUICK_SEEDS = (0, 1, 2), (0,)
LATER = 3.0  # times the steps after which the nearest point is found without aux, at least
SAME = (0.5, 2.0)  # times: as soon, up to two kept steps
DIFFERS = 0.1  # of the rows, by which Adam with aux agrees better, at least
TITLE = "With and without aux: the share of rows that look at the right token"
NOTES = [
    "aux adds the loss of sequences of one token, which pins F̂∘W_V∘f̂ (Prop. B.1(1)).",
    "Agreement is measured at kept steps, a factor of 1.33 apart.",
]


def with_and_without(request: Request) -> dict[str, Any]:
    """Every recipe with and without aux, seed by seed: its table, its picture, what must hold."""
    seeds = QUICK_SEEDS if request.quick else SEEDS
    parts = [
        _rows(name, trained(request, amended(TASK_PRESETS[preset][1], seed=seed)))
        for seed in seeds
        for name, without in view.PAIRS.items()
        for preset in (name, without)
    ]
    table = pd.concat(parts, ignore_index=True)
    chart, footer = aux_chart(table, LIGHT), view.signature(table)
    pairs = {name: view.pair(table, name) for name in view.PAIRS}
    return {
        "seeds": list(seeds),
        "checks": _checks(pairs),
        "notes": NOTES,
        "text": [TITLE, *map(view.sentence, pairs.values())],
        "files": request.written("without-aux", table, chart, TITLE, footer),
    }


def _rows(name: str, record: Record) -> pd.DataFrame:
    """The kept steps of a run, with the columns of the table."""
    spec, steps = task_spec(record.spec), record.snapshot_steps
    own = {"recipe": name, "aux": spec.aux, "seed": spec.seed, "step": steps, "nmse": record.nmse}
    ids = {"spec_id": record.row.spec_id, "spec": compact(spec)}
    return pd.DataFrame(own | record.measured(steps) | ids)[view.COLUMNS]


def _checks(pairs: dict[str, view.Pair]) -> list[dict[str, Any]]:
    nearest, gravity, adam = (pairs[name] for name in ("nearest", "cog", "cog-adam"))
    return [
        check("nearest point: steps to the jump without aux ÷ with", nearest.later, least=LATER),
        check(
            "nearest point: agreement without aux at the end",
            nearest.without.agreement,
            least=view.RIGHT,
        ),
        check("gravity: steps to the jump without aux ÷ with", gravity.later, between=SAME),
        check(
            "gravity: agreement without aux at the end", gravity.without.agreement, least=view.RIGHT
        ),
        check(
            "gravity by Adam: agreement with aux less that without",
            adam.with_aux.agreement - adam.without.agreement,
            least=DIFFERS,
        ),
        check("gravity by Adam: R² without aux", adam.without.r2, least=0.99),
    ]
