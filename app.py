"""The launcher: `streamlit run app.py`. The pages start in explorer/ui/shell.py."""

import asyncio
import gc
import inspect
import os
import threading
import time
from contextlib import asynccontextmanager, suppress

import streamlit as st
from starlette.routing import Route, WebSocketRoute
from threadpoolctl import threadpool_limits

from explorer.hosting import settings
from explorer.hosting.middleware import installed
from explorer.pages.talk.served import stage, stop, train
from explorer.runs.database import StoreError
from explorer.spec import coupling_spec
from explorer.targets import PRESETS
from explorer.ui import awaited, health, opening, registry, sessions
from explorer.ui.guard import LARGEST, Guard, own_files
from explorer.ui.live import live, open_stream
from explorer.ui.pages import PAGES, SHELL
from explorer.ui.selection import Selection

SETTINGS = settings.of_environment(os.environ)
BASE = f"/{SETTINGS.base_path}".rstrip("/")
FIRST_PAGE_SECONDS = 4.0  # the first worker is started about then at the latest
DRAWING_SECONDS = 1.0  # for the browser to draw what the script has said


def around_the_first_page() -> None:
    """While the browser loads, compute what opens; then start the workers, import what other pages
    need, and keep it all out of every full collection."""
    with suppress(StoreError):  # the page will say it
        open_design()
    registry.wait_for_a_page(FIRST_PAGE_SECONDS)
    time.sleep(DRAWING_SECONDS)
    registry.start()
    import altair  # noqa: F401
    import pandas  # noqa: F401

    gc.freeze()


def open_design() -> None:
    """What the page that opens first asks for, which caches keep."""
    from explorer.pages.design.view import design_view
    from explorer.pages.design.view_drawing import design_drawing
    from explorer.theory.design import Design
    from explorer.ui import transport  # noqa: F401

    selected = Selection()
    designed = Design(coupling_spec(PRESETS["design"][1]), registry.commons().grid)
    shown = {name: getattr(selected, name) for name in ("k", "u", "v", "centred")}
    design_drawing(designed, **shown)
    for run in PAGES["train"].shipped:
        open_stream(run)
    design_view(designed, centred=selected.centred)
    inspect.stack()  # Streamlit asks it once where it was started; where modules lie stays known


@asynccontextmanager
async def lifespan(app):
    """Store and workers live as long as the server; closing them has one common deadline."""
    threadpool_limits(1)  # the trainer has the other cores, and small SVDs gain nothing
    threading.Thread(target=around_the_first_page, daemon=True).start()
    forgetting = asyncio.create_task(sessions.forget_regularly())
    try:
        yield {}
    finally:
        forgetting.cancel()
        await asyncio.to_thread(registry.close, SETTINGS.grace)


app = st.App(
    SHELL,
    lifespan=lifespan,
    routes=[
        WebSocketRoute(BASE + "/api/runs/{run}/live", live),
        WebSocketRoute(BASE + "/api/work", awaited.work),
        Route(BASE + "/stage", stage),
        Route(BASE + "/stage/train", train, methods=["POST"]),
        Route(BASE + "/stage/stop", stop, methods=["POST"]),
        *health.routes(BASE),
        *opening.routes(BASE),
    ],
    middleware=installed(SETTINGS, registry.recognition, Guard, LARGEST),
)
own_files(app)
