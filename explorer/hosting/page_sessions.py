"""Sessions that have gone: Streamlit keeps them for who comes back, and would look which are too
old only when the next reader comes."""

import asyncio
import ctypes
import gc
import sys
from collections.abc import Callable
from contextlib import suppress

from explorer.ui.streamlit_private import forget_sessions

LOOK_SECONDS = 30.0
M_ARENA_MAX, HEAPS = -8, 2
"""Of glibc, which else has a heap for each of many threads: each rerun is one, and what it frees
stays in pieces there (420 MB instead of 375 after five minutes of visitors)."""


async def forget_regularly(seconds: float = LOOK_SECONDS) -> None:
    """Until cancelled, forget those that have been gone for longer than
    `server.disconnectedSessionTTL`, with their memory and open files."""
    _ask_glibc(lambda library: library.mallopt(M_ARENA_MAX, HEAPS))
    while True:
        await asyncio.sleep(seconds)
        if forget_sessions():
            give_memory_back()


def give_memory_back() -> None:
    """What sessions have left in cycles, to the operating system: some 20 ms."""
    gc.collect()
    _ask_glibc(lambda library: library.malloc_trim(0))


def _ask_glibc(call: Callable[[ctypes.CDLL], object]) -> None:
    """What another C library does not have."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            call(ctypes.CDLL(None))
