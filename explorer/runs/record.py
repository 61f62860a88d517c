"""Runs and jobs as pages read them: a run alike from the store and from an archive."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from explorer.runs import frames
from explorer.runs.database import readable_rows
from explorer.spec import AnySpec
from explorer.targets import parse

ACTIVE = ("queued", "running")
STATUSES = (*ACTIVE, "paused", "stopped", "interrupted", "diverged", "failed", "finished")
RESUMABLE = ("paused", "stopped", "interrupted", "failed")

CLAIMED = "claimed"
"""In the metrics of a run that was imported: its zip says so, nobody here has measured it."""


TRAIN = "train"
"""The kind of a run; those of jobs are in jobs.py."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """A row of the table of work, of a run or a job: where it is, and how it waits.

    `run` is the id of a run, or the name of a job; `step` of `steps` are done. `queued` is the
    number in the queue, under which a worker took it; None where a command line did. `revived` is
    the step from which it went on by itself, after the death of its worker or server.
    """

    run: str
    kind: str = TRAIN
    status: str
    step: int
    steps: int
    command: str | None
    queued: float | None
    message: str
    revived: int | None = None

    @property
    def at_work(self) -> bool:
        """Whether something is still to be expected of it."""
        return self.status in ACTIVE

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Self:
        """From a row of the table, whose JSON columns are text; raises StoreError.

        Columns that a newer version has added while this process is at work are passed over.
        """
        values = dict(columns)
        with readable_rows(f"{cls.CALLED} {str(values.get('run'))[:60]}"):
            values |= {field: values[column] for field, column in cls.NAMED.items()}
            texts = {field: values[column] for field, column in cls.DECODED.items()}
            values |= {field: json.loads(text) if text else None for field, text in texts.items()}
            row = cls(**{field.name: values[field.name] for field in fields(cls)})
            row.check()
        return row

    CALLED: ClassVar[str]
    NAMED: ClassVar[Mapping[str, str]] = {}
    """Fields whose columns have other names."""
    DECODED: ClassVar[Mapping[str, str]] = {}
    """Fields whose columns hold JSON."""
    TYPES: ClassVar[Mapping[str, Any]] = {}
    """Of fields that are not of the type which they are declared as."""

    def check(self) -> None:
        """Raises TypeError or ValueError where a value cannot be that of its column."""
        for field in fields(self):
            wanted: Any = self.TYPES.get(field.name, field.type)
            if not isinstance(value := getattr(self, field.name), wanted):
                raise TypeError(f"{field.name} = {str(value)[:40]!r}")
        if self.status not in STATUSES:
            raise ValueError(f"status = {self.status[:40]!r}")


@dataclass(frozen=True, kw_only=True)
class RunRow(Work):
    """A run.

    `seconds` is time at work, the one measure of a duration: `created`, `started` and `ended` are
    epoch seconds as the clock had them.
    """

    CALLED = "the run"
    NAMED: ClassVar = {"spec_json": "spec"}
    DECODED: ClassVar = {"versions": "versions", "metrics": "metrics"}
    TYPES: ClassVar = {"versions": dict, "metrics": dict | None}

    spec_id: str
    n: int
    spec_json: str
    name: str
    pause_at: int | None
    created: float
    started: float | None
    ended: float | None
    seconds: float
    device: str
    versions: Mapping[str, str]
    metrics: Mapping[str, Any] | None
    checkpoint: str | None
    watched: float

    @cached_property
    def spec(self) -> AnySpec:
        """Raises SpecError when another version wrote it."""
        return parse(self.spec_json)

    @property
    def outcome(self) -> Mapping[str, Any]:
        """Its metrics; empty where nothing was measured yet."""
        return self.metrics or {}

    @property
    def claimed(self) -> bool:
        """Whether its errors are what a zip says."""
        return bool(self.outcome.get(CLAIMED))

    @property
    def drawn_state(self) -> str:
        """Another text for all that a page draws of a run beside its pictures.

        That is the status; where the run rests, its step and message too; and whether it was
        resumed in between, so that one which fails again is at another turn.
        """
        rests = "" if self.status in ACTIVE else f" {self.step} {self.message}"
        return f"{self.status} {self.queued}{rests}"


@dataclass(frozen=True, kw_only=True)
class Job(Work):
    """Work that is no run (jobs.py): models, widths, ranks, megabytes or measurements are done."""

    CALLED = "the job"
    NAMED: ClassVar = {"subject": "spec"}
    DECODED: ClassVar = {"result": "metrics"}
    TYPES: ClassVar = {"result": object}

    subject: str
    """What it is about: a sweep's specification (JSON), RUN/CHECKPOINT, a model's name, files
    that were given (JSON, runs/brought.py), or what a model is asked (JSON, pretrained/seen.py)."""
    began: float | None
    """When it was last taken up, and with how many done."""
    began_with: int
    result: Any

    @property
    def job(self) -> str:
        """Its name."""
        return self.run

    @property
    def done(self) -> int:
        """How many of the `total`."""
        return self.step

    @property
    def total(self) -> int:
        return self.steps


@dataclass(frozen=True)
class Control:
    """What the pages want of a running run: a command, and when somebody last looked at it."""

    command: str | None
    watched: float


@dataclass(frozen=True)
class Record:
    """A run with its curves, and its kept pictures on demand."""

    row: RunRow
    steps: np.ndarray
    """(k,) int64, the steps of the training loss."""
    losses: np.ndarray
    """(k,) float64, mean training loss since the row before, in units of Var(y)."""
    snapshot_steps: np.ndarray
    """(s,) int64, the steps with a kept picture and errors on fresh sequences."""
    nmse: np.ndarray
    mse: np.ndarray
    mae: np.ndarray
    """(s,) float64 each."""
    frame: Callable[[int], bytes]
    """The packed picture of a kept step; raises KeyError for another one."""

    @property
    def spec(self) -> AnySpec:
        return self.row.spec

    def measured(self, steps: Iterable[int]) -> dict[str, np.ndarray]:
        """What the specification `measures` beside the error, at kept steps, (k,) float64 each."""
        names = self.spec.extra_metrics
        headers = [self._read(int(at), frames.header_of) for at in steps] if names else []
        return {name: np.array([header[name] for header in headers]) for name in names}

    def snapshot(self, step: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Header and `Snapshot.diagnostics` of a kept step; raises KeyError for another."""
        return self._read(step, frames.unpack)

    def _read(self, step: int, reader: Callable[[bytes], Any]) -> Any:
        frame = self.frame(step)
        with readable_rows(f"the picture of step {step} of {self.row.run}"):
            return reader(frame)

    def latest(self) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
        """The last kept picture, or None before the first."""
        return self.snapshot(int(self.snapshot_steps[-1])) if self.snapshot_steps.size else None

    def latest_frame(self) -> tuple[int, bytes] | None:
        """Step and packed bytes of the last kept picture, or None before the first."""
        if not self.snapshot_steps.size:
            return None
        step = int(self.snapshot_steps[-1])
        return step, self.frame(step)
