"""What stands before every route: who may ask, and what a browser may do with the answer.

CORS covers neither WebSockets nor what a plain form may send, so both are asked where they come
from: a page of another origin, another port of this machine included, could else drive the app in
its reader's name. The Content-Security-Policy lets scripts come from here alone.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE = ("GET", "HEAD", "OPTIONS")
INLINE = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*type=\"text/plain\")[^>]*>(.*?)</script>", re.S)
"""Scripts that a document holds itself."""
SESSIONS = "sessions"
FULL = "explorer full"
"""In the scope of a request: whether no page more may be opened."""
XSRF = "_streamlit_xsrf="
"""How the cookie begins whose token an upload repeats."""
IN_FRAMES = "SameSite=None; Secure; Partitioned"
"""Of a cookie that browsers send from frames of other sites, behind https, each another one."""
UNUSED = "camera=(), geolocation=(), microphone=(), payment=(), usb=()"
"""What of a device no page here asks for, nor may a script that came in."""
YEAR = "max-age=31536000"
"""For which a browser asks this name by https alone, once it has come by it."""
FOREIGN = "Cross-origin request refused."
PAST_THE_PROXY = "This server answers its proxy only."


def same_origin(headers: Headers, origins: Sequence[str] = ()) -> bool:
    """Whether the page that asks was served by this host, or by one of `origins`."""
    origin, host = headers.get("origin", "").lower(), headers.get("host", "").lower()
    return bool(host) and (_host_of(origin, headers) == host or origin in origins)


def _host_of(origin: str, headers: Headers) -> str:
    """Of a page that came by http or https; by https alone where a proxy says that all does."""
    with suppress(ValueError):  # http://[ is none
        parts = urlsplit(origin)
        is_safe = headers.get("x-forwarded-proto") in ("https", "wss")
        return parts.netloc if parts.scheme in ("http", "https")[is_safe:] else ""
    return ""


def comes_from(scope: Scope, networks: Sequence[str]) -> bool:
    """Whether a request comes from this machine, or from one of the networks ("*" for any)."""
    if "*" in networks or not scope.get("client"):  # of a socket without an address
        return True
    try:
        address = ip_address(scope["client"][0])
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or any(address in ip_network(each, False) for each in networks)


def is_https(asked: HTTPConnection) -> bool:
    """Whether the browser speaks https, with this server or with a proxy that says so."""
    schemes = asked.headers.get("x-forwarded-proto"), asked.scope.get("scheme")
    return any(scheme in ("https", "wss") for scheme in schemes)


def policy(document: str = "") -> str:
    """The Content-Security-Policy of a document, whose own scripts are named by their hashes.

    Components of the pages are modules that Streamlit makes of texts (blob:), its styles are
    written by scripts, and pictures are drawn into data: and blob: addresses.
    """
    hashes = (hashlib.sha256(text.encode()).digest() for text in INLINE.findall(document))
    inline = "".join(f" 'sha256-{base64.b64encode(value).decode()}'" for value in hashes)
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: 'wasm-unsafe-eval'{inline}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
        )
    )


class Doors:
    """Middleware: refuses sockets and changes that pages of other origins ask for; every answer
    carries the headers that keep a browser from doing more with it than showing it.

    `origins` may ask beside the server's own, `framed_by` may show it in a frame; so many
    `sessions` may be open at once, or any number (0). Where `proxies` are named, nobody else is
    answered.
    """

    def __init__(
        self,
        app: ASGIApp,
        origins: Sequence[str] = (),
        framed_by: Sequence[str] = (),
        sessions: int = 0,
        proxies: Sequence[str] = (),
    ):
        self.app, self.origins, self.framed_by = app, origins, framed_by
        self.sessions, self.proxies = sessions, proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what may be asked."""
        if self.proxies and not comes_from(scope, self.proxies):
            return await _refuse(scope, receive, send, PAST_THE_PROXY)
        asked = scope["type"] == "websocket" or scope.get("method", "GET") not in SAFE
        if asked and not same_origin(Headers(scope=scope), self.origins):
            return await _refuse(scope, receive, send)

        full = bool(self.sessions) and _sockets(scope)[SESSIONS] >= self.sessions
        if scope["type"] == "websocket":
            if full and _kind(scope) == SESSIONS:
                return await _refuse(scope, receive, send)
            with _counted(scope):
                return await self.app(scope, receive, send)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                self._guard(headers, is_https(HTTPConnection(scope)))
            await send(message)

        await self.app({**scope, FULL: full}, receive, sent)

    def _guard(self, headers: MutableHeaders, is_safe: bool) -> None:
        scripts = headers.get("Content-Security-Policy") or policy()
        frames = " ".join(("frame-ancestors 'self'", *self.framed_by))
        headers["Content-Security-Policy"] = f"{scripts}; {frames}"
        headers.setdefault("X-Content-Type-Options", "nosniff")
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Permissions-Policy", UNUSED)
        if is_safe:
            headers.setdefault("Strict-Transport-Security", YEAR)
        if is_safe and self.framed_by:
            _give_to_frames(headers)


def _give_to_frames(headers: MutableHeaders) -> None:
    """Without its cookie in a frame of another site nothing could be uploaded there."""
    cookies = headers.getlist("Set-Cookie")
    del headers["Set-Cookie"]
    for cookie in cookies:
        if cookie.startswith(XSRF):
            cookie = f"{cookie.split(';')[0]}; Path=/; {IN_FRAMES}"
        headers.append("Set-Cookie", cookie)


@contextmanager
def _counted(scope: Scope) -> Iterator[None]:
    """Among the app's open sockets."""
    sockets, kind = _sockets(scope), _kind(scope)
    sockets[kind] += 1
    try:
        yield
    finally:
        sockets[kind] -= 1


def _kind(scope: Scope) -> str:
    return SESSIONS if scope["path"].endswith("/_stcore/stream") else "pictures"


def _sockets(scope: Scope) -> Counter[str]:
    """The app's open sockets: "sessions" of Streamlit's pages, "pictures" of runs."""
    if "app" not in scope:
        return Counter()
    state = scope["app"].state
    state.sockets = getattr(state, "sockets", None) or Counter()
    return state.sockets


async def _refuse(scope: Scope, receive: Receive, send: Send, why: str = FOREIGN) -> None:
    if scope["type"] == "websocket":
        await receive()
        return await send({"type": "websocket.close", "code": 1008})  # before it is accepted: 403
    await PlainTextResponse(why, 403)(scope, receive, send)
