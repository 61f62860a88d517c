"""What a language model writes after six texts when its couplings keep k terms.

A continuation parts from the model's own, that of all terms, at a token; from there on it is
another text, and its tokens count as others even where one is the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Any

from explorer.pretrained.catalogue import Pretrained
from explorer.slow import pd
from explorer.views.sweeps import ASSETS

WORDS = ASSETS / "real-words.csv"
GAUGES = {False: "raw", True: "centred"}


@lru_cache(maxsize=1)
def shipped_words() -> pd.DataFrame:
    """prompt, length, centred, k, tokens: a row for each text, gauge and k, as `reproduce words`
    writes them."""
    return read(pd.read_csv(WORDS))


def read(kept: pd.DataFrame) -> pd.DataFrame:
    """A table of the file with lists of tokens in the place of JSON."""
    return kept.assign(tokens=[json.loads(text) for text in kept["tokens"]])


def parting(own: Sequence[str], said: Sequence[str]) -> int:
    """How many tokens come before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, said, strict=True)))


def same_tokens(table: pd.DataFrame) -> pd.DataFrame:
    """gauge, k, same, tokens, cut: how many tokens of all texts come before the first that differs
    from the continuation with the most terms, of how many; and how many of all were written on a
    text of more than k tokens, whose couplings lose something."""
    own = table[table["k"] == table["k"].max()].groupby("prompt")["tokens"].first()
    rows = []
    for (centred, k), group in table.groupby(["centred", "k"]):
        lengths = [len(tokens) for tokens in group["tokens"]]
        pairs = zip(group["prompt"], group["tokens"], strict=True)
        ends = zip(group["length"], lengths, strict=True)
        rows.append(
            {
                "gauge": GAUGES[bool(centred)],
                "k": k,
                "same": sum(parting(own[prompt], said) for prompt, said in pairs),
                "tokens": sum(lengths),
                "cut": sum(max(0, min(count, first + count - 1 - k)) for first, count in ends),
            }
        )
    return pd.DataFrame(rows)


def words_sentence(same: pd.DataFrame, gauge: str, k: int) -> str:
    """How many tokens are the model's own with k terms, of counts as `same_tokens` has them."""
    of = same[(same["gauge"] == gauge) & (same["k"] == k)].iloc[0]
    count = (
        f"all {of['tokens']}" if of["same"] == of["tokens"] else f"{of['same']} of {of['tokens']}"
    )
    return f"k = {k}: {count} tokens are the model's own"


def words_of(model: Pretrained) -> dict[str, Any] | None:
    """`prompts`, the `k` that were tried and, by gauge, the tokens written: (k, prompt, token), as
    the component draws them; None of a model that was not asked."""
    table = shipped_words()
    if model.name not in set(table["model"]):
        return None
    prompts = list(dict.fromkeys(table["prompt"]))
    terms = sorted(int(k) for k in table["k"].unique())
    said = table.set_index(["centred", "k", "prompt"])["tokens"]
    return {
        "prompts": prompts,
        "k": terms,
        **{
            gauge: [[said[centred, k, prompt] for prompt in prompts] for k in terms]
            for centred, gauge in GAUGES.items()
        },
    }
