"""All values, by a kernel that falls."""

from explorer.pages.memory.view_kernels import best_of_spec
from explorer.pages.memory.view_kinds.view import Law, Least, MemoryView
from explorer.spec import EssentialMemorySpec
from explorer.targets.memory import ESSENTIAL_KIND
from explorer.theory.best_heads import MOST, Falling
from explorer.theory.memory import kernel_rate
from explorer.theory.theorems import Memories, falling_exponential, falling_power, of_kernels
from explorer.views.text import plural


def _tex(spec: EssentialMemorySpec) -> str:
    power = spec.fall == "power"
    rho = f"s^{{-{spec.exponent:g}}}" if power else f"e^{{-s/{spec.time:g}}}"
    return rf"y_t=\sum_{{s\ge1}}{rho}\,b_{{t-s}}"


def _least(spec: EssentialMemorySpec) -> Least:
    """Of heads alone, as many as can be computed."""
    if spec.model == "transformer" or spec.heads > MOST:
        return Least()
    return Least(best_of_spec(spec).error, f"best of {plural(spec.heads, 'head')}")


def _known(spec: EssentialMemorySpec) -> str:
    if spec.encoding not in ("log", "lin"):
        return "Theorem 5.1 speaks of log and lin encodings alone."
    encoding: Falling = spec.encoding
    found = LAW.ask(spec, 1, encoding)
    if not found.holds:
        return found.why
    theorem = of_kernels(encoding)
    return f"The error of {encoding} heads can fall as 1/H, or faster ({theorem.name})."


def _memories(spec: EssentialMemorySpec) -> Memories:
    power = spec.fall == "power"
    return falling_power(spec.exponent) if power else falling_exponential(spec.time)


LAW = Law[EssentialMemorySpec](
    memories=_memories,
    theorem=lambda spec, encoding: of_kernels(encoding),
    axis="M",
    here=lambda spec: 1,
    rate=lambda spec, heads, at, n, encoding: kernel_rate(at, heads, n),
    tex=lambda encoding: r"C(n)\,\frac{M^{n+1}}{H^n}",
    layers=lambda spec: "One layer is enough.",
    further=lambda spec, n, encoding: (),
)
VIEW = MemoryView[EssentialMemorySpec](
    kind=ESSENTIAL_KIND,
    name="a kernel that falls",
    preset="memory-kernel",
    says="all the past counts, by weights that fall with the distance",
    tex=_tex,
    drawn=lambda spec: {},
    least=_least,
    known=_known,
    law=LAW,
)
