"""Formulas for ρ(u, v) and for kernels ρ(s). A formula is data: it is parsed, never executed.

A Pratt parser (V. Pratt, 1973) turns the text into a postfix program over a fixed list of
operations; evaluation walks the program with a stack of arrays.
"""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from explorer.arrays import Array, constant, namespace

MAX_LENGTH = 1000  # characters, checked before anything is read
MAX_DEPTH = 100  # operands within operands
LARGEST = 1e6  # |ρ|, as for samples
MAX_COST = 1500.0  # ns a pair (u, v): what a page computes of a formula takes some 10⁶ pairs
PROBE = 33  # the finite check of a new formula uses PROBE × PROBE cell centres

CONSTANTS = {"pi": np.pi, "e": np.e}
FUNCTIONS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("sin", "cos", "tan", "exp", "log", "sqrt", "abs", "sign"), (1,)),
    **dict.fromkeys(("tanh", "cosh", "sinh"), (1,)),
    "heaviside": (1, 2),
    **dict.fromkeys(("minimum", "maximum"), (2,)),
    "where": (3,),
}
"""Functions and the numbers of arguments they take."""

COST: dict[str, float] = {
    **dict.fromkeys(("sin", "cos", "tan"), 20.0),
    "**": 100.0,
    **dict.fromkeys(("exp", "log", "tanh", "cosh", "sinh", "sqrt"), 10.0),
    **dict.fromkeys(("heaviside", "where", "<", "<=", ">", ">=", "==", "!="), 5.0),
}
OTHER_COST = 1.0
"""Nanoseconds of one operation on one pair (u, v), at worst: a power whose result is denormal takes
thirty times as long as another."""

ALLOWED = "numbers, pi, e, + - * / **, parentheses, < <= > >= == != and " + ", ".join(FUNCTIONS)


class FormulaError(ValueError):
    """A formula that is refused; the message says where and what is allowed."""

    position: int | None = None
    """The character from 0 at which it is, where it is at one."""


@dataclass(frozen=True)
class Expression:
    """A parsed formula: calling it with its variables, (u, v) say, gives ρ(u, v)."""

    text: str
    program: tuple[tuple[str, Any], ...]
    """Postfix: ("number", float), ("variable", which) or (operation, number of operands)."""

    def __call__(self, *variables: Array) -> Array:
        """ρ on the common shape of the variables, in their precision; may hold inf or nan."""
        xp = namespace(*variables)
        stack: list[Array] = []
        with np.errstate(all="ignore"):  # what is not finite is refused by `check_finite`
            for kind, value in self.program:
                if kind == "number":
                    stack.append(constant(value, variables[0]))
                elif kind == "variable":
                    stack.append(variables[value])
                else:
                    operands = [stack.pop() for _ in range(value)][::-1]
                    stack.append(_applied(xp, kind, operands))
        return xp.broadcast_to(stack[0], xp.broadcast_arrays(*variables)[0].shape)


def parse_formula(text: str) -> Expression:
    """Parse a formula in u and v, and check its cost and that it is finite at cell centres.

    Raises FormulaError with the position, or the cost, and what is allowed.
    """
    expression = parse_expression(text, ("u", "v"))
    check_cost(expression)
    centres = (np.arange(PROBE) + 0.5) / PROBE
    check_finite(expression(centres[:, None], centres), centres, centres)
    return expression


def parse_expression(text: object, variables: tuple[str, ...]) -> Expression:
    """Parse a formula in the named variables, whose values nothing is asked of yet.

    Raises FormulaError with the position and what is allowed.
    """
    if not isinstance(text, str):
        named = " and ".join(variables)
        raise FormulaError(f"a formula is a text in {named}, not {type(text).__name__}")
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"the formula has {len(text)} characters; at most {MAX_LENGTH} allowed")
    return Expression(text, Parser(tokens_of(text, variables), variables).parse())


