"""The stage in the app: `/stage?talk=mine&scene=3&step=2` is the file of the talk, which from then
on needs this server no more."""

from __future__ import annotations

import asyncio
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse

from explorer.charts import palette
from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.ui.talk import kept
from explorer.ui.words import public

AGAIN = 1
"""Seconds after which a talk that is being made is asked for again."""


async def stage(request: Request) -> HTMLResponse:
    """The deck of a talk; a page that waits for it, or says why there is none."""
    return await asyncio.to_thread(_answer, request.query_params.get("talk", kept.MINE))


def _answer(name: str) -> HTMLResponse:
    try:
        file = kept.deck(name)
    except LookupError as error:
        return _page(404, "This talk is not here", str(error))
    except (SpecError, StoreError) as error:
        return _page(422, "This talk cannot be shown", public(error))
    if file is None:
        return _page(
            200,
            "The talk is being prepared",
            "Its pages are drawn once, which takes about half a minute; it opens by itself.",
            f'<meta http-equiv="refresh" content="{AGAIN}">',
        )
    return HTMLResponse(file.read_bytes(), headers={"Cache-Control": "no-store"})


def _page(status: int, title: str, words: str, head: str = "") -> HTMLResponse:
    common, light, dark = palette.css_variables()
    style = (
        f":root{{{common}{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
        "body{margin:20vh auto;max-width:40rem;font:24px var(--st-font);"
        "color:var(--st-text-color);background:var(--st-background-color)}"
    )
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8">{head}<title>{escape(title)}</title>'
        f"<style>{style}</style><h1>{escape(title)}</h1><p>{escape(words)}</p>",
        status,
        headers={"Cache-Control": "no-store"},
    )
