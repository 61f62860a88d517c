"""What a process of pages and its parent (page_parent.py) tell each other: lines of JSON.

{"sockets": {"sessions": 3, …}}     once a second, from the loop that answers requests
{"woken": true}                     something is queued, or no longer
{"problem": "…"}                    from the parent, on stdin: why no worker can be started
"""

import asyncio
import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any

BEAT_SECONDS = 1.0


def send(pipe: int, **said: Any) -> None:
    """A line; it is lost where earlier ones are not read, or nobody is there."""
    with suppress(BlockingIOError, BrokenPipeError):
        os.write(pipe, json.dumps(said).encode() + b"\n")


class Parent:
    """The parent, by the end of the pipe that it has given to this process. It has the workers;
    `problem` says why none can be started, if that is so."""

    def __init__(self, pipe: int):
        self.pipe, self.problem = pipe, ""
        os.set_blocking(pipe, False)

    def wake(self) -> None:
        """Let a worker look at once."""
        send(self.pipe, woken=True)

    def listen(self) -> None:
        """Hear what it says until it has gone: then this process ends, too."""
        for line in sys.stdin:
            self.problem = json.loads(line)["problem"]
        os.kill(os.getpid(), signal.SIGTERM)

    async def beat(self, state: Any) -> None:
        """Tell the open sockets of an app, of which this is the `state`, until cancelled."""
        while True:
            send(self.pipe, sockets=dict(getattr(state, "sockets", {})))
            await asyncio.sleep(BEAT_SECONDS)