def check_cost(expression: Expression) -> None:
    """Raise FormulaError, with the cost, for a formula that would keep a page for seconds."""
    costs = pair_costs(expression)
    total = sum(costs.values())
    if total > MAX_COST:
        worst = max(costs, key=costs.__getitem__)
        raise FormulaError(
            f"the formula takes about {total / 1e3:.1f} µs for each pair (u, v), "
            f"{costs[worst] / 1e3:.1f} of them for {worst}; at most {MAX_COST / 1e3:g} are "
            "allowed. Use fewer terms, products of functions of u or v alone, or upload samples"
        )


def pair_costs(expression: Expression, free: int = 1) -> dict[str, float]:
    """Nanoseconds that each operation takes for a pair (u, v), by its name: {} where there is no
    such. What holds so few variables as are `free`, one alone say, is computed once for a whole
    row or column."""
    costs: dict[str, float] = {}
    stack: list[tuple[frozenset[int], float | None]] = []  # variables, and the value of a number
    for kind, value in expression.program:
        if kind in ("number", "variable"):
            number = kind == "number"
            stack.append((frozenset(() if number else (value,)), value if number else None))
            continue
        operands = [stack.pop() for _ in range(value)]
        held = frozenset[int]().union(*(variables for variables, _ in operands))
        if len(held) > free:
            square = kind == "**" and operands[0][1] in (1.0, 2.0)
            cost = OTHER_COST if square else COST.get(kind, OTHER_COST)
            costs[kind] = costs.get(kind, 0.0) + cost
        stack.append((held, None))
    return costs


def check_finite(rho: np.ndarray, u: np.ndarray, v: np.ndarray) -> None:
    """Raise FormulaError naming the first (u_i, v_j) at which rho (a, b) is not finite, or beyond
    the 1e6 that samples may have too: its squares would leave the range of float64."""
    bad = np.argwhere(~(np.abs(rho) <= LARGEST))
    if len(bad):
        i, j = bad[0]
        what = "beyond 1e6" if np.isfinite(rho[i, j]) else "not finite"
        raise FormulaError(
            f"the formula is {what} at u = {u[i]:.4g}, v = {v[j]:.4g}: it gives {rho[i, j]:.6g}; "
            "it must be finite, and at most 1e6 in size, for all u and v between 0 and 1"
        )


_ARITHMETIC: dict[str, Callable[[Array, Array], Array]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
}
_COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def _applied(xp: Any, kind: str, operands: Sequence[Array]) -> Array:
    """An operation or function of a formula; a comparison gives the numbers 1 and 0."""
    if kind in _ARITHMETIC:
        a, b = operands
        return _ARITHMETIC[kind](a, b)
    if kind in _COMPARISONS:
        a, b = operands
        return xp.where(_COMPARISONS[kind](a, b), constant(1, a), constant(0, a))
    if kind == "where":
        condition, a, b = operands
        return xp.where(condition != 0, a, b)
    if kind == "heaviside":
        return _heaviside(xp, *operands)
    return getattr(xp, kind)(*operands)


def _heaviside(xp: Any, x: Array, at_zero: Array | float = 0.5) -> Array:
    zero = constant(0, x)
    return xp.where(x == 0, zero + at_zero, xp.where(x < 0, zero, zero + 1))


_BINDS = dict.fromkeys(_COMPARISONS, 1) | {"+": 2, "-": 2, "*": 3, "/": 3, "**": 5}
_SIGN_BINDS = 4  # less than a power: −u**2 = −(u**2)
_TOKEN = re.compile(
    r"(?P<number>([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<symbol>\*\*|<=|>=|==|!=|[-+*/<>(),])"
    r"|(?P<space>[ \t\r\n]+)"
)
_HINTS = {
    "^": "write ** for powers",
    "²": "write **2",
    "π": "write pi",
    "·": "write *",
    "×": "write *",
    "−": "write -",
    "=": "write == to compare",
}


class Token(NamedTuple):
    """A word of a formula."""

    kind: str  # number, name, symbol or end
    text: str
    position: int  # of its first character, from 0

    def error(self, problem: str) -> FormulaError:
        """What is wrong with it."""
        where = "at the end" if self.kind == "end" else f"at character {self.position + 1}"
        error = FormulaError(f"{where}: {problem}")
        error.position = self.position
        return error

    @property
    def shown(self) -> str:
        shown = self.text if len(self.text) <= 20 else self.text[:20] + "…"
        return f"'{shown}'" if self.kind != "end" else "the end"


