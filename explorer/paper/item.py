"""A line of the seeds: what it says, our verdict, where it is seen and what checks it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from shlex import quote as quoted
from typing import Literal, NamedTuple
from urllib.parse import quote, urlencode

import numpy as np
from numpy.typing import ArrayLike

from explorer.views.text import number

Verdict = Literal["holds", "slip", "differs", "not to be had"]
"""As printed; a misprint, which holds once mended; found otherwise; without its data or models."""


class Found(NamedTuple):
    """What a check has computed, beside what is said."""

    claim: str
    computed: str
    holds: bool
    """Whether what is said holds as it is printed;"""
    mended: bool = False
    """and if not, whether it does in the form that `computed` names."""

    @property
    def verdict(self) -> Verdict:
        return "holds" if self.holds else "slip" if self.mended else "differs"


Check = Callable[[], Found]


@dataclass(frozen=True)
class Item:
    """An equation, a statement, a figure, a table or a slide."""

    where: str
    says: str
    """At most 25 words; of a slip with what is right."""
    verdict: Verdict
    link: str
    """An address of this explorer that shows it, without its host."""
    check: Check | None
    """Takes seconds at most; None where the verdict is "not to be had", and `says` tells why."""
    slow: str = ""
    """What `reproduce` calls it, which trains it anew."""

    @property
    def commands(self) -> tuple[str, ...]:
        """What checks it, and what trains it anew, after `python -m explorer`."""
        checks = (f"paper {quoted(self.where)} --check",) if self.check else ()
        return (*checks, f"reproduce {self.slow}") if self.slow else checks


@dataclass(frozen=True)
class Section:
    """A part of a seed, with its lines in their order."""

    title: str
    items: list[Item] = field(default_factory=list)

    def item(
        self, where: str, says: str, link: str, verdict: Verdict = "holds", slow: str = ""
    ) -> Callable[[Check], Check]:
        """Makes a line of the check below it."""

        def register(check: Check) -> Check:
            self.items.append(Item(where, says, verdict, link, check, slow))
            return check

        return register

    def missing(self, where: str, says: str, link: str) -> None:
        """A line of what cannot be had here, and why."""
        self.items.append(Item(where, says, "not to be had", link, None))


def at(page: str = "", **params: str) -> str:
    """An address of a page, "" for the first one."""
    return f"/{page}?{urlencode(params, quote_via=quote)}".rstrip("?")


def near(claim: str, value: float, wanted: float, within: float = 1e-9) -> Found:
    """Whether a value is the one that is wanted, but for `within` of it, or of 1 where it is 0."""
    holds = abs(value - wanted) <= within * (abs(wanted) or 1)
    return Found(claim, f"{number(value, 4)}, {number(wanted, 4)} asked", holds)


def least(claim: str, off: ArrayLike, most: float = 1e-9) -> Found:
    """Whether differences are nowhere larger than rounding."""
    error = float(np.abs(off).max())
    return Found(claim, f"off by {number(error)}", error <= most)
