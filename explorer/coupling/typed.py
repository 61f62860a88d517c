"""Formulas as people type them, 2 pi u or |x − y|^2, in the grammar of formula.py.

What that grammar takes stays as it is, so that a specification keeps its id. Anything else is read
more freely and written anew in the grammar; nothing is evaluated here.
"""

import re
from dataclasses import dataclass, field

from explorer.coupling.formula import (
    CONSTANTS,
    FUNCTIONS,
    MAX_LENGTH,
    FormulaError,
    Parser,
    Token,
    allowed_in,
    parse_expression,
)

SIGNS = {"^": "**", "·": "*", "×": "*", "−": "-", "≤": "<=", "≥": ">=", "≠": "!="}
POWERS = {"²": "2", "³": "3"}
NAMES = {"π": "pi", "max": "maximum", "min": "minimum", "ln": "log"}
XY = {"x": "u", "y": "v"}
TEX = {
    **{"cdot": "*", "times": "*", "le": "<=", "leq": "<=", "ge": ">=", "geq": ">=", "ne": "!="},
    **dict.fromkeys(("lvert", "rvert", "vert"), "|"),
    **dict.fromkeys(("left", "right"), " "),
}
"""Names of TeX that are signs or nothing here; any other is what it is without its backslash."""
BRACES = {"{": "(", "}": ")"}
_TOKEN = re.compile(
    r"(?P<number>([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*|π)"
    r"|(?P<symbol>\*\*|<=|>=|==|!=|[-+*/<>(),|^²³·×−≤≥≠{}])"
    r"|(?P<space>[ \t\r\n]+|\\[,;:! ])"
    r"|\\(?P<tex>[A-Za-z]+)"
)


def understood(text: str, variables: tuple[str, ...] = ("u", "v")) -> str:
    """A formula as `parse_expression` takes it: the text itself where it does.

    Besides, ^ is a power, |…| an absolute value, a product needs no sign, as in 2 pi u or
    3(u − v); max, min and ln have their short names, x, y may stand for u, v, and names may have
    the backslash of TeX, whose braces are parentheses.

    Raises FormulaError, with its position in the text, for what cannot be read so either.
    """
    try:
        return parse_expression(text, variables).text
    except FormulaError:
        if len(text) > MAX_LENGTH:
            raise
    reader = _Reader(text, variables)
    reader.read()
    Parser(reader.tokens, variables).parse()
    if len(reader.written) > MAX_LENGTH:
        raise FormulaError(f"written out, the formula has more than {MAX_LENGTH} characters")
    return reader.written


def reason(
    text: str, refused: FormulaError, variables: tuple[str, ...] = ("u", "v")
) -> FormulaError:
    """Why a formula is refused, as its fields say it: what cannot be read of it as it is typed,
    else why it was `refused`."""
    try:
        understood(text, variables)
    except FormulaError as unread:
        return unread
    return refused


@dataclass
class _Reader:
    """Goes over a text once; `tokens` are in the grammar, at their places in the text."""

    text: str
    variables: tuple[str, ...]
    tokens: list[Token] = field(default_factory=list[Token])
    written: str = ""
    ended: bool = False
    """Whether an operand has just ended."""
    open: list[Token] = field(default_factory=list[Token])
    """The parentheses and bars that wait for their other half."""

    def read(self) -> None:
        position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                sign = self.text[position]
                error = f"{sign!r} is not allowed; {allowed_in(self.variables)}"
                raise Token("symbol", sign, position).error(error)
            kind = match.lastgroup or ""
            if kind != "space":
                self.take(self.plain(Token(kind, match[kind], position)))
            position = match.end()
        bar = next((token for token in self.open if token.text == "|"), None)
        if bar:
            raise bar.error("this | is not closed")
        self.tokens.append(Token("end", "", position))

    def plain(self, token: Token) -> Token:
        """A token of TeX as one of formulas: \\cdot as *, \\pi as pi, a brace as a parenthesis."""
        if token.kind != "tex":
            return token._replace(text=BRACES.get(token.text, token.text))
        if token.text == "frac":
            raise token.error(r"write (a)/(b) for \frac{a}{b}")
        if (sign := TEX.get(token.text)) is not None:
            return token._replace(kind="symbol" if sign.strip() else "space", text=sign)
        return token._replace(kind="name")

    def take(self, token: Token) -> None:
        if token.kind == "space":
            return
        if token.kind == "name":
            self.name(token)
        elif token.kind == "number":
            self.operand(token)
        elif token.text == "|":
            self.bar(token)
        elif token.text == "(":
            self.opening(token)
        elif token.text == ")":
            self.closing(token, "(")
        elif token.text in POWERS:
            self.sign(token, "**")
            self.emit(token._replace(kind="number", text=POWERS[token.text]))
            self.ended = True
        else:
            self.sign(token, SIGNS.get(token.text, token.text))

    def emit(self, token: Token, written: str | None = None) -> None:
        self.tokens.append(token)
        self.written += token.text if written is None else written

    def times(self, token: Token) -> None:
        """The product that is meant between an operand and the next; not of two numbers."""
        twice = token.kind == "number" and self.tokens and self.tokens[-1].kind == "number"
        if self.ended and not twice:
            self.emit(Token("symbol", "*", token.position))

    def operand(self, token: Token) -> None:
        self.times(token)
        self.emit(token)
        self.ended = True

    def name(self, token: Token) -> None:
        """A name by its name here; a word of variables, such as uv, is their product."""
        if token.text in FUNCTIONS or NAMES.get(token.text) in FUNCTIONS:
            self.times(token)
            self.emit(token._replace(text=NAMES.get(token.text, token.text)))
            self.ended = False
            return
        letters = dict.fromkeys(self.variables) | (XY if self.variables == ("u", "v") else {})
        apart = token.text not in CONSTANTS and all(letter in letters for letter in token.text)
        for i, part in enumerate(token.text if apart else [token.text]):
            own = letters.get(part) or NAMES.get(part, part)
            self.operand(Token("name", own, token.position + i))

    def opening(self, token: Token) -> None:
        if self.ended:
            self.times(token)
        self.emit(token)
        self.open.append(token)
        self.ended = False

    def closing(self, token: Token, other: str) -> None:
        if self.open and self.open[-1].text != other:
            at = self.open[-1].position + 1
            raise token.error(f"the {self.open[-1].text} at character {at} is still open")
        if self.open:
            self.open.pop()
        self.emit(token._replace(text=")"))
        self.ended = True

    def bar(self, token: Token) -> None:
        """A bar closes where an operand has ended and a bar is the last that is open."""
        if self.ended and self.open and self.open[-1].text == "|":
            self.closing(token, "|")
            return
        self.times(token)
        self.emit(Token("name", "abs", token.position))
        self.emit(token._replace(text="("))
        self.open.append(token)
        self.ended = False

    def sign(self, token: Token, text: str) -> None:
        spaced = self.ended and text in ("+", "-", "<", "<=", ">", ">=", "==", "!=")
        written = f" {text} " if spaced else ", " if text == "," else text
        self.emit(token._replace(text=text), written)
        self.ended = False


def caret(text: str, error: FormulaError, width: int = 26) -> str:
    """The part of a text around the place of an error, and below it a caret."""
    at = error.position if error.position is not None else None
    line = re.sub(r"\s", " ", text).replace("`", "ʼ")
    if at is None:
        return line if len(line) <= width else line[: width - 1] + "…"
    start = max(0, min(at - width // 2, len(line) + 1 - width))
    shown = ("…" if start else "") + line[start + bool(start) : start + width]
    return f"{shown}\n{' ' * (at - start)}^"
