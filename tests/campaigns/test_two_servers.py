"""Two servers on one store, one of them killed at random, another started: every run ends once,
with the numbers of an undisturbed one, and nothing is left of the dead."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import wait_until
from worker_processes import workers_of

from explorer.runs import maintenance
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, amended

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc"),
]

ROOT = Path(__file__).resolve().parents[2]
SPEC = CouplingSpec(rank=2, m_h=2, tau=4, n=8, d_v=8, m_ff=16, batch=8, steps=600)
RUNS = 6
SERVER = """
import sys, time
from explorer.runs.pool import Pool
from explorer.runs.store import Store
pool = Pool(Store(sys.argv[1]))
pool.start()
while True:
    print(*(worker.process.pid for worker in pool.workers()), flush=True)
    time.sleep(0.1)
"""
PATIENCE = 300  # seconds; three servers share the machine


def server(folder):
    return subprocess.Popen(
        [sys.executable, "-c", SERVER, str(folder)], cwd=ROOT, stdout=subprocess.DEVNULL
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_server_costs_nothing(tmp_path, seed):
    dice = random.Random(seed)
    reference, store = Store(tmp_path / "reference"), Store(tmp_path / "home")
    expected = {}
    for number in range(RUNS):
        with reference.start(amended(SPEC, seed=number), "cpu") as lease:
            expected[number] = execute(reference, lease.row).metrics["weights_sha256"]
    runs = {store.create(amended(SPEC, seed=number)): number for number in range(RUNS)}
    servers = [server(store.home), server(store.home)]
    try:
        for _ in range(2):
            wait_until(lambda: "running" in {row.status for row in store.list()}, PATIENCE)
            time.sleep(dice.uniform(0, 1.5))
            dead = servers.pop(0)
            dead.kill()
            dead.wait()
            servers.append(server(store.home))
        wait_until(
            lambda: not {row.status for row in store.list()} & {"queued", "running"}, PATIENCE
        )
        rows = {row.run: row for row in store.list()}
        left = [row for row in rows.values() if row.status == "interrupted"]
        assert all(row.revived is not None for row in left), "its one turn is over"
        for row in left:
            store.request(row.run, "resume")
        wait_until(lambda: {row.status for row in store.list()} == {"finished"}, PATIENCE)
    finally:
        for each in servers:
            each.kill()
            each.wait()
    wait_until(lambda: not workers_of(store.home), seconds=20)
    found = {runs[row.run]: row.metrics["weights_sha256"] for row in store.list()}
    assert found == expected
    assert maintenance.check(store) == [] and maintenance.tidy(store) == []
