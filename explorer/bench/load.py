"""A room full of visitors: how soon pages answer, what a session costs, what stays behind."""

import asyncio
import os
import random
import time
from pathlib import Path
from statistics import median

import numpy as np

from explorer.bench.serving import (
    Figures,
    home,
    need_proc,
    public_server,
    resident,
    row_of,
    server,
    until,
)
from explorer.bench.visitors import Lost, Public, Visitor, new_word, queued, space_of, watch
from explorer.hosting.page import FORGET_SECONDS
from explorer.hosting.space import Space
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, compact

PAGES = ("", "train", "order", "attention")
SESSIONS, PAUSE = 20, 2.0
SECONDS = float(os.environ.get("EXPLORER_BENCH_SECONDS", 60))
RUNS, QUIET_RUNS = 8, 3
TRAINED = CouplingSpec(rank=2, m_h=4, steps=1500)
IDLE, FIRST, OPENED = 200, 100, 500
TABS, RUN_SECONDS = 200, 20.0
"""Visitors who train in their own browsers, and for how long one looks at a run there."""
AT_ONCE = 5
FORGOTTEN = 2 * FORGET_SECONDS + 5
"""Seconds after which the server has forgotten sessions that it keeps for two."""


def load() -> Figures:
    """Reruns of 20 sessions beside trainings, idle sockets, sessions that come and go."""
    need_proc()
    yield from _under_load()
    yield from _in_their_tabs()
    yield from _idle()
    yield from _come_and_gone()


def _under_load() -> Figures:
    """New visitors with one word, a class, of whom some train; pages by one process and by two."""
    for processes in (1, 2):
        with home() as folder, public_server(folder, {"processes": processes}) as (addresses, _):
            public, word = Public(addresses), new_word(folder)
            spaces = [space_of(folder, public.cookie(word)) for _ in range(1 + QUIET_RUNS)]
            alone = _rates([(space, queued(folder, space, TRAINED)) for space in spaces])[1:]
            waits, beside = asyncio.run(_room(folder, public, word))
        p50, p95 = np.percentile(waits, [50, 95])
        label = f"{SESSIONS} new visitors, each {PAUSE:g} s a drag or a slider, {RUNS} trainings"
        yield f"{label}, pages by {processes}: rerun p50", f"{1e3 * p50:.0f}", "ms", "≤ 100"
        yield f"the same, p95 of {len(waits)}", f"{1e3 * p95:.0f}", "ms", "≤ 300"
        yield "the same, the longest", f"{1e3 * max(waits):.0f}", "ms", ""
        share = 100 * median(beside) / median(alone)
        yield "training beside them, of alone", f"{share:.0f}", "%", "≥ 80"


def _rates(runs: list[tuple[Space, str]]) -> list[float]:
    """Steps a second of each, once all have ended."""
    until(lambda: all(row_of(*run).status == "finished" for run in runs), 600)
    return [row.steps / row.seconds for row in (row_of(*run) for run in runs)]


async def _room(folder: Path, public: Public, word: str) -> tuple[list[float], list[float]]:
    """Seconds of every rerun, and steps a second of the runs meanwhile."""
    cookies = [public.cookie(word) for _ in range(SESSIONS)]
    visitors = await _all_open(public, cookies, [*PAGES] * SESSIONS)
    spaces = {cookie: space_of(folder, cookie) for cookie in cookies[:RUNS]}
    runs = {cookie: queued(folder, space, TRAINED) for cookie, space in spaces.items()}
    watched = [watch(public.address_of(cookie), run, cookie) for cookie, run in runs.items()]
    watching = [asyncio.create_task(each) for each in watched]
    waits = await _all_move(visitors)
    for task in watching:
        task.cancel()
    rows = [row_of(spaces[cookie], run) for cookie, run in runs.items()]
    for visitor in visitors:
        await visitor.close()
    return waits, [row.step / row.seconds for row in rows if row.step]


async def _moves(visitor: Visitor, seed: int, end: float) -> list[float]:
    chance, waits = random.Random(seed), []
    await asyncio.sleep(chance.uniform(0, PAUSE))
    while time.monotonic() < end:
        acts = (visitor.move_a_slider, visitor.drag)
        waits.append(await chance.choice(acts)(chance))
        await asyncio.sleep(max(0.0, PAUSE - waits[-1]))
    return waits


