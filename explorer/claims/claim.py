"""A claim: what a text says, what that rests on, and how it is computed anew."""

import string
from collections.abc import Callable, Mapping
from typing import NamedTuple

from explorer.claims.texts import texts
from explorer.claims.words import said

EVERYWHERE = "everywhere"


class Claim(NamedTuple):
    """Words of a text that a number or a theorem stands in."""

    place: str
    """The file they stand in, from the root of the project, or EVERYWHERE."""
    says: str
    """The words as they stand there, with {name} for each number that `values` computes."""
    rests: str
    """The asset, closed form, setting or definition; of a theorem, the paper and the statement."""
    values: Callable[[], Mapping[str, object]] | None = None
    """The numbers, anew from what they rest on. None where the words are a definition or quote what
    is printed: nothing is there that could come out differently."""

    @property
    def names(self) -> set[str]:
        """What `values` has to compute."""
        return {name for _, name, _, _ in string.Formatter().parse(self.says) if name}

    def rendered(self) -> str:
        """The words with the numbers of now; ValueError where names and values differ."""
        found = dict(self.values()) if self.values else {}
        if set(found) != self.names:
            raise ValueError(f"{self.says}: computes {sorted(found)}, says {sorted(self.names)}")
        return self.says.format(**found)

    def stands(self) -> bool:
        """Whether its place says just that."""
        words = self.rendered()
        return any(words in text for text in self.read())

    def read(self) -> tuple[str, ...]:
        """The texts it may stand in."""
        if self.place != EVERYWHERE:
            return texts().get(self.place, ())
        return tuple(text for place in texts().values() for text in place)


class Unknown(NamedTuple):
    """A number or theorem that no claim has."""

    place: str
    word: str
    beside: str
    """The text around it."""


def unknown(claims: tuple[Claim, ...]) -> list[Unknown]:
    """What the texts say that none of these claims does."""
    rendered = [(claim.place, claim.rendered()) for claim in claims]
    return [
        Unknown(place, word, text[max(0, start - 40) : end + 40])
        for place, spoken in texts().items()
        for text in spoken
        for word, start, end in _uncovered(
            text, [words for at, words in rendered if at in (place, EVERYWHERE)]
        )
    ]


def _uncovered(text: str, known: list[str]):
    """What is said between the words that are known."""
    covered = [span for words in known for span in _spans(text, words)]
    for found in said(text):
        if not any(start <= found.start and found.end <= end for start, end in covered):
            yield found


def _spans(text: str, words: str):
    at = text.find(words)
    while at >= 0:
        yield at, at + len(words)
        at = text.find(words, at + 1)
