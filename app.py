"""The launcher: `streamlit run app.py`. The pages start in explorer/ui/shell.py."""

import asyncio
import gc
import threading
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import WebSocketRoute

from explorer.ui import registry
from explorer.ui.live import live

HOSTS = ["localhost", "127.0.0.1", "[::1]"]
CLOSING_SECONDS = 2.0


def warm() -> None:
    """Import what the first page would wait for, then keep it out of every full collection."""
    import altair  # noqa: F401
    import pandas  # noqa: F401
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # the trainer has the other cores, and small SVDs gain nothing

    gc.freeze()


@asynccontextmanager
async def lifespan(app):
    """Store and workers live as long as the server; closing them has one common deadline."""
    threading.Thread(target=warm, daemon=True).start()
    await asyncio.to_thread(registry.start)
    try:
        yield {}
    finally:
        await asyncio.to_thread(registry.close, CLOSING_SECONDS)


app = st.App(
    "explorer/ui/shell.py",
    lifespan=lifespan,
    routes=[WebSocketRoute("/api/runs/{run}/live", live)],
    middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS)],
)
