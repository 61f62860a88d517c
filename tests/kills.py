"""Children of this process that act, and are killed at the n-th call that changes the disk."""

import os
import random
import shutil
import signal
import time
import traceback

import pytest
from seams import Seams

from explorer.runs import execute as execution
from explorer.runs import resumable

SECONDS = 120
KILLED = -signal.SIGKILL
SAID = 3
"""Exit code of a child whose act has raised what its caller is told."""


def checkpoint_at_every_step():
    execution.CHECKPOINT_SECONDS = resumable.CHECKPOINT_SECONDS = 0.0
    execution.CHECKPOINT_SHARE = resumable.CHECKPOINT_SHARE = float("inf")


def in_a_child(act, folder, at, seams=Seams, said=()):
    """Exit code of a child that acts, KILLED where it was, and how many seams it passed; SAID where
    it has raised one of `said`."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        code = 7
        try:
            found = seams(at)
            found.install()
            checkpoint_at_every_step()
            act(folder)
            os.write(write, str(found.passed).encode())
            code = 0
        except said as error:
            code = SAID if str(error) else 8
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    os.close(write)
    deadline = time.monotonic() + SECONDS
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            pytest.fail("it hangs")
        time.sleep(0.002)
    with os.fdopen(read) as answer:
        return os.waitstatus_to_exitcode(ended[1]), int(answer.read() or 0)


def a_few(name, few):
    """Chooses the seams at which to kill, the same ones for the same act."""
    seed = random.Random(name)
    return lambda count: seed.sample(range(1, count + 1), few)


def killed_at(tmp_path, act, wanted):
    """Let a child act on a copy and be killed at each of the wanted seams; returns how many seams
    there were, and how many kills. `wanted` chooses among their numbers.

    What is polled by the clock has more seams on busy cores: a child that comes to its end before
    the one at which it were to be killed is one more that was not disturbed.
    """
    original, killed = tmp_path / "original", 0
    original.mkdir()
    act.prepare(original)
    shutil.copytree(original, tmp_path / "counted")
    code, count = in_a_child(act.act, tmp_path / "counted", at=None)
    assert code == 0 and count >= 2
    act.check(tmp_path / "counted")
    for at in wanted(count):
        folder = tmp_path / f"killed-{at}"
        shutil.copytree(original, folder)
        code = in_a_child(act.act, folder, at)[0]
        assert code in (KILLED, 0)
        killed += code == KILLED
        act.check(folder)
        shutil.rmtree(folder)
    return count, killed
