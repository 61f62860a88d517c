"""Costs of the running app: a real server, store and workers, and a browser if there is one."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median
from typing import Any

from explorer.runs.pool import Pool
from explorer.runs.record import RunRow
from explorer.runs.store import Store
from explorer.spec import Spec

ROOT = Path(__file__).resolve().parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
LONG, SHORT = Spec(rank=2, m_h=4, steps=1500), Spec(rank=2, m_ff=16, warmup=0, steps=20)
PAIRS, RERUNS, RUNS = 3, 12, 50
FIGURE = tuple[str, str, str, str]


@contextmanager
def home() -> Iterator[Path]:
    """A store of its own, so that nobody's runs are touched."""
    with tempfile.TemporaryDirectory(prefix="explorer-bench-") as folder:
        yield Path(folder)


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, int]]:
    """`streamlit run app.py` on a free port: its address and process id."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    environment = os.environ | {"EXPLORER_HOME": str(folder)}
    process = subprocess.Popen(
        [*command, f"--server.port={port}"], cwd=ROOT, env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        until(lambda: _healthy(address))
        yield address, process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(10)


def _healthy(address: str) -> bool:
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


def start() -> Iterator[FIGURE]:
    """From pressing Train to the first step, by a worker that is already warm."""
    with home() as folder:
        store = Store(folder)
        pool = Pool(store)
        pool.start()
        try:
            until(lambda: any(worker.state == "idle" for worker in pool.workers()))
            waits = [_first_step(store, pool) for _ in range(9)]
        finally:
            pool.close(5)
    yield "Train pressed → first step, warm worker", f"{1e3 * median(waits):.0f}", "ms", "≤ 200"


def _first_step(store: Store, pool: Pool) -> float:
    begun = time.perf_counter()
    run = store.create(LONG)
    store.watch(run)
    pool.wake()
    until(lambda: store.live(run), pause=0.001)
    waited = time.perf_counter() - begun
    store.request(run, "stop")
    until(lambda: store.get(run).status == "stopped")
    return waited


def page() -> Iterator[FIGURE]:
    """First paint, live updates, training with the page open, and another session's reruns."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        browser = None
    if browser is None:
        yield "needs a Chromium and playwright", "–", "", ""
        return
    with home() as folder, sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        chromium = playwright.chromium.launch(executable_path=browser, args=flags)
        for _ in range(2):  # the second start finds warm caches
            begun = time.perf_counter()
            with server(folder) as (address, _):
                _open(chromium, address).close()
                painted = time.perf_counter() - begun
        yield "streamlit run app.py → first paint, warm", f"{painted:.1f}", "s", "≤ 2"
        with server(folder) as (address, _):
            yield from _beside_training(Store(folder), chromium, address)
        chromium.close()


def _open(chromium: Any, address: str) -> Any:
    """A page whose question is on the screen."""
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(address)
    page.get_by_role("heading", level=3).first.wait_for()
    return page


def _beside_training(store: Store, chromium: Any, address: str) -> Iterator[FIGURE]:
    _train(store)  # warms the worker
    alone, watched, updates = [], [], []
    for _ in range(PAIRS):
        alone.append(_rate(_train(store)))
        row, frames = _train_watched(store, chromium, address)
        watched.append(_rate(row))
        updates.append(frames / row.seconds)
    share = 100 * median(w / a for w, a in zip(watched, alone, strict=True))
    yield "updates of the live view", f"{median(updates):.0f}", "1/s", "≥ 10"
    yield "training with the page open, of headless", f"{share:.0f}", "%", "≥ 95"
    yield "training, headless", f"{median(alone):.0f}", "steps/s", ""
    other = _open(chromium, address)
    idle = _reruns(other)
    run = store.create(Spec(steps=100_000))
    until(lambda: store.get(run).step > 0)
    busy = _reruns(other)
    store.request(run, "stop")
    ratio = f"{median(busy) / median(idle):.2f}"
    yield "a rerun of the Design page, idle server", f"{1e3 * median(idle):.0f}", "ms", ""
    yield "the same in another session while a run trains", ratio, "× idle", "≤ 2"


def _train(store: Store) -> RunRow:
    run = store.create(LONG)
    return until(lambda: _finished(store, run), pause=0.1)


def _train_watched(store: Store, chromium: Any, address: str) -> tuple[RunRow, int]:
    """Train with the run's page open; the row and how many frames the browser drew."""
    run = store.create(LONG)
    page = _open(chromium, f"{address}/train?run={run}")
    row = until(lambda: _finished(store, run), pause=0.1)
    frames = page.evaluate("window.__explorerLive.frames")
    page.close()
    return row, frames


def _finished(store: Store, run: str) -> RunRow | None:
    row = store.get(run)
    return row if row.status == "finished" else None


def _rate(row: RunRow) -> float:
    return row.steps / row.seconds


def _reruns(page: Any) -> list[float]:
    """Seconds from a key on the width slider to its verdict."""
    slider = page.get_by_role("slider", name="terms kept")
    slider.focus()
    waits = []
    for turn in range(RERUNS):
        before = page.get_by_test_id("stAlert").inner_text()
        begun = time.perf_counter()
        page.keyboard.press("ArrowRight" if turn % 2 == 0 else "ArrowLeft")
        until(lambda b=before: page.get_by_test_id("stAlert").inner_text() != b, pause=0.002)
        waits.append(time.perf_counter() - begun)
    return waits


def memory() -> Iterator[FIGURE]:
    """Resident memory of a server before and after 50 runs (Linux)."""
    if not Path("/proc/self/status").exists():
        yield "needs /proc", "–", "", ""
        return
    with home() as folder, server(folder) as (_, pid):
        store = Store(folder)
        _many(store, 5)
        before = _resident(pid)
        _many(store, RUNS)
        grown = _resident(pid) - before
    yield f"server before {RUNS} runs", f"{before:.0f}", "MB", ""
    yield f"its growth over {RUNS} runs", f"{grown:+.1f}", "MB", "none"


def _many(store: Store, count: int) -> None:
    for _ in range(count):
        run = store.create(SHORT)
        until(lambda run=run: _finished(store, run))


def _resident(pid: int) -> float:
    """Megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024
