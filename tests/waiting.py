"""Waiting for what another process or thread does."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

SECONDS = 90
POLL = 0.01


def wait_until(condition, seconds=SECONDS):
    """The first true value of `condition`; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(POLL)
    return value


def ran_apart(coroutine):
    """What a coroutine returns; in a thread of its own, since a browser's loop may run in this."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
