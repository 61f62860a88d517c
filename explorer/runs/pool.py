"""The server's handles on its workers. What they do is in the store; here is only who is alive.

One warm worker is kept idle, up to as many workers as there are devices (on the CPU cores − 1), so
that a run starts without waiting for the import of torch. Short jobs have one worker more, unless
visitors take turns: it comes with the first of them, keeps the model that it was asked about, and
goes when nobody has asked for long.
"""

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from explorer.folder import resource
from explorer.runs import bounds, jobs, maintenance
from explorer.runs.database import StoreError
from explorer.runs.store import Store
from explorer.runs.worker import BESIDE, LEAVE, RETIRE, Scheduler

SPARE_SECONDS = 60.0  # a second idle worker stays so long
ANSWER_SECONDS = 600.0  # and so long the one for short jobs, with a model in its memory
LANES_SECONDS: dict[jobs.Lane, float] = {
    "training": SPARE_SECONDS,
    "short": ANSWER_SECONDS,
    "bring": SPARE_SECONDS,
}
BACKOFF_SECONDS = 1.0, 60.0  # between workers that do not even start
POLL_SECONDS = 1.0
LEAVING_SHARE = 0.8  # of the time for closing, in which checkpoints are kept
IDLE_SECONDS = 3600.0  # between two looks for spaces that nobody visits
LOG_BYTES = 1_000_000
WORKER = ("explorer.runs.worker",)
# Small products are slower, up to 90 times on busy cores, when several threads share them.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class Worker:
    """One worker process, and what it said last: starting, idle or busy."""

    def __init__(self, process: subprocess.Popen, lane: jobs.Lane = "training"):
        self.process, self.lane = process, lane
        assert process.stdin and process.stdout, "a worker is heard and told by pipes"
        self.stdin, self.stdout = process.stdin, process.stdout
        self.state, self.since = "starting", time.monotonic()
        self._lock = threading.Lock()  # no byte may go to a descriptor that was closed and reused

    def send(self, byte: bytes) -> None:
        """Tell it something, unless it has gone or has bytes enough to read."""
        with self._lock:
            if not self.stdin.closed:
                with suppress(BlockingIOError, BrokenPipeError):
                    os.write(self.stdin.fileno(), byte)

    def close_stdin(self) -> None:
        """Close its stdin: it ends at once."""
        with self._lock:
            self.stdin.close()


