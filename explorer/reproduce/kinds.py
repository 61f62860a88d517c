"""A language model with k terms of its couplings, on six kinds of text."""

from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.real.chart import kinds_chart
from explorer.pages.real.view_words import rise, rises
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.texts import KINDS
from explorer.reproduce.checks import check
from explorer.reproduce.files import written
from explorer.reproduce.request import Request
from explorer.runs.home import models as models_folder

NAME, TOKENS = "smollm2", 96
TERMS, QUICK_TERMS, QUICK_KINDS = (1, 2, 4, 8, 12, 16, 24, 32), (1, 16), ("code", "French")
TITLE = "Perplexity with k terms of every coupling, by kind of text"
MOST, LEAST = 1.15, 5.0


def rank_cut_kinds(request: Request) -> dict[str, Any]:
    """Perplexities of each kind of text; needs the model fetched."""
    kinds = QUICK_KINDS if request.quick else tuple(KINDS)
    terms = QUICK_TERMS if request.quick else TERMS
    table = measured(kinds, (*terms, MODELS[NAME].width))
    model = MODELS[NAME]
    footer = f"{model.title} ({model.origin}) · {len(kinds)} texts of {TOKENS} tokens"
    files = written(request.out, "rank-cut-kinds", table, kinds_chart(table, LIGHT), TITLE, footer)
    return {
        "checks": checks(table),
        "notes": ["One text of each kind: how other texts of a kind do is not known."],
        "text": [f"{model.title}, k = {k}: {rise(table, 'raw', k)}" for k in terms],
        "files": files,
    }


def measured(kinds: tuple[str, ...], terms: tuple[int, ...]) -> pd.DataFrame:
    """kind, tokens, centred, k, value, own: perplexities, cut and whole."""
    from explorer.pretrained.inputs import tokens_of  # imports torch
    from explorer.pretrained.look import opened
    from explorer.pretrained.measure import cuts_of

    of = opened(models_folder(), NAME)
    assert of.reader is not None
    inputs = tokens_of(of.reader, [KINDS[kind] for kind in kinds], TOKENS)
    table = pd.DataFrame(cuts_of(of.model, inputs, terms, NAME, of.says))
    table = table.assign(kind=table["input"].map(dict(enumerate(kinds))), tokens=TOKENS)
    return table[["kind", "tokens", "centred", "k", "value", "own"]]


def checks(table: pd.DataFrame) -> list[dict[str, Any]]:
    """What must hold of the perplexities."""
    whole = rises(table, "raw", MODELS[NAME].width)
    highest, least = rises(table, "raw", 16).max(), rises(table, "raw", 1).min()
    what, far = "perplexity with all terms ÷ own, less 1, greatest", (whole - 1).abs().max()
    return [
        check(what, far, most=1e-5, model=NAME),
        check("greatest rise at k = 16", highest, most=MOST, model=NAME),
        check("least rise at k = 1", least, least=LEAST, model=NAME),
    ]
