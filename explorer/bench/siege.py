"""Visitors of a public server beside others: one honest beside each attack that was found
(docs/hosting.md), and somebody who moves a slider beside six tabs with new formulas without a
pause, of one visitor or each of somebody new."""

import asyncio
import base64
import json
import os
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import numpy as np
from websockets.exceptions import ConnectionClosed

from explorer.bench.load import TRAINED
from explorer.bench.serving import Figures, home, public_server, resident
from explorer.bench.visitors import Lost, Public, Visitor, moves, new_word, queued, space_of
from explorer.hosting.space import Space
from explorer.runs.database import StoreError
from explorer.runs.quota import LimitError
from explorer.ui.streamlit_private import BackMsg, WidgetState

SECONDS = float(os.environ.get("EXPLORER_BENCH_SECONDS", 30))
PAUSE, TABS = 0.5, 8
OTHERS, FAIR_SECONDS = 6, 30.0
HEAVY = " + ".join(f"sin({{}}*{k}*u*v)" for k in range(1, 38))
"""Of a number: a formula that costs nearly as much as one may."""
REST = 120.0
"""Seconds for which one waits until all is as before."""
WIDGETS = 440_000
FRAMES = {"fragments": b"\x00\x80\0\0\0\0", "pongs": b"\x8a\x80\0\0\0\0"}
"""Empty and masked; the fragments go on with a message."""
CELLS = ("0.25," * 511 + "0.25\n") * 512


@dataclass
class Siege:
    """A server, and who comes to it: with a `word`, or, where it is empty, without."""

    folder: Path
    public: Public
    word: str
    numbers: Iterator[int] = field(default_factory=lambda: count(3))

    async def cookie(self) -> str:
        return await asyncio.to_thread(self.public.cookie, self.word)

    async def visitor(self, **params: str) -> Visitor:
        """Somebody new. Raises Lost."""
        return await self.public.new(self.word, **params)

    def spec(self) -> str:
        """With a formula that nobody has seen."""
        formula = HEAVY.replace("{}", str(next(self.numbers)))
        return json.dumps({"tau": 64, "formula": formula})


async def _frames(siege: Siege, kind: str) -> None:
    """A1: empty frames from one socket without end; who is closed comes again."""
    while True:
        with suppress(OSError):
            writer = await _raw_socket(siege)
            writer.write(b"\x01\x80\0\0\0\0" if kind == "fragments" else b"")
            while not writer.is_closing():
                writer.write(FRAMES[kind] * 4000)
                await writer.drain()
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)


async def _raw_socket(siege: Siege) -> asyncio.StreamWriter:
    cookie = await siege.cookie()
    address = siege.public.address_of(cookie)
    place = urlsplit(address).netloc
    reader, writer = await asyncio.open_connection(*place.split(":"))
    key = base64.b64encode(random.randbytes(16)).decode()
    lines = ["GET /_stcore/stream HTTP/1.1", f"Host: {place}", f"Origin: {address}"]
    lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}"]
    lines += ["Sec-WebSocket-Version: 13", f"Cookie: {cookie}", "", ""]
    writer.write("\r\n".join(lines).encode())
    await reader.readuntil(b"\r\n\r\n")
    return writer


async def _widgets(siege: Siege) -> None:
    """A3: messages with as many widgets as the bytes allow."""
    asked = BackMsg()
    states = [WidgetState(id=f"{i:x}") for i in range(WIDGETS)]
    asked.rerun_script.widget_states.widgets.extend(states)
    data = asked.SerializeToString()
    while True:
        with suppress(Lost, OSError, ConnectionClosed):
            visitor = await siege.visitor()
            await visitor.socket.send(data)
            await asyncio.sleep(0.5)
        await asyncio.sleep(0.1)


async def _queue(siege: Siege) -> None:
    """A4: many visitors queue as many runs as they may."""
    while True:
        space = space_of(siege.folder, await siege.cookie())
        with suppress(StoreError):
            while True:
                await asyncio.to_thread(queued, siege.folder, space, TRAINED)
        await asyncio.sleep(0.05)


async def _newcomers(siege: Siege) -> None:
    """A5: new cookies as fast as they come."""
    while True:
        with suppress(URLError, OSError):
            await siege.cookie()


