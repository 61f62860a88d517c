"""A server used for a long time: does its memory grow?"""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path

import numpy as np
from scipy import special, stats

from explorer.bench.load import TRAINED
from explorer.bench.serving import Figures, home, need_proc, public_server, resident, row_of
from explorer.bench.visitors import Public, new_word, queued, space_of
from explorer.hosting.space import Space
from explorer.runs.database import StoreError
from explorer.ui.pages import FIRST, PAGES

MINUTES = 30.0
WARM = 1 / 3  # of the time, first, in which visitors do not rest, so that caches are full after it
REST = 0.5  # seconds between two moves of a visitor, later
SAMPLE_SECONDS = 5.0
VISITORS, MOVES = 5, 4
VISITS = 24
"""What they do begins anew after so many: each visitor is a new one, and what is kept of pictures,
up to its bound, is kept before memory is looked at, on a slow machine, too."""
TTL = 5
SETTINGS = {"limits": "page_seconds=1000"}
"""All come from one address, which would wait else."""


def soak(minutes: float = MINUTES) -> Figures:
    """Visitors of a public server, each a new one, who come, move something and go, and trainings
    one after the other; how much the server's memory grows a minute, with its 95 % interval."""
    need_proc()
    with home() as folder, public_server(folder, SETTINGS, forgets=TTL) as (addresses, pid):
        used = asyncio.run(_used(folder, Public(addresses), pid, minutes))
    seconds, megabytes = np.array(used).T
    warm = seconds >= WARM * seconds[-1]
    slope, low, high = growth(seconds[warm] / 60, megabytes[warm])
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


async def _used(
    folder: Path, public: Public, pid: int, minutes: float
) -> list[tuple[float, float]]:
    """Seconds and megabytes, again and again while the server is used."""
    began, samples = time.monotonic(), []
    warm = began + WARM * 60 * minutes
    visits = cycle(range(VISITS))
    using = [asyncio.create_task(_come_and_go(public, visits, warm)) for _ in range(VISITORS)]
    space = space_of(folder, public.cookie(new_word(folder)))
    using.append(asyncio.create_task(_trains(folder, space)))
    while (now := time.monotonic() - began) < 60 * minutes:
        samples.append((now, resident(pid)))
        await asyncio.sleep(SAMPLE_SECONDS)
        for task in using:
            if task.done():
                task.result()  # raises what went wrong
    for task in using:
        task.cancel()
    return samples


async def _come_and_go(public: Public, visits: Iterator[int], warm: float) -> None:
    for visit in visits:
        chance = random.Random(visit)
        page = chance.choice(list(PAGES))
        visitor = await public.new(page="" if page == FIRST else page)
        for _ in range(MOVES):
            await chance.choice((visitor.move_a_slider, visitor.drag))(chance)
            await asyncio.sleep(REST * (time.monotonic() > warm))
        await visitor.close()


async def _trains(folder: Path, space: Space) -> None:
    while True:
        run = queued(folder, space, TRAINED)
        while row_of(space, run).status != "finished":
            await asyncio.sleep(0.5)
        with suppress(StoreError):  # its worker may hold it for a moment more
            space.delete(run)
