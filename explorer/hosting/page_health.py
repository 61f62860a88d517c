"""What a machine asks of the server: `/healthz`, whether it can work; `/metrics`, how much it does,
as Prometheus reads it, on an address of its own where the setting `metrics` names one. Neither says
anything of what is trained."""

import asyncio
import shutil
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from explorer.hosting.queue import Queue
from explorer.hosting.settings import SettingsError
from explorer.hosting.space import LOOK_SECONDS, kept_lately, opened, owners, visitors
from explorer.runs.database import StoreError
from explorer.runs.store import Store
from explorer.ui import registry
from explorer.ui.words import public

GAUGES = ("runs", "steps", "sockets", "store_bytes", "free_bytes", "visitors", "visitors_bytes")
PROMETHEUS = "text/plain; version=0.0.4"
APART = "/metrics has an address of its own: the setting `metrics`"
SECONDS = 10
"""For which a half-sent question is waited for."""


async def healthy(_: Request) -> JSONResponse:
    """200 where the store can be read, else 503 with the reason."""
    try:
        counts = await asyncio.to_thread(_counts)
    except StoreError as error:
        return JSONResponse({"status": "no store", "problem": public(error)}, 503)
    runs = {status: runs for status, (runs, _) in counts.items()}
    return JSONResponse({"status": "ok", "runs": runs})


async def metrics(request: Request) -> PlainTextResponse:
    """`exposition`, where it is not elsewhere: never where visitors come with --public, nor by one
    of several processes."""
    if registry.is_public() or registry.parent() or registry.settings().metrics:
        return PlainTextResponse(APART, 404)
    sockets = getattr(request.app.state, "sockets", {})
    status, text = await asyncio.to_thread(exposition, sockets)
    return PlainTextResponse(text, status, media_type=PROMETHEUS)


def exposition(sockets: Mapping[str, int]) -> tuple[int, str]:
    """Status and text: runs by status and their steps, open `sockets`, the size of the store and
    what the disk has left; of all visitors together, where they have spaces."""
    try:
        rows = _rows()
    except StoreError as error:
        return 503, public(error)
    rows += [("sockets", f'{{of="{kind}"}}', count) for kind, count in sockets.items()]
    lines = [f"# TYPE explorer_{name} gauge" for name in GAUGES]
    lines += [f"explorer_{name}{label} {value}" for name, label, value in rows]
    return 200, "\n".join(lines) + "\n"


@contextmanager
def metrics_apart(address: str, state: Any) -> Iterator[None]:
    """Answer `/metrics` on an address, as 127.0.0.1:9464, meanwhile; on none where it is empty.
    `state` is the app's. Raises SettingsError where it cannot be listened on."""
    if not address:
        yield
        return

    class Handler(BaseHTTPRequestHandler):
        timeout = SECONDS

        def do_GET(self) -> None:
            is_metrics = self.path == "/metrics"
            sockets = dict(getattr(state, "sockets", {}))
            status, text = exposition(sockets) if is_metrics else (404, "/metrics is here\n")
            self.send_response(status)
            self.send_header("Content-Type", PROMETHEUS)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: whoever asks is the operator."""

    host, _, port = address.rpartition(":")
    try:
        server = ThreadingHTTPServer((host, int(port)), Handler)
    except OSError as error:
        raise SettingsError(f"metrics: {address} cannot be listened on: {error}") from None
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()


def _counts() -> dict[str, tuple[int, int]]:
    """Runs and their steps by status; where visitors have spaces, what waits and works there."""
    counts = registry.commons().counts()
    if registry.is_public():
        for status, work in Queue(visitors(registry.commons())).counts().items():
            runs, steps = counts.get(status, (0, 0))
            counts[status] = runs + work, steps
    return counts


def _rows() -> list[tuple[str, str, int]]:
    store, counts = registry.commons(), _counts()
    theirs = _visitors(counts) if registry.is_public() else []
    files = [path for path in store.home.glob("store.sqlite3*") if path.is_file()]
    return [
        *(("runs", f'{{status="{status}"}}', runs) for status, (runs, _) in counts.items()),
        ("steps", "", sum(steps for _, steps in counts.values())),
        ("store_bytes", "", sum(path.stat().st_size for path in files)),
        ("free_bytes", "", shutil.disk_usage(store.home).free),
        *theirs,
    ]


def _visitors(counts: dict[str, tuple[int, int]]) -> list[tuple[str, str, int]]:
    """Spaces and the bytes in them. What is in them joins the `counts`, which have what waits and
    works there."""
    commons = registry.commons()
    minute = int(time.monotonic() // LOOK_SECONDS)
    for status, (runs, steps) in counts_of_all(commons, minute).items():
        before = counts.get(status, (0, 0))
        more = 0 if status in ("queued", "running") else runs
        counts[status] = before[0] + more, before[1] + steps
    return [
        ("visitors", "", len(owners(commons))),
        ("visitors_bytes", "", kept_lately(visitors(commons))),
    ]


@lru_cache(maxsize=4)
def counts_of_all(commons: Store, minute: int) -> dict[str, tuple[int, int]]:
    """How many runs of all spaces have a status, and the steps they have made, counted once in each
    minute."""
    totals = dict[str, tuple[int, int]]()
    for owner in owners(commons):
        with suppress(StoreError):  # it has just gone, or is damaged, which its visitor is told
            space = opened(commons, owner)
            for status, (runs, steps) in (space.counts() if space else {}).items():
                before = totals.get(status, (0, 0))
                totals[status] = before[0] + runs, before[1] + steps
    return totals


def routes(base: str = "") -> list[Route]:
    """Both, below `base`."""
    return [Route(f"{base}/healthz", healthy), Route(f"{base}/metrics", metrics)]
