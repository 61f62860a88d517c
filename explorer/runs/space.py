"""A visitor's own space on a server that is open to the public: a store in a folder of the store.

    home/visitors/<owner>/          a store, as home/ is one
    home/visitors/turns.sqlite3     who waits, and who has had a turn (turns.py)

What is in one space is in no query, file or job of another: there is nothing to be refused, as it
is not there. Models that were fetched and the devices are everybody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from explorer.runs.store import Store

OWNER = re.compile(r"[0-9a-f]{32}")


class Space(Store):
    """The space of one visitor in the store `commons`; made where it is not there."""

    def __init__(self, commons: Store, owner: str):
        if not OWNER.fullmatch(owner):
            raise ValueError(f"{owner[:40]!r} names no visitor")
        super().__init__(visitors(commons) / owner)
        self.commons, self.owner = commons, owner

    @property
    def models(self) -> Path:
        return self.commons.models

    def queue_position(self, run: str) -> int | None:
        """1 for the next to be served of all visitors' runs and jobs."""
        from explorer.runs.turns import Turns

        return Turns(self.commons).position(self.owner, run)


def visitors(commons: Store) -> Path:
    """The folder of all spaces."""
    return commons.home / "visitors"


def spaces(commons: Store) -> Iterator[Space]:
    """Those that there are."""
    for folder in sorted(visitors(commons).glob("*/")):
        if OWNER.fullmatch(folder.name):
            yield Space(commons, folder.name)
