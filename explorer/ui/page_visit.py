"""What a page asks for its visitor on a public server: when it may compute, what the visitor may
still use and how long it is kept, and files that are uploaded.

These are read by a process of its own (hosting/reader.py) and charged to the visitor. The own app
has no limits and reads in its own process: the file is the reader's, and a first one need not wait
for a process to start.
"""

import hashlib
import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any, cast

import numpy as np
import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from explorer.coupling.attention import Attention, Kind, checked, parse_attention
from explorer.coupling.grid import GridError, parse_cells, parse_grid, read_grid
from explorer.hosting import reader
from explorer.hosting.space import Allowance
from explorer.hosting.visitors import BLOCKED
from explorer.runs import archive, costs
from explorer.runs.costs import Cost
from explorer.runs.database import StoreError
from explorer.runs.quota import LimitError
from explorer.runs.zips import ArchiveError
from explorer.spec import AnySpec, SpecError, full_json
from explorer.ui import here, registry, specs
from explorer.ui.topics import view_of

QUIET_SECONDS = 0.5
"""After which a page says why it waits."""
_THREAD = threading.local()
LOOKS_ON = "With the word of a class, runs and uploads are kept here."
KEPT_EARLIER = (
    "What you kept here earlier is yours to see, take home and delete; nothing is added to it "
    "without the word of a class. It is removed after {} days without a visit."
)
LAST = "matrix read last"


@contextmanager
def slot() -> Iterator[None]:
    """The page of this script is computed, once its visitor has something left for it. Raises
    StoreError for one who is blocked, whose page may be open still."""
    shares = registry.shares()
    if shares is None:
        yield
        return
    if registry.standing() == "blocked":
        raise StoreError(BLOCKED)
    with shares.page(registry.owner(), _Waiting()) as page:
        _THREAD.page = page
        try:
            yield
        finally:
            _THREAD.page = None


@contextmanager
def aside() -> Iterator[None]:
    """The page of this script waits for another process meanwhile, and holds up no other."""
    shares, page = registry.shares(), getattr(_THREAD, "page", None)
    with shares.lines.aside(page) if shares and page else nullcontext():
        yield


class _Waiting:
    """Says in one line that a page waits, and for how long."""

    def __init__(self) -> None:
        self.began, self.line = time.monotonic(), None

    def __call__(self, left: float) -> None:
        if time.monotonic() - self.began < QUIET_SECONDS:
            return
        place = self.line or st
        self.line = place.toast(
            "Computing limit for this minute reached: this page continues in about "
            f"{math.ceil(left)} s."
            if left
            else "This page waits for others of your class, or from your address.",
            icon=":material/hourglass_empty:",
        )


def charge() -> None:
    """Count what the thread of a script has computed since this was last asked, callbacks and
    fragments with it."""
    shares = registry.shares()
    if shares is not None:
        now = time.thread_time()
        shares.charge(registry.owner(), now - getattr(_THREAD, "counted", 0.0))
        _THREAD.counted = now


def note(asked: AnySpec) -> None:
    """Before Train is pressed: what it will take, or why it is too much for a visitor."""
    if (quota := _quota()) is None:
        return
    cost = costs.of_run(asked)
    try:
        quota.limits.check_size(asked)
    except LimitError as error:
        st.caption(f"This is too much: {error}.")
        return
    left = quota.remaining()
    st.caption(f"Training takes {cost}. {_left(left)}")


def note_of_sweep(cost: Cost) -> None:
    """The same of a sweep, whose time stands beside its button."""
    if quota := _quota():
        st.caption(f"It takes {cost}. {_left(quota.remaining())}")


def upload(megabytes: int) -> int:
    """MB of an uploaded file, where so many would be taken from anybody."""
    quota = _quota()
    return min(megabytes, quota.limits.upload_megabytes) if quota else megabytes


def uploader(label: str, *args: Any, **options: Any) -> Any:
    """Streamlit's field for files, where who asks may upload some; else why not."""
    closed = registry.standing() != "in"
    if closed:
        st.caption("Uploading to this server needs the word of a class.")
    return st.file_uploader(label, *args, disabled=closed, **options)


