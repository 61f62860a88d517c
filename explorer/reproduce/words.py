"""A language model that goes on with six texts, its couplings cut to k terms."""

import json
from typing import Any

import pandas as pd

from explorer.charts import LIGHT
from explorer.pages.real.chart import words_chart
from explorer.pages.real.view_words import read, same_tokens, words_sentence
from explorer.pretrained.catalogue import MODELS
from explorer.reproduce.checks import check
from explorer.reproduce.files import written
from explorer.reproduce.request import Request
from explorer.runs.home import models as models_folder

NAME, COUNT = "smollm2", 14
TERMS, QUICK_TERMS, QUICK_PROMPTS = (1, 2, 4, 8, 12, 16, 24, 32), (1, 16), 2
TITLE = "Tokens that a language model writes as it does whole, with k terms of every coupling"
EARLIER = 16
"""Terms with which an earlier trial, raw, found all tokens of these texts unchanged."""


def words(request: Request) -> dict[str, Any]:
    """What it writes after each text, raw and centred; needs the model fetched."""
    from explorer.pretrained.words import PROMPTS, continuations  # imports torch

    model = MODELS[NAME]
    prompts = PROMPTS[:QUICK_PROMPTS] if request.quick else PROMPTS
    terms = (*(QUICK_TERMS if request.quick else TERMS), model.width)
    table = pd.DataFrame(continuations(models_folder(), NAME, prompts, COUNT, terms))
    kept = table.assign(
        model=NAME,
        wheel=model.wheels[0].sha256[:12],
        tokens=[json.dumps(tokens, ensure_ascii=False) for tokens in table["tokens"]],
    )[["model", "wheel", "prompt", "length", "centred", "k", "tokens"]]
    same = same_tokens(read(kept))
    footer = f"{model.title} ({model.origin}) · {len(prompts)} texts, {COUNT} tokens each"
    return {
        "checks": checks(table, same),
        "notes": [
            "A text of t tokens has at most t terms: on the first tokens a large k cuts nothing."
        ],
        "text": [f"{model.title}: {words_sentence(same, 'raw', k)}" for k in terms],
        "files": written(request.out, "words", kept, words_chart(same, LIGHT), TITLE, footer),
    }


def checks(table: pd.DataFrame, same: pd.DataFrame) -> list[dict[str, Any]]:
    """What must hold of the continuations and of the counts of `same_tokens`."""
    all_terms = table[table["k"] == MODELS[NAME].width]
    counts = same[same["gauge"] == "raw"].set_index("k")
    share = counts["same"] / counts["tokens"]
    changed = (~all_terms["own"]).sum()
    own = "share of the tokens that are its own at k = "
    return [
        check("texts with all terms that are not the whole model's", changed, most=0, model=NAME),
        check(f"{own}{EARLIER}", share[EARLIER], least=0.9, model=NAME),
        check(f"{own}1", share[1], most=0.2, model=NAME),
    ]
