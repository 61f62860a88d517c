"""Which words of a text claim something that can be wrong: numbers and names of theorems.

A number that is a name (GPT-2, float64), a place in a paper (Eq. 8, Figure 1, App. B.1), a
formula or code is none; what they state is said by the text around them. 0 and 1 alone are where
ranges begin and what is normed to: they are looked past as well.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PLACES = (
    r"(?:Eqs?|Figs?|App|Sec|Insight)\.? ?[A-Z]?[\d.]+\w?"
    r"(?:[,–-]? ?(?:and|to|or)? ?[\d.]+\w?)*(?: ?\([a-d]\))?"
    r"|(?:Figures?|Tables?|Sections?|Appendix|Appendices|App\.|Steps?|Issues?|pages?|scenes?)"
    r" [A-Z]?[\d.]+\w?(?:(?:,| and| to| or|–) [A-Z]?[\d.]+\w?)*(?: ?\([a-d]\))?"
)
NO_CLAIM = re.compile(
    r"```.*?```"  # code
    r"|`[^`]*`"
    r"|\$\$.*?\$\$|\$[^$]*\$"  # formulas
    r"|\\\\\(.*?\\\\\)"
    r"|\]\([^)]*\)|https?://\S+"  # addresses
    r"|arXiv[: ]\d{4}\.\d{4,5}|\d{4}\.\d{4,5}"  # papers, dates
    r"|\b(?:19|20)\d\d(?:-\d\d){0,2}\b"
    rf"|{_PLACES}"
    r"|U?[\[(]−?\d, ?\d[\])](?:[²³]|^\d)?"  # domains such as [0, 1]
    r"|1 − R²|2x − 1|[Hh]alf[- ]shift(?:ed)?"  # names of measures, inputs, bases
    r"|(?<![\w.,·×−–/])[01](?!\w|[.,·/]\d| ?×)",
    re.DOTALL,
)
"""What is looked past."""
_WORDS = (
    "two three four five six seven eight nine ten eleven twelve twenty fifty hundred hundreds "
    "thousand thousands half halves third thirds quarter quarters fifth sixth eighth tenth tenths "
    "hundredth twice thrice dozen double"
).replace(" ", "|")
CLAIM = re.compile(
    r"(?P<theorem>(?:Theorems?|Props?\.|Propositions?|Lemmas?|Corollary) [A-Z]?\.?[\d.]*\d)"
    r"|(?P<number>(?<![\w\-–−./^_{·×])−?\d(?:[\d,. ]*\d)?(?:\s?·\s?10[⁻⁰¹²³⁴-⁹]+)?(?![\w}])"
    rf"|\b(?:{_WORDS})\b)",
    re.IGNORECASE,
)


class ClaimingWord(NamedTuple):
    """A word that claims something, and where in its text it stands."""

    word: str
    start: int
    end: int


def claiming_words(text: str) -> Iterator[ClaimingWord]:
    """Numbers and theorems of a text, in their order."""
    blank = NO_CLAIM.sub(lambda match: " " * len(match[0]), text)
    for match in CLAIM.finditer(blank):
        yield ClaimingWord(match[0], match.start(), match.end())
