"""Table 1 on a language model: its perplexity of texts whose tokens come in another order."""

from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.real import view_table1 as view
from explorer.pages.real.chart import orders_chart
from explorer.reproduce.checks import check
from explorer.reproduce.files import written
from explorer.reproduce.request import Request
from explorer.runs.home import models as models_folder
from explorer.targets.alterations import ORDERS, named_order

TEXTS, QUICK_TEXTS, TOKENS = 6, 2, 96
EXACT = 1e-6  # of the largest logit, by which the neutral reordering may differ
NEIGHBOURS = ("block", "roll")
"""Orders in which most tokens stay beside those they stood beside."""
HARM, LITTLE = 10.0, 2.0  # times its own perplexity
TITLE = "Table 1 on a language model: the tokens in another order"


def language_orders(request: Request) -> dict[str, Any]:
    """Perplexities in other orders, and with the positions moved along; needs the model fetched."""
    from explorer.pretrained.orders import orders  # imports torch

    named = {name: named_order(name, TOKENS) for name in ORDERS}
    count = QUICK_TEXTS if request.quick else TEXTS
    table = pd.DataFrame(orders(models_folder(), count, TOKENS, named))
    footer = f"{view.MODEL.title}, {count} texts of {TOKENS} tokens"
    chart = orders_chart(view.by_order(table), LIGHT)
    return {
        "checks": checks(table),
        "notes": [
            "The paper has no language model in Table 1. Its next token is that of the order in "
            "which the tokens come; with the positions moved it is that of the text."
        ],
        "text": [view.language_sentence(table)],
        "files": written(request.out, "table1-language", table, chart, TITLE, footer),
    }


def checks(table: pd.DataFrame) -> list[dict[str, Any]]:
    """What must hold of the perplexities."""
    times = table["permuted"] / table["original"]
    kept = table["order"].isin(NEIGHBOURS)
    exact = {
        "largest change of a logit, positions moved, too": table["gap"].max(),
        "largest change of a perplexity that it makes": view.moved_change(table),
    }
    parted = "perplexity ÷ own in an order that parts neighbours, least"
    near = "perplexity ÷ own in one that keeps most of them, greatest"
    return [
        *(check(what, of, most=EXACT, model="smollm2") for what, of in exact.items()),
        check(parted, times[~kept].min(), least=HARM, model="smollm2"),
        check(near, times[kept].max(), most=LITTLE, model="smollm2"),
    ]
