"""The document that a browser loads first: Streamlit's own, with the look of what comes later, so
that nothing jumps when it comes."""

from functools import cache, partial
from pathlib import Path

import streamlit
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from explorer.hosting.doors import FULL, policy
from explorer.ui.components import source
from explorer.ui.pages import FIRST, PAGES

STATIC = Path(streamlit.__file__).parent / "static"
FONTS = ("KaTeX_Main-Regular", "KaTeX_Math-Italic")
"""Of formulas in texts, which are broken into lines anew when these come late."""
VISITS, FIRST_VISIT, VISITED = "explorer_visits", "first", "again"
"""The cookie of a browser that was here: its first visit, until it has all controls; or another."""
YEAR = 365 * 24 * 3600
WAITS = 'class="opening"'
"""Of the document of a page with controls at the left: room for them until they are here, when
components/page/page.js takes it away."""

AGAIN = 20
"""Seconds after which who found no room is let in, if there is some then."""
NO_ROOM = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Attention explorer: full</title>'
    f'<meta http-equiv="refresh" content="{AGAIN}"><h1>No page more can be opened now</h1>'
    "<p>As many are open as this server takes. It opens by itself as soon as one is closed.</p>"
)


@cache
def document(name: str, controls: bool = True) -> str:
    """The document of a page, with room for its `controls`, where it has some."""
    html = (STATIC / "index.html").read_text("utf-8")
    if PAGES[name].controls and controls:
        html = html.replace("<html", f"<html {WAITS}", 1)
    fonts = (path for font in FONTS for path in STATIC.glob(f"static/media/{font}.*.woff2"))
    links = "".join(
        f'<link rel="preload" href="./static/media/{path.name}" as="font" type="font/woff2" '
        "crossorigin />"
        for path in fonts
    )
    return html.replace("</head>", f"{links}<style>{source('page')['css']}</style></head>", 1)


def _opened(name: str, request: Request) -> HTMLResponse:
    if request.scope.get(FULL):
        return HTMLResponse(NO_ROOM, 503, headers={"Retry-After": str(AGAIN)})
    bare = name == FIRST and not request.url.query
    visit = request.cookies.get(VISITS) or (FIRST_VISIT if bare else VISITED)
    html = document(name, controls=not (bare and visit == FIRST_VISIT))
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
    """The documents of all pages, at their addresses below `base`; the first page has two."""
    places = {f"{base}/": FIRST} | {f"{base}/{name}": name for name in PAGES if name != FIRST}
    opened = [Route(path, partial(_opened, name)) for path, name in places.items()]
    return [*opened, Route(f"{base}/{FIRST}", _first)]
