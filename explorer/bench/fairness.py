"""Whether some visitors' pages leave the others' in peace: six tabs with new formulas without a
pause, of one visitor or each of somebody new, beside somebody who moves a slider."""

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count

import numpy as np

from explorer.bench.backend import FIGURE
from explorer.bench.serving import home, public_server
from explorer.bench.visitors import Lost, Public, Visitor, new_word

TABS, PAUSE = 6, 0.5
SECONDS = 30.0
HEAVY = " + ".join(f"sin({{}}*{k}*u*v)" for k in range(1, 38))
"""Of a number: a formula that costs nearly as much as one may."""


def fairness() -> Iterator[FIGURE]:
    """Reruns of a visitor of a public server alone, and beside others of the same word who want all
    of the processor."""
    for whose in ("another visitor", "new visitors"):
        with home() as folder, public_server(folder) as (addresses, _):
            asked = _beside(Public(addresses), new_word(folder), whose == "another visitor")
            alone, beside, theirs = asyncio.run(asked)
        before, after = np.percentile(alone, 95), np.percentile(beside, 95)
        said = f"beside {TABS} tabs of {whose} with new formulas"
        yield "rerun p95 of a visitor alone", f"{1e3 * before:.0f}", "ms", ""
        yield f"the same {said}", f"{1e3 * after:.0f}", "ms", ""
        yield "of alone", f"{after / before:.1f}", "", "≤ 3"
        yield f"reruns of the {TABS} tabs meanwhile", f"{theirs / SECONDS:.2f}", "/s", ""


async def _beside(public: Public, word: str, is_one: bool) -> tuple[list[float], list[float], int]:
    """Seconds of reruns alone and beside the others, who are one or each somebody new, and how many
    reruns these had."""
    visitor, other = await public.new(word), public.cookie(word)
    await _moves(visitor, PAUSE)  # what is computed once
    alone = await _moves(visitor, SECONDS)
    numbers = count(3)
    whose = (lambda: other) if is_one else (lambda: public.cookie(word))
    attack = [asyncio.create_task(_types(public, whose, numbers)) for _ in range(TABS)]
    beside = await _moves(visitor, SECONDS)
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


async def _moves(visitor: Visitor, seconds: float) -> list[float]:
    chance, waits, end = random.Random(1), [], time.monotonic() + seconds
    while time.monotonic() < end:
        waits.append(await visitor.move_a_slider(chance))
        await asyncio.sleep(PAUSE)
    return waits
