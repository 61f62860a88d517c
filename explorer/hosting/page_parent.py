"""Behind a proxy several processes compute pages (the setting `processes`), so that one that is
held up, or has ended, is not everybody's. This is their parent, which `serve` becomes: `python -m
explorer.hosting.page_parent`.

    nginx     shares visitors out over PORTS ports: all that one asks reaches the same one
    parent    listens there, for as long as the server is up; has the workers, recovery, upkeep and
              metrics, each once
    process   answers at its share of the ports, and says once a second that it does

A process that has ended, is silent or needs too much memory is restarted. Who asks meanwhile waits
at the port; a page that was open there is opened anew by Streamlit in its browser.
"""

import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from explorer.hosting import logs, page_health
from explorer.hosting.page_process import send
from explorer.hosting.settings import PORTS, Settings, of_environment
from explorer.runs.costs import MEGA
from explorer.ui import registry

SILENT_SECONDS, START_SECONDS = 30.0, 120.0
"""After which a process that answers, or has just been begun, is taken for held up."""
LOOK_SECONDS, PAUSE_SECONDS = 0.25, 1.0
COMMAND = (sys.executable, "-m", "explorer.hosting.page_process")
LOG = logging.getLogger("explorer.processes")


class Process:
    """A process on its `ports`, and what it has said last."""

    def __init__(self, ports: Sequence[socket.socket], command: Sequence[str], told: Mapping):
        self.ports, self.sockets, self.told = ports, dict[str, int](), ""
        self.is_up, self.heard = False, time.monotonic()
        read, write = os.pipe()
        files = [write, *(each.fileno() for each in ports)]
        words = [*command, *map(str, files)]
        stdin = subprocess.PIPE
        self.process = subprocess.Popen(words, env={**told}, stdin=stdin, pass_fds=files)
        os.close(write)
        threading.Thread(target=self._listen, args=(read,), daemon=True).start()

    def _listen(self, pipe: int) -> None:
        with os.fdopen(pipe) as lines:
            for line in lines:
                report = json.loads(line)
                self.is_up, self.heard = True, time.monotonic()
                self.sockets = report.get("sockets", self.sockets)
                if "woken" in report:
                    registry.wake()

    def tell(self, problem: str) -> None:
        """Why no worker can be started, where that is another reason than before."""
        if problem != self.told and self.process.stdin:
            self.told = problem
            send(self.process.stdin.fileno(), problem=problem)

    def problem(self, megabytes: int) -> str:
        """Why it has to be restarted; "" where it has not."""
        if (code := self.process.poll()) is not None:
            return f"it has ended (code {code})"
        if time.monotonic() - self.heard > (SILENT_SECONDS if self.is_up else START_SECONDS):
            return "it is silent"
        held = resident(self.process.pid)
        return f"it needs {held // MEGA} MB" if held > MEGA * megabytes else ""

    def end(self) -> None:
        """At once: what is kept is in the store."""
        self.process.kill()
        self.process.wait()
        with suppress(OSError):  # what it was told last was not read
            self.process.stdin.close()  # type: ignore


def resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 where the system does not say."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGESIZE")


class Processes:
    """Those of a server on its ports, of which each has an equal share."""

    def __init__(
        self, ports: Sequence[socket.socket], chosen: Settings, command: Sequence[str] = COMMAND
    ):
        count = chosen.of_pages
        each = chosen.model_copy(update={"sessions": -(-chosen.sessions // count)})
        self.told = {**os.environ, **each.environment()}
        self.command, self.megabytes = command, chosen.limits.page_megabytes
        self.was_up = False
        self.all = [self._begun(ports[i::count]) for i in range(count)]

    def _begun(self, ports: Sequence[socket.socket]) -> Process:
        return Process(ports, self.command, self.told)

    @property
    def sockets(self) -> Counter[str]:
        """Those open in all of them."""
        return sum((Counter(each.sockets) for each in self.all), Counter())

    @property
    def are_up(self) -> bool:
        return all(each.is_up for each in self.all)

    def restart_failed(self) -> None:
        """Begin anew what has to be. Raises SystemExit where none has ever been up: nor would the
        next."""
        self.was_up = self.was_up or any(each.is_up for each in self.all)
        for place, process in enumerate(self.all):
            if not (why := process.problem(self.megabytes)):
                continue
            process.end()
            if not self.was_up:
                raise SystemExit(process.process.returncode or 1)
            LOG.warning("a process of pages is restarted", {"process": place, "why": why})
            time.sleep(PAUSE_SECONDS)  # one that ends soon is not begun without end
            try:
                self.all[place] = self._begun(process.ports)
            except OSError as error:  # the machine has no room for another just now: once more
                LOG.warning(
                    "a process of pages cannot be begun", {"process": place, "why": str(error)}
                )

    def leave(self) -> None:
        """All of them are asked to end."""
        for each in self.all:
            each.process.send_signal(signal.SIGTERM)

    def close(self, end: float) -> None:
        """Who is still there at `end`, by the monotonic clock, is killed."""
        for each in self.all:
            try:
                each.process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                each.end()


def listening(address: str, port: int) -> socket.socket:
    """Exits with a line where that is not possible, as Streamlit does."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=2048)
    except (OSError, OverflowError):
        raise SystemExit(f"Port {port} is not available") from None


def main() -> None:
    """Serve with the settings of the environment until SIGTERM or Ctrl-C."""
    chosen = of_environment(os.environ)
    if chosen.log == "json":
        logs.begin()
    over = threading.Event()
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: over.set())
    with ExitStack() as held:
        ports = [listening(chosen.address, chosen.port + i) for i in range(PORTS)]
        for port in ports:
            held.enter_context(closing(port))
        processes = Processes(ports, chosen)
        held.callback(_end, processes, chosen.grace)
        held.enter_context(page_health.metrics_apart(chosen.metrics, processes))
        while not over.wait(LOOK_SECONDS):
            processes.restart_failed()
            _train(processes)


def _train(processes: Processes) -> None:
    """Have the workers once pages are there, and say on these what keeps them from it."""
    if not (pool := registry.pool()):
        if processes.are_up:
            registry.start()
        return
    for each in processes.all:
        each.tell(pool.problem or "")


def _end(processes: Processes, seconds: float) -> None:
    """Pages and workers, within one common deadline."""
    end = time.monotonic() + seconds
    processes.leave()
    registry.close(seconds)
    processes.close(end)


if __name__ == "__main__":
    main()