def allowed_in(variables: tuple[str, ...]) -> str:
    """What a formula in these variables may hold, in words."""
    return f"allowed are {', '.join(variables)}, {ALLOWED}"


def tokens_of(text: str, variables: tuple[str, ...]) -> list[Token]:
    """The words of a formula and its end; raises FormulaError for a sign that is none."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            sign = text[position]
            hint = _HINTS.get(sign, allowed_in(variables))
            raise Token("symbol", sign, position).error(f"{sign!r} is not allowed; {hint}")
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup or "", match.group(), position))
        position = match.end()
    return [*tokens, Token("end", "", position)]


class Parser:
    """Precedence climbing over the tokens; operations go into `program` in postfix order."""

    def __init__(self, tokens: Sequence[Token], variables: tuple[str, ...]):
        self.variables = variables
        self.allowed = allowed_in(variables)
        self.tokens = [*tokens][::-1]  # the next token is the last
        self.program: list[tuple[str, Any]] = []
        self.depth = 0

    def parse(self) -> tuple[tuple[str, Any], ...]:
        """The program of the whole; raises FormulaError where it is none."""
        if self.next.kind == "end":
            raise FormulaError(f"the formula is empty; {self.allowed}")
        self.expression(0)
        if self.next.kind != "end":
            raise self.next.error(
                f"expected an operator before {self.next.shown} (products need a *); {self.allowed}"
            )
        return tuple(self.program)

    @property
    def next(self) -> Token:
        return self.tokens[-1]

    def at(self, symbol: str) -> bool:
        return self.next.text == symbol

    def expression(self, binds: int) -> None:
        """Emit an operand and every operator behind it that binds at least as strongly."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.next.error(f"nested too deeply; at most {MAX_DEPTH} levels are allowed")
        self.operand()
        while _BINDS.get(self.next.text, -1) >= binds:
            operator = self.tokens.pop().text
            # A power groups from the right, the others from the left.
            self.expression(_BINDS[operator] + (operator != "**"))
            self.program.append((operator, 2))
            if operator in _COMPARISONS and self.next.text in _COMPARISONS:
                raise self.next.error("comparisons cannot be chained; multiply them instead")
        self.depth -= 1

    def operand(self) -> None:
        token = self.tokens.pop()
        if token.kind == "number":
            self.number(token)
        elif token.kind == "name":
            self.name(token)
        elif token.text in ("-", "+"):
            self.expression(_SIGN_BINDS)
            if token.text == "-":
                self.program.append(("negative", 1))
        elif token.text == "(":
            self.expression(0)
            self.close(token)
        else:
            named = ", ".join(self.variables)
            raise token.error(f"expected a number, {named} or a function, not {token.shown}")

    def number(self, token: Token) -> None:
        value = float(token.text)
        if not np.isfinite(value):
            raise token.error(f"the number {token.shown} is too large for float64")
        self.program.append(("number", value))

    def name(self, token: Token) -> None:
        if token.text in self.variables:
            self.program.append(("variable", self.variables.index(token.text)))
        elif token.text in CONSTANTS:
            self.program.append(("number", CONSTANTS[token.text]))
        elif token.text in FUNCTIONS:
            self.program.append((token.text, self.arguments(token)))
        else:
            raise token.error(f"unknown name {token.shown}; {self.allowed}")

    def arguments(self, function: Token) -> int:
        """Emit the arguments in parentheses; their number."""
        if not self.at("("):
            raise function.error(f"{function.text} needs its arguments in parentheses")
        opening, count = self.tokens.pop(), 0
        while not self.at(")"):
            self.expression(0)
            count += 1
            if not self.at(","):
                break
            self.tokens.pop()
        self.close(opening)
        if count not in FUNCTIONS[function.text]:
            wanted = " or ".join(map(str, FUNCTIONS[function.text]))
            raise function.error(f"{function.text} takes {wanted} arguments, not {count}")
        return count

    def close(self, opening: Token) -> None:
        if not self.at(")"):
            raise self.next.error(
                f"expected ) for the ( at character {opening.position + 1}, not {self.next.shown}"
            )
        self.tokens.pop()
