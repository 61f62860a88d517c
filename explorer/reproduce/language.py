"""A language model on texts: their tokens in another order, as in Table 1; and with k terms of its
couplings, by kind of text and as it goes on with six."""

import json
from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.real import view_table1 as view
from explorer.pages.real.chart import kinds_chart, orders_chart, words_chart
from explorer.pages.real.view_words import read, rise, rises, same_tokens, words_sentence
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.texts import KINDS
from explorer.reproduce.request import Request, check
from explorer.runs.home import models as models_folder
from explorer.targets.alterations import ORDERS, named_order

NAME, TOKENS = "smollm2", 96
MODEL = MODELS[NAME]
TEXTS, QUICK_TEXTS = 6, 2
EXACT = 1e-6  # of the largest logit, by which the neutral reordering may differ
NEIGHBOURS = ("block", "roll")
"""Orders in which most tokens stay beside those they stood beside."""
HARM, LITTLE = 10.0, 2.0  # times its own perplexity
TERMS, QUICK_TERMS, QUICK_KINDS = (1, 2, 4, 8, 12, 16, 24, 32), (1, 16), ("code", "French")
MOST, LEAST = 1.15, 5.0  # rises of the perplexity at k = 16 and at k = 1
COUNT, QUICK_PROMPTS = 14, 2  # tokens that are written, after so many texts
EARLIER = 16
"""Terms with which an earlier trial, raw, found all tokens of these texts unchanged."""


def language_orders(request: Request) -> dict[str, Any]:
    """Perplexities in other orders, and with the positions moved along; needs the model fetched."""
    from explorer.pretrained.orders import orders  # imports torch

    named = {name: named_order(name, TOKENS) for name in ORDERS}
    count = QUICK_TEXTS if request.quick else TEXTS
    table = pd.DataFrame(orders(models_folder(), count, TOKENS, named))
    title = "Table 1 on a language model: the tokens in another order"
    footer = f"{MODEL.title}, {count} texts of {TOKENS} tokens"
    chart = orders_chart(view.by_order(table), LIGHT)
    return {
        "checks": order_checks(table),
        "notes": [
            "The paper has no language model in Table 1. Its next token is that of the order in "
            "which the tokens come; with the positions moved it is that of the text."
        ],
        "text": [view.language_sentence(table)],
        "files": request.written("table1-language", table, chart, title, footer),
    }


def order_checks(table: pd.DataFrame) -> list[dict[str, Any]]:
    """What must hold of the perplexities."""
    times = table["permuted"] / table["original"]
    neighbours = table["order"].isin(NEIGHBOURS)
    exact = {
        "largest change of a logit, positions moved, too": table["gap"].max(),
        "largest change of a perplexity that it makes": view.moved_change(table),
    }
    parted = "perplexity ÷ own in an order that parts neighbours, least"
    near = "perplexity ÷ own in one that keeps most of them, greatest"
    return [
        *(check(what, change, most=EXACT, model=NAME) for what, change in exact.items()),
        check(parted, times[~neighbours].min(), least=HARM, model=NAME),
        check(near, times[neighbours].max(), most=LITTLE, model=NAME),
    ]


def rank_cut_kinds(request: Request) -> dict[str, Any]:
    """Perplexities of six kinds of text, cut and whole; needs the model fetched."""
    from explorer.pretrained.inputs import tokens_of  # imports torch
    from explorer.pretrained.measure import cuts_of
    from explorer.pretrained.probe import open_model

    kinds = QUICK_KINDS if request.quick else tuple(KINDS)
    terms = QUICK_TERMS if request.quick else TERMS
    opened_model = open_model(models_folder(), NAME)
    assert opened_model.reader is not None
    inputs = tokens_of(opened_model.reader, [KINDS[kind] for kind in kinds], TOKENS)
    table = pd.DataFrame(
        cuts_of(opened_model.model, inputs, (*terms, MODEL.width), NAME, opened_model.says)
    )
    table = table.assign(kind=table["input"].map(dict(enumerate(kinds))), tokens=TOKENS)
    table = table[["kind", "tokens", "centred", "k", "value", "own"]]
    title = "Perplexity with k terms of every coupling, by kind of text"
    footer = f"{MODEL.title} ({MODEL.origin}) · {len(kinds)} texts of {TOKENS} tokens"
    chart = kinds_chart(table, LIGHT)
    far = (rises(table, "raw", MODEL.width) - 1).abs().max()
    highest, least = rises(table, "raw", 16).max(), rises(table, "raw", 1).min()
    return {
        "checks": [
            check("perplexity with all terms ÷ own, less 1, greatest", far, most=1e-5, model=NAME),
            check("greatest rise at k = 16", highest, most=MOST, model=NAME),
            check("least rise at k = 1", least, least=LEAST, model=NAME),
        ],
        "notes": ["One text of each kind: how other texts of a kind do is not known."],
        "text": [f"{MODEL.title}, k = {k}: {rise(table, 'raw', k)}" for k in terms],
        "files": request.written("rank-cut-kinds", table, chart, title, footer),
    }


def words(request: Request) -> dict[str, Any]:
    """What it writes after each text, raw and centred; needs the model fetched."""
    from explorer.pretrained.words import PROMPTS, continuations  # imports torch

    prompts = PROMPTS[:QUICK_PROMPTS] if request.quick else PROMPTS
    terms = (*(QUICK_TERMS if request.quick else TERMS), MODEL.width)
    table = pd.DataFrame(continuations(models_folder(), NAME, prompts, COUNT, terms))
    rows = table.assign(
        model=NAME,
        wheel=MODEL.wheels[0].sha256[:12],
        tokens=[json.dumps(tokens, ensure_ascii=False) for tokens in table["tokens"]],
    )[["model", "wheel", "prompt", "length", "centred", "k", "tokens"]]
    same = same_tokens(read(rows))
    title = "Tokens that a language model writes as it does whole, with k terms of every coupling"
    footer = f"{MODEL.title} ({MODEL.origin}) · {len(prompts)} texts, {COUNT} tokens each"
    return {
        "checks": _word_checks(table, same),
        "notes": [
            "A text of t tokens has at most t terms: on the first tokens a large k cuts nothing."
        ],
        "text": [f"{MODEL.title}: {words_sentence(same, 'raw', k)}" for k in terms],
        "files": request.written("words", rows, words_chart(same, LIGHT), title, footer),
    }


def _word_checks(table: pd.DataFrame, same: pd.DataFrame) -> list[dict[str, Any]]:
    """What must hold of the continuations and of the counts of `same_tokens`."""
    counts = same[same["gauge"] == "raw"].set_index("k")
    share = counts["same"] / counts["tokens"]
    changed = (~table[table["k"] == MODEL.width]["own"]).sum()
    own = "share of the tokens that are its own at k = "
    return [
        check("texts with all terms that are not the whole model's", changed, most=0, model=NAME),
        check(f"{own}{EARLIER}", share[EARLIER], least=0.9, model=NAME),
        check(f"{own}1", share[1], most=0.2, model=NAME),
    ]
