"""How the perplexity of a language model rises, text by text, when its couplings keep k terms.

A median over texts hides those that suffer: the least and the greatest rise are told.
"""

from __future__ import annotations

from functools import lru_cache

from explorer.slow import pd
from explorer.views.sweeps import ASSETS
from explorer.views.text import spread

KINDS = ASSETS / "real-kinds.csv"
TIMES = 2.0  # its own: from here on a rise is told as a multiple


@lru_cache(maxsize=1)
def shipped_kinds() -> pd.DataFrame:
    """kind, centred, k, value, own: a row for each of six kinds of text (pretrained/kinds.py), as
    `reproduce rank-cut-kinds` writes them."""
    return pd.read_csv(KINDS)


def told_apart(cuts: pd.DataFrame) -> pd.DataFrame:
    """The same of other texts, which have numbers for names."""
    return cuts.rename(columns={"input": "kind"})


def rises(cuts: pd.DataFrame, gauge: str, k: int) -> pd.Series:
    """Perplexity with k terms ÷ the whole model's, text by text."""
    of = cuts[(cuts["centred"] == (gauge == "centred")) & (cuts["k"] == k)].set_index("kind")
    return of["value"] / of["own"]


def rise(cuts: pd.DataFrame, gauge: str, k: int) -> str:
    """That as the end of a sentence, from the least to the greatest."""
    times = rises(cuts, gauge, k)
    if times.max() >= TIMES:
        change = f"is {spread(times.min(), times.max())} times its own"
    else:
        ends = (f"{round(100 * (each - 1))}" for each in (times.min(), times.max()))
        change = f"rises by {' to '.join(dict.fromkeys(ends))} %".replace("-", "−")
    named = "kinds of text" if isinstance(times.index[0], str) else "texts"
    return f"the perplexity of {len(times)} {named} {change}"
