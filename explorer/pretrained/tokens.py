"""Texts as numbers of a vocabulary: byte-level BPE (SmolLM2, GPT-2) and WordPiece (BERT, MiniLM);
and numbers as they are, of a model that came without words.

Forty lines each; the library for it brings a client of a model hub. The tests hold both to what
that library says of texts in many alphabets.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from explorer.pretrained.catalogue import ModelError

LONGEST = 100_000  # characters of a text: it is cut to a few hundred tokens later
PARTS = re.compile(r"'(?:s|t|re|ve|m|ll|d)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")
"""What GPT-2 calls words; a digit is one by itself."""
NUMBER = re.compile("[0-9]{1,9}")
CJK = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


def checked(text: str) -> str:
    """The text; raises ModelError for one that is empty or too long."""
    if not text.strip():
        raise ModelError("the text is empty: type some words")
    if len(text) > LONGEST:
        raise ModelError(f"the text has {len(text)} characters; at most {LONGEST} are read")
    return text.encode("utf-8", "replace").decode()  # a lone surrogate is no character


class ByteLevel:
    """Byte-level BPE: every text has tokens, whatever its characters."""

    def __init__(self, vocabulary: Sequence[str], merges: Sequence[str], digits_alone: bool = True):
        self.words = words if digits_alone else PARTS.findall
        self.names = vocabulary
        self.numbers = {name: number for number, name in enumerate(vocabulary)}
        self.ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}

    def encode(self, text: str) -> list[int]:
        """Numbers of a text's tokens; raises ModelError for an empty text."""
        return [
            self.numbers[name]
            for word in self.words(checked(text))
            for name in self._merged(tuple(BYTE_NAMES[byte] for byte in word.encode()))
        ]

    def texts(self, numbers: Sequence[int]) -> list[str]:
        """How each token is written; half of a character is �."""
        back = {name: byte for byte, name in enumerate(BYTE_NAMES)}
        return [
            bytes(back[sign] for sign in self.names[number] if sign in back).decode(
                "utf-8", "replace"
            )
            for number in numbers
        ]

    def _merged(self, signs: tuple[str, ...]) -> tuple[str, ...]:
        """Join the pair that was joined first in training, until none is left."""
        while len(signs) > 1:
            pair = min(pairwise(signs), key=lambda pair: self.ranks.get(pair, len(self.ranks)))
            if pair not in self.ranks:
                break
            joined, at = [], 0
            while at < len(signs):
                is_pair = signs[at : at + 2] == pair
                joined.append("".join(signs[at : at + 1 + is_pair]))
                at += 1 + is_pair
            signs = tuple(joined)
        return signs


def words(text: str) -> list[str]:
    """The pieces of a text in which BPE joins; digits of every alphabet stand alone."""
    # every character that is a number looks like 0 to the pattern
    shadow = "".join("0" if sign.isnumeric() and not sign.isalpha() else sign for sign in text)
    pieces, begin = [], 0
    for digit in [*re.finditer("0|\\d", shadow), None]:
        end = digit.start() if digit else len(text)
        pieces += [
            text[begin + match.start() : begin + match.end()]
            for match in PARTS.finditer(shadow[begin:end])
        ]
        if digit:
            pieces.append(text[end : end + 1])
            begin = end + 1
    return pieces


def _byte_names() -> list[str]:
    """A printable character for each byte, as GPT-2 has them: itself, or one from 256 on."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in plain else next(others)) for byte in range(256)]


BYTE_NAMES = _byte_names()
SPECIAL = ("[CLS]", "[SEP]", "[UNK]")
"""What WordPiece needs beside pieces."""


class WordPiece:
    """BERT's: a word is its longest known pieces, from the left; `lower` case without accents."""

    LONGEST_WORD = 100

    def __init__(self, vocabulary: Sequence[str], lower: bool = True):
        self.names, self.lower = vocabulary, lower
        self.numbers = {name: number for number, name in enumerate(vocabulary)}

    def encode(self, text: str) -> list[int]:
        """Numbers of a text's tokens between [CLS] and [SEP]; what is in no piece is [UNK]."""
        pieces = [piece for word in self._words(text) for piece in self._pieces(word)]
        return [self.numbers[name] for name in ("[CLS]", *pieces, "[SEP]")]

    def texts(self, numbers: Sequence[int]) -> list[str]:
        """How each token is written; ## before what goes on with a word."""
        return [self.names[number] for number in numbers]

    def _words(self, text: str) -> list[str]:
        return _bert_words(checked(text), self.lower)

    def _pieces(self, word: str) -> list[str]:
        if len(word) > self.LONGEST_WORD:
            return ["[UNK]"]
        pieces, begin = [], 0
        while begin < len(word):
            ends = range(len(word), begin, -1)
            candidates = (("##" if begin else "") + word[begin:end] for end in ends)
            piece = next((each for each in candidates if each in self.numbers), None)
            if piece is None:
                return ["[UNK]"]
            pieces.append(piece)
            begin += len(piece) - (2 if begin else 0)
        return pieces


def _bert_words(text: str, lower: bool) -> list[str]:
    """Without control characters and, in `lower` case, accents; punctuation and CJK signs stand
    alone."""
    plain = "".join(f" {sign} " if _is_cjk(sign) else sign for sign in text if not _dropped(sign))
    if lower:
        apart = unicodedata.normalize("NFD", plain)
        plain = "".join(sign for sign in apart if unicodedata.category(sign) != "Mn").lower()
    return "".join(f" {sign} " if _is_punctuation(sign) else sign for sign in plain).split()


@lru_cache(4096)
def _dropped(sign: str) -> bool:
    other = unicodedata.category(sign).startswith("C")
    return sign == "\ufffd" or (other and sign not in "\t\n\r")


def _is_punctuation(sign: str) -> bool:
    ascii_sign = sign.isascii() and not sign.isalnum() and sign.isprintable() and sign != " "
    return ascii_sign or unicodedata.category(sign).startswith("P")


def _is_cjk(sign: str) -> bool:
    """Whether it is an ideograph, by the blocks that BERT names."""
    return any(low <= ord(sign) <= high for low, high in CJK)


class Numbers:
    """Of a model that came without a vocabulary: a text is the numbers of its tokens."""

    def __init__(self, size: int):
        self.size = size

    def encode(self, text: str) -> list[int]:
        """Raises ModelError for what is no number of the model's."""
        numerals = checked(text).split()
        for word in numerals:
            if not (NUMBER.fullmatch(word) and int(word) < self.size):
                raise ModelError(
                    f"{word[:20]!r} is no token: this model came without a vocabulary, so type "
                    f"numbers from 0 to {self.size - 1}, with spaces between"
                )
        return [int(word) for word in numerals]

    def texts(self, numbers: Sequence[int]) -> list[str]:
        """How each token is written, with the blank before it."""
        return [f" {number}" for number in numbers]


Reader = ByteLevel | WordPiece | Numbers


def tokenizer(name: str, config: Mapping[str, Any]) -> Reader:
    """Of a model that reads texts; raises ModelError for another."""
    if "merges" in config:
        return ByteLevel(config["vocabulary"], config["merges"], config.get("digits_alone", True))
    if "vocabulary" in config:
        return WordPiece(config["vocabulary"], config.get("lower", True))
    if "tokens" in config:
        return Numbers(config["tokens"])
    raise ModelError(f"{name} reads pictures, not texts")
