"""Workers and their pool, with real processes: commands, kills, orphans, and nothing that grows."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from waiting import wait_until

from explorer.pretrained.seen import Input
from explorer.runs import devices, frames, jobs
from explorer.runs import pool as pools
from explorer.runs.pool import Pool
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended
from explorer.ui import registry

ROOT = Path(__file__).resolve().parent.parent
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=300)
LONG = amended(SPEC, steps=1_000_000)
posix = pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals and /proc")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("pool"))


@pytest.fixture(scope="module")
def pool(store):
    made = Pool(store)
    made.start()
    wait_until(lambda: idle(made))
    yield made
    made.close()


@pytest.fixture(autouse=True)
def nothing_left_running(request):
    """Stop what a test left at work, so that the one worker is free for the next."""
    yield
    if "pool" in request.fixturenames:
        store, pool = request.getfixturevalue("store"), request.getfixturevalue("pool")
        for row in store.list():
            if row.status in ("queued", "running"):
                store.request(row.run, "stop")
        wait_until(lambda: idle(pool))


def idle(pool):
    return [worker for worker in pool.workers() if worker.state == "idle"]


def reaches(store, run, status):
    return wait_until(lambda: (row := store.get(run)).status == status and row)


def queued(store, pool, spec=SPEC):
    run = store.create(spec)
    pool.wake()
    return run


def step_shown(store, run):
    """The step of the newest live frame, while somebody watches."""
    store.watch(run)
    live = store.live(run)
    return frames.unpack(live[1])[0]["step"] if live else 0


def test_a_queued_run_is_trained_to_its_end(store, pool):
    row = reaches(store, queued(store, pool), "finished")
    assert (row.step, row.device, row.message) == (300, devices.name(devices.best(), 0), "")
    assert row.metrics["weights_sha256"] and row.metrics["nmse"] < 1
    assert store.read(row.run).latest()[0]["step"] == 300


def test_the_same_specification_gives_the_same_weights(store, pool):
    first, second = (reaches(store, queued(store, pool), "finished") for _ in range(2))
    assert first.run != second.run and first.metrics == second.metrics


def test_a_watched_run_shows_its_picture_and_an_unwatched_one_costs_nothing(store, pool):
    run = queued(store, pool, LONG)
    reaches(store, run, "running")
    wait_until(lambda: store.get(run).step > 0)  # the first checkpoint, after two seconds
    assert store.live(run) is None
    first = wait_until(lambda: step_shown(store, run))
    wait_until(lambda: step_shown(store, run) > first)
    header, arrays = frames.unpack(store.live(run)[1])
    assert header["kind"] == "frame" and header["step"] > 0
    assert header["rate"] > 0 and header["eta"] > 0 and header["nmse"] > 0
    assert arrays["rho_hat"].shape == (48, 48) and arrays["attention"].shape == (4, 4)
    assert len(arrays["loss_step"]) == len(arrays["loss"]) > 0


def test_pause_step_resume_stop(store, pool):
    run = queued(store, pool, LONG)
    wait_until(lambda: step_shown(store, run))
    store.request(run, "pause")
    paused = reaches(store, run, "paused")
    assert paused.step > 0 and paused.checkpoint == f"checkpoint-{paused.step}.safetensors"
    header, arrays = frames.unpack(store.live(run)[1])
    assert header["step"] == paused.step, "the picture is that of the pause"
    assert arrays["loss_step"].tolist() == store.read(run).steps[-200:].tolist()
    for more in (1, 2):
        store.request(run, "step")
        pool.wake()
        wait_until(lambda more=more: store.get(run).step == paused.step + more)
        assert reaches(store, run, "paused").pause_at is None
    header, arrays = frames.unpack(store.live(run)[1])
    assert arrays["loss_step"].tolist() == store.read(run).steps[-200:].tolist(), "earlier rows too"
    assert header["nmse"] == arrays["eval_nmse"][-1]
    store.request(run, "resume")
    pool.wake()
    wait_until(lambda: step_shown(store, run) > paused.step + 2)
    store.request(run, "stop")
    stopped = reaches(store, run, "stopped")
    assert stopped.step > paused.step + 2 and stopped.ended and stopped.metrics is None


def test_runs_beyond_the_devices_wait_their_turn(store, pool):
    runs = [queued(store, pool, LONG) for _ in range(pool.capacity + 1)]
    for run in runs[:-1]:
        reaches(store, run, "running")
    assert store.queue_place(runs[-1]) == (1, None)
    store.request(runs[0], "stop")
    reaches(store, runs[-1], "running")


def test_a_short_job_does_not_wait_for_what_is_trained(store, pool, monkeypatch):
    """It has a process of its own, which goes when nobody has asked for a while."""
    runs = [queued(store, pool, LONG) for _ in range(pool.capacity)]
    for run in runs:
        reaches(store, run, "running")
    job = jobs.ask(store, "look", "a", Input("smollm2", "ab").json())
    pool.wake()
    done = wait_until(lambda: (row := jobs.get(store, job)).status == "failed" and row)
    assert "models fetch" in done.message
    assert [store.get(run).status for run in runs] == ["running"] * pool.capacity
    (short,) = (worker for worker in pool.workers() if worker.lane == "short")
    wait_until(lambda: short.state == "idle")
    monkeypatch.setitem(pools.LANES_SECONDS, "short", 0.0)
    wait_until(lambda: short.process.poll() == 0 and short not in pool.workers())


def test_a_model_comes_while_something_is_trained(store, pool, monkeypatch):
    runs = [queued(store, pool, LONG) for _ in range(pool.capacity)]
    for run in runs:
        reaches(store, run, "running")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    job = jobs.ask(store, "fetch", "a", "no-such-model")
    pool.wake()
    done = wait_until(lambda: (row := jobs.get(store, job)).status == "failed" and row)
    assert "known are" in done.message
    assert [store.get(run).status for run in runs] == ["running"] * pool.capacity
    (beside,) = (worker for worker in pool.workers() if worker.lane == "bring")
    wait_until(lambda: beside.state == "idle")
    monkeypatch.setitem(pools.LANES_SECONDS, "bring", 0.0)
    wait_until(lambda: beside.process.poll() == 0 and beside not in pool.workers())


def test_a_slot_taken_elsewhere_counts(store, pool):
    """As when a second server on the same store trains on every device."""
    kind = devices.best()
    slots = [store.slot(kind, pool.capacity) for _ in range(pool.capacity)]
    run = queued(store, pool)
    time.sleep(0.6)
    assert store.get(run).status == "queued"
    for _, lock in slots:
        lock.release()
    reaches(store, run, "finished")


def test_a_killed_worker_leaves_an_interrupted_run_and_is_replaced(store, pool):
    run = queued(store, pool)
    reaches(store, run, "running")
    busy = wait_until(lambda: next((w for w in pool.workers() if w.state == "busy"), None))
    busy.process.kill()
    reaches(store, run, "interrupted")
    wait_until(lambda: idle(pool))
    assert busy not in pool.workers() and pool.problem is None
    store.request(run, "resume")
    pool.wake()
    resumed = reaches(store, run, "finished")
    undisturbed = reaches(store, queued(store, pool), "finished")
    assert resumed.metrics == undisturbed.metrics
    again, reference = store.read(run), store.read(undisturbed.run)
    np.testing.assert_array_equal(again.losses, reference.losses)
    np.testing.assert_array_equal(again.nmse, reference.nmse)


@posix
def test_an_idle_worker_that_is_killed_is_replaced_and_said_so(store, pool):
    (worker,) = idle(pool)
    worker.process.kill()
    assert "exit code -9" in wait_until(lambda: pool.problem)
    wait_until(lambda: idle(pool))
    assert pool.problem is None and worker not in pool.workers()


@posix
def test_ctrl_c_of_the_server_does_not_tear_a_worker(store, pool):
    run = queued(store, pool)
    reaches(store, run, "running")
    for worker in pool.workers():
        os.kill(worker.process.pid, signal.SIGINT)
    assert reaches(store, run, "finished").step == 300


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_nothing_grows_with_the_number_of_runs(store, pool):
    """Open files, threads and memory of this process, which is the server here."""

    def train(count):
        spec = amended(SPEC, steps=2)
        runs = [store.create(amended(spec, seed=seed)) for seed in range(count)]
        pool.wake()
        for run in runs:
            reaches(store, run, "finished")
            store.read(run).latest()
        store.list()
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before, memory = train(5), resident()
    assert train(50) == before
    assert resident() - memory < 10_000_000


def test_closing_is_quick_and_leaves_no_process(tmp_path):
    pool = Pool(Store(tmp_path))
    pool.start()
    workers = wait_until(pool.workers)
    pool.close()
    assert [worker.process.poll() is not None for worker in workers] == [True]
    pool.wake(), pool.close()


def test_a_worker_that_does_not_start_is_reported_and_tried_again_later(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "BACKOFF_SECONDS", (0.05, 0.1))
    monkeypatch.setattr(pools.sys, "executable", str(tmp_path / "python"))
    (tmp_path / "python").write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    (tmp_path / "python").chmod(0o755)
    pool = Pool(Store(tmp_path))
    pool.start()
    wait_until(lambda: pool._failures >= 2)
    assert "exit code 3" in pool.problem and "workers.log" in pool.problem
    assert (tmp_path / "logs" / "workers.log").read_text().startswith("broken\nbroken\n")
    pool.close()


def test_a_store_that_cannot_be_read_for_a_while_keeps_no_run_waiting(tmp_path, monkeypatch):
    """The pool says why, and trains as soon as it can."""
    monkeypatch.setattr(pools, "POLL_SECONDS", 0.05)
    store = Store(tmp_path)
    store.path.rename(tmp_path / "away")
    store.path.mkdir()
    pool = Pool(store)
    pool.start()
    wait_until(lambda: pool.problem)
    assert not pool.workers()
    store.path.rmdir()
    (tmp_path / "away").rename(store.path)
    run = store.create(SPEC)
    reaches(store, run, "finished")
    assert pool.problem is None
    pool.close()


SERVER = """
import sys, time
from explorer.runs.pool import Pool
from explorer.runs.store import Store
pool = Pool(Store(sys.argv[1]))
pool.start()
while not any(worker.state == "busy" for worker in pool.workers()):
    time.sleep(0.01)
