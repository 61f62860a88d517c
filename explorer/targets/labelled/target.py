"""Targets known by examples alone: the class on a picture, the German words of a number.

The tokens may come in another order p: the model sees x∘p and must answer as before.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import NamedTuple

import numpy as np

from explorer.families import number_words
from explorer.families.pictures import PICTURES
from explorer.spec import (
    LabelledSpec,
    NumberWordsSpec,
    NumberWordsSweep,
    PicturesSpec,
    PicturesSweep,
    SpecError,
)
from explorer.targets.alterations import order_of
from explorer.targets.kind import Kind, nothing_more
from explorer.targets.labelled import presets
from explorer.targets.labelled.pictures import load

TESTED_SEED = 1


class Examples(NamedTuple):
    """Sequences with their answers, read-only."""

    x: np.ndarray
    """(count, τ, d_in) float32, in their own order."""
    classes: np.ndarray
    """(count, outputs) int64."""


@dataclass(frozen=True)
class Labelled(ABC):
    """What all of them have."""

    tau: int
    order: tuple[int, ...] | None
    """p(0) … p(τ−1), in which the tokens are seen; None for their own."""

    @property
    def places(self) -> tuple[int, ...]:
        """p, as places in the sequence; 0 … τ−1 where there is none."""
        return tuple(range(self.tau)) if self.order is None else self.order

    @abstractmethod
    def _examples(self) -> tuple[Examples, Examples]: ...

    @property
    def training(self) -> Examples:
        """To learn from."""
        return self._examples()[0]

    @property
    def test(self) -> Examples:
        """To be tested on; none of them is learned from."""
        return self._examples()[1]


@dataclass(frozen=True)
class LabelledPictures(Labelled):
    """Pictures of a set, cut into τ square patches, row by row; the class of each."""

    data: str
    images: int

    def _examples(self) -> tuple[Examples, Examples]:
        return _pictures(self.data, self.tau, self.images)


@dataclass(frozen=True)
class NumberWords(Labelled):
    """Numbers under 10,000: a token is one English word, an output one German one."""

    def _examples(self) -> tuple[Examples, Examples]:
        return _numbers()


@lru_cache(maxsize=4)
def _pictures(data: str, tau: int, images: int) -> tuple[Examples, Examples]:
    pictures = load(data)
    if len(pictures.training) < images:
        raise SpecError(
            f"images = {images}: {PICTURES[data].title} here has {len(pictures.training)}"
        )
    return (
        _frozen(patches(pictures.training[:images], tau), pictures.training_classes[:images, None]),
        _frozen(patches(pictures.test, tau), pictures.test_classes[:, None]),
    )


def patches(pictures: np.ndarray, tau: int) -> np.ndarray:
    """Pictures (count, side, side, channels) uint8 as τ patches, (count, τ, d_in) in [−1, 1]."""
    count, side, _, channels = pictures.shape
    across = isqrt(tau)
    cut = pictures.reshape(count, across, side // across, across, side // across, channels)
    flat = cut.transpose(0, 1, 3, 2, 4, 5).reshape(count, tau, -1)
    return (flat / 127.5 - 1).astype(np.float32)


@lru_cache(maxsize=1)
def _numbers() -> tuple[Examples, Examples]:
    order = np.random.default_rng(TESTED_SEED).permutation(number_words.LARGEST + 1)
    tested, learned = np.sort(order[: number_words.UNSEEN]), np.sort(order[number_words.UNSEEN :])
    return _translated(learned), _translated(tested)


def _translated(numbers: np.ndarray) -> Examples:
    tau = number_words.LONGEST + 1
    english = _places(numbers, tau, number_words.ENGLISH, number_words.english)
    german = _places(numbers, tau, number_words.GERMAN, number_words.german)
    return _frozen(np.eye(len(number_words.ENGLISH), dtype=np.float32)[english], german)


def _places(numbers, tau, vocabulary, spell) -> np.ndarray:
    """Where each word of each number stands in the vocabulary, (count, τ); 0 after the last."""
    at = {word: place for place, word in enumerate(vocabulary)}
    rows = [[at[word] for word in spell(int(number))] for number in numbers]
    return np.array([row + [0] * (tau - len(row)) for row in rows], np.int64)


def _frozen(x: np.ndarray, classes: np.ndarray) -> Examples:
    for array in (x, classes):
        array.flags.writeable = False
    return Examples(x, classes)


def labelled_pictures(spec: PicturesSpec) -> LabelledPictures:
    """The target of a specification; raises DataError where its pictures are not here."""
    target = LabelledPictures(spec.tau, order_of(spec), spec.data, spec.images)
    assert len(target.training.x)  # read now, so that what is wrong with its files is said now
    return target


def _words(what: str, spec: LabelledSpec) -> str:
    """What a specification learns, in a few words."""
    order = spec.permutation if isinstance(spec.permutation, str) else "own order"
    steps, layers, heads = spec.original_steps, spec.layers, spec.heads
    when = f" after {steps} step{'s' * (steps > 1)}" if steps else ""
    altered = [f"{order}{when}"] if spec.permutation is not None else []
    net = f"{layers} layer{'s' * (layers > 1)} of {heads} head{'s' * (heads > 1)}"
    return ", ".join([what, net, *altered])


PICTURES_KIND = Kind(
    Spec=PicturesSpec,
    Sweep=PicturesSweep,
    build=lambda spec, _: labelled_pictures(spec),
    check=nothing_more,
    words=lambda spec: _words(PICTURES[spec.data].title, spec),
    presets=presets.PICTURES,
    sweeps=presets.PICTURES_SWEEPS,
)
NUMBER_WORDS_KIND = Kind(
    Spec=NumberWordsSpec,
    Sweep=NumberWordsSweep,
    build=lambda spec, _: NumberWords(spec.tau, order_of(spec)),
    check=nothing_more,
    words=lambda spec: _words("number words, English to German", spec),
    presets=presets.NUMBER_WORDS,
    sweeps={},
)
