"""How much one visitor of a public server may have, and all of them together: the numbers, and what
the visitor's store asks of them."""

import os
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from explorer.hosting.queue import Queue
from explorer.hosting.words import NEEDED, Words
from explorer.runs import costs
from explorer.runs.costs import MEGA, Cost, duration, size
from explorer.runs.quota import LimitError, Quota
from explorer.runs.record import RunRow
from explorer.spec import AnySpec
from explorer.spec.fields import Sweep
from explorer.targets import parse_sweep

Number = Annotated[int, Field(ge=1, le=10**9)]
"""What is bounded by the operating system, or counts days, is a number that these can take."""
WIDTHS = ("m_ff", "n", "d_v", "hidden")
LOOK_SECONDS = 60.0
"""Between two looks at how much all spaces hold."""


class Limits(BaseModel):
    """The limits, each a number; `--limits steps=5000,waiting=3` sets some."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at_once: Number = Field(
        default=2, description="a visitor's trainings at once, where devices are free"
    )
    waiting: Number = Field(
        default=20, description="a visitor's queued and running runs and sweeps"
    )
    all_waiting: Number = Field(
        default=500, description="the same of all visitors; a visitor's first is always accepted"
    )
    steps: Number = Field(
        default=20_000, description="steps of a run, and of each model of a sweep"
    )
    width: Number = Field(default=512, description="m_FF, n, d_v and the units of an RNN")
    models: Number = Field(default=512, description="models of a sweep")
    seconds: Number = Field(default=3600, description="estimated seconds of a run or sweep")
    day_seconds: Number = Field(default=7200, description="a visitor's seconds of training a day")
    word_waiting: Number = Field(
        default=100, description="queued and running of all with one word; a first is accepted"
    )
    word_seconds: Number = Field(
        default=36_000, description="seconds of training a day of all with one word"
    )
    word_megabytes: Number = Field(
        default=5000, description="MB that all with one word may keep together"
    )
    megabytes: Number = Field(default=500, description="MB that a visitor may keep")
    all_megabytes: Number = Field(default=20_000, description="MB of all visitors together")
    spaces: Number = Field(default=5000, description="visitors with a store at once")
    upload_megabytes: Number = Field(default=20, description="MB of an uploaded file")
    idle_days: Number = Field(
        default=30, description="days without a visit until a visitor's store is removed"
    )
    memory_megabytes: Number = Field(
        default=4000, ge=500, description="MB of memory of a training process"
    )
    page_megabytes: Number = Field(
        default=1500, ge=500, description="MB of memory of a process of pages, or it is begun anew"
    )
    page_seconds: Number = Field(
        default=20,
        description="processor seconds a minute for a visitor's pages; above it they wait",
    )

    phones: int = Field(
        default=0, ge=0, le=1000, description="phones that follow a visitor's talk; 0 for none"
    )

    def check_size(self, spec: AnySpec) -> None:
        """Raises LimitError for more steps or widths than one run may have."""
        if spec.steps > self.steps:
            raise LimitError(f"{spec.steps:,} steps: this server trains at most {self.steps:,}")
        for name in WIDTHS:
            if getattr(spec, name, 0) > self.width:
                asked = getattr(spec, name)
                raise LimitError(f"{name} = {asked}: this server trains at most {self.width}")

    def check_models(self, sweep: Sweep) -> None:
        """Raises LimitError for a sweep with too many models, or too large ones."""
        members = sweep.members()
        if len(members) > self.models:
            raise LimitError(f"{len(members)} models: this server trains at most {self.models}")
        for member in members:
            self.check_size(member)

    def check_cost(self, cost: Cost, spent: float, kept: float, kept_by_all: float) -> None:
        """Raises LimitError where an estimate is beyond what is left.

        `spent` are the visitor's seconds of today; `kept`, `kept_by_all` bytes.
        """
        if cost.seconds > self.seconds:
            most = duration(self.seconds)
            raise LimitError(f"this would take {cost}: the limit for a run or sweep is {most}")
        if spent + cost.seconds > self.day_seconds:
            raise LimitError(
                f"this would take {cost}: {duration(max(1.0, self.day_seconds - spent))} of your "
                f"{duration(self.day_seconds)} a day are left"
            )
        self.check_room(cost.bytes, kept, kept_by_all)

    def check_room(self, more: float, kept: float, kept_by_all: float) -> None:
        """Raises LimitError where bytes more are beyond what is left."""
        if kept + more > MEGA * self.megabytes:
            raise LimitError(
                f"this needs {size(more)}: you use {size(kept)} of {size(MEGA * self.megabytes)}; "
                "delete some of your runs"
            )
        if kept_by_all + more > MEGA * self.all_megabytes:
            raise LimitError("this server's storage limit is reached; try again later")

    def check_waiting(self, mine: int, everybody: int) -> None:
        """Raises LimitError where too much waits or is at work already. The first of a visitor is
        always taken: a queue that others have filled keeps nobody out."""
        if mine >= self.waiting:
            raise LimitError(
                f"{mine} of your runs and sweeps are queued or running; the limit is {self.waiting}"
            )
        if mine and everybody >= self.all_waiting:
            raise LimitError(
                f"the queue of this server is full ({everybody} runs and sweeps); try again later"
            )

    def check_word(self, cost: Cost, spent: float, waiting: int) -> None:
        """Raises LimitError where the others with a visitor's word have used up what it has; not
        asked for the visitor's first run of a day."""
        if waiting >= self.word_waiting:
            raise LimitError(
                f"{waiting} runs and sweeps of your class are queued or running; the limit is "
                f"{self.word_waiting}, and first runs of others go before"
            )
        if spent + cost.seconds > self.word_seconds:
            raise LimitError(
                f"this would take {cost}: {duration(max(1.0, self.word_seconds - spent))} of the "
                f"{duration(self.word_seconds)} a day of your class are left, which are for first "
                "runs"
            )


