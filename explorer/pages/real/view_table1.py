"""Table 1: the order of the tokens changed, as a table, in cells and in words."""

from __future__ import annotations

from functools import lru_cache

from explorer.pretrained.catalogue import MODELS
from explorer.slow import pd
from explorer.views.sweeps import ASSETS
from explorer.views.text import number, spread

ORIGINAL, SAME, MOVED = "original", "permuted, same weights", "positions permuted, too"
TUNED, SCRATCH = "permuted, trained on", "permuted from the start"
ROWS = (ORIGINAL, SAME, MOVED, TUNED, SCRATCH)
PICTURES, WORDS = "pictures", "number words"
DATA = (PICTURES, WORDS)
PRINTED = {PICTURES: {ORIGINAL: 0.98, TUNED: 0.96}, WORDS: {ORIGINAL: 26.85, TUNED: 25.91}}
"""The paper's Table 1: accuracy of ViT-B/16 on CIFAR-10, BLEU of a Transformer on WMT2014 English
to German; altered, both go on from what was trained in the original order (App. C)."""
MEASURE = {PICTURES: "accuracy", WORDS: "BLEU"}
"""What is printed; measured are the shares of pictures and of whole numbers that are right."""
COLUMNS = ["data", "row", "seed", "accuracy", "cross_entropy", "gap"]
COLUMNS += ["steps", "order", "spec_id", "spec"]
"""Of the CSV, a line for each trained model and what was done to it; gap is the greatest difference
of a logit from that of the original order, where the positions are permuted, too."""
SHIPPED = ASSETS / "real-table1.csv"
LANGUAGE = ASSETS / "real-table1-language.csv"
MODEL = MODELS["smollm2"]
"""The language model whose texts are reordered."""


@lru_cache(maxsize=1)
def shipped() -> pd.DataFrame:
    """Table 1 as it comes with the explorer."""
    return pd.read_csv(SHIPPED)


def cells(table: pd.DataFrame) -> pd.DataFrame:
    """data, row, mean, low, high (least and largest of the seeds), seeds, printed: a line a cell,
    in the order of the table."""
    rows = []
    for data in DATA:
        for row in ROWS:
            own = table[(table["data"] == data) & (table["row"] == row)]["accuracy"]
            if len(own):
                printed = PRINTED[data].get(row)
                cell = {"mean": own.mean(), "low": own.min(), "high": own.max(), "seeds": len(own)}
                rows.append({"data": data, "row": row, **cell, "printed": printed})
    return pd.DataFrame(rows)


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """`cells` of which the printed numbers are shares of the printed original, so that accuracy and
    BLEU stand on one axis: data, row, share, how."""
    each = cells(table)
    original, parts = each[each["row"] == ORIGINAL].set_index("data"), []
    for how, name in (("mean", "measured"), ("printed", "printed in the paper")):
        share = each[how] / each["data"].map(original[how])
        parts.append(each[["data", "row"]].assign(share=share, how=name))
    return pd.concat(parts, ignore_index=True).dropna()


def printed() -> str:
    """What the paper has."""
    original, altered, plain, other = (
        number(PRINTED[data][row], 4).rstrip("0") for data in DATA for row in (ORIGINAL, TUNED)
    )
    return (
        f"The paper prints an accuracy of {original} and {altered} altered, a BLEU of {plain} and "
        f"{other}; its altered models went on from weights of the original order."
    )


def sentence(table: pd.DataFrame, data: str) -> str:
    """What another order did to the models of one kind of data."""
    own = cells(table).set_index(["data", "row"]).loc[data]
    means = {row: _of_seeds(cell) for row, cell in own.iterrows()}
    gap = table[(table["data"] == data) & (table["row"] == MOVED)]["gap"].max()
    what = "pictures" if data == PICTURES else "whole numbers"
    return (
        f"{means[ORIGINAL]} of the {what} are right (mean and extremes of {int(own['seeds'].max())}"
        f" seeds); permuted under the same weights {means[SAME]}, after more training "
        f"{means[TUNED]}, permuted from the start {means[SCRATCH]}. With the positions "
        f"permuted, too, {means[MOVED]}: no logit moves by more than {number(float(gap))}."
    )


def _of_seeds(cell: pd.Series) -> str:
    """The mean, and the extremes where they are written otherwise."""
    mean, extremes = number(cell["mean"], 3), spread(cell["low"], cell["high"], 3)
    return mean if extremes == mean else f"{mean} ({extremes})"


@lru_cache(maxsize=1)
def shipped_language() -> pd.DataFrame:
    """A row for each text and order, as `reproduce table1-language` writes them."""
    return pd.read_csv(LANGUAGE)


def by_order(table: pd.DataFrame) -> pd.DataFrame:
    """order, row, middle, low, high: the median perplexity of the texts and the extremes, for each
    order and what was done; the original once."""
    parts = [("as written", ORIGINAL, table.drop_duplicates("text")["original"])]
    for order, own in table.groupby("order", sort=False):
        parts += [(order, SAME, own["permuted"]), (order, MOVED, own["moved"])]
    return pd.DataFrame(
        {
            "order": order,
            "row": row,
            "middle": perplexity.median(),
            "low": perplexity.min(),
            "high": perplexity.max(),
        }
        for order, row, perplexity in parts
    )


def moved_change(table: pd.DataFrame) -> float:
    """The largest relative change of a perplexity where the positions are moved along."""
    return float((table["moved"] / table["original"] - 1).abs().max())


def language_sentence(table: pd.DataFrame) -> str:
    """What another order does to the language model."""
    medians = {
        (line.order, line.row): f"{number(line.middle, 3)} ({spread(line.low, line.high)})"
        for line in by_order(table).itertuples()
    }
    others = ", ".join(f"{order} {text}" for (order, row), text in medians.items() if row == SAME)
    return (
        f"{MODEL.title}, median and extremes of {table['text'].nunique()} texts: a perplexity of "
        f"{medians['as written', ORIGINAL]} as they were written; in another order under the same "
        f"weights {others}: what counts is who stands beside whom. With the "
        f"positions moved along, in RoPE and in the causal mask, it is the same to "
        f"{number(moved_change(table))}, whatever the order."
    )
