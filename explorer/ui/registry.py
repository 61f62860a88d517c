"""The one store and worker pool of this server process.

They live in a module of their own making: Streamlit's hot reload drops modules that have a file,
and `st.cache_resource` is emptied by "Clear cache"; neither may end the workers. What is kept here
is never asked for its class, since a reload makes new ones. The truth about runs is in the store.
"""

from __future__ import annotations

import sys
import threading
from types import ModuleType
from typing import TYPE_CHECKING, cast

from explorer.runs.database import StoreError
from explorer.runs.home import home
from explorer.runs.jobs import Job
from explorer.runs.record import RunRow
from explorer.runs.store import Store

if TYPE_CHECKING:
    from explorer.runs.pool import Pool

HOLDER = "_explorer_state"


class _State(ModuleType):
    """What the module holds; it is never asked for this class."""

    lock: threading.RLock
    shown: threading.Event
    store: Store | None
    pool: Pool | None


def _state() -> _State:
    state = cast(_State, sys.modules.setdefault(HOLDER, ModuleType(HOLDER)))
    state.__dict__.setdefault("lock", threading.RLock())
    state.__dict__.setdefault("shown", threading.Event())
    state.__dict__.setdefault("store", None)
    state.__dict__.setdefault("pool", None)
    return state


def page_shown() -> None:
    """A page has been drawn: what it would have had to share the processor with may begin."""
    _state().shown.set()


def wait_for_a_page(seconds: float) -> None:
    """Wait until the first page of this server has been drawn, or for so long."""
    _state().shown.wait(seconds)


def store() -> Store:
    """The store under `home()`, opened at the first call.

    Raises StoreError as long as it cannot be used; a later call tries again.
    """
    state = _state()
    with state.lock:
        held = state.store
        if held is None or held.home != home():
            held = state.store = Store()
        return held


def pool() -> Pool | None:
    """The running pool of workers, or None where this process trains nothing."""
    return _state().pool


def turn(row: RunRow) -> str:
    """`RunRow.turn`, and what keeps a queued run waiting."""
    return f"{row.turn} {held_up(row)}"


def held_up(row: RunRow | Job) -> str:
    """Why what is queued does not start, where this server has no process that could train it."""
    held = pool()
    return (held.problem or "") if held and row.status == "queued" else ""


def wake() -> None:
    """Tell a worker at once that something is queued; without a pool another server's worker takes
    it."""
    if held := pool():
        held.wake()


def start() -> None:
    """Open the store and start the pool; without a usable store the pages show why."""
    from explorer.runs.pool import Pool

    state = _state()
    with state.lock:
        if pool() is not None:
            return
        try:
            held = state.pool = Pool(store())
            held.start()
        except StoreError:
            state.pool = None


def close(seconds: float) -> None:
    """End the workers within one common deadline; what they did lies in the store."""
    state = _state()
    with state.lock:
        held, state.pool, state.store = pool(), None, None
    if held is not None:
        held.close(seconds)
