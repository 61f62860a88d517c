"""A visitor's own space on a server that is open to the public: a store in a folder of the store,
and what is left to its visitor.

    home/visitors/<owner>/          a store, as home/ is one
    home/visitors/turns.sqlite3     who waits, and who has had a turn (queue.py)
    home/visitors/words.sqlite3     who may have a space (visitors.py)
    home/visitors/nobody/           the one of all who have none: empty, and nobody writes there

What is in one space is in no query, file or job of another: there is nothing to be refused, as it
is not there. Models that were fetched and the devices are everybody's.
"""

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from explorer.hosting.queue import TURN_SECONDS, Queue
from explorer.hosting.settings import Limits
from explorer.hosting.visitors import NEEDED, Words
from explorer.runs import costs, maintenance
from explorer.runs.costs import MEGA, Cost, duration, size
from explorer.runs.database import StoreError
from explorer.runs.quota import LimitError, Quota
from explorer.runs.record import TRAIN, RunRow
from explorer.runs.store import Store
from explorer.spec import AnySpec, SpecError
from explorer.targets import parse, parse_sweep

OWNER = re.compile(r"[0-9a-f]{32}")
NOBODY = "nobody"
SEEN = "seen"
LOOK_SECONDS = 60.0
"""Between two looks at how much all spaces hold."""
NO_SPACE = (
    "This server is full ({} visitors). You can explore the examples; training is not available "
    "today."
)


class Allowance(Quota):
    """What the limits leave to the visitor whose space lies in a folder, beside those of all
    others."""

    def __init__(self, folder: Path, limits: Limits):
        self.folder, self.owner, self.limits = folder, folder.name, limits

    @property
    def queue(self) -> Queue:
        return Queue(self.folder.parent)

    def run(self, spec: AnySpec) -> None:
        self.limits.check_size(spec)
        self._check(costs.of_run(spec))

    def command(self, row: RunRow, command: str) -> None:
        left = costs.seconds_of_step(row.spec) * (row.steps - row.step)
        if command in ("resume", "step"):
            self._check(Cost(left if command == "resume" else 0.0, 0.0))

    def brought(self, spec: AnySpec) -> None:
        self.limits.check_size(spec)
        self.room(costs.of_run(spec).bytes)

    def job(self, kind: str, subject: str) -> None:
        if kind in ("fetch", "import"):
            raise LimitError(
                f"only whoever runs this server adds models: `python -m explorer models {kind}`"
            )
        if kind != "sweep":
            return self._check(Cost(0.0, 0.0))
        sweep, most = parse_sweep(subject), self.limits.models
        members = sweep.members()
        if len(members) > most:
            raise LimitError(f"{len(members)} models: this server trains at most {most}")
        for member in members:
            self.limits.check_size(member)
        self._check(costs.of_sweep(sweep))

    def room(self, more: float) -> None:
        used, most = self.used(), MEGA * self.limits.megabytes
        if used + more > most:
            raise LimitError(
                f"this needs {size(more)}: you use {size(used)} of {size(most)}; "
                "delete some of your runs"
            )
        if kept_lately(self.folder.parent) + more > MEGA * self.limits.all_megabytes:
            raise LimitError("this server's storage limit is reached; try again later")
        used = kept_lately(*(self.folder.with_name(each) for each in self._fellows()))
        most = MEGA * self.limits.word_megabytes
        if used + more > most:
            raise LimitError(
                f"this needs {size(more)}: your class uses {size(used)} of {size(most)}"
            )

    def _check(self, cost: Cost) -> None:
        """Of what waits for a worker: its place in the queue, its seconds and its room. The first
        of a visitor, and of a day, is always taken: a queue that others have filled keeps nobody
        out."""
        queue, limits, fellows = self.queue, self.limits, self._fellows()
        (mine, everybody), spent = queue.held(self.owner), queue.spent(self.owner)
        if mine >= limits.waiting:
            raise LimitError(
                f"{mine} of your runs and sweeps are queued or running; the limit is "
                f"{limits.waiting}"
            )
        if mine and everybody >= limits.all_waiting:
            raise LimitError(
                f"the queue of this server is full ({everybody} runs and sweeps); try again later"
            )
        if cost.seconds > limits.seconds:
            most = duration(limits.seconds)
            raise LimitError(f"this would take {cost}: the limit for a run or sweep is {most}")
        if spent + cost.seconds > limits.day_seconds:
            raise LimitError(
                f"this would take {cost}: {_rest(limits.day_seconds, spent)} of your "
                f"{duration(limits.day_seconds)} a day are left"
            )
        if fellows and (mine or spent):
            self._check_class(cost, queue.spent(*fellows), queue.held(*fellows)[0])
        self.room(cost.bytes)

    def _check_class(self, cost: Cost, spent: float, waiting: int) -> None:
        """Whether the others with a visitor's word have used up what it has."""
        limits = self.limits
        if waiting >= limits.word_waiting:
            raise LimitError(
                f"{waiting} runs and sweeps of your class are queued or running; the limit is "
                f"{limits.word_waiting}, and first runs of others go before"
            )
        if spent + cost.seconds > limits.word_seconds:
            raise LimitError(
                f"this would take {cost}: {_rest(limits.word_seconds, spent)} of the "
                f"{duration(limits.word_seconds)} a day of your class are left, which are for "
                "first runs"
            )

    def _fellows(self) -> tuple[str, ...]:
        return Words(self.folder.parent).fellows(self.owner)

    def used(self) -> int:
        """Bytes of all files of the space."""
        return bytes_in(self.folder)

    def remaining(self) -> Cost:
        """Seconds of today and bytes that the visitor may still use."""
        room = MEGA * self.limits.megabytes - self.used()
        spent = self.queue.spent(self.owner)
        return Cost(max(0.0, self.limits.day_seconds - spent), max(0, room))


