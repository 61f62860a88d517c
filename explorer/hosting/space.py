"""A visitor's own space on a server that is open to the public: a store in a folder of the store.

    home/visitors/<owner>/          a store, as home/ is one
    home/visitors/turns.sqlite3     who waits, and who has had a turn (queue.py)
    home/visitors/words.sqlite3     who may have a space (words.py)
    home/visitors/nobody/           the one of all who have none: empty, and nobody writes there

What is in one space is in no query, file or job of another: there is nothing to be refused, as it
is not there. Models that were fetched and the devices are everybody's.
"""

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from pathlib import Path

from explorer.hosting.limits import LOOK_SECONDS, Allowance, Closed, Limits
from explorer.hosting.queue import Queue
from explorer.hosting.words import NEEDED
from explorer.runs.database import StoreError, transaction
from explorer.runs.store import Store

OWNER = re.compile(r"[0-9a-f]{32}")
SEEN = "seen"


class Space(Store):
    """The space of one visitor in the store `commons`; StoreError where it is not there, since it
    is made for a visitor who comes alone (`Turns.welcome`)."""

    quota: Allowance

    def __init__(
        self,
        commons: Store,
        owner: str,
        limits: Limits | None = None,
        make: bool = False,
        kind: type[Allowance] = Allowance,
    ):
        if not OWNER.fullmatch(owner):
            raise ValueError(f"{owner[:40]!r} names no visitor")
        folder = visitors(commons) / owner
        super().__init__(folder, make, kind(folder, limits or Limits()))
        self.commons, self.owner = commons, owner

    @property
    def models(self) -> Path:
        return self.commons.models

    @property
    def _queue(self) -> Queue:
        return Queue(visitors(self.commons))

    def queue_position(self, run: str) -> int | None:
        """1 for the next to be served of all visitors' runs and jobs."""
        return self._queue.position(self.owner, run)

    def queue_wait(self, run: str) -> float | None:
        """Seconds, about, until it is served."""
        return self._queue.wait(self.owner, run)

    def visit(self) -> None:
        """Say that the visitor is here now."""
        with suppress(OSError):  # on a full disk: an earlier visit counts
            (self.home / SEEN).touch()

    def visited(self) -> float:
        """When the visitor was here last, in epoch seconds."""
        seen = self.home / SEEN
        return (seen if seen.exists() else self.path).stat().st_mtime

    def is_empty(self) -> bool:
        """Whether nothing is kept in it that a visitor has made."""
        with transaction(self.path) as db:
            tables = ("ids", "sweeps", "work")
            rows = sum(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables)
        files = {name for _, _, names in os.walk(self.home) for name in names}
        own = {name for name in files if name.endswith(".lock") or name.startswith(self.path.name)}
        return not rows and files <= own | {SEEN}


class Nobody(Store):
    """What visitors without a word share: an empty store, which takes nothing."""

    owner = ""

    def __init__(self, commons: Store):
        folder = visitors(commons) / "nobody"
        super().__init__(folder, True, Closed(folder, Limits()))
        self.commons = commons

    @property
    def models(self) -> Path:
        return self.commons.models

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        raise StoreError(NEEDED)

    def writing(self, folder: str, seconds: float = 0.0) -> AbstractContextManager[Path]:
        raise StoreError(NEEDED)


def counts_of_all(commons: Store) -> dict[str, tuple[int, int]]:
    """How many runs of all spaces have a status, and the steps they have made, counted once a
    minute."""
    return _counts_of_all(commons, int(time.monotonic() // LOOK_SECONDS))


@lru_cache(maxsize=4)
def _counts_of_all(commons: Store, minute: int) -> dict[str, tuple[int, int]]:
    totals = dict[str, tuple[int, int]]()
    for space in spaces(commons):
        with suppress(StoreError):  # it has just gone, or is damaged, which its visitor is told
            for status, (runs, steps) in space.counts().items():
                before = totals.get(status, (0, 0))
                totals[status] = before[0] + runs, before[1] + steps
    return totals


def visitors(commons: Store) -> Path:
    """The folder of all spaces."""
    return commons.home / "visitors"


def seen(commons: Store, owner: str) -> float:
    """When the visitor of a space was there last, in epoch seconds, without opening it; 0 where
    that is not known."""
    with suppress(OSError):
        return (visitors(commons) / owner / SEEN).stat().st_mtime
    return 0.0


def spaces(commons: Store) -> Iterator[Space]:
    """Those that there are."""
    for owner in owners(commons):
        if space := opened(commons, owner):
            yield space


def owners(commons: Store) -> list[str]:
    """Who has one."""
    found = (folder.name for folder in visitors(commons).glob("*/"))
    return sorted(name for name in found if OWNER.fullmatch(name))


def opened(commons: Store, owner: str, limits: Limits | None = None) -> Space | None:
    """The space of a visitor; None where it is not there, or has just been removed."""
    try:
        return Space(commons, owner, limits)
    except StoreError:
        if (visitors(commons) / owner).exists():
            raise
        return None
