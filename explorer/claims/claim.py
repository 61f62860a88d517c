"""A claim: what a text says, what that rests on, and how it is computed anew."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from explorer.claims.texts import texts
from explorer.claims.words import claiming_words

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

    def rendered(self) -> str:
        """The words with the numbers of now; ValueError where one of them is not computed."""
        numbers = dict(self.values()) if self.values else {}
        try:
            return self.says.format(**numbers)
        except KeyError as name:
            raise ValueError(f"{self.says}: computes {sorted(numbers)}, not {name}") from None

    def stands(self) -> bool:
        """Whether its place says just that."""
        words, places = self.rendered(), texts()
        read = places if self.place == EVERYWHERE else {self.place} & places.keys()
        return any(words in text for place in read for text in places[place])


def claims_of(place: str, *claims: tuple[Any, ...]) -> tuple[Claim, ...]:
    """The claims of one place: what it says, what that rests on, and perhaps `values`, of each."""
    return tuple(Claim(place, *claim) for claim in claims)


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
    covered = [
        (match.start(), match.start() + len(words))
        for words in known
        for match in re.finditer(f"(?={re.escape(words)})", text)
    ]
    for word in claiming_words(text):
        if not any(start <= word.start and word.end <= end for start, end in covered):
            yield word
