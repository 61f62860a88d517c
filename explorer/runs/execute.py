"""The one loop around train(): workers and the command line run it.

What it keeps depends on the step alone. Checkpoints, commands and live frames come by the clock,
and touch neither the numbers nor the rows.
"""

import json
import math
import platform
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

import numpy as np
import torch

from explorer.engine import EngineError
from explorer.runs import bounds, checkpoints, frames, layout
from explorer.runs.checkpoints import CheckpointError
from explorer.runs.database import Busy, StoreError
from explorer.runs.devices import FULL, LOST, DeviceError
from explorer.runs.journal import Journal, Pace, check_finite
from explorer.runs.record import RunRow
from explorer.runs.signals import interrupts
from explorer.runs.store import Store
from explorer.spec import AnySpec, SpecError, coupling_spec
from explorer.targets import target_of
from explorer.training import Diverged, Snapshot, train
from explorer.training.kernels import code_of

CHECKPOINT_SECONDS = 2.0
CHECKPOINT_SHARE = 0.05  # of the time, at most, for checkpoints of large models
CHECKPOINT_LONGEST = 60.0  # between two, even where one had to wait for the disk
CONTROL_SECONDS = 0.03
FRAME_SECONDS = 1 / 12
WATCHED_SECONDS = 3.0
REST = {"pause": "paused", "stop": "stopped"}


@dataclass(frozen=True)
class Progress:
    """How far a run is; what is not known yet is None."""

    step: int
    steps: int
    loss: float
    nmse: float | None
    rate: float | None
    eta: float | None


def execute(
    store: Store,
    row: RunRow,
    *,
    device: str = "cpu",
    on_progress: Callable[[Progress], None] | None = None,
    give_way: Callable[[], bool] | None = None,
) -> RunRow:
    """Train a run whose lock the caller holds, until it finishes or rests; returns its row then.

    Asked between steps, `give_way` says whether others have waited long enough: the run is queued
    again then, with a checkpoint from which it goes on to the same bits.

    Ctrl-C stops it with a checkpoint, a second one without. Whatever goes wrong in training ends
    in the row, as status and message; StoreError leaves here only when the store itself fails.
    """
    try:
        execution = Execution(store, row, device, on_progress, give_way)
    except SpecError as error:
        return store.save(row.run, status="failed", message=_one_line(error))
    with store.idle_connection(), interrupts() as interrupted:
        try:
            return execution.run(interrupted)
        except Diverged as error:
            return execution.end("diverged", step=error.step, message=str(error))
        except KeyboardInterrupt:
            return execution.end("stopped")
        except (StoreError, EngineError) as error:
            return execution.end("failed", message=str(error))
        except torch.OutOfMemoryError:
            return execution.end("failed", message=FULL.format(device=device))
        except torch.AcceleratorError as error:  # nothing works on it any more in this process
            _log(store, row)
            raise DeviceError(LOST.format(device=device, error=_one_line(error))) from error
        except Exception as error:
            _log(store, row)
            why = bounds.OUT_OF_MEMORY if bounds.is_out_of_memory(error) else _one_line(error)
            return execution.end("failed", message=why)


