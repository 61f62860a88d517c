"""Text that came from outside, such that a page takes nothing of it as markup, and errors without
the folders of the server."""

import re

from explorer.coupling import FormulaError
from explorer.folder import public
from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.views.glossary import typeset

REFUSED = (SpecError, FormulaError, StoreError)
"""What the design of a specification may raise; the last: its grid is not in this store."""
FILE_NAME = re.compile(r"[\w.-]+\.[a-z]\w*\b")
"""Which is lower case where the file is."""


def escape_markdown(text: str) -> str:
    """A sentence with names in it, so that Markdown takes nothing of it as markup."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>$~:#!|" else c for c in text)


def told(text: str) -> str:
    """A sentence with names in it, as `escape_markdown`, its symbols typeset."""
    return typeset(escape_markdown(text).replace("m\\_", "m_"))


def as_code(text: object) -> str:
    """A text as code."""
    return "`" + str(text).replace("`", "ʼ").replace("\n", " ") + "`"


def as_sentence(error: object) -> str:
    """An error as a sentence of a page: public, beginning with a capital, nothing of it markup."""
    text = public(error)
    first = text[:1] if FILE_NAME.match(text) else text[:1].upper()
    return escape_markdown(first + text[1:])
