"""One text in any order, as the language model of Table 1 sees it: what a worker is asked, and what
it answers in words and as a table."""

from __future__ import annotations

from typing import Any

import pandas as pd

from explorer.pretrained import example
from explorer.pretrained.seen import Input, Reordering
from explorer.spec.alterations import faults
from explorer.views.real import Look
from explorer.views.table1 import MOVED, ORIGINAL, SAME
from explorer.views.text import number

NAME = "smollm2"
"""The model that has a text to read and positions that can be moved."""


def reordering_of(look: Look) -> Reordering:
    """What is asked: the reader's text or the example, in the order that is chosen."""
    seed = look.order_seed if look.order == "random" else 0
    return Reordering(Input(NAME, look.text or example.TEXT), look.order, seed)


def order_named(asked: Reordering) -> str:
    """An order as it is spoken of."""
    if not isinstance(asked.order, str):
        return "your order"
    return f"random, seed {asked.seed}" if asked.order == "random" else asked.order


def parse_order(text: str) -> tuple[int, ...]:
    """A list of positions as it is typed. Raises ValueError for what is no order of 0 … n − 1."""
    words = text.replace(",", " ").replace(";", " ").split()
    if bad := [word for word in words if not word.isdecimal()]:
        raise ValueError(f"whole numbers from 0 on are needed, not {bad[0][:20]!r}")
    order = tuple(map(int, words))
    if len(order) < 2:
        raise ValueError("an order has at least two positions, such as 1 0")
    if wrong := faults(order, len(order)):
        raise ValueError(f"each position from 0 to {len(order) - 1} is needed once; {wrong}")
    return order


def order_table(asked: Reordering, result: dict[str, Any]) -> pd.DataFrame:
    """order, row, middle, low, high as in `table1.by_order`, of the one text."""
    name = order_named(asked)
    parts = [
        ("as written", ORIGINAL, "original"),
        (name, SAME, "permuted"),
        (name, MOVED, "moved"),
    ]
    return pd.DataFrame(
        {"order": order, "row": row} | dict.fromkeys(("middle", "low", "high"), result[of])
        for order, row, of in parts
    )


def order_sentence(asked: Reordering, result: dict[str, Any]) -> str:
    """What the order does to the text, in numbers."""
    own, permuted, moved = (number(result[of], 4) for of in ("original", "permuted", "moved"))
    change = abs(result["moved"] / result["original"] - 1)
    return (
        f"Order: {order_named(asked)}. The text of {len(result['tokens'])} tokens has a perplexity "
        f"of {own} as it is written, of {permuted} in this order under the same weights, and of "
        f"{moved} with the positions moved along: changed by {number(change)} of itself, and no "
        f"logit by more than {number(result['gap'])} of the largest."
    )


def seen_text(result: dict[str, Any]) -> str:
    """The tokens as the model sees them, x∘p."""
    return "".join(result["tokens"][p] for p in result["order"])
