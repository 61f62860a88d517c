"""The store and worker pool of this server process, and whose space of the store is meant.

They live in a module of their own making: Streamlit's hot reload drops modules that have a file,
and `st.cache_resource` is emptied by "Clear cache"; neither may end the workers. What is kept here
is never asked for its class, since a reload makes new ones. The truth about runs is in the store.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from types import ModuleType
from typing import TYPE_CHECKING, cast

from explorer.coupling import GridLoader
from explorer.hosting.fair import Shares
from explorer.hosting.settings import Settings, of_environment
from explorer.hosting.space import NOBODY, Closed, Space, nobody, visitors, welcome
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import OWNER, SPACE, Recognition, Standing, Words, is_in, kept_secret
from explorer.runs.database import StoreError
from explorer.runs.home import home
from explorer.runs.pool import Pool
from explorer.runs.record import Record, RunRow, Work
from explorer.runs.store import Store
from explorer.ui.streamlit_private import headers_of, running_session, user_of

if TYPE_CHECKING:
    from explorer.hosting.page_process import Parent

HOLDER = "_explorer_state"
VISIT_SECONDS = 600.0
"""Between two notes that a visitor is here."""
SPACES = 256
"""Spaces that are kept open: those asked for last."""
SESSIONS = 4096
"""Whose owners are remembered: more than a process has open."""
STRANGER = (
    "training on this server needs a cookie: allow cookies for this site, or log in, and reload "
    "the page"
)


class _State(ModuleType):
    """What the module holds; it is never asked for this class."""

    lock: threading.RLock
    opening: threading.RLock
    shown: threading.Event
    store: Store | None
    pool: Pool | None
    settings: Settings | None
    spaces: dict[str, Space]
    owners: dict[str, str]
    revived: set[str]
    recognition: Recognition | None
    shares: Shares | None
    parent: Parent | None
    is_closed: bool


def _state() -> _State:
    if HOLDER not in sys.modules:
        made = ModuleType(HOLDER)
        empty = dict.fromkeys(("store", "pool", "settings", "recognition", "shares", "parent"))
        held = {"lock": threading.RLock(), "opening": threading.RLock(), "spaces": {}, "owners": {}}
        more = {"revived": set(), "shown": threading.Event(), "is_closed": False}
        vars(made).update(empty | held | more)
        sys.modules.setdefault(HOLDER, made)  # whole: of threads that come meanwhile the first's
    return cast(_State, sys.modules[HOLDER])


def page_shown() -> None:
    """A page has been drawn: what it would have had to share the processor with may begin."""
    _state().shown.set()


def wait_for_a_page(seconds: float) -> bool:
    """Wait until the first page of this server has been drawn, or for so long; whether it has."""
    return _state().shown.wait(seconds)


def store() -> Store:
    """The store of who asks: on a server that is open to the public the visitor's own space, or of
    who has none the empty one of `nobody`.

    Raises StoreError as long as it cannot be used, and for a stranger; a later call tries again.
    """
    if not is_public():
        return commons()
    if not (asking := owner()):
        raise StoreError(STRANGER)
    where = standing()
    if where == "in":
        return _space(asking)
    return (where == "out" and _kept_before(asking)) or nobody(commons())


def record_of(run: str) -> Record | None:
    """A run of the store with its curves; None when it has just been deleted."""
    with suppress(StoreError):
        return store().read(run)
    return None


def grid_loader() -> GridLoader | None:
    """What fetches uploaded samples; None without a store."""
    try:
        return store().grid
    except StoreError:
        return None


def standing() -> Standing:
    """Whether who asks may train and keep things here: "in", "out" or "blocked"."""
    return recognition().standing(owner()) if is_public() else "in"


def keeps_something() -> bool:
    """Whether who asks has a space, with a word or from before."""
    return (visitors(commons()) / owner()).is_dir() if owner() else False


def enter(word: str) -> None:
    """Who asks takes a place of a word. Raises WordError, StoreError."""
    if not (asking := owner()):
        raise StoreError(STRANGER)
    Words(visitors(commons())).enter(asking, word)


def _kept_before(name: str) -> Space | None:
    """The space of who has no word (any more), in which nothing new can be begun."""
    if not (visitors(commons()) / name).is_dir():
        return None
    space = Space(commons(), name, settings().limits, kind=Closed)
    if not _is_fresh(space):
        space.visit()
    return space


def is_public() -> bool:
    """Whether each visitor has a space."""
    return settings().public


def settings() -> Settings:
    """Of this server, read once."""
    state = _state()
    if state.settings is None:
        state.settings = of_environment(os.environ)
    return state.settings


def owner() -> str:
    """The name of the space of who asks, or whose page this script runs for; "" for a stranger, and
    where there are no spaces."""
    if not is_public():
        return ""
    asking = OWNER.get()
    return _owner_of_session() if asking is None else asking


def _owner_of_session() -> str:
    """Also of a script that goes on where its page has been closed."""
    running = running_session()
    if not running:
        return ""
    known, owner_ = _state().owners, owner_of(running)
    if owner_ is None:
        return known.get(running, "")
    if known.get(running) != owner_:
        known[running] = owner_
        while len(known) > SESSIONS:
            del known[next(iter(known))]
    return owner_


def owner_of(session: str) -> str | None:
    """Whose open page a session is, as its socket was told; None where none is open."""
    headers = headers_of(session)
    return None if headers is None else headers.get(SPACE, "")


def recognition() -> Recognition:
    """How this server knows its visitors."""
    state = _state()
    with state.lock:
        if state.recognition is None:
            chosen = settings()
            secret = chosen.secret or kept_secret(commons())
            days = chosen.limits.idle_days
            words = Words(visitors(commons()))
            state.recognition = Recognition(secret, chosen.user_header, user_of, days, words)
        return state.recognition


def shares() -> Shares | None:
    """How the pages of visitors share the processor; None where there are none."""
    if not is_public():
        return None
    state = _state()
    with state.lock:
        if state.shares is None:
            state.shares = Shares(settings().limits.page_seconds, payer=_payer, line=_line)
        return state.shares


def _payer(name: str) -> str:
    """Who pays for a visitor's pages: the visitor, or of one without a word the address."""
    known = recognition()
    address = known.addresses.latest(name)
    if known.standing(name) == "in" or is_in(address, settings().shared_addresses):
        return name
    return address


