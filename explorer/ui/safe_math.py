"""LaTeX as MathML; what would be other markup than mathematics stays text."""

import re
from html import escape

from latex2mathml.converter import convert

TAG = re.compile(r"<(/?)(\w+)((?:\s+[\w:-]+=\"[^\"<>]*\")*)\s*/?>")
ATTRIBUTE = re.compile(r"([\w:-]+)=")
ELEMENTS = re.compile(
    "math|m(row|i|o|n|text|over|under|underover|sub|sup|subsup|frac|sqrt|root|style|space|padded|"
    "phantom|enclose|table|tr|td|multiscripts)"
)
ATTRIBUTES = re.compile(
    "xmlns|display|displaystyle|stretchy|accent|accentunder|mathvariant|mathcolor|fence|form|"
    "separator|linethickness|(row|column)(align|spacing)|width|height|depth|[lr]space|minsize|"
    "maxsize|scriptlevel|largeop|movablelimits|symmetric|notation"
)


def mathml(latex: str, display: str = "inline") -> str:
    """A formula as MathML, `display` "inline" or "block".

    LaTeX that cannot be read, and such as would become links, styles or scripts (the converter
    passes on what stands in its texts), is shown as it was written.
    """
    try:
        markup = convert(latex, display=display)
    except Exception:  # its own errors have no base
        return f"<code>{escape(latex)}</code>"
    return markup if _is_mathematics(markup) else f"<code>{escape(latex)}</code>"


def _is_mathematics(markup: str) -> bool:
    tags = TAG.findall(markup)
    return len(tags) == markup.count("<") and all(
        ELEMENTS.fullmatch(name) and all(map(ATTRIBUTES.fullmatch, ATTRIBUTE.findall(attributes)))
        for _, name, attributes in tags
    )
