"""What Theorems 3.1, 4.1, 4.4 and 5.1 say of a target: the error's law in heads, lags and width.

All is up to constants C(n) that the paper leaves open: a map compares places of one theorem, and
is no error that a model will have.
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
from explorer.views.text import number

HEADS = tuple(2**i for i in range(7))
FURTHEST = tuple(2**i for i in range(8))
"""T: how far the furthest memory is."""
MEMORIES = (1, 2, 3, 4, 6, 8)
WIDTHS = tuple(4**i for i in range(2, 10))
Axis = Literal["T", "M", "m"]


@dataclass(frozen=True, eq=False)
class Rates:
    """The map of a target."""

    theorem: str
    """"Theorem 3.1"."""
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
    if spec.target == "induction":
        return None
    theorem, formula = _named(spec, encoding)
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
        theorem,
        formula,
        pd.DataFrame(attention),
        axis,
        pd.DataFrame(whole),
        (spec.heads, own),
        _sentences(spec, n, encoding, own),
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


def _named(spec: MemorySpec, encoding: Falling) -> tuple[str, str]:
    reach = r"e^{0.01T_i}" if encoding == "lin" else r"T_i^{1.01}"
    match spec.target:
        case "fixed_memory":
            law = rf"\frac{{C(n)}}{{H^n}}\Big(\sum_i {reach}\Big)^{{n+1}}"
            return "Theorem 3.1", rf"\mathcal E_\mathrm{{attn}}={law}"
        case "adaptive_memory":
            law = rf"\frac{{C(n)}}{{H^n}}\Big(\sum_{{i\le K}} ({reach})^{{2n+2}}\Big)^{{1/2}}"
            return "Theorem 4.4", rf"\mathcal E_\mathrm{{attn}}={law}"
        case _:
            return "Theorem 5.1", r"\mathcal E_\mathrm{attn}=C(n)\,\frac{M^{n+1}}{H^n}"


def _sentences(spec: MemorySpec, n: int, encoding: Falling, own: int) -> tuple[str, ...]:
    """How many layers are asked for, what more heads bring, and what the pointers cost."""
    fields: Any = spec
    more = f"Twice the heads: the attention's part falls by 2ⁿ = {2**n}."
    if spec.target == "fixed_memory":
        lin, log = (attention_rate(fields.lags, spec.heads, n, kind) for kind in ("lin", "log"))
        better = "lin" if lin < log else "log"
        return (
            "One layer is enough, however many lags there are.",
            more,
            f"For these lags the bound is lower with {better} (log ÷ lin: {number(log / lin)}).",
        )
    if spec.target == "adaptive_memory":
        layers = sufficient_layers(fields.jumps)
        width = pointer_width([fields.vocabulary] * fields.jumps, encoding)
        return (
            f"{layers} layers are enough for {fields.jumps} jumps; this model has {spec.layers}.",
            more,
            f"Pointers up to V = {fields.vocabulary} are made by a feed-forward layer of a width m "
            f"of order {number(width)} (Theorem 4.1; this model has m_FF = {spec.m_ff}).",
        )
    suits = "log" if fields.fall == "power" else "lin"
    return (
        "One layer is enough.",
        more,
        f"The theorem holds for {suits} here: the encoding must fall as the kernel does.",
    )
