"""What a training will cost, before it is begun: processor seconds and bytes, by plain arithmetic.

A step costs what its products of matrices do, each number of a weight once for each token, forward
and back; the pairs of tokens that attention compares; SOAP's rotations of every matrix; and what a
step costs however small it is. Pace and least cost of a network (`models.networks`) are those of
steps measured on one core, of the presets and of far designs (tests/test_costs.py); they hold to a
factor of 3.
"""

import math
from dataclasses import dataclass
from typing import Any

from explorer.models.named import matrix_runs, shapes
from explorer.models.networks import NETWORKS
from explorer.runs import layout
from explorer.spec import AnySpec

BATCHED = 0.5
"""Of the time that the models of a sweep would take alone: those of one shape are one batch."""
ROTATIONS = 4.0
"""Of SOAP, for a number of a matrix and a side of it; large products are four times as fast."""
PICTURES_A_DECADE = 8
ROWS_A_DECADE = 100
PICTURE_BYTES = 12_000
ROW_BYTES = 40
SWEEP_ROW_BYTES = 1500
MEGA = 10**6


@dataclass(frozen=True)
class Cost:
    """Processor seconds on one core, and bytes that stay in the store."""

    seconds: float
    bytes: float

    def __str__(self) -> str:
        return f"about {duration(self.seconds)}, {size(self.bytes)}"


def of_run(spec: AnySpec) -> Cost:
    """The cost of one training."""
    decades = math.log10(10 * spec.steps)
    picture = PICTURE_BYTES + 8 * min(spec.tau, 256) ** 2
    history = decades * (PICTURES_A_DECADE * picture + ROWS_A_DECADE * ROW_BYTES)
    return Cost(spec.steps * seconds_of_step(spec), 2 * layout.largest(spec) + history)


def of_sweep(sweep: Any) -> Cost:
    """The cost of all models of a sweep; where narrow ones are cut out of the widest, of these, and
    of the steps after each cut."""
    members = sweep.members()
    pace = sum(map(seconds_of_step, members))
    cut = sweep.method == "top_down"
    steps = sweep.steps / len(sweep.m_h) + sweep.fine_tune if cut else sweep.steps
    return Cost(BATCHED * pace * steps, SWEEP_ROW_BYTES * len(members))


def seconds_of_step(spec: AnySpec) -> float:
    """Processor seconds of one step, on one core."""
    pace = NETWORKS[spec.recipe].pace
    return pace.step + operations(spec) / pace.speed


def operations(spec: AnySpec) -> float:
    """Multiplications and additions of one step."""
    widest = spec.at(1)  # with the head start
    weights = sum(math.prod(shape) for shape in shapes(widest).values())
    width = getattr(spec, "m_h", 1) + getattr(spec, "d_v", 1)
    heads = getattr(spec, "heads", 1) * getattr(spec, "layers", 1)
    pairs = spec.tau**2 * width * heads if NETWORKS[spec.recipe].pace.pairs else 0
    return 6.0 * spec.batch * (spec.tau * weights + pairs) + _rotations(widest)


def _rotations(spec: AnySpec) -> float:
    """Of SOAP: products of each matrix with its bases and with itself."""
    if spec.optimizer != "soap":
        return 0.0
    sizes = [(rows, columns, len(names)) for _, (rows, columns), names in matrix_runs(spec, 1)]
    return sum(ROTATIONS * count * p * q * (p + q) for p, q, count in sizes)


def duration(seconds: float) -> str:
    """A time as one says it."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{_short(seconds / 3600)} h" if seconds < 100 * 3600 else f"{seconds / 86400:.0f} days"


def size(count: float) -> str:
    """Bytes in words."""
    if count >= 1000 * MEGA:
        return f"{_short(count / 1000 / MEGA)} GB"
    return f"{_short(count / MEGA)} MB" if count >= MEGA else "less than 1 MB"


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0") if value < 10 else f"{value:.0f}"
