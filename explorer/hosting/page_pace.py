"""A visitor's pages on a public server: when they may compute, and what they have used."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import streamlit as st

from explorer.hosting.words import BLOCKED
from explorer.runs.database import StoreError
from explorer.ui import registry

QUIET_SECONDS = 0.5
"""After which a page says why it waits."""
_THREAD = threading.local()


@contextmanager
def turn() -> Iterator[None]:
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
