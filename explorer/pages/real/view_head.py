"""One head of a real model on one input: its coupling, its terms, what the causal mask hides, and
what the whole model answers with heads cut.

The shipped heads were made by `python -m explorer assets`; others a worker makes of the reader's
own text or picture. No model is loaded for either.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np

from explorer.pages.real.view import ANSWERS
from explorer.pages.real.view_look import Look
from explorer.pretrained import example, seen
from explorer.pretrained.seen import Cutting, Input, Seen, Terms
from explorer.slow import pd
from explorer.views.sweeps import ASSETS
from explorer.views.text import number, plural

OPENS_WITH = {"smollm2": (18, 6), "vit": (4, 5), "minilm": (1, 5)}
"""Layer and head, from 1, where none is chosen: one that looks back at what came
after the same word, and two that look at more than one place."""
NEAR = 1.05  # times its own perplexity, or
CLOSE = 0.01  # from its own answer: as good as whole
SAYS = {
    "token": "probability of the next token",
    "map": "how much one would look there",
    "vector": "cosine to other sentences",
    "class": "probability of the class",
}


def opens_with(model: str) -> tuple[int, int]:
    """The first head where none is known to be worth more."""
    return OPENS_WITH.get(model, (1, 1))


@lru_cache(maxsize=3)
def shipped_head(model: str) -> Seen:
    """The heads of a model on what `example` has."""
    return seen.read(ASSETS / f"real-heads-{model}.npz")


def input_of(choice: Look) -> Input:
    """What the model is shown: the reader's own, else the example."""
    if choice.pretrained.reads == "picture":
        return Input(choice.model, picture=choice.picture or "")
    return Input(choice.model, choice.text or choice.pretrained.example or example.TEXT)


@dataclass(frozen=True, eq=False)
class HeadView:
    """What is shown of a head."""

    choice: Look
    seen: Seen
    layer: int
    """From 1."""
    head: int
    logits: np.ndarray
    """In the gauge that is chosen: (query, key)."""
    terms: Terms
    names: tuple[str, ...]
    sentence: str
    mask: str
    """What the causal mask does to the spectrum; "" where there is none."""

    @property
    def title(self) -> str:
        """Whose."""
        return f"layer {self.layer}, head {self.head}"


def head_view(choice: Look, observation: Seen) -> HeadView:
    """The head that is chosen, or the one that the model opens with."""
    layer, head = (at + 1 for at in choice.one) if choice.one else opens_with(choice.model)
    raw = observation.logits(layer - 1, head - 1)
    logits = seen.centre(raw) if choice.centred else raw
    terms = seen.terms(logits, choice.pretrained.width)
    names = tuple(_written(token) for token in observation.tokens)
    return HeadView(
        choice,
        observation,
        layer,
        head,
        logits,
        terms,
        names,
        _sentence(choice.pretrained.width, raw, len(observation.tokens)),
        mask_sentence(raw) if choice.pretrained.causal else "",
    )


def _written(token: str) -> str:
    return token.removeprefix("row ").replace(", column ", "·").replace("class token", "class")


def _sentence(width: int, raw: np.ndarray, tokens: int) -> str:
    return (
        f"On {plural(tokens, 'token')} 99 % of its coupling is held by {_rank(raw)} of at most "
        f"{plural(min(tokens, width), 'term')}, by {_rank(seen.centre(raw))} without what softmax "
        "cannot see."
    )


def _rank(matrix: np.ndarray) -> int:
    return seen.energy_rank(np.linalg.svd(matrix, compute_uv=False))


def mask_sentence(raw: np.ndarray) -> str:
    """What a causal mask would do to the spectrum if it were part of the coupling."""
    whole, masked, of_ones = map(_rank, (raw, np.tril(raw), np.tril(np.ones_like(raw))))
    return (
        "The causal mask takes later tokens away inside softmax. The head may have any numbers "
        f"there, and 99 % of the whole matrix is in {plural(whole, 'term')}; with zeros in their "
        f"place it would take {masked}. Zeros there are no small change: a triangle of ones, of "
        f"which a single term would say all below the diagonal, takes {of_ones}."
    )


