"""A visitor's own space on a server that is open to the public: a store in a folder of the store.

    home/visitors/<owner>/          a store, as home/ is one
    home/visitors/turns.sqlite3     who waits, and who has had a turn (queue.py)

What is in one space is in no query, file or job of another: there is nothing to be refused, as it
is not there. Models that were fetched and the devices are everybody's.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from explorer.runs import costs
from explorer.runs.costs import Cost
from explorer.runs.database import StoreError, transaction
from explorer.runs.limits import LimitError, Limits
from explorer.runs.queue import Queue
from explorer.runs.store import Store
from explorer.spec import AnySpec
from explorer.targets import parse_sweep

OWNER = re.compile(r"[0-9a-f]{32}")
SEEN = "seen"
LOOK_SECONDS = 60.0
"""Between two looks at how much all spaces hold."""


class Space(Store):
    """The space of one visitor in the store `commons`; StoreError where it is not there, since it
    is made for a visitor who comes alone (`Turns.welcome`).

    What is beyond the visitor's `limits` is refused with LimitError before anything is begun.
    """

    def __init__(
        self, commons: Store, owner: str, limits: Limits | None = None, make: bool = False
    ):
        if not OWNER.fullmatch(owner):
            raise ValueError(f"{owner[:40]!r} names no visitor")
        super().__init__(visitors(commons) / owner, make)
        self.commons, self.owner, self.limits = commons, owner, limits or Limits()

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

    # What is refused

    def create(self, spec: AnySpec, status: str = "queued", name: str = "") -> str:
        self.limits.check_size(spec)
        self._check(costs.of_run(spec))
        return super().create(spec, status, name)

    def request(self, run: str, command: str) -> None:
        if command in ("resume", "step") and (row := self.get(run)):
            left = costs.seconds_of_step(row.spec) * (row.steps - row.step)
            self._check(Cost(left if command == "resume" else 0.0, 0.0))
        super().request(run, command)

    def add(self, spec: AnySpec, *held: Any, **columns: Any) -> str:
        self.limits.check_size(spec)
        self.check_room(costs.of_run(spec).bytes)
        return super().add(spec, *held, **columns)

    def put_grid(self, values: np.ndarray, name: str = "") -> str:
        self.check_room(values.nbytes)
        return super().put_grid(values, name)

    def write(self, folder: str, name: str, data: bytes, mode: int = 0o666) -> None:
        path = self.home / folder / name
        more = len(data) - (path.stat().st_size if path.exists() else 0)
        if more > 0:  # a shorter one is kept where nothing else is
            self.check_room(more)
        super().write(folder, name, data, mode)

    def admit(self, kind: str, subject: str) -> None:
        if kind in ("fetch", "import"):
            raise LimitError(
                "models are brought by whoever runs this server: "
                f"`python -m explorer models {kind}`"
            )
        if kind != "sweep":
            return self._check(Cost(0.0, 0.0))
        sweep = parse_sweep(subject)
        self.limits.check_models(sweep)
        self._check(costs.of_sweep(sweep))

    def check_room(self, more: float) -> None:
        """Raises LimitError where so many bytes more are beyond what the visitor may keep."""
        self.limits.check_room(more, self.kept(), kept_by_all(self.commons))

    def _check(self, cost: Cost) -> None:
        queue = self._queue
        self.limits.check_waiting(*queue.held(self.owner))
        self.limits.check_cost(
            cost, queue.spent(self.owner), self.kept(), kept_by_all(self.commons)
        )

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

    def kept(self) -> int:
        """Bytes of all files of the space."""
        return _bytes_in(self.home)

    def remaining(self) -> Cost:
        """Seconds of today and bytes that the visitor may still use."""
        spent = self.limits.day_seconds - self._queue.spent(self.owner)
        return Cost(max(0.0, spent), max(0, costs.MEGA * self.limits.megabytes - self.kept()))


def kept_by_all(commons: Store) -> int:
    """Bytes of all spaces, counted once a minute."""
    return _counted(visitors(commons), int(time.monotonic() // LOOK_SECONDS))


@lru_cache(maxsize=4)
def _counted(folder: Path, minute: int) -> int:
    return _bytes_in(folder)


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


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it has just gone
                total += os.stat(os.path.join(place, name)).st_size
    return total


def visitors(commons: Store) -> Path:
    """The folder of all spaces."""
    return commons.home / "visitors"


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
