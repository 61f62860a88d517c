"""The orders that a reader has tried on a target, by what they leave the best linear RNN."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.pages.order.view_kinds import view_of
from explorer.spec import AlterableSpec, amended
from explorer.targets import alteration_of
from explorer.theory.orders import hardest_order, rnn_floor

MOST = 8  # that are listed
FOUND = "found by search"
TITLES = {None: "as it is", "block": "block exchange", "roll": "roll", "reverse": "reverse"}


@dataclass(frozen=True)
class Tried:
    """An order of τ tokens, and the name under which a reader finds it again."""

    name: str
    order: tuple[int, ...]
    called: str = "own"
    """What the component's list of orders calls it."""


def tried(spec: AlterableSpec) -> Tried:
    """The order of a target. A random one is listed as the numbers it is: another seed is another
    order."""
    own, order = spec.permutation, alteration_of(spec).order or tuple(range(spec.tau))
    if isinstance(own, tuple):
        return Tried("by hand", order)
    if own == "random":
        return Tried(f"random, seed {spec.permutation_seed}", order)
    return Tried(TITLES[own], order, own or "original")


def hardest(matrix: np.ndarray, seed: int) -> Tried:
    """What a local search finds on the target with this K in its own order."""
    return Tried(FOUND, hardest_order(matrix, seed))


def listed(matrix: np.ndarray, orders: Iterable[Tried]) -> list[dict[str, Any]]:
    """The orders of the length of a target with this K in its own order, and what each leaves the
    best linear RNN on it, the hardest first."""
    rows = [
        {
            "name": each.name,
            "called": each.called,
            "order": each.order,
            "floor": rnn_floor(matrix, each.order),
        }
        for each in orders
        if len(each.order) == len(matrix)
    ]
    rows.sort(key=lambda row: -row["floor"])
    return [row | {"best": i == 0 and len(rows) > 1} for i, row in enumerate(rows[:MOST])]


def in_order(spec: AlterableSpec) -> np.ndarray | None:
    """K of y = K x of a target in its own order; None of one without, whose orders have no
    floors to be compared by."""
    return view_of(spec).matrix(amended(spec, permutation=None))