def _line(name: str) -> str:
    """With whom a visitor's pages take turns: all with the same word, nobody else for an account,
    else all from the same address."""
    known = recognition()
    if known.words and (word := known.words.name_of(name)):
        return f"word {word}"
    return name if name in known.accounts else known.addresses.latest(name)


def _space(name: str) -> Space:
    state = _state()
    with state.lock:
        space = state.spaces.get(name)
    if space is None or not _is_fresh(space):
        space = _opened(name)
    with state.lock:
        state.spaces.pop(name, None)
        state.spaces[name] = space  # the last
        while len(state.spaces) > SPACES:
            del state.spaces[next(iter(state.spaces))]
    return space


def _opened(name: str) -> Space:
    """Takes some 30 ms of a new visitor, for whom others with a space do not wait."""
    state = _state()
    with state.opening:
        space = welcome(commons(), name, settings().limits)
        if name not in state.revived:  # since this server has started
            space.recover()
            state.revived.add(name)
        else:
            space.sync()
        return space


def _is_fresh(space: Space) -> bool:
    """Whether it is there, and its visitor known to be here."""
    with suppress(OSError):
        return time.time() - space.visited() < VISIT_SECONDS
    return False


def commons() -> Store:
    """The store under `home()`, opened at the first call; raises StoreError as long as it cannot be
    used."""
    state = _state()
    with state.lock:
        held = state.store
        if held is None or held.home != home():
            held = state.store = Store()
        return held


def pool() -> Pool | None:
    """The running pool of workers, or None where this process trains nothing."""
    return _state().pool


def begin_below(parent: Parent) -> None:
    """This process has pages alone; its parent has the workers."""
    _state().parent = parent


def parent() -> Parent | None:
    """Of this process, where several have pages."""
    return _state().parent


def live_state(row: RunRow) -> str:
    """`RunRow.drawn_state`, and what keeps a queued run waiting."""
    return f"{row.drawn_state} {held_up(row)}"


def held_up(row: Work) -> str:
    """Why what is queued does not start, where this server has no process that could train it."""
    held = pool() or parent()
    return (held.problem or "") if held and row.status == "queued" else ""


def wake(changed: Store | None = None) -> None:
    """Tell a worker at once that something is queued, or no longer, in the store that was changed,
    else in that of who asks; without a pool here or in the parent another server's worker takes
    it."""
    if is_public():
        with suppress(StoreError):  # of a stranger nothing waits; `_opened` tells it once more
            own = cast(Space, changed or store())
            if own.owner != NOBODY:
                own.sync()
    if held := pool() or parent():
        held.wake()


def start() -> bool:
    """Open the store and start the pool, unless a parent has it or the server ends; whether that is
    done. Without a usable store the pages show why, and a later call tries again."""
    state = _state()
    with state.lock:
        if pool() or parent() or state.is_closed:
            return True
        try:
            turns = Turns(commons(), settings().limits) if is_public() else None
            held = state.pool = Pool(commons(), turns)
            held.start()
        except StoreError:
            state.pool = None
        return state.pool is not None


def close(seconds: float) -> None:
    """End the workers within one common deadline; what they did lies in the store."""
    state = _state()
    with state.lock:
        held, state.pool, state.store, state.is_closed = pool(), None, None, True
        state.spaces, state.revived = {}, set()
        state.recognition, state.shares = None, None
    if held is not None:
        held.close(seconds)
