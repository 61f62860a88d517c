"""A server used for a long time: does its memory grow?"""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from scipy import special, stats

from explorer.bench.backend import FIGURE, resident
from explorer.bench.load import TRAINED
from explorer.bench.serving import home, row_of, server
from explorer.bench.visitors import Visitor, new_cookie, space_of
from explorer.runs.database import StoreError
from explorer.runs.store import Store
from explorer.ui.pages import FIRST, PAGES

MINUTES = 30.0
WARM = 1 / 3  # of the time, first, in which visitors do not rest, so that caches are full after it
REST = 0.5  # seconds between two moves of a visitor, later
SAMPLE_SECONDS = 5.0
VISITORS, MOVES = 5, 4
TTL = 5
SETTINGS = {"public": True, "limits": "page_seconds=1000"}
"""All come from one address, which would wait else."""


def soak(minutes: float = MINUTES) -> Iterator[FIGURE]:
    """Visitors of a public server, each a new one, who come, move something and go, and trainings
    one after the other; how much the server's memory grows a minute, with its 95 % interval."""
    if not Path("/proc/self/status").exists():
        yield "needs /proc", "–", "", ""
        return
    options = [f"--server.disconnectedSessionTTL={TTL}"]
    with home() as folder, server(folder, options=options, settings=SETTINGS) as (address, pid):
        store = space_of(folder, new_cookie(address))
        used = asyncio.run(_used(store, address, pid, minutes))
    seconds, megabytes = np.array(used).T
    kept = seconds >= WARM * seconds[-1]
    slope, low, high = growth(seconds[kept] / 60, megabytes[kept])
    value = f"{slope:+.3f} ({low:+.3f} to {high:+.3f})"
    yield f"memory over {minutes:g} minutes of use", value, "MB/min", "0 within it"
    yield "memory at the end", f"{megabytes[-1]:.0f}", "MB", ""


def growth(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Slope of y (n,) over x (n,) and its 95 % interval, of least squares; samples that follow each
    other are alike, so they count as the fewer that their residuals' autocorrelation leaves."""
    fit = stats.linregress(x, y)
    residuals = y - (fit.intercept + fit.slope * x)
    spread = float(residuals @ residuals)
    alike = float(residuals[1:] @ residuals[:-1]) / spread if spread else 0.0
    alike = min(max(alike, 0.0), 0.99)
    independent = max(len(x) * (1 - alike) / (1 + alike), 3.0)
    error = fit.stderr * np.sqrt((len(x) - 2) / max(independent - 2, 1.0))
    reach = float(special.stdtrit(max(independent - 2, 1.0), 0.975) * error)
    return float(fit.slope), float(fit.slope) - reach, float(fit.slope) + reach


async def _used(store: Store, address: str, pid: int, minutes: float) -> list[tuple[float, float]]:
    """Seconds and megabytes, again and again while the server is used."""
    began, samples = time.monotonic(), []
    warm = began + WARM * 60 * minutes
    using = [asyncio.create_task(_comes_and_goes(address, seed, warm)) for seed in range(VISITORS)]
    using.append(asyncio.create_task(_trains(store)))
    while (now := time.monotonic() - began) < 60 * minutes:
        samples.append((now, resident(pid)))
        await asyncio.sleep(SAMPLE_SECONDS)
        for task in using:
            if task.done():
                task.result()  # raises what went wrong
    for task in using:
        task.cancel()
    return samples


async def _comes_and_goes(address: str, seed: int, warm: float) -> None:
    chance = random.Random(seed)
    while True:
        page = chance.choice(list(PAGES))
        cookie = await asyncio.to_thread(new_cookie, address)
        visitor = await Visitor.open(address, "" if page == FIRST else page, cookie)
        for _ in range(MOVES):
            await chance.choice((visitor.move_a_slider, visitor.drag))(chance)
            await asyncio.sleep(REST * (time.monotonic() > warm))
        await visitor.close()


async def _trains(store: Store) -> None:
    while True:
        run = store.create(TRAINED)
        while row_of(store, run).status != "finished":
            await asyncio.sleep(0.5)
        with suppress(StoreError):  # its worker may hold it for a moment more
            store.delete(run)