def _rest(most: float, spent: float) -> str:
    return duration(max(1.0, most - spent))


class Closed(Allowance):
    """Of who has no word: what was kept before can be seen, stopped, taken home and deleted."""

    def run(self, spec: AnySpec) -> None:
        raise LimitError(NEEDED)

    def brought(self, spec: AnySpec) -> None:
        raise LimitError(NEEDED)

    def job(self, kind: str, subject: str) -> None:
        raise LimitError(NEEDED)

    def room(self, more: float) -> None:
        raise LimitError(NEEDED)

    def command(self, row: RunRow, command: str) -> None:
        if command in ("resume", "step"):
            raise LimitError(NEEDED)


class Space(Store):
    """The space of one visitor in the store `commons`, or the one of NOBODY; StoreError where it is
    not there, since it is made for a visitor who comes alone (`welcome`)."""

    quota: Allowance

    def __init__(
        self,
        commons: Store,
        owner: str,
        limits: Limits | None = None,
        make: bool = False,
        kind: type[Allowance] = Allowance,
    ):
        if owner != NOBODY and not OWNER.fullmatch(owner):
            raise ValueError(f"{owner[:40]!r} names no visitor")
        folder = visitors(commons) / owner
        super().__init__(folder, make, kind(folder, limits or Limits()))
        self.commons, self.owner = commons, owner

    @property
    def models(self) -> Path:
        return self.commons.models

    def queue_place(self, run: str) -> tuple[int, float | None] | None:
        """Among all visitors' runs and jobs, where that is known."""
        return self.quota.queue.place(self.owner, run)

    def sync(self) -> None:
        """Tell the queue of all what waits and works here; call it after every change."""
        self.quota.queue.sync(self.owner, self.active)

    def active(self) -> list[tuple[str, bool, bool, float]]:
        """Name of what waits or works, whether it is at work, whether it has had no step, and the
        seconds that it has to go: runs before jobs, as a worker takes them."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT run, kind, status, step, steps, spec FROM work "
                "WHERE status IN ('queued', 'running') ORDER BY kind <> 'train', queued, rowid"
            ).fetchall()
        return [
            (row["run"], row["status"] == "running", row["step"] == 0, _left(row))
            for row in rows
            if row["status"] == "queued" or self._is_running(row["run"])
        ]

    def _is_running(self, run: str) -> bool:
        """Unless its worker has died."""
        now = self.work(run)
        return now is not None and now.status == "running"

    def recover(self) -> None:
        """Revive what a dead server or worker has left of it. Raises StoreError."""
        maintenance.recover(self)
        self.sync()

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
        with self._reading() as db:
            tables = ("ids", "sweeps", "work")
            rows = sum(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables)
        files = {name for _, _, names in os.walk(self.home) for name in names}
        own = {name for name in files if name.endswith(".lock") or name.startswith(self.path.name)}
        return not rows and files <= own | {SEEN}


def _left(row: sqlite3.Row) -> float:
    """Seconds that a run has to go; of a job a turn is all that is known."""
    with suppress(SpecError):
        if row["kind"] == TRAIN:
            return costs.seconds_of_step(parse(row["spec"])) * (row["steps"] - row["step"])
    return TURN_SECONDS


@lru_cache(maxsize=1)
def nobody(commons: Store) -> Space:
    """What visitors without a word share: an empty space, which takes nothing."""
    return Space(commons, NOBODY, make=True, kind=Closed)


def welcome(commons: Store, owner: str, limits: Limits) -> Space:
    """The space of a visitor who comes now, made where it is not there; it is not removed for days.
    Raises StoreError for one visitor too many."""
    folder = visitors(commons)
    with Queue(folder).writing():  # in which `Turns` removes spaces
        if not (folder / owner).is_dir() and len(owners(commons)) >= limits.spaces:
            raise StoreError(NO_SPACE.format(limits.spaces))
        space = Space(commons, owner, limits, make=True)
        space.visit()
    return space


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
    """Those that can be opened."""
    for owner in owners(commons):
        space = None
        with suppress(StoreError):
            space = opened(commons, owner)
        if space:
            yield space


def damaged(commons: Store) -> dict[str, str]:
    """Why the others cannot be, by whose they are."""
    reasons = {}
    for owner in owners(commons):
        try:
            opened(commons, owner)
        except StoreError as error:
            reasons[owner] = str(error)
    return reasons


def owners(commons: Store) -> list[str]:
    """Who has one."""
    names = (folder.name for folder in visitors(commons).glob("*/"))
    return sorted(name for name in names if OWNER.fullmatch(name))


def opened(commons: Store, owner: str, limits: Limits | None = None) -> Space | None:
    """The space of a visitor; None where it is not there, or has just been removed."""
    try:
        return Space(commons, owner, limits)
    except StoreError:
        if (visitors(commons) / owner).exists():
            raise
        return None


def kept_lately(*folders: Path) -> int:
    """Bytes of all files in some folders, counted once a minute."""
    minute = int(time.monotonic() // LOOK_SECONDS)
    return sum(_counted(folder, minute) for folder in folders)


@lru_cache(maxsize=1000)
def _counted(folder: Path, minute: int) -> int:
    return bytes_in(folder)


def bytes_in(folder: Path) -> int:
    """Of all files."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it has just gone
                total += os.stat(os.path.join(place, name)).st_size
    return total