def head_drawing(head: HeadView, k: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What components/head draws: `k` terms are kept."""
    subject = f"{input_of(head.choice).id} {head.layer} {head.head} {head.choice.gauge}"
    header = {
        "subject": subject,
        "tokens": list(head.seen.tokens),
        "names": list(head.names),
        "causal": head.choice.pretrained.causal,
        "patches": 0 if head.seen.picture is None else isqrt(len(head.names) - 1),
        "k": k,
    }
    terms = head.terms
    arrays = {"logits": head.logits, "sigma": terms.sigma, "phi": terms.phi, "psi": terms.psi}
    if head.seen.picture is not None:
        arrays["picture"] = head.seen.picture
    return header, arrays


def terms_table(head: HeadView) -> pd.DataFrame:
    """The first terms over the tokens: k, σ_k, token, its name, φ_k and ψ_k there."""
    terms, count = head.terms, min(8, len(head.terms.sigma))
    tokens = len(head.names)
    k = np.repeat(np.arange(count), tokens)
    at = np.tile(np.arange(tokens), count)
    return pd.DataFrame(
        {
            "k": k + 1,
            "sigma": terms.sigma[k],
            "position": at + 1,
            "token": [head.seen.tokens[i] for i in at],
            "phi": terms.phi[at, k],
            "psi": terms.psi[at, k],
        }
    )


def map_table(head: HeadView, k: int) -> pd.DataFrame:
    """Coupling and attention, whole and with k terms: a row for each query and key."""
    causal, terms = head.choice.pretrained.causal, head.terms
    low_rank = (terms.phi[:, :k] * terms.sigma[:k]) @ terms.psi[:, :k].T
    count = len(head.names)
    query, key = np.divmod(np.arange(count**2), count)
    return pd.DataFrame(
        {
            "query": query + 1,
            "key": key + 1,
            "coupling": head.logits.ravel(),
            "attention": attention(head.logits, causal).ravel(),
            "kept": attention(low_rank, causal).ravel(),
        }
    )


def attention(logits: np.ndarray, causal: bool) -> np.ndarray:
    """softmax over the keys of each query; where `causal`, later keys get nothing."""
    shown = np.where(np.triu(np.ones_like(logits, bool), 1), -np.inf, logits) if causal else logits
    weights = np.exp(shown - shown.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def cutting_of(choice: Look, k: int) -> Cutting:
    """The heads that are cut to k: this one, all of its layer, or all."""
    layer, head = choice.one or tuple(at - 1 for at in opens_with(choice.model))
    return Cutting(
        input_of(choice),
        k,
        choice.centred,
        None if choice.cut == "all" else layer,
        head if choice.cut == "head" else None,
    )


def answer_table(result: dict[str, Any]) -> pd.DataFrame:
    """What is said whole and cut, for each of the best answers: name, kind, value."""
    rows = [
        {"answer": _named(name), "kind": kind, "value": value, "place": place}
        for place, (name, before, after) in enumerate(result["rows"])
        for kind, value in (("whole", before), ("cut", after))
    ]
    return pd.DataFrame(rows)


def _named(text: str) -> str:
    """A token or sentence as a label: a blank before a word can be seen."""
    shown = text.replace("\n", "⏎")
    shown = f"␣{shown[1:]}" if shown.startswith(" ") else shown
    return shown if len(shown) < 48 else f"{shown[:46]}…"


def answer_sentence(choice: Look, k: int, result: dict[str, Any]) -> str:
    """The measure with k terms beside that of the whole model."""
    own, now = result["measure"]
    heads = {"head": "this head alone", "layer": "its layer", "all": "all heads"}[choice.cut]
    begin = f"With k = {plural(k, 'term')} of {heads}"
    if choice.pretrained.says != "token":
        near = "as good as whole" if now <= CLOSE else "not what it was"
        measure = ANSWERS[choice.pretrained.says]
        distance = f"{number(now)} from its own"
        return f"{begin} the answer is {distance} ({measure}): {near}."
    near = "as good as whole" if now <= NEAR * own else "worse"
    best = [max(result["rows"], key=lambda row, at=at: row[at])[0] for at in (1, 2)]
    token = "the same token" if best[0] == best[1] else "another token"
    return (
        f"{begin} the perplexity of the text is {number(now, 3)} instead of {number(own, 3)}, "
        f"{near}; {token} is the likeliest to come next."
    )


def shipped_answer(observation: Seen, choice: Look, k: int) -> tuple[int, dict[str, Any]] | None:
    """What the shipped example answers with all heads cut to the greatest k up to this one that
    was tried; None for other cuts."""
    tried = [at for at in observation.cuts.get(choice.gauge, {}) if at <= k]
    if choice.cut != "all" or not tried:
        return None
    return max(tried), observation.cuts[choice.gauge][max(tried)]
