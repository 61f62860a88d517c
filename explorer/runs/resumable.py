"""A batch of models in training, from its last checkpoint on: one unit of a sweep."""

import time
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

from torch import Tensor

from explorer.runs import checkpoints, sweep_rows
from explorer.training import TopDown, Trained

CHECKPOINT_SECONDS = 5.0
CHECKPOINT_SHARE = 0.05  # of the time, at most


class Stopped(Exception):
    """Somebody has asked the work to stop: what is done of it is kept."""


class ResumableBatch:
    """What `build` makes, brought to where an earlier process left it in `folder`."""

    def __init__(self, build: Callable[[], Trained | TopDown], folder: Path | None):
        self.began = self.checked = time.perf_counter()
        self.cost, self.before = 0.0, 0.0
        self.lock = None if folder is None else sweep_rows.hold_unit(folder)
        self.folder = folder if self.lock else None  # where another process writes, none is written
        self.batch = build()
        if self.folder and (checkpoint := checkpoints.newest(self.folder)):
            state, metadata = checkpoint
            try:
                self.batch.load(state)
                self.before = float(metadata["seconds"])
            except (KeyError, ValueError, RuntimeError):  # of another version: it begins anew
                checkpoints.tidy(self.folder, None)
                self.batch = build()

    def seconds(self) -> float:
        """Time at work, that of earlier processes included."""
        return self.before + time.perf_counter() - self.began

    def run(self) -> Generator[tuple[int, Tensor], None, None]:
        """The number of each step that is left, and the losses before it, (model,)."""
        try:
            for losses in self.batch.run():
                yield self.batch.step, losses
                now = time.perf_counter()
                if now - self.checked > max(CHECKPOINT_SECONDS, self.cost / CHECKPOINT_SHARE):
                    self._checkpoint()
                    self.checked = time.perf_counter()
                    self.cost = self.checked - now
        finally:
            if self.lock:
                self.lock.release()

    def keep(self) -> None:
        """Write where the training is, between two steps; a full disk does not stand in the way."""
        with suppress(OSError):
            self._checkpoint()

    def _checkpoint(self) -> None:
        if self.folder:
            name = checkpoints.write(
                self.folder, self.batch.state(), {"seconds": repr(self.seconds())}
            )
            checkpoints.tidy(self.folder, name)
