"""F and f of Eq. 8 as they are chosen, and as formulas."""

from explorer.coupling import FormulaError
from explorer.targets import Parts, part_of
from explorer.targets.parts import NAMED

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


def kind_of(text: str) -> str:
    """The key in KINDS of a map as a specification has it."""
    name, *rest = text.split() or [""]
    return name if name in NAMED and len(rest) == len(NUMBERS[name]) else "formula"


def numbers_of(text: str) -> list[float]:
    """The numbers of a map that has a name."""
    return [float(word) for word in text.split()[1:]]


def notes(formula: str) -> list[str]:
    """A formula in x as it was understood, in Markdown; none of one that is refused."""
    try:
        return [f"${part_of(formula).tex}$"]
    except FormulaError:  # of a link from elsewhere: the page says it
        return []


def answer_tex(parts: Parts) -> str:
    """y_t of Eq. 8 by attention A."""
    value = "x_s" if parts.inner == Parts().inner else "f(x_s)"
    mean = rf"\sum_s A_{{ts}}\,{value}"
    return f"y_t={mean}" if parts.outer == Parts().outer else rf"y_t=F\Bigl({mean}\Bigr)"


def parts_tex(parts: Parts) -> tuple[str, ...]:
    """F(x) = … and f(x) = …, where they are not the identity."""
    named = {"F": parts.outer, "f": parts.inner}
    return tuple(f"{k}(x)={part.tex}" for k, part in named.items() if part.words != "identity")
