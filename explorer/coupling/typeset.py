"""A parsed formula in LaTeX, as it was understood."""

import math
from collections.abc import Callable
from typing import NamedTuple

from explorer.coupling.formula import Expression

COMPARED, SUM, PRODUCT, SIGNED, POWER, ATOM = range(6)
LONGEST = 160
"""Characters of LaTeX; what is longer is not typeset."""


class Tex(NamedTuple):
    """A part of a formula, and how strongly it binds."""

    text: str
    binds: int = ATOM
    number: bool = False
    """Whether it begins with a digit, so that it cannot stand behind a factor."""

    def within(self, binds: int) -> str:
        """In parentheses where it binds less."""
        return self.text if self.binds >= binds else rf"\left({self.text}\right)"


def typeset(expression: Expression, variables: tuple[str, ...] = ("u", "v")) -> str | None:
    r"""A formula in LaTeX, exp(-4*abs(u - v)) as e^{-4\left|u-v\right|}; None where it is too long
    for a line."""
    stack: list[Tex] = []
    for kind, value in expression.program:
        if kind == "number":
            stack.append(_number(value))
        elif kind == "variable":
            stack.append(Tex(variables[value]))
        else:
            operands = [stack.pop() for _ in range(value)][::-1]
            stack.append(_OPERATIONS[kind](*operands))
        if len(stack[-1].text) > LONGEST:
            return None
    return stack[0].text


def _number(value: float) -> Tex:
    if value in (math.pi, math.e):
        return Tex(r"\pi" if value == math.pi else "e")
    mantissa, _, power = f"{value:.10g}".partition("e")
    if not power:
        return Tex(mantissa, number=True)
    return Tex(rf"{mantissa}\cdot10^{{{int(power)}}}", PRODUCT, number=True)


def _plus(a: Tex, b: Tex) -> Tex:
    return Tex(f"{a.within(SUM)}+{b.within(SIGNED if b.text[0] == '-' else SUM)}", SUM, a.number)


def _minus(a: Tex, b: Tex) -> Tex:
    return Tex(f"{a.within(SUM)}-{b.within(POWER if b.text[0] == '-' else PRODUCT)}", SUM, a.number)


def _times(a: Tex, b: Tex) -> Tex:
    behind = r"\," if a.text.endswith(r"\right)") else " "
    sign = r"\cdot " if b.number and b.binds > PRODUCT else behind
    return Tex(f"{a.within(PRODUCT)}{sign}{b.within(POWER)}", PRODUCT, a.number)


def _where(condition: Tex, a: Tex, b: Tex) -> Tex:
    cases = rf"{a.text}&{condition.text}\\{b.text}&\text{{else}}"
    return Tex(rf"\begin{{cases}}{cases}\end{{cases}}")


def _compared(sign: str) -> Callable[[Tex, Tex], Tex]:
    return lambda a, b: Tex(rf"[{a.text}{sign} {b.text}]")


def _called(name: str) -> Callable[..., Tex]:
    return lambda *a: Tex(rf"{name}\left({', '.join(each.text for each in a)}\right)", POWER)


_OF_ONE: dict[str, Callable[[Tex], Tex]] = {
    "negative": lambda a: Tex(f"-{a.within(POWER if a.text[0] == '-' else PRODUCT)}", PRODUCT),
    "exp": lambda a: Tex(f"e^{{{a.text}}}", POWER),
    "abs": lambda a: Tex(rf"\left|{a.text}\right|"),
    "sqrt": lambda a: Tex(rf"\sqrt{{{a.text}}}"),
}
_OF_TWO: dict[str, Callable[[Tex, Tex], Tex]] = {
    "+": _plus,
    "-": _minus,
    "*": _times,
    "/": lambda a, b: Tex(rf"\frac{{{a.text}}}{{{b.text}}}"),
    "**": lambda a, b: Tex(f"{{{a.within(ATOM)}}}^{{{b.text}}}", POWER, a.number),
}
_OPERATIONS: dict[str, Callable[..., Tex]] = {
    **_OF_ONE,
    **_OF_TWO,
    "where": _where,
    **{sign: _compared(sign) for sign in "<>"},
    "<=": _compared(r"\le"),
    ">=": _compared(r"\ge"),
    "==": _compared("="),
    "!=": _compared(r"\ne"),
    "log": _called(r"\ln"),
    "minimum": _called(r"\min"),
    "maximum": _called(r"\max"),
    "sign": _called(r"\operatorname{sgn}"),
    "heaviside": _called(r"\operatorname{step}"),
    **{name: _called(rf"\{name}") for name in ("sin", "cos", "tan", "tanh", "cosh", "sinh")},
}
