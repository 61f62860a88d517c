"""What a language model writes after six texts when its couplings keep k terms, and how much its
perplexity rises, text by text: a median over texts hides those that suffer.

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
from explorer.views.text import plural, spread

WORDS, KINDS = ASSETS / "real-words.csv", ASSETS / "real-kinds.csv"
TIMES = 2.0  # its own: from here on a rise is told as a multiple
GAUGES = {False: "raw", True: "centred"}


@lru_cache(maxsize=1)
def shipped_words() -> pd.DataFrame:
    """prompt, length, centred, k, tokens: a row for each text, gauge and k, as `reproduce words`
    writes them."""
    return read(pd.read_csv(WORDS))


def read(table: pd.DataFrame) -> pd.DataFrame:
    """A table of the file with lists of tokens in the place of JSON."""
    return table.assign(tokens=[json.loads(text) for text in table["tokens"]])


def parting(own: Sequence[str], other: Sequence[str]) -> int:
    """How many tokens come before the first that differs."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, other, strict=True)))


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
                "same": sum(parting(own[prompt], tokens) for prompt, tokens in pairs),
                "tokens": sum(lengths),
                "cut": sum(max(0, min(count, first + count - 1 - k)) for first, count in ends),
            }
        )
    return pd.DataFrame(rows)


def words_sentence(same: pd.DataFrame, gauge: str, k: int) -> str:
    """How many tokens are the model's own with k terms, of counts as `same_tokens` has them."""
    row = same[(same["gauge"] == gauge) & (same["k"] == k)].iloc[0]
    count = (
        f"all {row['tokens']}"
        if row["same"] == row["tokens"]
        else f"{row['same']} of {row['tokens']}"
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
    tokens = table.set_index(["centred", "k", "prompt"])["tokens"]
    return {
        "prompts": prompts,
        "k": terms,
        **{
            gauge: [[tokens[centred, k, prompt] for prompt in prompts] for k in terms]
            for centred, gauge in GAUGES.items()
        },
    }


@lru_cache(maxsize=1)
def shipped_kinds() -> pd.DataFrame:
    """kind, centred, k, value, own: a row for each of six kinds of text (pretrained/texts.py), as
    `reproduce rank-cut-kinds` writes them."""
    return pd.read_csv(KINDS)


def rises(cuts: pd.DataFrame, gauge: str, k: int) -> pd.Series:
    """Perplexity with k terms ÷ the whole model's, text by text."""
    rows = cuts[(cuts["centred"] == (gauge == "centred")) & (cuts["k"] == k)].set_index("kind")
    return rows["value"] / rows["own"]


def rise(cuts: pd.DataFrame, gauge: str, k: int) -> str:
    """That as the end of a sentence, from the least to the greatest."""
    times = rises(cuts, gauge, k)
    if times.max() >= TIMES:
        change = f"is {spread(times.min(), times.max())} times its own"
    else:
        ends = [round(100 * (each - 1)) for each in (times.min(), times.max())]
        moves = "rises" if min(ends) >= 0 else "changes"
        change = f"{moves} by {' to '.join(map(str, dict.fromkeys(ends)))} %".replace("-", "−")
    one = "kind" if isinstance(times.index[0], str) else "text"
    named = plural(len(times), one) + " of text" * (one == "kind")
    return f"the perplexity of {named} {change}"
