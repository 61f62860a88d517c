"""Why the error falls to 0 at the rank: how many σ a head holds, and what is left."""

from collections.abc import Sequence

import numpy as np

from explorer.views.text import SUBSCRIPTS, number


def cliff(sigma: Sequence[float] | np.ndarray, rank: int | None) -> str:
    """The step of a coupling from r − 1 to r, in two sentences; none for r = ∞ and for r = 0.

    `sigma` are its centred σ_k, descending, at least `rank` of them.
    """
    if not rank:
        return ""
    return held(sigma, rank, rank - 1) if rank > 1 else held(sigma, rank, 1)


def held(sigma: Sequence[float] | np.ndarray, rank: int | None, m: int) -> str:
    """What a head of width m ≥ 1 holds of a coupling and what is left, as `cliff`."""
    if not rank:
        return ""
    if m >= rank:
        whole = "the only σ" if rank == 1 else f"all {rank} σ"
        return f"Width {m} holds {whole}: nothing is left but training error."
    last = f"{_name(rank)} = {number(sigma[rank - 1])}"
    left = last if m == rank - 1 else f"{_name(m + 1)} = {number(sigma[m])} to {last}"
    return (
        f"Width {m} holds {m} of {rank} σ; what is left is {left}. "
        f"At {rank} nothing is left but training error."
    )


def _name(k: int) -> str:
    return f"σ{str(k).translate(SUBSCRIPTS)}"
