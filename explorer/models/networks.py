"""What there is to know of each network without building one, for the server, which has no torch.

How it is trained is its recipe's (`training.recipes`). A piece that is forgotten is an error at
import that names it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from explorer.models import pictures, shapes
from explorer.models.shapes import Shapes
from explorer.spec.fields import RecipeName, of_each


class Pace(NamedTuple):
    """What steps cost on one core."""

    speed: float
    """Multiplications and additions a second."""
    step: float
    """Seconds of a step of a very small model."""
    pairs: bool
    """Whether a step costs something for each pair of tokens."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """A kind of network, by the `recipe` of its specifications."""

    shapes: Callable[[Any], Shapes]
    """Of every parameter of one model of a specification; equal ones stand next to each other."""
    pictures: Callable[[Any, Shapes], Shapes]
    """Of what a kept picture of a specification holds beside its numbers, such as was found."""
    pace: Pace


USUAL = Pace(3.5e10, 1.5e-3, pairs=True)
SLOWER = Pace(2e10, 1.5e-3, pairs=True)
EXACT = Pace(1e11, 1.5e-3, pairs=True)
ALONE = Pace(3.5e10, 3e-4, pairs=False)
NETWORKS: dict[str, Network] = of_each(
    "networks",
    get_args(RecipeName),
    {
        "coupling": Network(shapes=shapes.transformer, pictures=pictures.coupling, pace=USUAL),
        "positioned": Network(shapes=shapes.transformer, pictures=pictures.positioned, pace=USUAL),
        "linear": Network(shapes=shapes.linear, pictures=pictures.linear, pace=USUAL),
        "rnn": Network(shapes=shapes.rnn, pictures=pictures.rnn, pace=EXACT),
        "attention": Network(shapes=shapes.task, pictures=pictures.task, pace=SLOWER),
        "encoder": Network(shapes=shapes.encoder, pictures=pictures.encoder, pace=SLOWER),
        "memory": Network(shapes=shapes.causal, pictures=pictures.causal, pace=USUAL),
        "decays": Network(shapes=shapes.decay, pictures=pictures.decay, pace=ALONE),
    },
)
