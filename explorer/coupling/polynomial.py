"""Whether a formula is a polynomial: then its rank is finite, and its degrees bound it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from explorer.coupling.formula import Expression

CONSTANT = (0, 0)


class _Part(NamedTuple):
    """A polynomial by its degrees in u and v; its value where it is a number."""

    degrees: tuple[int, int]
    value: float | None = None


def degrees_of(expression: Expression) -> tuple[int, int] | None:
    """Degrees in u and v of a formula, at most; None where it is no polynomial as it is written."""
    stack: list[_Part | None] = []
    for kind, value in expression.program:
        if kind == "number":
            stack.append(_Part(CONSTANT, value))
        elif kind == "variable":
            stack.append(_Part((int(value == 0), int(value == 1))))
        else:
            operands = [stack.pop() for _ in range(value)][::-1]
            stack.append(_combined(kind, operands))
    (whole,) = stack
    return whole and whole.degrees


def _combined(kind: str, operands: list[_Part | None]) -> _Part | None:
    """A polynomial of polynomials; None of anything else."""
    parts = [part for part in operands if part is not None]
    if len(parts) < len(operands):
        return None
    if all(part.degrees == CONSTANT for part in parts):
        return _Part(CONSTANT)
    if kind in ("+", "-", "negative"):
        return _each(max, parts)
    if kind == "*":
        return _each(sum, parts)
    if kind == "/" and parts[1].degrees == CONSTANT:
        return _Part(parts[0].degrees)
    power = parts[-1].value
    if kind == "**" and power is not None and power >= 0 and power % 1 == 0:
        in_u, in_v = parts[0].degrees
        return _Part((int(power) * in_u, int(power) * in_v))
    return None


def _each(of: Callable[[Iterable[int]], int], parts: list[_Part]) -> _Part:
    return _Part((of(part.degrees[0] for part in parts), of(part.degrees[1] for part in parts)))