class Pool:
    """Workers for one store, or for those that take `turns` in it. `problem` says why none can be
    started, if that is so."""

    def __init__(self, store: Store, turns: Scheduler | None = None):
        self.store, self.turns = store, turns
        self.capacity = 1  # until the first worker says more
        self.problem: str | None = None
        self._workers: list[Worker] = []
        self._lock = threading.Lock()
        self._changed, self._closing = threading.Event(), threading.Event()
        self._failures, self._retry_at, self._look_at = 0, 0.0, 0.0
        self._thread = threading.Thread(target=self._supervise, name="workers", daemon=True)

    def start(self) -> None:
        """Start the first worker and the thread that looks after them all."""
        self._thread.start()

    def wake(self) -> None:
        """A run was queued: let a worker look at once."""
        for worker in self.workers():
            worker.send(b"w")
        self._changed.set()

    def workers(self) -> list[Worker]:
        """The workers alive now."""
        with self._lock:
            return list(self._workers)

    def close(self, seconds: float = 2.0) -> None:
        """End all workers. What is at work waits again, with a checkpoint; who is still there after
        most of the `seconds` is found interrupted, and after all of them killed."""
        began = time.monotonic()
        self._closing.set()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join(seconds / 2)
        for worker in self.workers():
            if worker.state == "starting":
                worker.close_stdin()
            else:
                worker.send(LEAVE)
        for worker in self._still_there(began + LEAVING_SHARE * seconds):
            worker.close_stdin()
        for worker in self._still_there(began + seconds):
            worker.process.kill()
            worker.process.wait()

    def _still_there(self, deadline: float) -> list[Worker]:
        """The workers that have not ended by then."""
        left = []
        for worker in self.workers():
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                left.append(worker)
        return left

    def _supervise(self) -> None:
        while not self._closing.is_set():
            try:
                self._look_after()
            except StoreError as error:  # such as a busy one: it may be read in a while
                self.problem = str(error)
                self._closing.wait(POLL_SECONDS)

    def _look_after(self) -> None:
        with self.store.idle_connection():
            self._recover()
            while not self._closing.is_set():
                self._check_workers()
                if self.turns and time.monotonic() >= self._look_at:  # no worker waits for it
                    self._look_at = time.monotonic() + IDLE_SECONDS
                    self.turns.remove_idle()
                self._changed.wait(POLL_SECONDS)
                self._changed.clear()

    def _recover(self) -> None:
        """What a dead server has left."""
        try:
            maintenance.recover(self.store)
            if self.turns:
                self.turns.recover()
        except StoreError as error:  # workers may do all the same
            self.problem = str(error)

    def _check_workers(self) -> None:
        self._reap()
        self._retire()
        try:
            for lane in jobs.BESIDE:
                if self._wants(lane):
                    self._spawn(lane, *WORKER, BESIDE, lane)
            if self._wants_another():
                self._spawn("training", *(self.turns.worker() if self.turns else WORKER))
        except (OSError, RuntimeError) as error:  # as where no more threads are allowed
            self._back_off(str(error))

    def _wants_another(self) -> bool:
        workers = [worker for worker in self.workers() if worker.lane == "training"]
        spare = any(worker.state != "busy" for worker in workers)
        return self._may_start() and not spare and len(workers) < self.capacity

    def _wants(self, lane: jobs.Lane) -> bool:
        """Whether a job of a lane beside the trainings waits, and nobody is there for it."""
        there = self.turns or any(worker.lane == lane for worker in self.workers())
        return not there and self._may_start() and bool(jobs.waiting(self.store, lane))

    def _may_start(self) -> bool:
        return time.monotonic() >= self._retry_at

    def _spawn(self, lane: jobs.Lane, *words: str) -> None:
        with self._log().open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,
                cwd=resource(),
                env={**os.environ, **ONE_THREAD, "EXPLORER_HOME": str(self.store.home)},
            )
        worker = Worker(process, lane)
        if os.name != "nt":
            os.set_blocking(worker.stdin.fileno(), False)
        with self._lock:
            self._workers.append(worker)
        threading.Thread(target=self._listen, args=(worker,), daemon=True).start()

    def _log(self) -> Path:
        path = self.store.home / "logs" / "workers.log"
        if path.exists() and path.stat().st_size > LOG_BYTES:
            path.replace(path.with_suffix(".old"))
        return path

    def _listen(self, worker: Worker) -> None:
        """Follow what a worker says, until its stdout ends with it."""
        with worker.stdout as lines:
            for line in lines:
                self._read_state(worker, line)
        self._changed.set()

    def _read_state(self, worker: Worker, line: bytes) -> None:
        try:
            message = json.loads(line)
            state = message["state"]
        except (ValueError, TypeError, KeyError):
            return  # a library printed something
        worker.state, worker.since = state, time.monotonic()
        if worker.lane == "training":
            self.capacity = message.get("capacity", self.capacity)
        self._failures, self.problem = 0, None
        self._changed.set()

    def _reap(self) -> None:
        """Forget dead workers; a death outside a run puts off the next start."""
        for worker in self.workers():
            if worker.process.poll() is None:
                continue
            with self._lock:
                self._workers.remove(worker)
            worker.close_stdin()
            if self.turns:
                self.turns.recheck(bounds.why(worker.process.returncode))
            if worker.process.returncode and worker.state != "busy":
                self._back_off(f"exit code {worker.process.returncode}")

    def _back_off(self, why: str) -> None:
        first, longest = BACKOFF_SECONDS
        self._retry_at = time.monotonic() + min(first * 2 ** min(self._failures, 10), longest)
        self._failures += 1
        self.problem = (
            f"no training process stays alive here ({why}): `python -m explorer train quick` "
            f"says why, and so does {self.store.home / 'logs' / 'workers.log'}"
        )

    def _retire(self) -> None:
        """Let a second idle worker go after a while, and in the end those beside."""
        idle = [worker for worker in self.workers() if worker.state == "idle"]
        by_lane = {lane: [each for each in idle if each.lane == lane] for lane in LANES_SECONDS}
        by_lane["training"] = by_lane["training"][1:]
        for lane, seconds in LANES_SECONDS.items():
            for worker in by_lane[lane]:
                if time.monotonic() - worker.since > seconds:
                    worker.send(RETIRE)
