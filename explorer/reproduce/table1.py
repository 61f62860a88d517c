"""Table 1: pictures and number words whose tokens come in another order."""

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.real import view_table1 as view
from explorer.pages.real.chart_labelled import table_chart
from explorer.reproduce.request import Request, check
from explorer.spec import AnySweep, NumberWordsSweep, PicturesSweep, SpecError, amended, compact
from explorer.spec.alterations import OrderName
from explorer.targets.alterations import ORDERS

SEEDS, QUICK_SEEDS = (0, 1, 2), (0,)
TITLE = "Table 1: the tokens in another order"
TRAINED_ON = 150  # steps in the new order, by a schedule of their own
QUICK = 2  # times fewer steps
EXACT = 1e-6  # of a logit, by which the neutral reordering may differ
HARM, QUICK_HARM = 0.1, 0.02  # of all answers, that the same weights lose at least
AGAIN, QUICK_AGAIN = 0.1, 0.25  # that training in the new order may leave lost
NOTES = [
    "The paper calls its one altered number unaffected by order; it went on from weights trained "
    "in the original order. Under fixed weights the order matters, as the second row says.",
    "With the positions permuted along nothing changes at all: the outputs know of the order only "
    "by what is added to each token.",
    "BLEU of WMT2014 and whole numbers right are different measures; compare each with its own "
    "original.",
    "Of 10,000 numbers 2000, drawn once, are kept for the test; of MNIST every fifth picture.",
]


def table_1(request: Request) -> dict[str, Any]:
    """Table 1: original, permuted under the same weights, with positions, trained again."""
    parts = [_rows(request, data, sweep) for data in view.DATA for sweep in sweeps(request, data)]
    table = pd.concat(parts, ignore_index=True)[view.COLUMNS]
    footer = f"{request.order}, seeds {', '.join(map(str, sorted(set(table['seed']))))}"
    chart = table_chart(view.shares(table), LIGHT)
    return {
        "printed": _beside(view.cells(table)),
        "checks": checks(table, request.quick),
        "notes": NOTES,
        "text": [TITLE, *(f"{data}: {view.sentence(table, data)}" for data in view.DATA)],
        "files": request.written("table1", table, chart, TITLE, footer),
    }


def sweeps(request: Request, data: str) -> list[AnySweep]:
    """What is trained for one kind of data: the original order, that and then the new one, and the
    new one from the start; each over the seeds."""
    seeds = QUICK_SEEDS if request.quick else SEEDS
    kind = PicturesSweep if data == view.PICTURES else NumberWordsSweep
    name, seed = named(request.order)
    plain = kind(permutation=name, permutation_seed=(seed,), seed=seeds)
    steps, more = plain.steps, TRAINED_ON
    if request.quick:
        steps, more = steps // QUICK, more // QUICK
    return [
        amended(plain, steps=steps, original_steps=steps),
        amended(plain, steps=steps + more, original_steps=steps),
        amended(plain, steps=steps),
    ]


def named(order: str) -> tuple[OrderName, int]:
    """Name and seed of an order, as random:7; raises SpecError for what is none."""
    name, _, seed = order.partition(":")
    if name not in ORDERS or (seed and (name != "random" or not seed.isdecimal())):
        raise SpecError(f"--order {order!r}: known are {', '.join(ORDERS)} and random:SEED")
    return cast(OrderName, name), int(seed or 0)


def _rows(request: Request, data: str, sweep: AnySweep) -> pd.DataFrame:
    """The lines of the table that a sweep gives: of models trained in the original order three."""
    summary = request.swept(sweep)
    members = {row["spec_id"]: row for row in summary["rows"] if row["status"] == "finished"}
    lines = []
    for spec, row in zip(sweep.members(), summary["rows"], strict=True):
        own = {"data": data, "seed": spec.seed, "order": spec.permutation, "steps": spec.steps}
        own |= {"spec_id": row["spec_id"], "spec": compact(spec)}
        if row["spec_id"] in members:
            lines += [own | measured for measured in _measured(spec, row)]
    return pd.DataFrame(lines, columns=view.COLUMNS)


def _measured(spec: Any, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cells of one model."""
    altered = {"accuracy": row["accuracy"], "cross_entropy": row["cross_entropy"]}
    if spec.original_steps < spec.steps:
        return [altered | {"row": view.TUNED if spec.original_steps else view.SCRATCH}]
    moved = {"accuracy": row["accuracy_moved"], "gap": row["moved_gap"]}
    return [
        {"row": view.ORIGINAL, "accuracy": row["accuracy_original"]},
        {"row": view.SAME, **altered},
        {"row": view.MOVED, **moved},
    ]


def _beside(cells: pd.DataFrame) -> list[dict[str, Any]]:
    """Measured and printed, cell by cell; what the paper does not print is None."""
    return [
        {
            "model": cell["data"],
            "row": cell["row"],
            "quantity": "share right",
            "measured": float(cell["mean"]),
            "range": [float(cell["low"]), float(cell["high"])],
            "printed": float(cell["printed"]) if cell["printed"] > 0 else None,
            "source": f"paper, Table 1: {view.MEASURE[cell['data']]}",
        }
        for cell in cells.to_dict("records")
    ]


def checks(table: pd.DataFrame, quick: bool) -> list[dict[str, Any]]:
    """What must hold of each kind of data; `quick` ones have trained less, and lose less."""
    harm, again = (QUICK_HARM, QUICK_AGAIN) if quick else (HARM, AGAIN)
    checked = []
    for data in view.DATA:
        own = table[table["data"] == data]
        mean = own.groupby("row")["accuracy"].mean()
        lost = {row: float(mean[view.ORIGINAL] - mean[row]) for row in view.ROWS}
        gap = float(own[own["row"] == view.MOVED]["gap"].max())
        bounds = {
            "largest change of a logit, positions permuted, too": (gap, EXACT),
            "answers that it changes": (abs(lost[view.MOVED]), 0.0),
            "still lost after more training": (lost[view.TUNED], again),
            "lost where it is learned from the start": (lost[view.SCRATCH], again),
        }
        checked += [
            check(what, measured, most=most, model=data)
            for what, (measured, most) in bounds.items()
        ]
        what = "lost by another order under the same weights"
        checked.append(check(what, lost[view.SAME], least=harm, model=data))
    return checked
