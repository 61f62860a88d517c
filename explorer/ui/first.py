"""The first picture of a page, which its document draws until the page itself is here.

A document is there long before Streamlit has built the page in it: until then components/first
draws what the page will draw, in its place, by the component of the page. What that is given, the
page has said when it was last shown under the address; for an address that nobody has opened yet
the server opens the page itself, one at a time, as the document's reader would. That of the first
page is shipped: a server that has just been started draws it before it has imported what makes it.

On a server that is open to the public it does so for addresses without parameters alone. There
visitors without runs of their own have one picture in common; every other one is its visitor's.
"""

import asyncio
import gzip
import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from explorer.charts import palette
from explorer.hosting.visitors import SPACE
from explorer.runs.database import StoreError
from explorer.ui import components, registry, shortened, streamlit_private
from explorer.ui.components import modules
from explorer.ui.live import open_stream
from explorer.ui.pages import FIRST, PAGES
from explorer.ui.shown import Shown
from explorer.ui.shown_run import HERE

MOST = 32
"""First pictures that are kept: those asked for last."""
LONGEST = 5000
"""Characters of an address that is opened."""
YEAR = 365 * 24 * 3600
OWN = "same-origin"
SECONDS = 20.0
"""That a page may take to say what it draws."""
Key = tuple[str, str, frozenset[tuple[str, str]]]


@dataclass(frozen=True)
class First:
    """What a page has drawn first: its line, Markdown, and what its picture was given."""

    line: str
    data: bytes

    def answer(self) -> dict[str, Any]:
        """As components/first/first.js takes it; StreamError where a run of it is gone."""
        from explorer.ui import page_file  # no page waits for it

        parts = {"data": self.data}
        for run in page_file.runs_of(self.data):
            messages = page_file.first_messages(open_stream(run))
            parts |= {f"{run} {name}": message for name, message in messages.items()}
        packed = {name: page_file.packed(part) for name, part in parts.items()}
        return {"line": page_file.linked(self.line), "parts": packed}


BARE: Key = "", FIRST, frozenset()
"""The address without a path and without parameters, for who has no runs."""
SHIPPED = Path(__file__).with_name("first.frame.gz")
"""What its picture is given; tests/write_pictures.py writes it."""
_KEPT: OrderedDict[Key, First] = OrderedDict()
_OPENING: dict[Key, asyncio.Task[None]] = {}
"""The one that the server opens now."""


def keep(shown: Shown, params: Mapping[str, str]) -> None:
    """A page has been drawn as a whole, under these parameters of the address, which say all that
    it shows."""
    whose = _whose(params)
    drawn = shown.component and shown.component == PAGES[shown.page].picture
    apart = "tour" in params or params.get("run") == HERE or shown.of_browser
    apart = apart or any(map(shortened.is_mark, params.values()))
    if whose is None or not drawn or shown.problems or apart:
        return
    key = whose, shown.page, frozenset(params.items())
    _KEPT.pop(key, None)
    _KEPT[key] = First(shown.line, shown.data)  # the last
    if len(_KEPT) > MOST:
        _KEPT.popitem(last=False)


def _whose(params: Mapping[str, str]) -> str | None:
    """Whose the picture is that who asks may see: "" for one of all; None for nobody's."""
    asking = registry.owner()
    with suppress(StoreError):
        return asking if asking and (params or registry.store().counts()) else ""
    return None


def take_shipped() -> None:
    """Keep the picture of the first page as it is shipped, until the page has drawn it here."""
    _KEPT.setdefault(BARE, First(PAGES[FIRST].line, gzip.decompress(SHIPPED.read_bytes())))


def prepare() -> None:
    """Import what answers: the first answer is then as fast as the others."""
    _KEPT[BARE].answer()


async def open_early(seconds: float) -> None:
    """Unless somebody's page is here within so many seconds, draw the first page for nobody: all
    that it takes is here then."""
    await asyncio.sleep(seconds)
    if not registry.wait_for_a_page(0):
        await _opened(BARE, "")


