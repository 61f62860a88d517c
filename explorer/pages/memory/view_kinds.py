"""What the Memory page says of each kind of memory: each answers all that `view` asks. Every field
is required: an answer that is forgotten is an error at import that names it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from explorer.pages.memory.view_kernels import best_of_spec
from explorer.spec import (
    AdaptiveMemorySpec,
    EssentialMemorySpec,
    FixedMemorySpec,
    InductionSpec,
    MemorySpec,
)
from explorer.spec.fields import of_each
from explorer.targets import MEMORIES, MemoryKind
from explorer.targets.memory import ADAPTIVE_KIND, ESSENTIAL_KIND, FIXED_KIND, INDUCTION_KIND
from explorer.theory.best_heads import MOST, Falling
from explorer.theory.memory import (
    attention_rate,
    doubling_layers,
    head_floor,
    jump_rate,
    kernel_rate,
    lag_heads,
    pointer_width,
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

Spec = TypeVar("Spec", bound=MemorySpec)
Axis = Literal["T", "M", "m"]


class Least(NamedTuple):
    """The least nMSE of a model, and what it is called; None where none is known."""

    nmse: float | None = None
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Law(Generic[Spec]):
    """What the theorems say of a kind of memory, up to constants C(n)."""

    memories: Callable[[Spec], Memories]
    """What its target is to the theorems."""
    theorem: Callable[[Spec, Falling], Statement]
    """The one about its target, by heads of an encoding."""
    axis: Axis
    """What the rate is drawn against: T, how far the furthest memory is, or M, how many kernels
    there are."""
    here: Callable[[Spec], int]
    """Where its target is on that axis."""
    rate: Callable[[Spec, int, int, int, Falling], float]
    """The attention's part of the error over C(n), with so many heads, at another place of that
    axis, of the order n."""
    tex: Callable[[Falling], str]
    """The same as LaTeX."""
    layers: Callable[[Spec], str]
    """How many layers are enough."""
    further: Callable[[Spec, int, Falling], tuple[str, ...]]
    """What else there is to say, of the order n."""

    def ask(self, spec: Spec, n: int, encoding: Falling) -> Answer:
        """Whether the theorem speaks of a target, and if not, why."""
        theorem = self.theorem(spec, encoding)
        holds, why = theorem.ask(self.memories(spec), n)
        return Answer(holds, "" if holds else silent(theorem, why))


@dataclass(frozen=True, kw_only=True)
class MemoryView(Generic[Spec]):
    """What there is to say of a kind of memory."""

    kind: MemoryKind
    name: str
    """In a list."""
    preset: str
    """What it opens with."""
    says: str
    """Its class in words."""
    tex: Callable[[Spec], str]
    """Its target, as LaTeX."""
    drawn: Callable[[Spec], Mapping[str, Any]]
    """What a live picture is told of its target: jumps or lags."""
    least: Callable[[Spec], Least]
    """What a model leaves at least."""
    known: Callable[[Spec], str]
    """What theory says of the model before it is trained."""
    law: Law[Spec] | None
    """None where the paper has no theorem about it."""

    @property
    def title(self) -> str:
        """Its class, at the beginning of a sentence."""
        title = self.kind.title
        return f"{title[:1].upper()}{title[1:]}"


def told(statement: Statement, memories: Memories, n: int) -> str:
    """What a statement says of a target, or why it says nothing."""
    holds, why = statement.ask(memories, n)
    if not holds:
        return silent(statement, why)
    return f"By {statement.layers}, {statement.says} ({statement.name})."


def silent(statement: Statement, why: str) -> str:
    """That a statement says nothing of a target, and what it asks that is not so."""
    return f"{statement.name} says nothing here: {why}."


def scaled(lags: tuple[int, ...] | range, furthest: int) -> list[int]:
    """Lags in the same proportions, the last one as far as asked; at least 1."""
    return [max(1, round(lag * furthest / max(1, *lags))) for lag in lags]


def reach(encoding: Falling) -> str:
    """How the rate hangs on the distance T_i, as LaTeX."""
    return r"e^{0.01T_i}" if encoding == "lin" else r"T_i^{1.01}"


# Values at fixed lags


def _sum_at_lags(spec: FixedMemorySpec) -> str:
    terms = [f"b_{{t-{lag}}}" if lag else "b_t" for lag in spec.lags]
    count = len(terms)
    whole = "+".join(terms) if count <= 4 else rf"b_{{t-{spec.lags[0]}}}+\dots+{terms[-1]}"
    return rf"y_t=({whole})/\sqrt{{{count}}}"


def _better(spec: FixedMemorySpec, n: int, encoding: Falling) -> tuple[str]:
    lin, log = (attention_rate(spec.lags, spec.heads, n, kind) for kind in ("lin", "log"))
    better = "lin" if lin < log else "log"
    return (f"For these lags the bound is lower with {better} (log ÷ lin: {number(log / lin)}).",)


FIXED = MemoryView[FixedMemorySpec](
    kind=FIXED_KIND,
    name="values at fixed lags",
    preset="memory-fixed",
    says="the answer hangs on the same M places in the past, wherever t is",
    tex=_sum_at_lags,
    drawn=lambda spec: {"lags": list(spec.lags)},
    least=lambda spec: Least(),
    known=lambda spec: (
        "For fixed lags one layer is enough, with heads that each find one (Theorem 3.1)."
    ),
    law=Law[FixedMemorySpec](
        memories=lambda spec: Memories("fixed", len(spec.lags)),
        theorem=lambda spec, encoding: STATEMENTS["3.1"],
        axis="T",
        here=lambda spec: max(1, *spec.lags),
        rate=lambda spec, heads, at, n, encoding: attention_rate(
            scaled(spec.lags, at), heads, n, encoding
        ),
        tex=lambda encoding: rf"\frac{{C(n)}}{{H^n}}\Big(\sum_i {reach(encoding)}\Big)^{{n+1}}",
        layers=lambda spec: "One layer is enough, however many lags there are.",
        further=_better,
    ),
)


# Values where the tokens point

BY_DISTANCE = ("log", "lin", "t5", "none")
"""Encodings that tell a head distances alone, if anything."""


def _line(spec: AdaptiveMemorySpec) -> Least:
    """The exact line 1 − H/V of one layer that sees b_{t−x_t} by distances alone."""
    plain = spec.layers == 1 and not spec.dot_product and not spec.layer_norm
    by_distance = plain and spec.encoding in BY_DISTANCE
    if by_distance and spec.jumps == 1 and spec.values == "normal":
        is_above = spec.heads < spec.vocabulary
        label = "1 − H/V" if is_above else "0, as H ≥ V"
        return Least(head_floor(spec.heads, spec.vocabulary), label)
    return Least()


def _depth_or_heads(spec: AdaptiveMemorySpec) -> str:
    jumps, theorem = spec.jumps, on_pointers(jumping(spec.jumps).nested)
    return (
        f"Depth and heads trade. For {plural(jumps, 'jump')} "
        f"{plural(sufficient_layers(jumps), 'layer')} are enough ({theorem.name}), "
        f"by doubling {doubling_layers(jumps)}, and one with "
        f"{plural(lag_heads(jumps, spec.vocabulary), 'head')}, one for each distance."
    )


def _further(spec: AdaptiveMemorySpec, n: int, encoding: Falling) -> tuple[str, ...]:
    """The width of the feed-forward layers that make the pointers, and what stands in for dot
    product and for heads."""
    memories = jumping(spec.jumps)
    furthest = [i * spec.vocabulary for i in range(1, spec.jumps + 1)]
    width = pointer_width(furthest, memories.nested, encoding)
    return (
        f"Pointers up to {furthest[-1]} places back are made by feed-forward layers of a width "
        f"m of order {number(width)} (this model has m_FF = {spec.m_ff}).",
        *(told(STATEMENTS[name], memories, n) for name in ("4.3", "4.5")),
    )


ADAPTIVE = MemoryView[AdaptiveMemorySpec](
    kind=ADAPTIVE_KIND,
    name="where tokens point",
    preset="memory-jumps",
    says="where to look is itself read from the tokens, one after the other",
    tex=lambda spec: rf"y_t=b_{{p_{{{spec.jumps}}}}},\ p_0=t,\ p_{{k+1}}=p_k-x_{{p_k}}",
    drawn=lambda spec: {"jumps": spec.jumps},
    least=_line,
    known=_depth_or_heads,
    law=Law[AdaptiveMemorySpec](
        memories=lambda spec: jumping(spec.jumps),
        theorem=lambda spec, encoding: on_pointers(jumping(spec.jumps).nested),
        axis="T",
        here=lambda spec: spec.jumps * spec.vocabulary,
        rate=lambda spec, heads, at, n, encoding: jump_rate(
            scaled(range(1, spec.jumps + 1), at), spec.jumps, heads, n, encoding
        ),
        tex=lambda encoding: (
            rf"\frac{{C(n)}}{{H^n}}\Big(\sum_{{i\le K}} ({reach(encoding)})^{{2n+2}}\Big)^{{1/2}}"
        ),
        layers=lambda spec: (
            f"{sufficient_layers(spec.jumps)} layers are enough for "
            f"{plural(spec.jumps, 'jump')}; this model has {spec.layers}."
        ),
        further=_further,
    ),
)


# All values, by a kernel that falls


def _weighted(spec: EssentialMemorySpec) -> str:
    power = spec.fall == "power"
    rho = f"s^{{-{spec.exponent:g}}}" if power else f"e^{{-s/{spec.time:g}}}"
    return rf"y_t=\sum_{{s\ge1}}{rho}\,b_{{t-s}}"


def _best(spec: EssentialMemorySpec) -> Least:
    """Of heads alone, as many as can be computed."""
    if spec.model == "transformer" or spec.heads > MOST:
        return Least()
    return Least(best_of_spec(spec).error, f"best of {plural(spec.heads, 'head')}")


def _fall_of_error(spec: EssentialMemorySpec) -> str:
    if spec.encoding not in ("log", "lin"):
        return "Theorem 5.1 speaks of log and lin encodings alone."
    encoding: Falling = spec.encoding
    answer = KERNELS.ask(spec, 1, encoding)
    if not answer.holds:
        return answer.why
    theorem = of_kernels(encoding)
    return f"The error of {encoding} heads can fall as 1/H, or faster ({theorem.name})."


KERNELS = Law[EssentialMemorySpec](
    memories=lambda spec: (
        falling_power(spec.exponent) if spec.fall == "power" else falling_exponential(spec.time)
    ),
    theorem=lambda spec, encoding: of_kernels(encoding),
    axis="M",
    here=lambda spec: 1,
    rate=lambda spec, heads, at, n, encoding: kernel_rate(at, heads, n),
    tex=lambda encoding: r"C(n)\,\frac{M^{n+1}}{H^n}",
    layers=lambda spec: "One layer is enough.",
    further=lambda spec, n, encoding: (),
)
ESSENTIAL = MemoryView[EssentialMemorySpec](
    kind=ESSENTIAL_KIND,
    name="a kernel that falls",
    preset="memory-kernel",
    says="all the past counts, by weights that fall with the distance",
    tex=_weighted,
    drawn=lambda spec: {},
    least=_best,
    known=_fall_of_error,
    law=KERNELS,
)


# The value after the last token that was alike

INDUCTION = MemoryView[InductionSpec](
    kind=INDUCTION_KIND,
    name="what followed last time",
    preset="memory-induction",
    says="beyond the paper: the answer follows the last token that was alike",
    tex=lambda spec: r"y_t=b_{s+1},\ x_s=x_t\ \text{the last time}",
    drawn=lambda spec: {},
    least=lambda spec: Least(),
    known=lambda spec: (
        "Copying what followed can be done in two steps: look one back, then for a match."
    ),
    law=None,
)
VIEWS: dict[str, MemoryView[Any]] = of_each(
    "views of memories",
    MEMORIES,
    {view.kind.name: view for view in (FIXED, ADAPTIVE, ESSENTIAL, INDUCTION)},
)
"""By the `target` of their specifications."""


def view_of(spec: MemorySpec) -> MemoryView[Any]:
    """What there is to say of the memory of a specification."""
    return VIEWS[spec.target]
