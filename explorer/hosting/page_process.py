"""`python -m explorer.hosting.page_process PIPE SOCKET…`: one process of pages, on sockets that its
parent (page_parent.py) listens on and keeps when this process ends. They tell each other lines of
JSON:

{"sockets": {"sessions": 3, …}}     once a second, from the loop that answers requests
{"woken": true}                     something is queued, or no longer
{"problem": "…"}                    from the parent, on stdin: why no worker can be started
"""

import asyncio
import json
import os
import signal
import socket
import sys
import threading
from contextlib import suppress
from typing import Any

from explorer.folder import resource
from explorer.hosting.settings import of_environment, streamlit_options
from explorer.ui import registry
from explorer.ui.streamlit_private import run_on

BEAT_SECONDS = 1.0


def send(pipe: int, **report: Any) -> None:
    """A line; it is lost where earlier ones are not read, or nobody is there."""
    with suppress(BlockingIOError, BrokenPipeError):
        os.write(pipe, json.dumps(report).encode() + b"\n")


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


def main() -> None:
    """Serve until a signal ends it."""
    pipe, *sockets = map(int, sys.argv[1:])
    registry.begin_below(parent := Parent(pipe))
    threading.Thread(target=parent.listen, daemon=True).start()
    options = streamlit_options(of_environment(os.environ))
    run_on([socket.socket(fileno=each) for each in sockets], str(resource("app.py")), options)


if __name__ == "__main__":
    main()
