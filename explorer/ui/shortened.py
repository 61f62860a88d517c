"""Links of at most 4,095 characters: a mark stands for what is too long for them.

The text stays in the session that made the link, where Back and a page turn find it again; another
one is told what its link lacks.
"""

from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import urlencode

from explorer.ui.pages import PAGES

LONGEST = 4095
"""Characters of path and query, as the browser sends them."""
LEAST = 150
"""A mark saves more than that, or the parameter stands in the link: runs, steps, what is shown."""
MARK = "too-long-"
_PATH = max(len(f"/{name}?") for name in PAGES)
_FILES = "*Specification (JSON)* and *Run (zip)* take it to another reader"
_WAYS = {
    "spec": _FILES,
    "sweep": _FILES,
    "view": "a shorter formula, or numbers of fewer digits, would be in it",
}


def mark_of(text: str) -> str:
    """What stands for a text in a link."""
    return MARK + sha256(text.encode()).hexdigest()[:12]


def is_mark(text: str) -> bool:
    """Whether a link has a mark in place of the text of a parameter."""
    return text.startswith(MARK)


def fitted(params: Mapping[str, str]) -> dict[str, str]:
    """The parameters with marks for as few as make the link fit: the shortest one that suffices,
    else the longest, and so on. A `design`, which is about other pages, is left out first."""
    link = dict(params)
    if _over(link) > 0:
        link.pop("design", None)
    while (over := _over(link)) > 0:
        gains = {name: gain for name in link if (gain := _gain(name, link[name])) > LEAST}
        if not gains:  # a link by hand, of hundreds of parameters
            break
        enough = {name: gain for name, gain in gains.items() if gain >= over}
        name = (
            min(enough, key=lambda n: enough[n]) if enough else max(gains, key=lambda n: gains[n])
        )
        link[name] = mark_of(params[name])
    return link


def _over(link: Mapping[str, str]) -> int:
    """Characters that a link has too many."""
    return _PATH + len(urlencode(link)) - LONGEST


def encoded(name: str, text: str) -> int:
    """Characters of a parameter in an address."""
    return len(urlencode({name: text}))


def _gain(name: str, text: str) -> int:
    """Characters that a mark in place of the text saves."""
    return encoded(name, text) - encoded(name, mark_of(text))


def explained(name: str, text: str) -> str:
    """What stays out of the link, why, and what to do: Markdown."""
    way = _WAYS.get(name, "a shorter one would be in it")
    return (
        f"`{name}` is not in the link: it has {encoded(name, text):,} characters, and a link holds "
        f"{LONGEST:,} in all. It stays in this session; {way}."
    )


def missing(name: str) -> str:
    """What is said of a link that has only a mark for a parameter."""
    return (
        f"{name}: too long for a link, it stayed in the session that made this one; ask for its "
        "Specification (JSON) or its Run (zip)"
    )
