"""A formula as the kernel's program: words of float32 that kernel/formula.h reads.

What holds u or v alone the kernel computes once for each token, not for each pair. First come the
functions of u, then those of v, then ρ of them; each is a program in postfix order and its END.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from explorer.coupling.formula import Expression

WORDS = (
    *("end", "number", "column", "row", "square"),
    *("+", "-", "*", "/", "**", "<", "<=", ">", ">=", "==", "!="),
    *("negative", "sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sign", "tanh", "cosh", "sinh"),
    *("heaviside", "minimum", "maximum", "where"),
)
"""In the order of kernel/formula.h."""

Words = tuple[int, ...]


class Program(NamedTuple):
    """`words` (float32), and how many functions of u and of v alone come first."""

    words: np.ndarray
    of_u: int
    of_v: int


class _Part(NamedTuple):
    """What stands on the stack: the variables that it holds, and what computes it."""

    held: frozenset[int]
    words: Words


def program_of(formula: Expression) -> Program:
    """The program of ρ(u, v). `Expression` has checked what it holds: it fits."""
    alone: list[dict[Words, int]] = [{_token(): 0}, {_token(): 0}]
    stack: list[_Part] = []
    for kind, value in formula.program:
        if kind == "number":
            stack.append(_Part(frozenset(), _number(value)))
        elif kind == "variable":
            stack.append(_Part(frozenset((value,)), _token()))
        else:
            operands = [stack.pop() for _ in range(value)][::-1]
            stack.append(_applied(kind, operands, alone))
    rho = _looked_up(stack[0], alone)
    functions = [list(side)[1:] for side in alone]
    words = [word for part in (*functions[0], *functions[1], rho) for word in (*part, _word("end"))]
    return Program(np.array(words, np.float32), *map(len, functions))


def _applied(kind: str, operands: Sequence[_Part], alone: list[dict[Words, int]]) -> _Part:
    held = frozenset[int]().union(*(operand.held for operand in operands))
    words = [_looked_up(each, alone) if len(held) > 1 else each.words for each in operands]
    if kind == "**" and words[1] == _number(2.0):
        return _Part(held, (*words[0], _word("square")))
    if kind == "heaviside" and len(operands) == 1:
        words.append(_number(0.5))
    return _Part(held, (*(word for part in words for word in part), _word(kind)))


def _looked_up(part: _Part, alone: list[dict[Words, int]]) -> Words:
    """Of a function of one variable only its place among those, where a pair needs it."""
    if len(part.held) != 1:
        return part.words
    (variable,) = part.held
    which = alone[variable].setdefault(part.words, len(alone[variable]))
    return _word(("column", "row")[variable]), which


def _token() -> Words:
    """The token itself, for a function of it alone."""
    return _word("row"), 0


def _number(value: float) -> Words:
    """A double, in four parts of 16 bits that float32 holds."""
    return _word("number"), *np.array([value], "<f8").view("<u2").tolist()


def _word(name: str) -> int:
    return WORDS.index(name)
