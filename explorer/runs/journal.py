"""What a run at work writes down: its loss curve, its pictures, its pace.

Which rows there are depends on the step alone, and the sum of the open row travels in the
checkpoint: so an interrupted run leaves the same curve as an undisturbed one.
"""

import math
import time
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import torch

from explorer.runs import frames
from explorer.runs.record import Record
from explorer.targets.fixed import KEPT_EVALUATION
from explorer.training import Diverged, Snapshot
from explorer.training.schedule import (
    HISTORY_PER_DECADE,
    SNAPSHOTS_PER_DECADE,
    keeps_history,
    keeps_snapshot,
)

RECENT_ERRORS = 2 * SNAPSHOTS_PER_DECADE + 1
PACE_SECONDS = 1.0  # time constant of the smoothed steps per second
PACE_LEAST = 0.05  # seconds between two looks at the clock


class Journal:
    """The rows of one run that are not in the store yet, and the last two decades of them all.

    `measures` names what its specification measures beside the error; `metadata` is what a
    checkpoint brought of an earlier one.
    """

    def __init__(self, measures: Iterable[str] = (), metadata: Mapping[str, str] | None = None):
        metadata = metadata or {}
        self.measures = tuple(measures)
        self.total = torch.tensor(float(metadata.get("loss_sum", "0")), dtype=torch.float64)
        self.count = int(metadata.get("loss_count", "0"))
        self.history: list[tuple[int, float]] = []
        self.snapshots: list[tuple[int, float, float, float, bytes]] = []
        self.recent_losses: deque[tuple[int, float]] = deque(maxlen=2 * HISTORY_PER_DECADE)
        self.recent_errors: deque[tuple[int, dict[str, float]]] = deque(maxlen=RECENT_ERRORS)

    def restore(self, record: Record) -> None:
        """Take up the curves of a run that goes on, for its viewers."""
        self.recent_losses.extend(zip(record.steps.tolist(), record.losses.tolist(), strict=True))
        steps = record.snapshot_steps[-RECENT_ERRORS:].tolist()
        self.recent_errors.extend((step, record.snapshot(step)[0]) for step in steps)

    def errors(self) -> dict[str, list[float]]:
        """The errors at the last kept steps, and what else is measured there, by name."""
        steps, rows = zip(*self.recent_errors, strict=True) if self.recent_errors else ((), ())
        errors = {"eval_step": list(steps), "eval_nmse": [row["nmse"] for row in rows]}
        return errors | {f"metric_{name}": [row[name] for row in rows] for name in self.measures}

    def to_metadata(self) -> dict[str, str]:
        """The open history row, as text that gives the same numbers again."""
        return {"loss_sum": repr(float(self.total)), "loss_count": str(self.count)}

    def add(self, snapshot: Snapshot) -> None:
        """Note a step; raises Diverged when what is to be kept is not finite."""
        self.total = self.total.to(snapshot.loss.device) + snapshot.loss.double()
        self.count += 1
        if keeps_history(snapshot.step, snapshot.steps):
            self._close_row(snapshot)
        if keeps_snapshot(snapshot.step, snapshot.steps):
            self._take_picture(snapshot)

    def _close_row(self, snapshot: Snapshot) -> None:
        row = (snapshot.step, float(self.total) / self.count)
        if not math.isfinite(row[1]):
            raise Diverged(snapshot.step, snapshot.spec)
        self.history.append(row)
        self.recent_losses.append(row)
        self.total, self.count = torch.zeros_like(self.total), 0

    def _take_picture(self, snapshot: Snapshot) -> None:
        check_finite(snapshot)
        last = snapshot.step == snapshot.steps  # shows what the run's final numbers say
        errors = snapshot.evaluate() if last else snapshot.evaluate(KEPT_EVALUATION)
        if not all(map(math.isfinite, errors.values())):
            raise Diverged(snapshot.step, snapshot.spec)
        header = {"kind": "snapshot", "step": snapshot.step, "loss": float(snapshot.loss), **errors}
        frame = frames.pack(header, snapshot.diagnostics())
        self.snapshots.append((snapshot.step, errors["nmse"], errors["mse"], errors["mae"], frame))
        self.recent_errors.append((snapshot.step, errors))

    def clear_flushed(self) -> None:
        """Forget the rows so far: they are in the store."""
        self.history.clear()
        self.snapshots.clear()


def check_finite(snapshot: Snapshot) -> None:
    """Raises Diverged when a weight is not finite; the loss would say so one step later."""
    if not snapshot.is_finite():
        raise Diverged(snapshot.step, snapshot.spec)


class Pace:
    """Steps per second of about the last second, and the time left.

    The rate is Σ wᵢ Δstepᵢ / Σ wᵢ Δtᵢ over looks at the clock, their weights wᵢ fading with a time
    constant: at first the mean since the start, so that the first look weighs no more than it took.
    """

    def __init__(self) -> None:
        self.step = 0
        self.began = False
        self.time = self.steps = self.seconds = 0.0

    def update(self, step: int) -> None:
        """Note that a step is done; call it often, whether anyone asks for the rate or not."""
        now = time.perf_counter()
        elapsed = now - self.time
        if not self.began:
            self.began, self.step, self.time = True, step, now
        elif elapsed > PACE_LEAST and step > self.step:
            faded = math.exp(-elapsed / PACE_SECONDS)
            self.steps = self.steps * faded + step - self.step
            self.seconds = self.seconds * faded + elapsed
            self.step, self.time = step, now

    def left(self, steps: int) -> dict[str, Any]:
        """rate in steps/s and eta in s; None as long as they are unknown."""
        if not self.seconds:
            return {"rate": None, "eta": None}
        rate = self.steps / self.seconds
        return {"rate": rate, "eta": (steps - self.step) / rate}