class Allowance(Quota):
    """What is left to the visitor whose space lies in a folder, beside those of all others."""

    def __init__(self, folder: Path, limits: Limits):
        self.folder, self.owner, self.limits = folder, folder.name, limits

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
        sweep = parse_sweep(subject)
        self.limits.check_models(sweep)
        self._check(costs.of_sweep(sweep))

    def room(self, more: float) -> None:
        self.limits.check_room(more, self.kept(), kept_by_all(self.folder.parent))
        kept = kept_by(self.folder.parent, self._fellows())
        if kept + more > MEGA * self.limits.word_megabytes:
            most = size(MEGA * self.limits.word_megabytes)
            raise LimitError(f"this needs {size(more)}: your class uses {size(kept)} of {most}")

    def _fellows(self) -> tuple[str, ...]:
        return Words(self.folder.parent).fellows(self.owner)

    def _check(self, cost: Cost) -> None:
        queue = Queue(self.folder.parent)
        (mine, everybody), spent = queue.held(self.owner), queue.spent(self.owner)
        self.limits.check_waiting(mine, everybody)
        self.limits.check_cost(cost, spent, 0, 0)
        fellows = self._fellows()
        if fellows and (mine or spent):  # a first run is always taken
            self.limits.check_word(cost, queue.spent(*fellows), queue.held(*fellows)[0])
        self.room(cost.bytes)

    def kept(self) -> int:
        """Bytes of all files of the space."""
        return _bytes_in(self.folder)

    def remaining(self) -> Cost:
        """Seconds of today and bytes that the visitor may still use."""
        spent = Queue(self.folder.parent).spent(self.owner)
        room = MEGA * self.limits.megabytes - self.kept()
        return Cost(max(0.0, self.limits.day_seconds - spent), max(0, room))


class Closed(Allowance):
    """Of who has no word: what was kept before can be seen, stopped, taken home and deleted."""

    def run(self, spec: AnySpec) -> None:
        raise LimitError(NEEDED)

    def command(self, row: RunRow, command: str) -> None:
        if command in ("resume", "step"):
            raise LimitError(NEEDED)

    def brought(self, spec: AnySpec) -> None:
        raise LimitError(NEEDED)

    def job(self, kind: str, subject: str) -> None:
        raise LimitError(NEEDED)

    def room(self, more: float) -> None:
        raise LimitError(NEEDED)


def kept_by(spaces: Path, owners: tuple[str, ...]) -> int:
    """Bytes of the spaces of some, counted once a minute."""
    minute = int(time.monotonic() // LOOK_SECONDS)
    return sum(_counted(spaces / owner, minute) for owner in owners)


def kept_by_all(spaces: Path) -> int:
    """Bytes of all spaces in their folder, counted once a minute."""
    return _counted(spaces, int(time.monotonic() // LOOK_SECONDS))


@lru_cache(maxsize=1000)
def _counted(folder: Path, minute: int) -> int:
    return _bytes_in(folder)


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it has just gone
                total += os.stat(os.path.join(place, name)).st_size
    return total
