"""Tokens in any order, as the models of Table 1 see them: what a worker is asked, and what it
answers in words, as tables and as a drawing."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from explorer.pages.real import view_table1 as table1
from explorer.pages.real.view_head import opens_with, shipped_head
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_table1 import MOVED, ORIGINAL, SAME
from explorer.pretrained import example
from explorer.pretrained.catalogue import MODELS as CATALOGUE
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.seen import AS_WRITTEN, Input, Reordering
from explorer.slow import pd
from explorer.spec.alterations import faults
from explorer.targets.labelled.pictures import place_of
from explorer.views.text import number

Whose = Literal["text", "pictures", "words"]
NAME = "smollm2"
"""The model that has a text to read and positions that can be moved."""
TITLE = CATALOGUE[NAME].title
MODELS: Mapping[Whose, str] = {"text": NAME, "pictures": "mini-vit", "words": "number-words"}
TITLES: Mapping[Whose, str] = {
    "text": f"a text, {TITLE}",
    "pictures": "pictures, mini ViT",
    "words": "number words",
}
DATA: Mapping[Whose, str] = {"pictures": table1.PICTURES, "words": table1.WORDS}
"""As Table 1 calls what the small models see."""
HERE, SHIPPED = "this order", "the shipped table"
SEED = 0  # of the table's models those whose parameters are shipped


def reordering_of(choice: Look) -> Reordering:
    """What is asked: the reader's text or the example, or what the small models see, in the order
    that is chosen; of a text what the head looks at, that the page shows."""
    seed = choice.order_seed if choice.order == "random" else 0
    if choice.reordered != "text":
        return Reordering(Input(MODELS[choice.reordered]), choice.order, seed)
    one = choice.one if choice.model == NAME else None
    layer, head = one or tuple(at - 1 for at in opens_with(NAME))
    return Reordering(Input(NAME, choice.text or example.TEXT), choice.order, seed, layer, head)


def lacking(choice: Look, has_model: bool) -> str:
    """What is to be fetched before an order can be asked for; "" where nothing is."""
    if choice.reordered == "text" and not has_model:
        return f"{TITLE} answers for any order of any text: fetch it at the end of this page."
    if choice.reordered == "pictures" and not place_of("mnist"):
        return "The mini ViT is here, its pictures are not: fetch MNIST at the end of this page."
    return ""


def tokens_of(asked: Reordering, answer: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The tokens in their own order, of an answer to any order of them; of the example text without
    one. Empty where they are not known yet."""
    if answer:
        return tuple(answer["tokens"])
    shipped = asked.shown == Input(NAME, example.TEXT)
    return shipped_head(NAME).tokens if shipped else ()


def misfit(asked: Reordering, tokens: tuple[str, ...]) -> str:
    """Why the order is none of these tokens; "" where it is one, or they are not known."""
    try:
        asked.permutation(len(tokens) or 2)
    except ModelError as error:
        return str(error) if tokens else ""
    return ""


def places_of(asked: Reordering, tokens: tuple[str, ...]) -> tuple[int, ...]:
    """The order as a list; that of the tokens themselves where it is none of theirs."""
    count = len(tokens)
    return tuple(range(count)) if misfit(asked, tokens) else asked.permutation(count)


def order_named(asked: Reordering) -> str:
    """An order as it is spoken of."""
    if not isinstance(asked.order, str):
        return "your order"
    named = {AS_WRITTEN: "as it is", "random": f"random, seed {asked.seed}"}
    return named.get(asked.order, asked.order)


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


def order_drawing(
    asked: Reordering, tokens: tuple[str, ...], last: tuple[Reordering, Mapping[str, Any]] | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header and arrays of the tokens under the reader's hand; `last` is the newest answer on them,
    to this order or another. `weights` (place, place) is the attention where it is known, `pixels`
    (patch, pixel) what a picture is made of."""
    order = places_of(asked, tokens)
    name = asked.order if isinstance(asked.order, str) else None
    header = {
        "subject": [asked.shown.model, asked.shown.text],
        "tokens": tokens,
        "order": order,
        "name": name,
        "seed": asked.seed,
        "head": f"head {asked.layer + 1}.{asked.head + 1}",
    }
    answer = last[1] if last else {}
    arrays = {}
    if last and last[0] == asked and "weights" in answer:
        arrays["weights"] = _unpacked(answer["weights"], np.float16, len(tokens))
    if "pixels" in answer:
        arrays["pixels"] = _unpacked(answer["pixels"], np.uint8, len(tokens))
    return header, arrays


def _unpacked(text: str, kind: type, rows: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), kind).reshape(rows, -1)


def order_table(asked: Reordering, result: Mapping[str, Any]) -> pd.DataFrame:
    """order, row, middle, low, high as in `table1.by_order`, of the one text."""
    name = order_named(asked)
    parts = [("as written", ORIGINAL, "original"), (name, SAME, "permuted"), (name, MOVED, "moved")]
    return pd.DataFrame(
        {"order": order, "row": row} | dict.fromkeys(("middle", "low", "high"), result[key])
        for order, row, key in parts
    )


def share_table(whose: Whose, asked: Reordering, result: Mapping[str, Any]) -> pd.DataFrame:
    """row, how, right: shares that a small model has right in this order, and beside them those of
    the same model in the shipped table, whose order is named in `how`."""
    table = table1.shipped()
    own = table[(table["data"] == DATA[whose]) & (table["seed"] == SEED)]
    (order,) = set(own["order"])
    here = f"{HERE}: {order_named(asked)}"
    measured = ((ORIGINAL, "original"), (SAME, "permuted"), (MOVED, "moved"))
    rows = [{"row": row, "how": here, "right": result[key]} for row, key in measured]
    shipped = own.assign(how=f"{SHIPPED}: {order}", right=own["accuracy"])
    return pd.concat([pd.DataFrame(rows), shipped[["row", "how", "right"]]], ignore_index=True)


def order_sentence(asked: Reordering, result: Mapping[str, Any]) -> str:
    """What the order does to the text, in numbers."""
    own, permuted, moved = (number(result[key], 4) for key in ("original", "permuted", "moved"))
    change = abs(result["moved"] / result["original"] - 1)
    return (
        f"Order: {order_named(asked)}. The text of {len(result['tokens'])} tokens has a perplexity "
        f"of {own} as it is written, of {permuted} in this order under the same weights, and of "
        f"{moved} with the positions moved along: changed by {number(change)} of itself, and no "
        f"logit by more than {number(result['gap'])} of the largest. Of the attention of head "
        f"{asked.layer + 1}.{asked.head + 1}, {number(100 * result['elsewhere'], 3)} % goes to "
        "other tokens than it does as it is written."
    )


def share_sentence(whose: Whose, asked: Reordering, result: Mapping[str, Any]) -> str:
    """What the order does to what a small model has right, in numbers, and to the one shown."""
    own, permuted, moved = (number(result[key], 4) for key in ("original", "permuted", "moved"))
    what = "pictures" if whose == "pictures" else "numbers"
    before, now = (text or "nothing" for text in result["says"])
    return (
        f"Order: {order_named(asked)}. Of {result['count']} {what} that it has not learned, {own} "
        f"are right as they are, {permuted} in this order under the same weights, {moved} with the "
        f"positions moved along: no logit moves by more than {number(result['gap'])}. The one "
        f"shown: “{before}” as it is, “{now}” in this order."
    )
