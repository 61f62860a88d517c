"""Values at fixed lags."""

from collections.abc import Sequence

from explorer.pages.memory.view_kinds.view import Law, Least, MemoryView, reach, scaled
from explorer.spec import FixedMemorySpec
from explorer.targets.memory import FIXED_KIND
from explorer.theory.best_heads import Falling
from explorer.theory.memory import attention_rate
from explorer.theory.theorems import STATEMENTS, Memories
from explorer.views.text import number


def _tex(spec: FixedMemorySpec) -> str:
    terms = "+".join(f"b_{{t-{lag}}}" if lag else "b_t" for lag in spec.lags)
    count = len(spec.lags)
    return rf"y_t=({terms})/\sqrt{{{count}}}" if count <= 4 else _many(spec.lags)


def _many(lags: Sequence[int]) -> str:
    return rf"y_t=(b_{{t-{lags[0]}}}+\dots+b_{{t-{lags[-1]}}})/\sqrt{{{len(lags)}}}"


def _rate(spec: FixedMemorySpec, heads: int, at: int, n: int, encoding: Falling) -> float:
    return attention_rate(scaled(spec.lags, at), heads, n, encoding)


def _better(spec: FixedMemorySpec, n: int, encoding: Falling) -> tuple[str]:
    lin, log = (attention_rate(spec.lags, spec.heads, n, kind) for kind in ("lin", "log"))
    better = "lin" if lin < log else "log"
    return (f"For these lags the bound is lower with {better} (log ÷ lin: {number(log / lin)}).",)


LAW = Law[FixedMemorySpec](
    memories=lambda spec: Memories("fixed", len(spec.lags)),
    theorem=lambda spec, encoding: STATEMENTS["3.1"],
    axis="T",
    here=lambda spec: max(1, *spec.lags),
    rate=_rate,
    tex=lambda encoding: rf"\frac{{C(n)}}{{H^n}}\Big(\sum_i {reach(encoding)}\Big)^{{n+1}}",
    layers=lambda spec: "One layer is enough, however many lags there are.",
    further=_better,
)
VIEW = MemoryView[FixedMemorySpec](
    kind=FIXED_KIND,
    name="values at fixed lags",
    preset="memory-fixed",
    says="the answer hangs on the same M places in the past, wherever t is",
    tex=_tex,
    drawn=lambda spec: {"lags": list(spec.lags)},
    least=lambda spec: Least(),
    known=lambda spec: (
        "For fixed lags one layer is enough, with heads that each find one (Theorem 3.1)."
    ),
    law=LAW,
)