def keeping() -> None:
    """How long the visitor's own is kept, and how to have it for longer; who has no word is asked
    for one."""
    if registry.standing() == "out":
        days = registry.settings().limits.idle_days
        st.caption(KEPT_EARLIER.format(days) if registry.keeps_something() else LOOKS_ON)
        here.ask_for_a_word("runs")
        _login()
    elif quota := _quota():
        used, most = costs.size(quota.used()), costs.size(costs.MEGA * quota.limits.megabytes)
        st.caption(
            f"Only you see what is here: {used} of {most}. It is removed after "
            f"{quota.limits.idle_days} days without a visit; *Take home* saves a run as a file "
            "that *Import* brings back."
        )
        _login()


def _login() -> None:
    """The way to one space in all browsers, where this server knows whom to ask."""
    try:
        known = "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return
    if known and st.user.get("is_logged_in"):
        st.button("Log out", icon=":material/logout:", on_click=st.logout)
    elif known:
        st.button(
            "Log in",
            icon=":material/login:",
            on_click=st.login,
            help="You then see the same runs in every browser. Earlier runs stay in this one.",
        )


def _left(left: Cost) -> str:
    return (
        f"Today {costs.duration(left.seconds)} of training and {costs.size(left.bytes)} are left."
    )


def _quota() -> Allowance | None:
    """The visitor's; None where there are none, and for who trains nothing here."""
    if registry.is_public() and registry.standing() == "in":
        with suppress(StoreError):
            quota = registry.store().quota
            return quota if isinstance(quota, Allowance) else None
    return None


def grid(data: bytes, name: str, d: int = 1) -> np.ndarray:
    """`parse_grid`, or `parse_cells` of tokens with d numbers; raises GridError."""
    if not _apart():
        return parse_grid(data, name) if d == 1 else parse_cells(data, name, d)
    _, (values,) = _read("grid", data, GridError, name=name, d=d)
    return parse_grid(values, "grid.npy")


def attention(data: bytes, name: str, kind: Kind) -> Attention:
    """`parse_attention`, once for all reruns of a page; raises GridError."""
    asked = hashlib.sha256(data).digest(), name, kind
    if st.session_state.get(LAST, (None,))[0] != asked:
        st.session_state[LAST] = asked, _attention(data, name, kind)
    return st.session_state[LAST][1]


def _attention(data: bytes, name: str, kind: Kind) -> Attention:
    if not _apart():
        return parse_attention(data, name, kind)
    holds, parts = _read("attention", data, GridError, name=name, holds=kind)
    values, *step = (read_grid(part, "npy", "matrix") for part in parts)
    return Attention(cast(Kind, holds), checked(holds, values).values, *step)


def import_archive(data: bytes) -> str:
    """`archive.import_` into the store of who asks; raises ArchiveError, StoreError."""
    store = registry.store()
    if not _apart():
        return archive.import_(store, data)
    limits = registry.settings().limits.model_dump()
    text, parts = _read("zip", data, ArchiveError, limits=limits)
    return archive.put(store, archive.Brought.model_validate_json(text), parts)


def build(spec: AnySpec) -> None:
    """`specs.build` of what has no file: a formula's values at all nodes take half a second."""
    if _apart() and view_of(spec).is_cut:
        _read("formula", full_json(spec).encode(), SpecError)
    else:
        specs.build(spec)


def _apart() -> bool:
    return registry.is_public() and reader.BOUNDED


def _read(
    kind: str, data: bytes, refusal: type[Exception], **asked: Any
) -> tuple[Any, reader.Parts]:
    """Raises a `refusal` in words for the sender, whose seconds it has taken all the same."""
    with aside():
        answer = reader.readers(1 if registry.parent() else reader.AT_ONCE).read(
            kind, data, **asked
        )
    if shares := registry.shares():
        shares.charge(registry.owner(), answer.seconds)
    if answer.problem:
        raise refusal(answer.problem)
    return answer.value, answer.parts
