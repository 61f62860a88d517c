"""Plain sentences with symbols such as σ_k, m_h^−(2α−1) or Σ_{k>r}, as Markdown with formulas."""

import re
from collections.abc import Callable

LETTERS = "A-Za-z0-9α-ωΣ½′·"
INDEX = rf"(?:\{{[^{{}}]*\}}|[−-]?\([^()]*\)|[−-]?\d+\.\d+|[−-]?[{LETTERS}]+)"
SYMBOL = re.compile(rf"(\S*[\w‖|)\]][\u0300-\u036f]*(?:[_^]{INDEX})+\S*)")
MARK = re.compile(rf"([_^])({INDEX})")
NAMES = re.compile(r"softmax|max|min|inf|sup|log|sin|relu|exp")


def as_formulas(text: str, plain: Callable[[str], str] = str) -> str:
    """Each word with an index or an exponent becomes a formula; what stands between them is
    `plain`."""
    parts = SYMBOL.split(text)
    return "".join(_formula(part) if at % 2 else plain(part) for at, part in enumerate(parts))


def _formula(word: str) -> str:
    ends = len(word.rstrip(",;:."))
    braced = MARK.sub(lambda mark: mark[1] + "{" + mark[2].strip("{}") + "}", word[:ends])
    named = NAMES.sub(lambda name: rf"\operatorname{{{name[0]}}}", braced)
    return f"${named}${word[ends:]}"
