"""What the Real attention page shows: a model, a head of it or all, an input, its cut and order.

An address names it, as other pages' addresses do theirs: nothing here needs the numbers."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from explorer.pretrained.catalogue import Pretrained
from explorer.pretrained.own import known
from explorer.pretrained.seen import MOST_TOKENS
from explorer.runs.home import models
from explorer.spec.alterations import OrderName, faults
from explorer.spec.fields import Seed

Gauge = Literal["raw", "centred"]
Place = Annotated[int, Field(ge=0, lt=MOST_TOKENS)]
TextOrder = Annotated[tuple[Place, ...], Field(strict=False, min_length=2, max_length=MOST_TOKENS)]


def model_of(name: str) -> Pretrained:
    """A model that can be looked at."""
    return known(models())[name]


class Look(BaseModel):
    """What the page shows: a model, the gauge, and a head of it or all."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    model: str = Field(default="smollm2", max_length=60)
    """Of the catalogue, or the user's own."""
    centred: bool = False
    layer: int | None = Field(default=None, ge=1, le=48)
    """Counted from 1, as it is read; with `head` one head is shown, else all."""
    head: int | None = Field(default=None, ge=1, le=32)
    k: int | None = Field(default=None, ge=1, le=128)
    """The terms kept where the answer is read off; None: as many as are enough."""
    words: bool = False
    """Whether what a language model writes stands in the place of its answers' curve."""
    text: str | None = Field(default=None, min_length=1, max_length=2000)
    """The reader's own, for a model that reads texts."""
    picture: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    """The sha256 of the reader's own; its file lies on this machine."""
    cut: Literal["head", "layer", "all"] = "all"
    """Whose couplings are cut to k where the whole model is asked."""
    reordered: Literal["text", "pictures", "words"] = "text"
    """Whose tokens come in another order for Table 1: a language model's, or those of the models
    that were trained here."""
    order: TextOrder | OrderName | Literal["original"] = "roll"
    """In which it sees them: p, 0-based, or its name."""
    order_seed: Seed = 0
    """Of a random order."""

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: TextOrder | str) -> TextOrder | str:
        """Refuses what is no order; a worker compares its length with the text."""
        if isinstance(order, tuple) and (wrong := faults(order, len(order))):
            raise ValueError(f"allowed is each of 0 to {len(order) - 1} once; {wrong}")
        return order

    @model_validator(mode="after")
    def _here(self) -> Self:
        if self.model not in (there := known(models())):
            raise ValueError(
                f"model = {self.model}: it is not on this machine, where {', '.join(there)} are "
                "known; `models import` brings your own"
            )
        return self

    @property
    def gauge(self) -> Gauge:
        """What the matrices are seen in."""
        return "centred" if self.centred else "raw"

    @property
    def pretrained(self) -> Pretrained:
        """The model."""
        return model_of(self.model)

    @property
    def own_input(self) -> bool:
        """Whether the reader has brought a text or picture for this model."""
        return bool(self.picture if self.pretrained.reads == "picture" else self.text)

    def signature(self, inputs: str) -> str:
        """The small print of a figure of these inputs: which model, and what it was shown."""
        return f"{self.pretrained.title} ({self.pretrained.origin}) · {inputs}"

    @property
    def signature_of_one(self) -> str:
        """Of a figure of the one text or picture whose heads are opened."""
        whose = "your" if self.own_input else "the example"
        return f"{self.signature(f'{whose} {self.pretrained.reads}')} · {self.gauge}"

    @property
    def one(self) -> tuple[int, int] | None:
        """Layer and head from 0 on, where one of the model is chosen."""
        if self.layer is None or self.head is None:
            return None
        if self.layer > self.pretrained.layers or self.head > self.pretrained.heads:
            return None
        return self.layer - 1, self.head - 1
