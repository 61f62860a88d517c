"""The specifications of trainings on data: pictures (Figure 3, Table 1) and number words (Table 1).

A small Transformer of several layers and heads, as they are trained in practice, sees a sequence of
tokens and says a class for each of its outputs.
"""

# A sweep has lists of what its members have one of.
# pyright: reportIncompatibleVariableOverride=false

from __future__ import annotations

from math import isqrt
from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field, model_validator

from explorer.families.number_words import ENGLISH, GERMAN, LONGEST, UNSEEN
from explorer.families.pictures import CLASSES, PICTURES
from explorer.spec.alterations import Permutation, check_order
from explorer.spec.fields import (
    AS_LIST,
    Batch,
    Clip,
    HeadWidth,
    HiddenWidth,
    IndependentSweep,
    Seed,
    Specification,
    Steps,
    TrainingFields,
    ValueWidth,
    WarmUp,
    listed,
    one_of,
)

WORDS = LONGEST + 1  # tokens of a number, with one after the last word at least


class LabelledSpec(TrainingFields, Specification, frozen=True):
    """A Transformer encoder whose tokens may be reordered: before it is trained, after so many
    steps, or when it has been trained."""

    grid: ClassVar[None] = None  # there are no samples to fetch from a store
    topic: ClassVar[Literal["real"]] = "real"
    recipe: ClassVar[Literal["encoder"]] = "encoder"
    noun: ClassVar[str] = "data"
    telling_fields: ClassVar[tuple[str, ...]] = ("target", "permutation", "original_steps")
    extra_metrics: ClassVar[tuple[str, ...]] = ("cross_entropy", "accuracy")
    interdependent_fields: ClassVar[frozenset[str]] = frozenset(
        {"tau", "permutation", "original_steps", "steps"}
    )
    d_in: ClassVar[int]
    """Numbers of a token as it comes."""
    d_out: ClassVar[int]
    """Classes of an output."""
    outputs: ClassVar[int]
    """Classes that are asked for one sequence."""
    unseen: ClassVar[int]
    """Examples that are tested on, and never learned from."""

    layers: int = Field(default=2, ge=1, le=8, description="layers of self-attention")
    heads: int = Field(default=2, ge=1, le=8, description="heads of each layer")
    m_h: HeadWidth = 16
    n: int = Field(default=48, ge=2, le=256, description="n, numbers of a token between layers")
    d_v: ValueWidth = 24
    m_ff: HiddenWidth = 96
    permutation: Permutation = Field(
        default=None, description="order p of the tokens, 0-based, or its name; positions stay"
    )
    permutation_seed: Seed = Field(default=0, description='of permutation = "random"')
    original_steps: int = Field(
        default=0, ge=0, le=1_000_000, description="steps in the original order before p"
    )
    optimizer: Literal["adam"] = Field(default="adam", description="optimiser")
    lr: float = Field(default=3e-3, gt=0, le=1000, description="learning rate")
    warmup: WarmUp = 60
    clip: Clip = 1.0
    batch: Batch = 32
    steps: Steps = 800

    def phase(self, step: int) -> tuple[int, int]:
        before = self.original_steps
        return (0, before or self.steps) if step <= before else (before, self.steps - before)

    @model_validator(mode="after")
    def _order_fits(self) -> LabelledSpec:
        if isinstance(self.permutation, tuple):
            check_order(self.permutation, self.tau)
        if self.original_steps > self.steps:
            raise ValueError(
                f"original_steps = {self.original_steps}: at most steps = {self.steps} are allowed"
            )
        return self


class PicturesSpec(LabelledSpec, frozen=True):
    """A small vision Transformer tells what is on a picture, cut into patches."""

    interdependent_fields: ClassVar[frozenset[str]] = (
        LabelledSpec.interdependent_fields | frozenset({"data", "images"})
    )
    d_out: ClassVar[int] = CLASSES
    outputs: ClassVar[int] = 1

    target: Literal["pictures"] = Field(default="pictures", description="kind of target")
    data: Annotated[str, one_of(PICTURES)] = Field(default="mnist", description="which pictures")
    tau: int = Field(default=49, ge=4, le=64, description="τ, patches of a picture")
    images: int = Field(default=4000, ge=1, le=60_000, description="pictures to learn from")

    @property
    def d_in(self) -> int:
        data = PICTURES[self.data]
        return data.side**2 * data.channels // self.tau

    @property
    def unseen(self) -> int:
        return PICTURES[self.data].unseen

    @model_validator(mode="after")
    def _patches_fit(self) -> PicturesSpec:
        data, across = PICTURES[self.data], isqrt(self.tau)
        if across**2 != self.tau or data.side % across:
            allowed = [k * k for k in range(2, 9) if data.side % k == 0]
            raise ValueError(
                f"tau = {self.tau}: {data.side} × {data.side} pixels are cut into "
                f"{', '.join(map(str, allowed))} patches"
            )
        if self.images > data.training:
            raise ValueError(f"images = {self.images}: {data.title} has {data.training} to learn")
        return self


class NumberWordsSpec(LabelledSpec, frozen=True):
    """A Transformer translates a number under 10,000 from English words to German ones."""

    d_in: ClassVar[int] = len(ENGLISH)
    d_out: ClassVar[int] = len(GERMAN)
    outputs: ClassVar[int] = WORDS
    unseen: ClassVar[int] = UNSEEN

    batch: Batch = 64
    steps: Steps = 600
    target: Literal["number_words"] = Field(default="number_words", description="kind of target")
    tau: Literal[8] = Field(default=WORDS, description="τ, words of a number")


class LabelledLists(BaseModel, frozen=True):
    """What both sweeps have lists of: seeds and m_h."""

    swept: ClassVar[tuple[str, ...]] = ("permutation_seed", "seed", "m_h")
    permutation_seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    seed: Annotated[tuple[Seed, ...], *AS_LIST] = listed(0)
    m_h: Annotated[tuple[HeadWidth, ...], *AS_LIST] = listed(16)


class PicturesSweep(LabelledLists, PicturesSpec, IndependentSweep, frozen=True):
    """Many trainings: the product of the lists of seeds and m_h."""

    member: ClassVar[type[PicturesSpec]] = PicturesSpec


class NumberWordsSweep(LabelledLists, NumberWordsSpec, IndependentSweep, frozen=True):
    """Many trainings: the product of the lists of seeds and m_h."""

    member: ClassVar[type[NumberWordsSpec]] = NumberWordsSpec
