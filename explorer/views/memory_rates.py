"""What Theorems 3.1, 4.1, 4.4 and 5.1 say of a target: the error's law in heads, lags and width.

All is up to constants C(n) that the paper leaves open: a map compares places of one theorem, and
is no error that a model will have. Where the hypotheses of a theorem do not hold, there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from explorer.spec import MemorySpec
from explorer.theory.best_heads import Falling
from explorer.theory.memory import (
    attention_rate,
    jump_rate,
    kernel_rate,
    pointer_width,
    readout_rate,
    sufficient_layers,
)
from explorer.theory.theorems import (
    STATEMENTS,
    Answer,
    Memories,
    Statement,
    falling_exponential,
    falling_power,
    jumping,
    of_kernels,
    on_pointers,
)
from explorer.views.text import number, plural

HEADS = tuple(2**i for i in range(7))
FURTHEST = tuple(2**i for i in range(8))
"""T: how far the furthest memory is."""
MEMORIES = (1, 2, 3, 4, 6, 8)
WIDTHS = tuple(4**i for i in range(2, 10))
Axis = Literal["T", "M", "m"]


def memories_of(spec: MemorySpec) -> Memories:
    """What the target of a specification is to the theorems."""
    fields: Any = spec
    match spec.target:
        case "fixed_memory":
            return Memories("fixed", len(fields.lags))
        case "adaptive_memory":
            return jumping(fields.jumps)
        case "essential_memory":
            power = fields.fall == "power"
            return falling_power(fields.exponent) if power else falling_exponential(fields.time)
        case _:
            return Memories("other")


def statement_of(spec: MemorySpec, encoding: Falling) -> Statement | None:
    """The theorem about such a target; None where there is none."""
    memories = memories_of(spec)
    match memories.kind:
        case "fixed":
            return STATEMENTS["3.1"]
        case "pointed":
            return on_pointers(memories.nested)
        case "kernel":
            return of_kernels(encoding)
        case _:
            return None


def asked(spec: MemorySpec, n: int, encoding: Falling) -> Answer:
    """Whether a theorem speaks of a target, and if not, why."""
    found = statement_of(spec, encoding)
    if found is None:
        return Answer(False, "Induction is beyond the paper: none of its theorems speaks of it.")
    holds, why = found.ask(memories_of(spec), n)
    return Answer(holds, "" if holds else f"{found.name} says nothing here: {why}.")


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
    statement = statement_of(spec, encoding)
    if statement is None or not asked(spec, n, encoding).holds:
        return None
    axis: Axis = "M" if spec.target == "essential_memory" else "T"
    own = _own(spec)
    attention = [
        {"heads": heads, axis: at, "rate": _rate(spec, heads, at, n, encoding)}
        for heads in HEADS
        for at in (MEMORIES if axis == "M" else FURTHEST)
    ]
    whole = [
        _with_readout(heads, m, _rate(spec, heads, own, n, encoding))
        for heads in HEADS
        for m in WIDTHS
    ]
    return Rates(
        statement,
        _law(spec, encoding),
        pd.DataFrame(attention),
        axis,
        pd.DataFrame(whole),
        (spec.heads, own),
        _sentences(spec, statement, n, encoding),
    )


def _with_readout(heads: int, m: int, attention: float) -> dict[str, Any]:
    readout = readout_rate(m)
    larger = "attention" if attention > readout else "readout"
    return {"heads": heads, "m": m, "rate": attention + readout, "larger": larger}


def _own(spec: MemorySpec) -> int:
    """How far the furthest memory of a target is, or of a kernel, that there is one."""
    fields: Any = spec
    match spec.target:
        case "fixed_memory":
            return max(1, *fields.lags)
        case "adaptive_memory":
            return fields.jumps * fields.vocabulary
        case _:
            return 1


def _rate(spec: MemorySpec, heads: int, at: int, n: int, encoding: Falling) -> float:
    """The attention's part of the error over C(n), if the furthest memory were at distance `at`, or
    of so many kernels."""
    fields: Any = spec
    match spec.target:
        case "fixed_memory":
            return attention_rate(_scaled(fields.lags, at), heads, n, encoding)
        case "adaptive_memory":
            steps = range(1, fields.jumps + 1)
            return jump_rate(_scaled(steps, at), fields.jumps, heads, n, encoding)
        case _:
            return kernel_rate(at, heads, n)


def _scaled(lags: Any, furthest: int) -> list[int]:
    """Lags in the same proportions, the last one as far as asked; at least 1."""
    return [max(1, round(lag * furthest / max(1, *lags))) for lag in lags]


def _law(spec: MemorySpec, encoding: Falling) -> str:
    reach = r"e^{0.01T_i}" if encoding == "lin" else r"T_i^{1.01}"
    match spec.target:
        case "fixed_memory":
            law = rf"\frac{{C(n)}}{{H^n}}\Big(\sum_i {reach}\Big)^{{n+1}}"
        case "adaptive_memory":
            law = rf"\frac{{C(n)}}{{H^n}}\Big(\sum_{{i\le K}} ({reach})^{{2n+2}}\Big)^{{1/2}}"
        case _:
            law = r"C(n)\,\frac{M^{n+1}}{H^n}"
    return rf"\mathcal E_\mathrm{{attn}}={law}"


def _sentences(
    spec: MemorySpec, statement: Statement, n: int, encoding: Falling
) -> tuple[str, ...]:
    """How many layers are enough, what more heads bring, what the pointers cost, and of which
    attention all this is proved."""
    fields: Any = spec
    more = f"Twice the heads: the attention's part falls by 2ⁿ = {2**n}."
    proved = f"It is proved for {statement.proved_for}."
    if spec.target == "fixed_memory":
        lin, log = (attention_rate(fields.lags, spec.heads, n, kind) for kind in ("lin", "log"))
        better = "lin" if lin < log else "log"
        return (
            "One layer is enough, however many lags there are.",
            more,
            f"For these lags the bound is lower with {better} (log ÷ lin: {number(log / lin)}).",
            proved,
        )
    if spec.target == "adaptive_memory":
        memories = memories_of(spec)
        furthest = [i * fields.vocabulary for i in range(1, fields.jumps + 1)]
        width = pointer_width(furthest, memories.nested, encoding)
        layers = sufficient_layers(fields.jumps)
        return (
            f"{layers} layers are enough for {plural(fields.jumps, 'jump')}; this model has "
            f"{spec.layers}.",
            more,
            f"Pointers up to {furthest[-1]} places back are made by feed-forward layers of a width "
            f"m of order {number(width)} (this model has m_FF = {spec.m_ff}).",
            proved,
        )
    return "One layer is enough.", more, proved
