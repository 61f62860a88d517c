"""Sessions that have gone: Streamlit keeps them for who comes back, and would look which are too
old only when the next reader comes."""

import asyncio
import ctypes
import gc
import sys
from contextlib import suppress

from explorer.ui.streamlit_private import forget_sessions

LOOK_SECONDS = 30.0


async def forget_regularly(seconds: float = LOOK_SECONDS) -> None:
    """Until cancelled, forget those that have been gone for longer than
    `server.disconnectedSessionTTL`, with their memory and open files."""
    while True:
        await asyncio.sleep(seconds)
        if forget_sessions():
            give_memory_back()


def give_memory_back() -> None:
    """What sessions have left in cycles, to the operating system: some 20 ms."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library has no such call
            ctypes.CDLL(None).malloc_trim(0)
