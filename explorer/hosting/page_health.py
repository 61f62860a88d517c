"""What a machine asks of the server: `/healthz`, whether it can work; `/metrics`, how much it does,
as Prometheus reads it. Neither says anything of what is trained."""

from __future__ import annotations

import asyncio
import shutil

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from explorer.hosting.limits import kept_by_all
from explorer.hosting.space import counts_of_all, owners, visitors
from explorer.hosting.turns import Turns
from explorer.runs.database import StoreError
from explorer.ui import registry
from explorer.ui.words import public

KINDS = {"runs": "gauge", "steps": "gauge", "sockets": "gauge"}
KINDS |= {"store_bytes": "gauge", "free_bytes": "gauge"}
KINDS |= {"visitors": "gauge", "visitors_bytes": "gauge"}


async def healthy(_: Request) -> JSONResponse:
    """200 where the store can be read, else 503 with the reason."""
    try:
        counts = await asyncio.to_thread(_counts)
    except StoreError as error:
        return JSONResponse({"status": "no store", "problem": public(error)}, 503)
    runs = {status: runs for status, (runs, _) in counts.items()}
    return JSONResponse({"status": "ok", "runs": runs})


async def metrics(request: Request) -> PlainTextResponse:
    """Runs by status and their steps, open sockets, the size of the store and what the disk has
    left; of all visitors together, where they have spaces."""
    try:
        rows = await asyncio.to_thread(_rows)
    except StoreError as error:
        return PlainTextResponse(public(error), 503)
    sockets = getattr(request.app.state, "sockets", {})
    rows += [("sockets", f'{{of="{of}"}}', count) for of, count in sockets.items()]
    lines = [f"# TYPE explorer_{name} {kind}" for name, kind in KINDS.items()]
    lines += [f"explorer_{name}{label} {value}" for name, label, value in rows]
    return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


def _counts() -> dict[str, tuple[int, int]]:
    """Runs and their steps by status; where visitors have spaces, what waits and works there."""
    counts = registry.commons().counts()
    if registry.is_public():
        for status, work in Turns(registry.commons()).counts().items():
            runs, steps = counts.get(status, (0, 0))
            counts[status] = runs + work, steps
    return counts


def _rows() -> list[tuple[str, str, int]]:
    store, counts = registry.commons(), _counts()
    theirs = _visitors(counts) if registry.is_public() else []
    kept = [path for path in store.home.glob("store.sqlite3*") if path.is_file()]
    return [
        *(("runs", f'{{status="{status}"}}', runs) for status, (runs, _) in counts.items()),
        ("steps", "", sum(steps for _, steps in counts.values())),
        ("store_bytes", "", sum(path.stat().st_size for path in kept)),
        ("free_bytes", "", shutil.disk_usage(store.home).free),
        *theirs,
    ]


def _visitors(counts: dict[str, tuple[int, int]]) -> list[tuple[str, str, int]]:
    """Spaces and the bytes in them. What is in them joins the `counts`, which have what waits and
    works there."""
    commons = registry.commons()
    for status, (runs, steps) in counts_of_all(commons).items():
        before = counts.get(status, (0, 0))
        more = 0 if status in ("queued", "running") else runs
        counts[status] = before[0] + more, before[1] + steps
    return [
        ("visitors", "", len(owners(commons))),
        ("visitors_bytes", "", kept_by_all(visitors(commons))),
    ]


def routes(base: str = "") -> list[Route]:
    """Both, below `base`."""
    return [Route(f"{base}/healthz", healthy), Route(f"{base}/metrics", metrics)]
