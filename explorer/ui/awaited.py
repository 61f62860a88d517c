"""Work that a part of a page asks for and waits for: it is drawn anew once that moves on.

What they are at comes as a text over the WebSocket `/api/work?of=NAME&of=NAME`: at once, and then
whenever it is another one. The component "awaited" has its part of the page drawn anew where that
is not what was drawn; a socket that was lost is opened again, and begins with what is true then.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode

import streamlit as st
from starlette.websockets import WebSocket

from explorer.runs import jobs
from explorer.runs.database import StoreError
from explorer.runs.record import ACTIVE, TRAIN
from explorer.runs.store import Store
from explorer.ui import registry
from explorer.ui.components import registered
from explorer.ui.live import serve
from explorer.ui.words import as_sentence
from explorer.views.sweeps import progress_text

WORKING_PAUSE, RESTING_PAUSE = 0.1, 1.0
MAX_NAMES = 32
REFUSAL = "work refused"
_component = cache(lambda: registered("awaited"))


class Subject(Protocol):
    """What a job is about."""

    @property
    def id(self) -> str: ...

    def text(self) -> str: ...


class Words(NamedTuple):
    """How a kind of job is spoken of."""

    begin: str
    go_on: str
    units: str
    """What is done one by one."""
    icon: str
    help: str


def submit(what: Callable[..., Any], *args: Any) -> None:
    """Leave something in the store for the workers, or let it rest there. Why a store does not take
    it says the part of the page that is drawn next and waits for work: that of the press. On a page
    that draws no such part it is not said (`forget_refusal`)."""
    try:
        what(store := registry.store(), *args)
    except StoreError as error:
        st.session_state[REFUSAL] = as_sentence(error)
    else:
        registry.wake(store)


def steer(kind: jobs.Kind, subject: Subject, work: jobs.Job | None, words: Words) -> None:
    """The button that begins it or goes on with it, or while it is at work that which stops it."""
    if work is not None and work.at_work:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Stop", key=f"stop {kind}", on_click=submit, args=(jobs.stop, work.job))
            st.caption(progress_text(work, words.units))
        return
    if work is not None and work.status == "finished":
        return
    st.button(
        words.begin if work is None else words.go_on,
        icon=words.icon,
        key=kind,
        on_click=submit,
        args=(jobs.ask, kind, subject.id, subject.text()),
        help=words.help,
    )
    if work and work.message:
        st.error(as_sentence(work.message), icon=":material/warning:")


@contextmanager
def awaited(key: str, *names: str, rest: float = 0.0, even_at_rest: bool = False) -> Iterator[None]:
    """Around what a fragment draws of the runs and jobs of these names; of all runs where there are
    none. While one of them is at work or waits, or `even_at_rest`, the fragment is drawn anew
    whenever they move on, at most once in `rest` seconds.

    Why the last work that was asked for was refused is said above it (`submit`). A change while it
    is drawn counts: the state is looked up before anything is read.
    """
    drawn, is_active = state_of(registry.store(), names)
    if why := st.session_state.get(REFUSAL, ""):
        st.error(why, icon=":material/warning:")
    yield
    forget_refusal()  # a drawing that was cut short has not been seen
    if not (is_active or even_at_rest):
        return
    push, part = f"api/work?{urlencode([('of', name) for name in names])}", f"awaited {key}"
    told = (st.session_state.get(part) or {}).get("state")
    heard = told.get("asks", 0) if isinstance(told, dict) else 0  # a browser may say anything
    data = {"push": push, "drawn": drawn, "heard": heard, "rest": round(1000 * rest)}
    _component()(key=part, data=data, on_state_change=lambda: None)


def forget_refusal() -> None:
    """Call where a page was drawn to its end."""
    st.session_state.pop(REFUSAL, None)


async def work(ws: WebSocket) -> None:
    """The route: what work is at."""
    names = ws.query_params.getlist("of")[:MAX_NAMES]
    await serve(ws, lambda: _send(ws, names))


async def _send(ws: WebSocket, names: Sequence[str]) -> None:
    store, standing, sent = None, None, None
    while True:
        now = await asyncio.to_thread(registry.standing)
        if store is None or now != standing:  # a visitor who has entered a word has a space
            store, standing = await asyncio.to_thread(registry.store), now
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
