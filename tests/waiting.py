"""Waiting for what another process or thread does."""

import time

SECONDS = 90
POLL = 0.01


def wait_until(condition, seconds=SECONDS):
    """The first true value of `condition`; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(POLL)
    return value
