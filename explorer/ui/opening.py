"""The document that a browser loads first: Streamlit's own, with the look of what comes later, so
that nothing jumps when it comes."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from html import escape
from pathlib import Path
from urllib.parse import parse_qs

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from explorer.hosting.doors import FULL, policy
from explorer.ui import first
from explorer.ui.components import source
from explorer.ui.pages import FIRST, PAGES, Page

STATIC = Path(streamlit.__file__).parent / "static"
FONTS = ("SourceSansVF-Upright", "KaTeX_Main-Regular", "KaTeX_Math-Italic")
"""Of texts and of formulas in them, which are broken into lines anew when these come late."""
LATER = (
    "BidiComponent",
    "Slider",
    "Selectbox",
    "Button",
    "ButtonGroup",
    "PageLink",
    "DownloadButton",
    "Checkbox",
    "NumberInput",
    "TextInput",
    "rehype-katex",
)
"""Scripts that Streamlit asks for when it meets the first of what they draw: they come with the
others, and nothing is first drawn without them."""
TITLE = re.compile("<title>[^<]*</title>")
IMPORT = re.compile(r'(?:from|import) ?"\./([\w.-]+\.js)"')
VISITS, FIRST_VISIT, VISITED = "explorer_visits", "first", "again"
"""The cookie of a browser that was here: its first visit, until it has all controls; or another."""
YEAR = 365 * 24 * 3600
WAITS = 'class="opening"'
"""Of the document of a page with controls at the left: room for them until they are here, when
components/page/page.js takes it away."""

EMBED = "embed"
"""The parameter of an address under which Streamlit draws less around a page; there is no first
picture then (components/first/first.js)."""

AGAIN = 20
"""Seconds after which who found no room is let in, if there is some then."""
NO_ROOM = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Attention explorer: full</title>'
    f'<meta http-equiv="refresh" content="{AGAIN}"><h1>This server is full</h1>'
    "<p>As many pages are open as it allows. This one opens by itself when another is closed.</p>"
)


def _scripts(names: Iterable[str], known: set[str]) -> Iterator[str]:
    """The files of scripts, and of all that these import, which are not `known`."""
    for name in names:
        if name not in known:
            known.add(name)
            yield name
            text = (STATIC / "static/js" / name).read_text("utf-8")
            yield from _scripts(IMPORT.findall(text), known)


@cache
def document(name: str, controls: bool = True) -> str:
    """The document of a page, with room for its `controls`, where it has some."""
    html = first.into((STATIC / "index.html").read_text("utf-8"), name, controls)
    if PAGES[name].controls and controls:
        html = html.replace("<html", f"<html {WAITS}", 1)
    fonts = (path for font in FONTS for path in STATIC.glob(f"static/media/{font}.*.woff2"))
    links = "".join(
        f'<link rel="preload" href="./static/media/{path.name}" as="font" type="font/woff2" '
        "crossorigin />"
        for path in fonts
    )
    files = (path.name for name in LATER for path in STATIC.glob(f"static/js/{name}.*.js"))
    known = set(re.findall(r"js/([\w.-]+\.js)", html))
    links += "".join(
        f'<link rel="modulepreload" crossorigin href="./static/js/{name}">'
        for name in _scripts(files, known)
    )
    html = _named(html, PAGES[name])
    return html.replace("</head>", f"{links}<style>{source('page')['css']}</style></head>", 1)


def _named(html: str, page: Page) -> str:
    """The document under the page's own name and description, which who shows a link reads before
    any script runs."""
    named = (
        f"<title>{escape(page.tab)}</title>"
        f'<meta name="description" content="{escape(page.described)}" />'
        f'<meta property="og:title" content="{escape(page.tab)}" />'
        f'<meta property="og:description" content="{escape(page.described)}" />'
    )
    return TITLE.sub(lambda _: named, html, count=1)


def prepare() -> None:
    """What the first reader of the first page would else wait for, while their browser starts."""
    document(FIRST, controls=False)
    first.prepare()


def _asking(html: str, name: str, query: str) -> str:
    """The document at an address with a `query`, whose first picture is asked for at once and not
    behind all scripts of Streamlit's, of which a browser fetches six at a time."""
    if not PAGES[name].picture or EMBED in parse_qs(query, keep_blank_values=True):
        return html
    asked = f"./first/{name}?{escape(query)}".rstrip("?")
    early = f'<link rel="preload" href="{asked}" as="fetch" crossorigin fetchpriority="high" />'
    return html.replace("<head>", f"<head>{early}", 1)


def _opened(name: str, request: Request) -> HTMLResponse:
    if request.scope.get(FULL):
        return HTMLResponse(NO_ROOM, 503, headers={"Retry-After": str(AGAIN)})
    bare = name == FIRST and not request.url.query
    visit = request.cookies.get(VISITS) or (FIRST_VISIT if bare else VISITED)
    html = document(name, controls=not (bare and visit == FIRST_VISIT))
    html = _asking(html, name, request.url.query)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": policy(html)}
    answer = HTMLResponse(html, headers=headers)
    if VISITS not in request.cookies:
        path = request.url.path.rpartition("/")[0] + "/"
        answer.set_cookie(VISITS, visit, max_age=YEAR, path=path, samesite="lax")
    return answer


def _first(request: Request) -> RedirectResponse:
    """Streamlit knows the first page by the address without a path alone."""
    return RedirectResponse(f"./?{request.url.query}".rstrip("?"))


def routes(base: str = "") -> list[Route]:
    """The documents of all pages, at their addresses below `base`; the first page has two. Beside
    them what they draw first."""
    places = {f"{base}/": FIRST} | {f"{base}/{name}": name for name in PAGES if name != FIRST}
    opened = [Route(path, partial(_opened, name)) for path, name in places.items()]
    return [*opened, Route(f"{base}/{FIRST}", _first), *first.routes(base)]