async def _opened(key: Key, owner: str) -> None:
    """Open a page as its reader would, unless another one is being opened; or wait for it."""
    if not _OPENING:
        _, name, params = key
        path = "" if name == FIRST else name
        opened = streamlit_private.open_page(path, dict(params), {SPACE: owner}, SECONDS)
        _OPENING[key] = asyncio.create_task(opened)
        _OPENING[key].add_done_callback(lambda _: _OPENING.clear())
    if task := _OPENING.get(key):
        await asyncio.shield(task)


async def _first(name: str, params: Mapping[str, str]) -> First | None:
    whose, owner = await asyncio.to_thread(_whose, params), registry.owner()
    if whose is None:
        return None
    key = whose, name, frozenset(params.items())
    is_open = not registry.is_public() or (owner and not params)
    if key not in _KEPT and (is_open or key in _OPENING):
        await _opened(key, owner)
    return _KEPT.get(key)


async def _picture(name: str, request: Request) -> Response:
    """What the page draws first at this address; an empty answer where that is not known."""
    nothing = Response(status_code=204, headers={"Cache-Control": "no-store"})
    is_own = request.headers.get("sec-fetch-site", OWN) == OWN  # no other site has a page computed
    if not is_own or len(request.url.query) > LONGEST:
        return nothing
    first = await _first(name, request.query_params)
    if first is None:
        return nothing
    try:
        answer = await asyncio.to_thread(first.answer)
    except Exception:  # a run of it was deleted, or its file is not here: the page says so
        return nothing
    return JSONResponse(answer, headers={"Cache-Control": "no-store"})


@cache
def script(name: str) -> str:
    """What draws question and first picture of a page, if it has one: a script without modules that
    it would wait for."""
    page, picture = PAGES[name], {"js": "export default null;", "markup": ""}
    if page.picture:
        own = components.source(page.picture)
        picture = {"js": own["js"], "markup": f"<style>{own['css']}</style>{own['html']}"}
    layer = components.source("first")
    common, light, dark = palette.css_variables()
    themes = f":host{{{common}{light}}}:host([data-theme=dark]){{{dark}}}"
    markup = Template(layer["html"]).substitute(question=escape(page.question), line="")
    given = {
        "page": name,
        "markup": f"<style>{themes}{layer['css']}</style>{markup}",
        "picture": picture["markup"],
    }
    mount, opened = (
        modules.DEFAULT.sub("const exported = ", part["js"]) for part in (picture, layer)
    )
    return (
        f'(() => {{"use strict";\nconst pictureOf = (WebSocket) => {{\n{mount}\nreturn exported;\n'
        f"}};\n{opened}\nexported({json.dumps(given)}, pictureOf);\n}})();\n"
    )


def _script(name: str, request: Request) -> Response:
    lasting = {"Cache-Control": f"public, immutable, max-age={YEAR}"}
    return Response(script(name), media_type="text/javascript", headers=lasting)


def into(html: str, name: str, controls: bool = True) -> str:
    """The document of a page with what is first drawn in it; without its controls it is what a
    first visit meets."""
    version = hashlib.sha256(script(name).encode()).hexdigest()[:12]
    source = f"./first/{name}.js?v={version}"
    beside = " data-first-visit"
    if controls:
        beside = " data-controls" if PAGES[name].controls else ""
    early = f'<link rel="preload" href="{source}" as="script" fetchpriority="high" />'
    layer = f'<div id="first" data-page="{name}"{beside} inert></div>'
    drawn = f'{layer}<script async src="{source}"></script><div id="root">'
    return html.replace("<head>", f"<head>{early}", 1).replace('<div id="root">', drawn, 1)


def routes(base: str = "") -> list[Route]:
    """The scripts of all pages, below `base`, and their first pictures."""
    pictured = [name for name, page in PAGES.items() if page.picture]
    return [
        *(Route(f"{base}/first/{name}.js", partial(_script, name)) for name in PAGES),
        *(Route(f"{base}/first/{name}", partial(_picture, name)) for name in pictured),
    ]
