"""F and f of Eq. 8 as they are chosen, and as formulas."""

from typing import Any, NamedTuple

from explorer.coupling import FormulaError
from explorer.spec import CouplingSpec
from explorer.targets import Parts
from explorer.targets.coupling.features import MOST_FEATURES
from explorer.targets.coupling.outer import NORM, names_of, outer_of
from explorer.targets.coupling.parts import NAMED

KINDS = {
    "identity": ("identity", "identity"),
    "abs": ("norm |x|", "abs"),
    "power": ("power xᵖ", "power 2"),
    "tanh": ("tanh κx", "tanh 3"),
    "clip": ("clipped", "clip 0.2 0.8"),
    "formula": ("formula in x", "sin(3*x)"),
}
"""What it is called, and with what it begins."""
NUMBERS = {
    "identity": (),
    "abs": (),
    "power": ("p, exponent",),
    "tanh": ("κ, steepness",),
    "clip": ("from", "to"),
}
SECOND = "power 2"
VARIANCE = "x2 - x1**2"
"""With which the second feature of a plain f begins: what attention sees varies by so much."""


class Map(NamedTuple):
    """F, or a feature of f."""

    name: str
    """Of its widgets: outer, inner, inner 2, …"""
    text: str
    """As a specification has it."""
    q: int = 1
    """It is of so many numbers."""
    index: str = ""
    """Of one of several features."""

    @property
    def letter(self) -> str:
        return f"{'F' if self.name == 'outer' else 'f'}{self.index}"

    @property
    def kinds(self) -> dict[str, tuple[str, str]]:
        """As KINDS has them."""
        if self.q == 1:
            return KINDS
        return {NORM: KINDS[NORM], "formula": (f"formula in {self.variables}", total(self.q))}

    @property
    def kind(self) -> str:
        """Its key in `kinds`."""
        name, *rest = self.text.split() or [""]
        return name if name in NAMED and len(rest) == len(NUMBERS[name]) else "formula"

    @property
    def variables(self) -> str:
        """In words."""
        return " and ".join(names_of(self.q))

    def notes(self, formula: str) -> list[str]:
        """A formula as it was understood, in Markdown; none of one that is refused."""
        try:
            return [f"${outer_of(formula, self.q).tex}$"]
        except FormulaError:  # of a link from elsewhere: the page says it
            return []


def maps_of(spec: CouplingSpec) -> list[Map]:
    """F, and each feature of f."""
    texts = spec.features
    if len(texts) == 1:
        return [Map("outer", spec.outer), Map("inner", spec.inner)]
    of_f = [Map(inner(i), text, 1, "₁₂₃"[i]) for i, text in enumerate(texts)]
    return [Map("outer", spec.outer, len(texts)), *of_f]


def inner(i: int) -> str:
    """The name of a feature, from 0."""
    return f"inner {i + 1}" if i else "inner"


def changed(spec: CouplingSpec, name: str, text: str) -> dict[str, str]:
    """What changes with a map."""
    if name == "outer":
        return {name: text}
    texts = [text if inner(i) == name else each for i, each in enumerate(spec.features)]
    return {"inner": "; ".join(texts)}


def one_more(spec: CouplingSpec) -> dict[str, Any] | None:
    """What changes with one more feature; None where there are as many as there may be."""
    q = len(spec.features) + 1
    if q > MOST_FEATURES:
        return None
    outer = total(q) if spec.has_parts else VARIANCE
    return {"inner": f"{spec.inner}; {SECOND}", "outer": outer, "d_v": max(spec.d_v, q)}


def one_less(spec: CouplingSpec) -> dict[str, Any] | None:
    """What changes with the last feature away; None where there is one."""
    *rest, _ = spec.features
    if not rest:
        return None
    return {"inner": "; ".join(rest), "outer": total(len(rest)) if rest[1:] else "identity"}


def total(q: int) -> str:
    """The sum of q numbers, a formula."""
    return " + ".join(names_of(q))


def numbers_of(text: str) -> list[float]:
    """The numbers of a map that has a name."""
    return [float(word) for word in text.split()[1:]]


def answer_tex(parts: Parts) -> str:
    """y_t of Eq. 8 by attention A."""
    value = "x_s" if parts.inner == Parts().inner else "f(x_s)"
    mean = rf"\sum_s A_{{ts}}\,{value}"
    return f"y_t={mean}" if parts.outer == Parts().outer else rf"y_t=F\Bigl({mean}\Bigr)"


def parts_tex(parts: Parts) -> tuple[str, ...]:
    """F(x) = … and f(x) = …, where they are not the identity."""
    named = {"F": parts.outer, "f": parts.inner}
    return tuple(f"{k}(x)={part.tex}" for k, part in named.items() if part.words != "identity")
