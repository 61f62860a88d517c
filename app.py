"""The launcher: `streamlit run app.py`. The pages start in explorer/ui/shell.py."""

import asyncio
import gc
import threading
import time
from contextlib import asynccontextmanager

import streamlit as st
from starlette.routing import Route, WebSocketRoute
from threadpoolctl import threadpool_limits

from explorer.hosting.page import install
from explorer.pages.talk.room import follow, speak
from explorer.pages.talk.served import stage, stop, train
from explorer.ui import awaited, first, opening, registry, streamlit_private
from explorer.ui.live import live
from explorer.ui.pages import SHELL

BASE = f"/{registry.settings().base_path}".rstrip("/")
FIRST_PAGE_SECONDS = 4.0  # the first worker is started about then at the latest
DRAWING_SECONDS = 1.0  # for the browser to draw what the script has said
RETRY_SECONDS = 5.0  # until workers are started where they could not be


def around_the_first_page() -> None:
    """Have the first document ready. Once a page is there, start the workers, import what other
    pages need, and keep it all out of every full collection."""
    opening.prepare()
    registry.wait_for_a_page(FIRST_PAGE_SECONDS)
    time.sleep(DRAWING_SECONDS)
    started = registry.start()
    import altair  # noqa: F401
    import pandas  # noqa: F401

    gc.freeze()
    while not started:  # its store was busy, or cannot be used yet
        time.sleep(RETRY_SECONDS)
        started = registry.start()


@asynccontextmanager
async def lifespan(app):
    """Store and workers live as long as the server; closing them has one common deadline."""
    streamlit_private.keep_pages_whole()
    streamlit_private.hear_scripts_to_their_end()
    threadpool_limits(1)  # the trainer has the other cores, and small SVDs gain nothing
    first.take_shipped()
    threading.Thread(target=around_the_first_page, daemon=True).start()
    early = asyncio.create_task(first.open_early(FIRST_PAGE_SECONDS))
    try:
        yield {}
    finally:
        early.cancel()
        await asyncio.to_thread(registry.close, registry.settings().grace)


streamlit_private.look_for_no_components()
app = st.App(
    SHELL,
    lifespan=lifespan,
    routes=[
        WebSocketRoute(BASE + "/api/runs/{run}/live", live),
        WebSocketRoute(BASE + "/api/work", awaited.work),
        Route(BASE + "/stage", stage),
        WebSocketRoute(BASE + "/stage/room", speak),
        WebSocketRoute(BASE + "/stage/follow", follow),
        Route(BASE + "/stage/train", train, methods=["POST"]),
        Route(BASE + "/stage/stop", stop, methods=["POST"]),
        *opening.routes(BASE),
    ],
)
install(app)
