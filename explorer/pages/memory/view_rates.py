"""What Theorems 3.1, 4.1, 4.4 and 5.1 say of a target: the error's law in heads, lags and width.

All is up to constants C(n) that the paper leaves open: a map compares places of one theorem, and
is no error that a model will have. Where the hypotheses of a theorem do not hold, there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from explorer.pages.memory.view_kinds import Axis, view_of
from explorer.slow import pd
from explorer.spec import MemorySpec
from explorer.theory.best_heads import Falling
from explorer.theory.memory import readout_rate
from explorer.theory.theorems import Answer, Statement

HEADS = tuple(2**i for i in range(7))
FURTHEST = tuple(2**i for i in range(8))
"""T: how far the furthest memory is."""
MEMORIES = (1, 2, 3, 4, 6, 8)
WIDTHS = tuple(4**i for i in range(2, 10))


def asked(spec: MemorySpec, n: int, encoding: Falling) -> Answer:
    """Whether a theorem speaks of a target, and if not, why."""
    view = view_of(spec)
    if view.law is None:
        why = f"{view.title} is beyond the paper: none of its theorems speaks of it."
        return Answer(False, why)
    return view.law.ask(spec, n, encoding)


@dataclass(frozen=True, eq=False)
class Rates:
    """The map of a target."""

    statement: Statement
    formula: str
    """LaTeX."""
    attention: pd.DataFrame
    """heads, `axis`, rate: the attention's part of the error over C(n)."""
    axis: Axis
    whole: pd.DataFrame
    """heads, m, rate, larger ("attention" or "readout"): with the feed-forward layers' part."""
    here: tuple[int, int]
    """The heads of the specification, and where it is on `axis`."""
    sentences: tuple[str, ...]


def rates(spec: MemorySpec, n: int, encoding: Falling) -> Rates | None:
    """The map for a target; None where no theorem speaks of it."""
    law = view_of(spec).law
    if law is None or not law.ask(spec, n, encoding).holds:
        return None
    here = law.here(spec)
    attention = [
        {"heads": heads, law.axis: at, "rate": law.rate(spec, heads, at, n, encoding)}
        for heads in HEADS
        for at in (MEMORIES if law.axis == "M" else FURTHEST)
    ]
    whole = [
        _with_readout(heads, m, law.rate(spec, heads, here, n, encoding))
        for heads in HEADS
        for m in WIDTHS
    ]
    statement = law.theorem(spec, encoding)
    return Rates(
        statement,
        rf"\mathcal E_\mathrm{{attn}}={law.tex(encoding)}",
        pd.DataFrame(attention),
        law.axis,
        pd.DataFrame(whole),
        (spec.heads, here),
        (
            law.layers(spec),
            f"Twice the heads: the attention's part falls by 2ⁿ = {2**n}.",
            *law.further(spec, n, encoding),
            f"It is proved for {statement.proved_for}.",
        ),
    )


def _with_readout(heads: int, m: int, attention: float) -> dict[str, Any]:
    readout = readout_rate(m)
    larger = "attention" if attention > readout else "readout"
    return {"heads": heads, "m": m, "rate": attention + readout, "larger": larger}