print(pool.workers()[0].process.pid, flush=True)
time.sleep(60)
"""


@posix
def test_a_worker_ends_when_its_server_is_killed(tmp_path):
    store = Store(tmp_path)
    run = store.create(LONG)
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
    ) as server:
        pid = int(server.stdout.readline())
        server.kill()
    wait_until(lambda: not alive(pid))
    reaches(store, run, "interrupted")


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_says_what_it_is_and_leaves_when_told_to(tmp_path):
    """The protocol on the pipes, without the pool."""
    Store(tmp_path)
    with subprocess.Popen(
        [sys.executable, "-m", "explorer.runs.worker"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "EXPLORER_HOME": str(tmp_path)},
    ) as worker:
        kind = devices.best()
        said = json.loads(worker.stdout.readline())
        assert said == {"state": "idle", "device": kind, "capacity": devices.capacity(kind)}
        worker.stdin.write(b"q")
        worker.stdin.flush()
        assert worker.wait(10) == 0
        assert worker.stdout.read() == b""


@pytest.mark.parametrize("wish", ["tpu", "cuda:7", ""])
def test_an_unknown_device_is_refused(wish):
    with pytest.raises(devices.DeviceError, match="auto, cpu"):
        devices.kind_of(wish)


def test_a_server_whose_store_cannot_be_used_at_first_trains_later(monkeypatch, tmp_path):
    (tmp_path / "home").write_text("no folder")
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "home"))
    assert not registry.start() and registry.pool() is None
    (tmp_path / "home").unlink()
    assert registry.start() and registry.start()
    run = Store(tmp_path / "home").create(SPEC)
    registry.wake()
    reaches(Store(tmp_path / "home"), run, "finished")
    registry.close(2.0)
    assert registry.start() and registry.pool() is None, "a server that ends begins nothing"
