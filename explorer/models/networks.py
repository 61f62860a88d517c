"""What there is to know of each network without building one, for the server, which has no torch.

How it is trained is its recipe's (`training.recipes`). A piece that is forgotten is an error at
import that names it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, get_args

from explorer.models import pictures, shapes
from explorer.models.shapes import Shapes
from explorer.spec.fields import RecipeName


@dataclass(frozen=True, kw_only=True)
class Network:
    """A kind of network, by the `recipe` of its specifications."""

    shapes: Callable[[Any], Shapes]
    """Of every parameter of one model of a specification; equal ones stand next to each other."""
    pictures: Callable[[Any, Shapes], Shapes]
    """Of what a kept picture of a specification holds beside its numbers, such as was found."""
    speed: float
    """Multiplications and additions a second, on one core."""
    step: float
    """Seconds of a step of a very small model, on one core."""
    pairs: bool
    """Whether a step costs something for each pair of tokens."""


NETWORKS: dict[str, Network] = {
    "coupling": Network(
        shapes=shapes.transformer_shapes,
        pictures=pictures.coupling_pictures,
        speed=3.5e10,
        step=1.5e-3,
        pairs=True,
    ),
    "positioned": Network(
        shapes=shapes.transformer_shapes,
        pictures=pictures.positioned_pictures,
        speed=3.5e10,
        step=1.5e-3,
        pairs=True,
    ),
    "linear": Network(
        shapes=shapes.linear_shapes,
        pictures=pictures.linear_pictures,
        speed=3.5e10,
        step=1.5e-3,
        pairs=True,
    ),
    "rnn": Network(
        shapes=shapes.rnn_shapes,
        pictures=pictures.rnn_pictures,
        speed=1e11,
        step=1.5e-3,
        pairs=True,
    ),
    "attention": Network(
        shapes=shapes.task_shapes,
        pictures=pictures.task_pictures,
        speed=2e10,
        step=1.5e-3,
        pairs=True,
    ),
    "encoder": Network(
        shapes=shapes.encoder_shapes,
        pictures=pictures.encoder_pictures,
        speed=2e10,
        step=1.5e-3,
        pairs=True,
    ),
    "memory": Network(
        shapes=shapes.causal_shapes,
        pictures=pictures.causal_pictures,
        speed=3.5e10,
        step=1.5e-3,
        pairs=True,
    ),
    "decays": Network(
        shapes=shapes.decay_shapes,
        pictures=pictures.decay_pictures,
        speed=3.5e10,
        step=3e-4,
        pairs=False,
    ),
}


def complete(what: str, told: Iterable[str], needed: Iterable[str] = get_args(RecipeName)) -> None:
    """Raises TypeError, which names them, where a table tells nothing of some that it needs."""
    if missing := sorted({*needed} - {*told}):
        raise TypeError(f"{what}: nothing is said of {', '.join(missing)}")


complete("networks", NETWORKS)
