"""A warm process that takes runs and jobs from the store: `python -m explorer.runs.worker`.

Its parent holds the other end of stdin. A byte means "look into the store", `RETIRE` means "leave
when idle", `LEAVE` means "keep a checkpoint of what is at work, let it wait, and leave"; the end of
it means that the parent has gone: then the process ends at once, and its run is found interrupted.
On stdout goes one line of JSON at every change of state.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from explorer.runs import bounds, devices, jobs
from explorer.runs.database import StoreError
from explorer.runs.record import Job
from explorer.runs.store import Store
from explorer.slow import torch
from explorer.spec import CouplingSpec

POLL_SECONDS = 0.25
RETRY_SECONDS = 1.0
RETIRE, LEAVE = b"q", b"x"
Asked = Callable[[], bool]
TIMES_ESTIMATED = 3
"""So many times the most seconds that may be asked for, and the system ends the process."""
BESIDE = "--beside"
"""Takes the jobs of the lane that follows alone, beside whatever is trained."""


class Scheduler(Protocol):
    """Serves one store after another, each for a time slot."""

    megabytes: int
    """MB of memory that a training process may take."""
    seconds: float
    """The most processor seconds that a run or a sweep may be estimated at."""

    def worker(self) -> Sequence[str]:
        """The module of a worker that serves these stores, and its arguments."""
        ...

    def waiting(self) -> Sequence[object]:
        """All that waits."""
        ...

    def take(self) -> Store | None:
        """The store that is served next."""

    def time_slot(self, store: Any, /) -> AbstractContextManager[Callable[[], bool]]:
        """Its time slot, which begins now: whether what is at work has to give way. What it took is
        counted at the end."""
        ...

    def recover(self) -> None:
        """Revive what a dead server has left."""

    def recheck(self, why: str) -> None:
        """A worker has died, and its run says why."""

    def remove_idle(self) -> object:
        """Remove the stores that nobody needs."""


class ParentSignals:
    """What the parent says, as events."""

    def __init__(self) -> None:
        self.woken, self.retired = threading.Event(), threading.Event()
        self.leaving = threading.Event()
        self.woken.set()  # there may be work already

    def listen(self) -> None:
        """Read stdin byte by byte; at its end, end the process."""
        while byte := os.read(0, 1):
            if byte == LEAVE:
                self.leaving.set()
            if byte in (RETIRE, LEAVE):
                self.retired.set()
            self.woken.set()
        os._exit(0)


def main(turns: Scheduler | None = None) -> None:
    """Serve the store named by EXPLORER_HOME, or those that take `turns` in it, until the parent
    leaves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's; it closes stdin
    signals = ParentSignals()
    threading.Thread(target=signals.listen, daemon=True).start()
    store, lane = Store(), _lane()
    kind = warm_up() if lane is None else read_models()
    if turns and kind == "cpu":  # what a GPU maps counts, too
        bounds.bound_memory(turns.megabytes)
    say("idle", device=kind, capacity=devices.capacity(kind))
    while not signals.retired.is_set():
        signals.woken.wait(POLL_SECONDS)
        signals.woken.clear()
        try:
            while not signals.retired.is_set() and (
                answer_once(store, kind, lane, signals.leaving.is_set)
                if lane
                else work_once(store, kind, turns, leaves=signals.leaving.is_set)
            ):
                pass
        except StoreError as error:
            print(error, file=sys.stderr, flush=True)
            say("idle")
            time.sleep(RETRY_SECONDS)


def _lane() -> jobs.Lane | None:
    """Whose jobs alone are taken, where the parent says so."""
    words = sys.argv[1:]
    return next(lane for lane in jobs.BESIDE if lane in words) if BESIDE in words else None


def warm_up() -> str:
    """Import torch and take a few steps, so that the first real one is quick.

    Returns the kind of device that this machine trains on.
    """
    import explorer.runs.job_runner  # noqa: F401  (so that it is there when a run or a job comes)
    from explorer.training import train

    torch.set_num_threads(1)
    kind = devices.best()
    for snapshot in train(CouplingSpec(steps=12), device=devices.name(kind, 0)):
        if snapshot.step == snapshot.steps:
            snapshot.diagnostics()
            snapshot.evaluate(512)
    return kind


def read_models() -> str:
    """Import what reads the models of others; returns the kind of device that they are read on."""
    from explorer.pretrained import probe  # noqa: F401  (so that it is there when a job comes)
    from explorer.runs import job_runner  # noqa: F401

    torch.set_num_threads(1)
    return "cpu"


def work_once(
    store: Store, kind: str, turns: Scheduler | None = None, leaves: Asked = lambda: False
) -> bool:
    """Take the next queued run, or else the next job of the lane of trainings, if a device is free,
    and do it; with `turns`, of the store that is next, all others too. Once it `leaves`,
    what is at work waits again."""
    wanted = turns.waiting() if turns else store.waiting(jobs.kinds_of("training"))
    slot = store.slot(kind, devices.capacity(kind)) if wanted else None
    if slot is None:
        return False
    index, lock = slot
    try:
        device = devices.name(kind, index)
        if turns:
            return _take_turn(turns, device, leaves)
        return _do(store, device, leaves, lane="training")
    finally:
        lock.release()


def _take_turn(turns: Scheduler, device: str, leaves: Asked) -> bool:
    store = turns.take()
    if store is None:
        return False
    bounds.bound_time(TIMES_ESTIMATED * turns.seconds)
    with turns.time_slot(store) as over:
        return _do(store, device, leaves, over)


def answer_once(
    store: Store, kind: str, lane: jobs.Lane = "short", leaves: Asked = lambda: False
) -> bool:
    """Take the next job of a lane beside the trainings and do it; it waits for no device."""
    return _do(store, devices.name(kind, 0), leaves, lane=lane)


def _do(
    store: Store,
    device: str,
    leaves: Asked,
    give_way: Asked | None = None,
    lane: jobs.Lane | None = None,
) -> bool:
    """Take the next run or job of a lane, or of all, and do it until it ends or gives way."""
    from explorer.runs.execute import execute
    from explorer.runs.job_runner import run_job

    lease = store.claim(device, jobs.kinds_of(lane))
    if lease is None:
        return False
    say("busy")
    with lease:
        if isinstance(lease.row, Job):
            run_job(store, lease.row, device, give_way, leaves)
        else:
            over = give_way or (lambda: False)
            execute(store, lease.row, device=device, give_way=lambda: leaves() or over())
    say("idle")
    return True


def say(state: str, **more: object) -> None:
    """One line for the parent."""
    print(json.dumps({"state": state, **more}), flush=True)


if __name__ == "__main__":
    main()
