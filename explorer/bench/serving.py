"""A store, a server and a browser that last as long as one measurement."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from explorer.hosting.settings import PORTS
from explorer.runs.pool import Pool
from explorer.runs.record import RunRow
from explorer.runs.store import Store

Figures = Iterator[tuple[str, str, str, str]]
"""What a bench yields: what was measured, its value and unit, and the goal, if one was set."""
ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class Lacking(RuntimeError):
    """Something is not here that a bench needs; the message says what."""


@contextmanager
def home() -> Iterator[Path]:
    """A store of its own, so that nobody's runs are touched."""
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as folder:
        yield Path(folder)


def free_port(more: int = 0) -> int:
    """A port that nobody listens on, nor on so many after it."""
    while True:
        with ExitStack() as held, suppress(OSError, OverflowError):  # it is another's
            first = held.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            for i in range(more):
                held.enter_context(socket.create_server(("127.0.0.1", first + 1 + i)))
            return first


@contextmanager
def server(
    folder: Path,
    port: int | None = None,
    script: str = "app.py",
    settings: Mapping[str, Any] | None = None,
    forgets: int | None = None,
) -> Iterator[tuple[str, int]]:
    """`streamlit run app.py` on a port, by default a free one: address and process id. `settings`
    are those of hosting/settings.py; it `forgets` a session so many seconds after its socket."""
    port = port or free_port()
    command = ["streamlit", "run", script, "--server.headless=true", f"--server.port={port}"]
    with _begun(command, folder, settings or {}, forgets) as process:
        address = f"http://127.0.0.1:{port}"
        until(lambda: healthy(address))
        yield address, process


@contextmanager
def public_server(
    folder: Path, settings: Mapping[str, Any] | None = None, forgets: int | None = None
) -> Iterator[tuple[list[str], int]]:
    """`serve --public`, as behind the shipped proxy: the addresses that its visitors have (see
    `visitors.Public`), and the process that has those of the pages."""
    first = free_port(PORTS - 1)
    addresses = [f"http://127.0.0.1:{first + i}" for i in range(PORTS)]
    command = ["explorer", "serve", f"--port={first}"]
    with _begun(command, folder, {"public": True, **(settings or {})}, forgets) as process:
        until(lambda: all(map(healthy, addresses)))
        yield addresses, process


@contextmanager
def _begun(
    command: Sequence[str], folder: Path, settings: Mapping[str, Any], forgets: int | None
) -> Iterator[int]:
    """Until it is left: the id of a module's process, as if it were behind a proxy."""
    given = {"trusted_proxy": "127.0.0.1", "home": folder, **settings}
    chosen = {f"EXPLORER_{name.upper()}": str(value) for name, value in given.items()}
    if forgets is not None:
        chosen["STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"] = str(forgets)
    # modules stay compiled from the first start on, as in an installation, whatever Python is told
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment = os.environ | chosen | compiled
    words = [sys.executable, "-m", *command]
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(words, cwd=ROOT, env=environment, stdout=nowhere, stderr=nowhere)
    try:
        yield process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


def resident(pid: int) -> float:
    """Megabytes of a server, in its process or in those of its pages (Linux)."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    pages = [each for each in children if _is_of_pages(each)]
    return sum(_megabytes(each) for each in [str(pid), *pages])


def _is_of_pages(pid: str) -> bool:
    with suppress(OSError):  # it has ended
        return b"page_process" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _megabytes(pid: str) -> float:
    with suppress(OSError, IndexError):
        status = Path(f"/proc/{pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024
    return 0.0


def need_proc() -> None:
    """Raises Lacking where the system tells nothing of its processes."""
    if not Path("/proc/self/status").exists():
        raise Lacking("needs /proc")


def row_of(store: Store, run: str) -> RunRow:
    """The row of a run that is there."""
    if (row := store.get(run)) is None:
        raise RuntimeError(f"run {run} has gone")
    return row


def healthy(address: str) -> bool:
    """Whether the server at an address answers."""
    with suppress(OSError):  # refused, or too slow to answer
        return urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).status == 200
    return False


def until(condition: Callable[[], Any], seconds: float = 120, pause: float = 0.02) -> Any:
    """Wait for a condition and return what it gave; raises TimeoutError."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(pause)
    raise TimeoutError(f"nothing came of {condition} in {seconds} s")


@contextmanager
def idle_pool(store: Store) -> Iterator[Pool]:
    """Workers of a store, one of which is warm."""
    pool = Pool(store)
    pool.start()
    try:
        until(lambda: any(worker.state == "idle" for worker in pool.workers()))
        yield pool
    finally:
        pool.close(5)


@contextmanager
def chromium(prefix: str = "") -> Iterator[Any]:
    """A browser; raises Lacking, `prefix` first, where there is no Chromium or no playwright."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None or find_spec("playwright") is None:
        raise Lacking(f"{prefix}needs a Chromium and playwright")
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()