class Execution:
    """One run at work: training on one side, its rows and commands in the store on the other."""

    def __init__(
        self,
        store: Store,
        row: RunRow,
        device: str,
        on_progress: Callable[[Progress], None] | None,
        give_way: Callable[[], bool] | None,
    ):
        self.store, self.row, self.on_progress = store, row, on_progress
        self.device = "cpu" if row.spec.by_kernel else device
        self.give_way = give_way or (lambda: False)
        self.folder = store.folder(row.run)
        self.journal, self.pace = Journal(row.spec.extra_metrics), Pace()
        self.began = self.checked = self.polled = time.perf_counter()
        self.shown = -math.inf  # the first step is shown at once
        self.checkpoint_cost = 0.0
        self.watched = row.watched

    def run(self, interrupted: threading.Event) -> RunRow:
        """Train until the end, or until a command or Ctrl-C makes the run rest."""
        if self.device == "cpu":
            torch.set_num_threads(1)
        spec = self.row.spec
        target = target_of(spec, self.store.grid)
        state = self._resume()
        before = int(state["step"]) if state else 0
        for snapshot in train(spec, state, device=self.device, target=target):
            if snapshot.step > before:
                self.journal.add(snapshot)
            if snapshot.step == snapshot.steps:
                return self._finish(snapshot)
            status = "stopped" if interrupted.is_set() else self._requested_status(snapshot)
            if status:
                return self._checkpoint(snapshot, status=status)
            self._show(snapshot)
            self._checkpoint_in_time(snapshot)
            del snapshot  # who still holds it at the next step pays for a copy
        raise RuntimeError("training ended before its last step")

    def _resume(self) -> checkpoints.State | None:
        """The state to go on from, with everything that is younger taken out of the store."""
        state, step = None, 0
        if self.row.checkpoint:
            name, state, metadata = checkpoints.last(self.folder, self.row.checkpoint)
            if problem := layout.problem(self.row.spec, state):
                raise CheckpointError(f"the checkpoint is not one of this run: {problem}")
            self.row = replace(self.row, checkpoint=name)
            step, self.journal = int(state["step"]), Journal(self.row.spec.extra_metrics, metadata)
        made_with = json.dumps(versions(self.row.spec, self.device))
        columns = {"checkpoint": self.row.checkpoint, "versions": made_with, "device": self.device}
        self.store.rewind(self.row.run, step, **columns)
        checkpoints.tidy(self.folder, keep=self.row.checkpoint)
        self.journal.restore(self.store.read(self.row.run))
        return state

    def _requested_status(self, snapshot: Snapshot) -> str | None:
        """The status to rest in, if a command or `pause_at` says so."""
        if self.row.pause_at is not None and snapshot.step >= self.row.pause_at:
            return "paused"
        now = time.perf_counter()
        if now - self.polled < CONTROL_SECONDS:
            return None
        self.polled = now
        try:
            control = self.store.control(self.row.run)
        except Busy:  # asked again in a moment
            return None
        self.watched = control.watched
        if command := REST.get(control.command or ""):
            return command
        return "queued" if self.row.pause_at is None and self.give_way() else None

    def _checkpoint_in_time(self, snapshot: Snapshot) -> None:
        share = min(self.checkpoint_cost / CHECKPOINT_SHARE, CHECKPOINT_LONGEST)
        pause = max(CHECKPOINT_SECONDS, share)
        if time.perf_counter() - self.checked > pause:
            self._checkpoint(snapshot)

    def _checkpoint(self, snapshot: Snapshot, **columns: str) -> RunRow:
        """The file first, then one transaction that names it; with a `status`, the run rests.

        An older file goes when no power cut can undo that transaction any more.
        """
        start = time.perf_counter()
        if "status" in columns:  # first, so that a run that rests has the picture of its step
            self._publish(snapshot)
        name = self._write(snapshot)
        self._keep(step=snapshot.step, checkpoint=name, **columns)
        self.store.flush()
        checkpoints.tidy(self.folder, name, older=0 if self.row.status == "finished" else 1)
        self.checked = time.perf_counter()
        self.checkpoint_cost = self.checked - start
        return self.row

    def _write(self, snapshot: Snapshot) -> str:
        if self.row.checkpoint == (name := checkpoints.file_name(snapshot.step)):
            return name
        state = snapshot.state()
        if not checkpoints.is_finite(state):
            raise Diverged(snapshot.step, self.row.spec)
        return checkpoints.write(self.folder, state, self.journal.to_metadata())

    def _keep(self, **columns: object) -> None:
        worked, self.began = time.perf_counter() - self.began, time.perf_counter()
        columns["seconds"] = self.row.seconds + worked
        self.row = self.store.save(
            self.row.run, self.journal.history, self.journal.snapshots, **columns
        )
        self.journal.clear_flushed()

    def _finish(self, snapshot: Snapshot) -> RunRow:
        metrics = snapshot.evaluate()
        if not math.isfinite(metrics["mse"]):
            raise Diverged(snapshot.step, self.row.spec)
        metrics |= {"weights_sha256": snapshot.weights_sha256()}
        return self._checkpoint(snapshot, status="finished", metrics=json.dumps(metrics))

    def end(self, status: str, **columns: object) -> RunRow:
        """Let go of a run that cannot go on; its last good checkpoint stays."""
        if status != "diverged":  # the curve up to where it broke; others go on and write it again
            self.journal.clear_flushed()
        self._keep(status=status, **columns)
        return self.row

    def _show(self, snapshot: Snapshot) -> None:
        """A live frame for who is watching, and the progress for who asked."""
        now = time.perf_counter()
        if now - self.shown < FRAME_SECONDS:
            return
        self.pace.update(snapshot.step)
        watched = time.time() - self.watched < WATCHED_SECONDS
        if watched:
            self._publish(snapshot)
        if self.on_progress:
            self.on_progress(self._progress(snapshot))
        self.shown = now

    def _progress(self, snapshot: Snapshot) -> Progress:
        errors = self.journal.recent_errors
        nmse = errors[-1][1]["nmse"] if errors else None
        left = self.pace.left(snapshot.steps)
        return Progress(snapshot.step, snapshot.steps, float(snapshot.loss), nmse, **left)

    def _publish(self, snapshot: Snapshot) -> None:
        check_finite(snapshot)
        header = {"kind": "frame", **asdict(self._progress(snapshot))}
        losses = np.array(self.journal.recent_losses, np.float32).reshape(-1, 2)
        curves = {"loss_step": losses[:, 0], "loss": losses[:, 1], **self.journal.errors()}
        pictures = {**snapshot.diagnostics(), **snapshot.weights_for_browser()}
        self.store.publish(self.row.run, frames.pack(header, {**pictures, **curves}))


def versions(spec: AnySpec, device: str) -> dict[str, str]:
    """What a run was made with, beside its specification."""
    made_with = {"python": platform.python_version(), "torch": torch.__version__}
    made_with |= {"numpy": np.__version__, "system": f"{platform.system()} {platform.machine()}"}
    if device.startswith("cuda"):
        made_with["device"] = torch.cuda.get_device_name(device)
    if spec.by_kernel:
        made_with["engine"] = code_of(coupling_spec(spec).engine)
    return made_with


def _one_line(error: Exception) -> str:
    """An exception for a page."""
    text = (str(error).strip().splitlines() or [""])[0]
    named = isinstance(error, (CheckpointError, SpecError))
    return (text if named else f"{type(error).__name__}: {text}")[:500]


def _log(store: Store, row: RunRow) -> None:
    """The traceback, for who wants to mend it."""
    text = traceback.format_exc()
    try:
        with store.log_path(row.run).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        print(f"{text}(not logged: {error})", file=sys.stderr)
