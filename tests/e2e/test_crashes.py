"""What is left of a run when its process, or the whole server, is killed on the spot."""

import os
import signal
from pathlib import Path

import pytest
from driving import NETWORK, Server, until, workers
from playwright.sync_api import expect

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux' /proc")

SPEC = NETWORK | {"steps": 2000}  # no machine is through before a hand has paused it
MISSED = ("ERR_CONNECTION_REFUSED", "reaching server endpoint", "Is Streamlit still running?")
"""What the client says of a server that is gone, the last two when it has looked for it long."""


@pytest.fixture(scope="module")
def own(context, tmp_path_factory):
    """A server that may be killed, and the weights that nothing has disturbed."""
    server = Server(tmp_path_factory.mktemp("killed"))
    undisturbed = server.train(SPEC)
    server.start()
    yield server, undisturbed["weights_sha256"]
    server.stop()


def half_way(tab):
    """Train with one pause, which leaves a checkpoint, and go on beyond it."""
    run = tab.start()
    tab.wait_frame("h.status === 'running' && h.step > 30")
    tab.button("Pause").click()
    step = tab.wait_status("paused")["step"]
    tab.button("Resume").click()
    assert tab.wait_frame(f"h.status === 'running' && h.step > {step + 20}")["step"] < SPEC["steps"]
    return run, step


def resume(server, tab, weights):
    run = tab.run
    tab.button("Resume").click()
    assert tab.wait_status("finished")["step"] == SPEC["steps"]
    assert server.store.get(run).metrics["weights_sha256"] == weights


def test_a_killed_worker_leaves_a_run_that_resumes_to_the_same_weights(own, open_reader):
    server, weights = own
    tab = open_reader(server).open("train", SPEC)
    run, checkpoint = half_way(tab)
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    tab.wait_status("interrupted")
    expect(tab.verdict).to_contain_text("this run is interrupted")
    assert server.store.get(run).step >= checkpoint
    resume(server, tab, weights)


def test_the_run_of_a_killed_server_goes_on_by_itself_with_the_next_one(own, open_reader):
    """Its workers end by themselves; the page finds the next server, and the run in it."""
    server, weights = own
    reader = open_reader(server)
    tab = reader.open("train", SPEC)
    run, checkpoint = half_way(tab)
    orphans = server.workers()
    server.kill()
    until(lambda: not {pid for pid, _ in workers()} & set(orphans))
    expect(tab.page.locator("[data-text=note]")).to_contain_text("reconnecting")

    server.start()
    until(lambda: server.store.get(run).revived is not None)
    assert server.store.get(run).revived >= checkpoint
    late = reader.open("train", run=run)
    for seen in (tab, late):
        assert seen.wait_status("finished")["step"] == SPEC["steps"]
    late.page.get_by_text("went on by itself").wait_for()
    assert server.store.get(run).metrics["weights_sha256"] == weights
    for reason in MISSED:
        reader.forgive(reason)
