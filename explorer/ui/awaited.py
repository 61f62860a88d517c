"""Runs and jobs that a part of a page waits for: it is drawn anew once they move on.

What they are at comes as a text over the WebSocket `/api/work?of=NAME&of=NAME`: at once, and then
whenever it is another one. The component "awaited" has its part of the page drawn anew where that
is not what was drawn; a socket that was lost is opened again, and begins with what is true then.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from urllib.parse import urlencode

from starlette.websockets import WebSocket

from explorer.runs.record import ACTIVE, TRAIN
from explorer.runs.store import Store
from explorer.ui import registry
from explorer.ui.components import registered
from explorer.ui.live import serve

WORKING_PAUSE, RESTING_PAUSE = 0.1, 1.0
MAX_NAMES = 32
_component = cache(lambda: registered("awaited"))


@contextmanager
def awaited(key: str, *names: str, rest: float = 0.0, even_at_rest: bool = False) -> Iterator[None]:
    """Around what a fragment draws of the runs and jobs of these names; of all runs where there are
    none. While one of them is at work or waits, or `even_at_rest`, the fragment is drawn anew
    whenever they move on, at most once in `rest` seconds.

    A change while it is drawn counts: the state is looked up before anything is read.
    """
    drawn, is_active = state_of(registry.store(), names)
    yield
    if not (is_active or even_at_rest):
        return
    push = f"api/work?{urlencode([('of', name) for name in names])}"
    data = {"push": push, "drawn": drawn, "rest": round(1000 * rest)}
    _component()(key=f"awaited {key}", data=data, on_state_change=lambda: None)


async def work(ws: WebSocket) -> None:
    """The route: what work is at."""
    names = ws.query_params.getlist("of")[:MAX_NAMES]
    await serve(ws, lambda: _send(ws, names))


async def _send(ws: WebSocket, names: Sequence[str]) -> None:
    store, sent = await asyncio.to_thread(registry.store), None
    while True:
        state, is_active = await asyncio.to_thread(state_of, store, names)
        if state != sent:
            await ws.send_text(state)
            sent = state
        await asyncio.sleep(WORKING_PAUSE if is_active else RESTING_PAUSE)


def state_of(store: Store, names: Sequence[str]) -> tuple[str, bool]:
    """Another text for whatever may be drawn of these runs and jobs, of all runs where none is
    named; and whether one of them is at work or waits."""
    if not names:
        store.note_interrupted()
        counts = store.counts()
        return f"{counts}", any(status in ACTIVE for status in counts)
    states = [_state(store, name) for name in names]
    return " ".join(text for text, _ in states), any(is_active for _, is_active in states)


def _state(store: Store, name: str) -> tuple[str, bool]:
    row = store.work(name)
    if row is None:
        return "none", False
    live = None if row.kind == TRAIN else store.live(name)  # of models of a sweep, trained now
    where = f"{row.status} {row.queued} {row.step} {live and live[0]}"
    return f"{where} {registry.held_up(row)}", row.at_work