async def _tabs(siege: Siege) -> None:
    """A6: pages without a pause, each with a cookie and a formula of its own."""
    while True:
        with suppress(Lost, OSError):
            tab = await siege.visitor(spec=siege.spec())
            await tab.close()


async def _files(siege: Siege) -> None:
    """A2, B2: the largest table that is read, dropped on Design again and again."""
    data = base64.b64encode(CELLS.encode()).decode()
    while True:
        with suppress(Lost, OSError):
            visitor = await siege.visitor()
            state = WidgetState(id=visitor.components["explorer_drop"])
            for i in range(5):
                file = {"name": f"{i}.csv", "data": data, "size": len(CELLS)}
                state.json_value = json.dumps({"file": file})
                visitor.states[state.id] = state
                await visitor.run()
            await visitor.close()


async def _talks(siege: Siege) -> None:
    """B1: decks of talks of 200 steps, a formula each."""
    while True:
        cookie = await siege.cookie()
        space = space_of(siege.folder, cookie)
        with suppress(StoreError, OSError):
            (space.home / "talk.json").write_text(json.dumps(_talk(siege)), "utf-8")
            stage = f"{siege.public.address_of(cookie)}/stage?talk=mine"
            await asyncio.to_thread(_ask, stage, cookie)
        await asyncio.sleep(0.2)


def _ask(url: str, cookie: str) -> None:
    urlopen(Request(url, headers={"Cookie": cookie})).close()


def _talk(siege: Siege) -> dict:
    scenes = []
    for _ in range(40):
        steps = [{"words": "a step"} for _ in range(5)]
        scenes.append({"title": "a scene", "address": f"/?spec={siege.spec()}", "steps": steps})
    return {"version": 1, "title": "a talk", "scenes": scenes}


ATTACKS: dict[str, tuple[Callable[[Siege], Awaitable[None]], int]] = {
    "A1 fragments": (lambda siege: _frames(siege, "fragments"), 1),
    "A1 pongs": (lambda siege: _frames(siege, "pongs"), 1),
    "A2, B2 files": (_files, 2),
    "A3 widgets": (_widgets, TABS),
    "A4 queue": (_queue, 1),
    "A5 newcomers": (_newcomers, 2),
    "A6 tabs": (_tabs, TABS),
    "B1 talks": (_talks, 1),
}
"""What is done, and by how many at once."""
OF_WORDS = ("A4 queue", "B1 talks")
"""Without a word there is no way to them: nothing is kept."""


def siege() -> Figures:
    """Reruns and trainings of an honest visitor with a word beside each attack, by visitors without
    a word and with another one; the server's memory, and how soon all is as before."""
    with home() as folder, public_server(folder) as (addresses, pid):
        public, mine = Public(addresses), new_word(folder)
        asyncio.run(_warmed(public, mine))
        for name in ATTACKS:
            for word in ("", new_word(folder, name)):  # whose places another attack has not taken
                if word or name not in OF_WORDS:
                    measures = asyncio.run(_besieged(Siege(folder, public, word), mine, name, pid))
                    yield from _rows(f"{name}, {'a' if word else 'no'} word", *measures)


async def _warmed(public: Public, word: str) -> None:
    """What each process computes once is not counted."""
    for _ in range(2 * len(public.addresses)):
        visitor = await public.new(word)
        await moves(visitor, SECONDS / 10, PAUSE)
        await visitor.close()


def _rows(
    what: str, alone: list[float], under: list[float], refused: int, memory: float, rest: float
) -> Figures:
    before, after = (1e3 * np.percentile(waits, 95) for waits in (alone, under))
    goal = f"≤ {min(500, 3 * before):.0f}"
    yield f"{what}: rerun p95, {before:.0f} ms alone", f"{after:.0f}", "ms", goal
    yield f"{what}: most memory of the server", f"{memory:.0f}", "MB", "≤ 1500"
    yield f"{what}: honest trainings refused", f"{refused}", "", "0"
    yield f"{what}: back to rest", f"{rest:.1f}", "s", "≤ 60"


