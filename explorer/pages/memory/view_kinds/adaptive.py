"""Values where the tokens point."""

from explorer.pages.memory.view_kinds.view import Law, Least, MemoryView, reach, scaled, told
from explorer.spec import AdaptiveMemorySpec
from explorer.targets.memory import ADAPTIVE_KIND
from explorer.theory.best_heads import Falling
from explorer.theory.memory import (
    doubling_layers,
    head_floor,
    jump_rate,
    lag_heads,
    pointer_width,
    sufficient_layers,
)
from explorer.theory.theorems import STATEMENTS, jumping, on_pointers
from explorer.views.text import number, plural

BY_DISTANCE = ("log", "lin", "t5", "none")
"""Encodings that tell a head distances alone, if anything."""


def _least(spec: AdaptiveMemorySpec) -> Least:
    """The exact line 1 − H/V of one layer that sees b_{t−x_t} by distances alone."""
    plain = spec.layers == 1 and not spec.dot_product and not spec.layer_norm
    by_distance = plain and spec.encoding in BY_DISTANCE
    if by_distance and spec.jumps == 1 and spec.values == "normal":
        return Least(head_floor(spec.heads, spec.vocabulary), "1 − H/V")
    return Least()


def _tex(spec: AdaptiveMemorySpec) -> str:
    last = f"p_{{{spec.jumps}}}"
    return rf"y_t=b_{{{last}}},\ p_0=t,\ p_{{k+1}}=p_k-x_{{p_k}}"


def _known(spec: AdaptiveMemorySpec) -> str:
    jumps, theorem = spec.jumps, on_pointers(jumping(spec.jumps).nested)
    return (
        f"Depth and heads trade. For {plural(jumps, 'jump')} "
        f"{plural(sufficient_layers(jumps), 'layer')} are enough ({theorem.name}), "
        f"by doubling {doubling_layers(jumps)}, and one with "
        f"{plural(lag_heads(jumps, spec.vocabulary), 'head')}, one for each distance."
    )


def _rate(spec: AdaptiveMemorySpec, heads: int, at: int, n: int, encoding: Falling) -> float:
    steps = range(1, spec.jumps + 1)
    return jump_rate(scaled(steps, at), spec.jumps, heads, n, encoding)


def _layers(spec: AdaptiveMemorySpec) -> str:
    enough = sufficient_layers(spec.jumps)
    return (
        f"{enough} layers are enough for {plural(spec.jumps, 'jump')}; this model has "
        f"{spec.layers}."
    )


def _pointers(spec: AdaptiveMemorySpec, encoding: Falling) -> str:
    """What the feed-forward layers cost that make the pointers."""
    furthest = [i * spec.vocabulary for i in range(1, spec.jumps + 1)]
    width = pointer_width(furthest, LAW.memories(spec).nested, encoding)
    return (
        f"Pointers up to {furthest[-1]} places back are made by feed-forward layers of a width "
        f"m of order {number(width)} (this model has m_FF = {spec.m_ff})."
    )


def _further(spec: AdaptiveMemorySpec, n: int, encoding: Falling) -> tuple[str, ...]:
    """The width behind the attention, and what stands in for dot product and for heads."""
    memories = LAW.memories(spec)
    beside = (told(STATEMENTS[name], memories, n) for name in ("4.3", "4.5"))
    return _pointers(spec, encoding), *beside


LAW = Law[AdaptiveMemorySpec](
    memories=lambda spec: jumping(spec.jumps),
    theorem=lambda spec, encoding: on_pointers(jumping(spec.jumps).nested),
    axis="T",
    here=lambda spec: spec.jumps * spec.vocabulary,
    rate=_rate,
    tex=lambda encoding: (
        rf"\frac{{C(n)}}{{H^n}}\Big(\sum_{{i\le K}} ({reach(encoding)})^{{2n+2}}\Big)^{{1/2}}"
    ),
    layers=_layers,
    further=_further,
)
VIEW = MemoryView[AdaptiveMemorySpec](
    kind=ADAPTIVE_KIND,
    name="where tokens point",
    preset="memory-jumps",
    says="where to look is itself read from the tokens, one after the other",
    tex=_tex,
    drawn=lambda spec: {"jumps": spec.jumps},
    least=_least,
    known=_known,
    law=LAW,
)
