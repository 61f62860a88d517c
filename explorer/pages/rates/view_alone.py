"""What a token says of its answer alone, and the trainings that came no further."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from explorer.theory.design import Design
from explorer.theory.itself import Itself, by_itself
from explorer.views.text import number

NEAR = 0.9  # of what the token alone leaves: an error above it is that of no attention


@lru_cache(maxsize=32)
def itself(design: Design) -> Itself:
    """`theory.itself.by_itself` of a design, remembered."""
    return by_itself(design.target)


def unattentive(rows: Sequence[Mapping[str, Any]], alone: float) -> str:
    """How many models of some rows came no further than `alone`, the nMSE of the best function of a
    token alone, by m_FF; empty where all did."""
    all_, stuck = (
        Counter(row["m_ff"] for row in rows if row["nmse"] and row["nmse"] >= least)
        for least in (0.0, NEAR * alone)
    )
    if not stuck:
        return ""
    where = ", ".join(f"{stuck[m_ff]} of {all_[m_ff]} at {m_ff}" for m_ff in sorted(stuck))
    return (
        f"The best function of a token alone, which needs no attention, leaves nMSE "
        f"{number(alone)}. Training learns that first, and {stuck.total()} of {all_.total()} "
        f"models came no further (to within 10 %); by $m_\\mathrm{{FF}}$: {where}. Their errors "
        "are of stuck starts and say nothing of the width."
    )