async def _besieged(
    siege: Siege, mine: str, name: str, pid: int
) -> tuple[list[float], list[float], int, float, float]:
    """Seconds of reruns alone and under siege, trainings refused, MB, seconds until rest."""
    honest = await asyncio.to_thread(siege.public.cookie, mine)
    visitor = await siege.public.open(honest)
    alone = await moves(visitor, SECONDS / 2, PAUSE)
    memory = [resident(pid)]
    with _attacked(siege, name):
        under = await moves(visitor, SECONDS, PAUSE, lambda: memory.append(resident(pid)))
        refused = await asyncio.to_thread(_is_refused, siege.folder, space_of(siege.folder, honest))
    began, usual = time.monotonic(), max(alone)
    while await visitor.move_a_slider(random.Random(2)) > 2 * usual:
        if time.monotonic() - began > REST:
            break
    rest = time.monotonic() - began
    await visitor.close()
    return alone, under, int(refused), max(memory), rest


@contextmanager
def _attacked(siege: Siege, name: str) -> Iterator[None]:
    """By a process of its own, so that what an attack costs itself slows down no honest visitor."""
    context = get_context("spawn")
    begun = context.Event()
    attack = context.Process(target=_attacks, args=(siege, name, begun), daemon=True)
    attack.start()
    try:
        begun.wait()
        yield
        if not attack.is_alive():
            raise RuntimeError(f"{name} has ended by itself: {attack.exitcode}")
    finally:
        attack.kill()
        attack.join()


def _attacks(siege: Siege, name: str, begun: Event) -> None:
    attack, many = ATTACKS[name]

    async def together() -> None:
        tasks = [asyncio.ensure_future(attack(siege)) for _ in range(many)]
        await asyncio.wait(tasks, timeout=1, return_when=asyncio.FIRST_EXCEPTION)
        begun.set()
        await asyncio.gather(*tasks)

    asyncio.run(together())


def _is_refused(folder: Path, space: Space) -> bool:
    try:
        queued(folder, space, TRAINED)
    except LimitError:
        return True
    return False


def fairness() -> Figures:
    """Reruns of a visitor of a public server alone, and beside others of the same word who want all
    of the processor."""
    for whose in ("another visitor", "new visitors"):
        with home() as folder, public_server(folder) as (addresses, _):
            asked = _beside(Public(addresses), new_word(folder), whose == "another visitor")
            alone, beside, theirs = asyncio.run(asked)
        before, after = np.percentile(alone, 95), np.percentile(beside, 95)
        label = f"beside {OTHERS} tabs of {whose} with new formulas"
        yield "rerun p95 of a visitor alone", f"{1e3 * before:.0f}", "ms", ""
        yield f"the same {label}", f"{1e3 * after:.0f}", "ms", ""
        yield "of alone", f"{after / before:.1f}", "", "≤ 3"
        yield f"reruns of the {OTHERS} tabs meanwhile", f"{theirs / FAIR_SECONDS:.2f}", "/s", ""


async def _beside(public: Public, word: str, is_one: bool) -> tuple[list[float], list[float], int]:
    """Seconds of reruns alone and beside the others, who are one or each somebody new, and how many
    reruns these had."""
    visitor, other = await public.new(word), public.cookie(word)
    await moves(visitor, PAUSE, PAUSE)  # what is computed once
    alone = await moves(visitor, FAIR_SECONDS, PAUSE)
    numbers = count(3)
    whose = (lambda: other) if is_one else (lambda: public.cookie(word))
    attack = [asyncio.create_task(_types(public, whose, numbers)) for _ in range(OTHERS)]
    beside = await moves(visitor, FAIR_SECONDS, PAUSE)
    for task in attack:
        task.cancel()
    await asyncio.gather(*attack, return_exceptions=True)
    await visitor.close()
    return alone, beside, next(numbers) - 3


async def _types(public: Public, whose: Callable[[], str], numbers: Iterator[int]) -> None:
    """One tab after the other, each with a formula that nobody has seen."""
    with suppress(Lost):
        while True:
            spec = {"tau": 64, "formula": HEAVY.replace("{}", str(next(numbers)))}
            cookie = await asyncio.to_thread(whose)
            tab = await public.open(cookie, spec=json.dumps(spec))
            await tab.close()
