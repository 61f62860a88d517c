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
from pathlib import Path
from typing import Any

from explorer.runs.record import RunRow
from explorer.runs.store import Store

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


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
    options: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[tuple[str, int]]:
    """`streamlit run app.py` on a port, by default a free one: address and process id. `options`
    are Streamlit's, `settings` those of hosting/settings.py."""
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.headless=true"]
    given = {"trusted_proxy": "127.0.0.1"} | dict(settings or {})  # as if it were behind one
    chosen = {f"EXPLORER_{name.upper()}": str(value) for name, value in given.items()}
    environment = os.environ | chosen | {"EXPLORER_HOME": str(folder)} | _compiled(folder)
    process = subprocess.Popen(
        [*command, f"--server.port={port}", *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        until(lambda: healthy(address))
        yield address, process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


def _compiled(folder: Path) -> dict[str, str]:
    """Where modules are kept compiled from the first start on, as an installation has them, also
    where Python is told to write none."""
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "compiled")}


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
def chromium() -> Iterator[Any]:
    """A browser; None where there is no Chromium or no playwright."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        path = None
    if path is None:
        yield None
        return
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()