def _in_their_tabs() -> Figures:
    """Visitors of a public server, which trains nothing and keeps nothing of theirs."""
    with home() as folder, public_server(folder) as (addresses, _):
        alone, beside = asyncio.run(_beside_tabs(Public(addresses), new_word(folder)))
        runs = len(Store(folder).list())
    before, after = np.percentile(alone, 95), np.percentile(beside, 95)
    label = f"{SESSIONS} visitors, each {PAUSE:g} s a slider"
    yield f"{label}: rerun p95", f"{1e3 * before:.0f}", "ms", ""
    what = f"the same beside {TABS} who train in their own browsers, a run each {RUN_SECONDS:g} s"
    yield what, f"{1e3 * after:.0f}", "ms", "≤ 300"
    yield "of it without them", f"{after / before:.2f}", "×", ""
    yield "runs that the server has of them", f"{runs}", "", "0"


async def _beside_tabs(public: Public, word: str) -> tuple[list[float], list[float]]:
    """Seconds of every rerun of those who train nothing, without and beside those who do."""
    cookies = [public.cookie(word) for _ in range(SESSIONS + TABS)]
    honest = await _all_open(public, cookies[:SESSIONS], [*PAGES] * SESSIONS)
    alone = await _all_move(honest)
    tabs = await _all_open(public, cookies[SESSIONS:], ["train"] * TABS, spec=compact(TRAINED))
    tasks = [asyncio.create_task(_trains(tab, i)) for i, tab in enumerate(tabs)]
    beside = await _all_move(honest)
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    if failed := [each for each in ended if isinstance(each, Exception)]:
        raise failed[0]
    await asyncio.gather(*(each.close() for each in (*honest, *tabs)))
    return alone, beside


async def _all_open(
    public: Public, cookies: list[str], pages: list[str], **params: str
) -> list[Visitor]:
    opened: list[Visitor] = []
    for start in range(0, len(cookies), AT_ONCE):
        some = zip(cookies[start : start + AT_ONCE], pages[start:], strict=False)
        many = [public.open(cookie, page, **params) for cookie, page in some]
        opened += await asyncio.gather(*many)
    return opened


async def _all_move(visitors: list[Visitor]) -> list[float]:
    end = time.monotonic() + SECONDS
    answers = await asyncio.gather(*(_moves(each, i, end) for i, each in enumerate(visitors)))
    return [wait for waits in answers for wait in waits]


async def _trains(visitor: Visitor, seed: int) -> None:
    """What the server sees of it: the press, and the settings of the next run."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.uniform(0, RUN_SECONDS))
    while True:
        await visitor.press("Train")
        await asyncio.sleep(RUN_SECONDS)
        await visitor.move_a_slider(chance)


def _idle() -> Figures:
    """Sockets that are open, and the one too many."""
    with home() as folder, server(folder, settings={"sessions": IDLE}) as (address, pid):
        grown, refused, one_more = asyncio.run(_opened(address, pid))
    yield f"{IDLE} sessions open and idle, each", f"{grown / IDLE:.2f}", "MB", "≤ 2"
    yield "of them refused", f"{refused}", "", "0"
    yield f"number {IDLE + 1}", one_more, "", "refused"


async def _opened(address: str, pid: int) -> tuple[float, int, str]:
    """Megabytes that they take, how many were refused, and what became of one more."""
    visitors = [await Visitor.open(address) for _ in range(AT_ONCE)]  # what all share is there
    before, refused = resident(pid), 0
    while len(visitors) + refused < IDLE:
        many = [Visitor.open(address, PAGES[i % len(PAGES)]) for i in range(AT_ONCE)]
        tries = await asyncio.gather(*many, return_exceptions=True)
        visitors += [each for each in tries if isinstance(each, Visitor)]
        refused += sum(not isinstance(each, Visitor) for each in tries)
    grown = resident(pid) - before
    try:
        visitors.append(await Visitor.open(address))
        outcome = "opened"
    except Lost:
        outcome = "refused"
    await asyncio.gather(*(each.close() for each in visitors))
    return grown, refused, outcome


def _come_and_gone() -> Figures:
    """Sessions that open a page and leave; the server forgets who does not come back soon."""
    with home() as folder, server(folder, forgets=2) as (address, pid):
        asyncio.run(_come_and_go(address, FIRST))  # caches fill
        time.sleep(FORGOTTEN)
        before, open_before = resident(pid), _files(pid)
        asyncio.run(_come_and_go(address, OPENED))
        time.sleep(FORGOTTEN)
        grown, left = resident(pid) - before, _files(pid) - open_before
    yield f"{OPENED} sessions opened and closed: memory", f"{grown:+.1f}", "MB", "≤ 5"
    yield "the same: files left open", f"{left:+d}", "", "0"


async def _come_and_go(address: str, count: int) -> None:
    for start in range(0, count, AT_ONCE):
        pages = [PAGES[i % len(PAGES)] for i in range(start, start + AT_ONCE)]
        visitors = await asyncio.gather(*(Visitor.open(address, page) for page in pages))
        await asyncio.gather(*(visitor.close() for visitor in visitors))


def _files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))
