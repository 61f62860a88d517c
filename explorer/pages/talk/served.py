"""The stage in the app: `/stage?talk=mine&scene=3&step=2` is the file of the talk, which from then
on needs this server no more; with `file=1` it is saved, without the speaker's notes. What it has
trained live, it asks of `/stage/train` and follows by the WebSocket of ui/live.py; without an
answer it plays what the file holds."""

import asyncio
from collections.abc import Callable
from contextlib import nullcontext
from functools import lru_cache
from html import escape
from pathlib import Path
from threading import Lock

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from explorer.charts import palette
from explorer.hosting.doors import policy
from explorer.hosting.fair import TooMany
from explorer.pages.talk import decks, room
from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.ui import registry
from explorer.ui.live import UNKNOWN, StreamError, open_stream
from explorer.ui.words import public

AGAIN = 1
"""Seconds after which a talk that is being made is asked for again."""
REFRESH = f'<meta http-equiv="refresh" content="{AGAIN}">'
WAITS = "Computing limit for this minute reached: the talk opens by itself."
SAVED = 'attachment; filename="talk.html"'
NAME = "on stage"
"""Of the runs that talks begin."""
_in_the_queue = Lock()


async def stage(request: Request) -> Response:
    """The deck of a talk; a page that waits for it, or says why there is none. Who has the code of
    a room gets the deck of its speaker."""
    asked = request.query_params
    if (code := asked.get("room")) is not None:
        followed = room.room_of(code)
        if followed is None:
            return _page(403, "No talk is followed here", room.NO_ROOM)
        return followed.deck.answer(request)
    return await asyncio.to_thread(_in_turn, asked.get("talk", decks.MINE), "file" in asked)


def _in_turn(name: str, save: bool) -> HTMLResponse:
    """What it takes is its visitor's, as that of a page."""
    shares, owner = registry.shares(), registry.owner()
    try:
        if shares and shares.wait(owner):
            raise TooMany("no seconds are left")
        with shares.file(owner) if shares else nullcontext():
            return _answer(name, save)
    except TooMany:
        return _page(429, "The talk waits", WAITS, REFRESH)


def _answer(name: str, save: bool) -> HTMLResponse:
    try:
        file = decks.deck(name)
    except LookupError as error:
        return _page(404, "This talk is not here", str(error))
    except (SpecError, StoreError) as error:
        return _page(422, "This talk cannot be shown", public(error))
    if file is None:
        so_many = f", {drawn} so far" if (drawn := decks.drawn(name)) else ""
        words = f"Its pages are drawn once{so_many}; it opens by itself."
        return _page(200, "The talk is being prepared", words, REFRESH)
    html, headers = _read(file)
    if save:
        text, saved = room.NOTES.sub("", html.decode()), {"Content-Disposition": SAVED}
        return HTMLResponse(text, headers=headers | saved)
    return HTMLResponse(html, headers=headers)


async def train(request: Request) -> Response:
    """Train the specification of `run` anew; answers with the new run."""
    return await _asked(request, _train)


async def stop(request: Request) -> Response:
    """End `run`, which a talk has begun and shows no more."""
    return await _asked(request, _stop)


async def _asked(request: Request, act: Callable[[str], str]) -> Response:
    try:
        run = await asyncio.to_thread(act, request.query_params.get("run", ""))
    except (StreamError, SpecError, StoreError) as error:
        return JSONResponse({"problem": public(error)}, 422)
    return JSONResponse({"run": run})


def _train(run: str) -> str:
    """What may still wait is counted of what the queue knows, which is told of each run in turn."""
    spec = open_stream(run).record.spec
    with _in_the_queue:
        begun = (store := registry.store()).create(spec, name=NAME)
        registry.wake(store)
    return begun


def _stop(run: str) -> str:
    store = registry.store()
    row = store.get(run)
    if row is None or row.name != NAME:
        raise StreamError(UNKNOWN, "no talk has begun this run")
    store.request(run, "stop")
    registry.wake(store)
    return run


def _page(status: int, title: str, words: str, head: str = "") -> HTMLResponse:
    common, light, dark = palette.css_variables()
    style = (
        f":root{{{common}{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
        "body{margin:20vh auto;max-width:40rem;font:24px var(--st-font);"
        "color:var(--st-text-color);background:var(--st-background-color)}"
    )
    html = (
        f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<title>{escape(title)}</title>'
        f"<style>{style}</style><h1>{escape(title)}</h1><p>{escape(words)}</p>"
    )
    return HTMLResponse(html, status, headers=_headers(html))


@lru_cache(maxsize=decks.DECKS)
def _read(file: Path) -> tuple[bytes, dict[str, str]]:
    """A deck, which is named by what it holds, and what is said of it: once for all readers."""
    html = file.read_text("utf-8")
    return html.encode(), _headers(html)


def _headers(html: str) -> dict[str, str]:
    return {"Cache-Control": "no-store", "Content-Security-Policy": policy(html)}
