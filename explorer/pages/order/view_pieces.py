"""Pieces of φ_k on the intervals of encoded tokens while an order is dragged (Eqs. 7, 89, 90)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from explorer.coupling.pod import gauss
from explorer.slow import pd
from explorer.spec import AlterableSpec
from explorer.targets import alteration_of
from explorer.theory.design import Design
from explorer.theory.pieces import NODES, Pieces, left_of_content, pieces
from explorer.views.text import ROUNDING, number

TERMS = 3
"""Whose pieces can be drawn."""
BEFORE, AFTER = "φ, as designed", "φ̃, in the order"


class Moved(NamedTuple):
    """What an order does to a coupling on encoded tokens."""

    table: pd.DataFrame
    """row (BEFORE or AFTER), token (whose piece it is), z (of 𝓘), value of φ_k."""
    sentence: str


def moved(design: Design, spec: AlterableSpec, k: int) -> Moved:
    """Of φ_k of a design, k ≥ 1, by the order of a specification; its own where it has none.

    Raises SpecError where there is no coupling, FormulaError where it is not finite.
    """
    order = alteration_of(spec).order or tuple(range(spec.tau))
    own, other = (_pieces(design.bare, p) for p in (tuple(range(spec.tau)), order))
    lines = _lines(BEFORE, own, k, range(spec.tau)), _lines(AFTER, own, k, order)
    return Moved(pd.concat(lines, ignore_index=True), _sentence(design, own, other, order))


@lru_cache(maxsize=8)
def _pieces(design: Design, order: tuple[int, ...]) -> Pieces:
    """The page asks at every rerun; of 64 tokens they take half a second."""
    return pieces(design.coupling, len(order), order)


def _lines(row: str, own: Pieces, k: int, order: Sequence[int]) -> pd.DataFrame:
    """The pieces from left to right in an order, each with the token it belongs to. They are those
    of the POD in its own order: where σ_k are equal, another POD may mix their φ_k."""
    phi = own.phi[k - 1][list(order)]
    z = (np.arange(len(phi))[:, None] + gauss((0.0, 1.0), NODES)[0] / 2) / len(phi)
    token = np.repeat(list(order), NODES)
    return pd.DataFrame({"row": row, "token": token, "z": z.ravel(), "value": phi.ravel()})


def _sentence(design: Design, own: Pieces, other: Pieces, order: tuple[int, ...]) -> str:
    apart = float(np.abs(own.sigma - other.sigma).max() / own.sigma[0])
    if order == tuple(range(len(order))):
        return "Every token is in its place. Drag one above, and its piece goes along."
    if design.exact_rank == 0:
        return "ρ depends on u alone: softmax cannot see it, and no piece matters."
    left = max(left_of_content(design.decomposition(), order), 0.0)
    left = left if left > ROUNDING else 0.0
    asked = (
        f"Eq. 90 asks for more, that a piece knows what another token holds: of a query by "
        f"content alone {number(100 * left)} % of ‖ρ‖² is then left."
    )
    return f"The pieces move, no σ_k by more than {number(apart)} of σ₁. {asked}"
