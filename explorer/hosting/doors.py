"""What stands before every route: who may ask, who asks, and what a browser may do with the answer.

CORS covers neither WebSockets nor what a plain form may send, so both are asked where they come
from: a page of another origin, another port of this machine included, could else drive the app in
its reader's name. The Content-Security-Policy lets scripts come from here alone.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from html import escape
from urllib.parse import urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.hosting.logs import SAID
from explorer.hosting.settings import Limits
from explorer.hosting.visitors import (
    BLOCKED,
    DAY,
    NEEDED,
    OWNER,
    SPACE,
    WORD,
    Recognition,
    WordError,
    Words,
    address,
    cookie_name,
    is_https,
    is_in,
)
from explorer.runs.costs import MEGA
from explorer.runs.database import StoreError

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
OWN = ("127.0.0.0/8", "::1")
FORM_BYTES = 100_000
"""What a form adds to a file."""
RETURNED = "returned"
"""In an address: the browser was given a cookie before."""
UPLOADS = "/_stcore/upload_file/"
NO_COOKIE = (
    "A word needs a cookie, by which this server knows your browser again: allow cookies here."
)
BUSY = "This server cannot look words up just now: open the link again in a minute."
NOT_LET_IN = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>Attention explorer: word</title>'
    "<h1>This word does not let you in</h1><p>{}</p>"
    '<p>Everybody can look, drag, replay and train in the browser: <a href="./">go on without a '
    "word</a>.</p></html>"
)


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
    """Whether a request comes from this machine, from one of the networks ("*" for any), or by a
    socket without an address."""
    client = scope.get("client")
    return not client or is_in(client[0], (*OWN, *networks))


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


class Visitors:
    """Middleware: says in OWNER who asks, and gives each document's reader a cookie. A longer body
    than the `limits` allow is refused before it is read.

    Behind https the cookie is sent there alone; in frames of other sites (`framed`) only then, and
    for each of these sites it is another one.
    """

    def __init__(
        self,
        app: ASGIApp,
        recognise: Callable[[], Recognition],
        limits: Limits,
        framed: bool = False,
    ):
        self.app, self.recognise, self.limits, self.framed = app, recognise, limits, framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the name of who asks."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        asked, recognition = HTTPConnection(scope), self.recognise()
        if scope["type"] != "websocket" and (too_long := self._too_long(asked)):
            return await PlainTextResponse(too_long, 413)(scope, receive, send)
        owner = recognition.asks(asked)
        _note(recognition, owner, scope)
        if early := self._early(asked, recognition, owner):
            return await early(scope, receive, send)
        told = OWNER.set(owner)
        try:
            named, answering = _named(scope, owner), self._answering(asked, recognition, send)
            await self.app(named, receive, answering)
        finally:
            OWNER.reset(told)

    def _early(
        self, asked: HTTPConnection, recognition: Recognition, owner: str
    ) -> Response | None:
        """The answer to a word, to who is blocked, and to an upload of who may keep nothing."""
        scope = asked.scope
        method = scope.get("method", "")
        if "/static/" in scope["path"]:
            return None
        standing = recognition.standing(owner)
        if standing == "blocked":
            return PlainTextResponse(BLOCKED, 403)
        if recognition.words and method == "GET" and asked.query_params.get(WORD):
            return self._enter(asked, recognition, recognition.words, owner)
        if UPLOADS in scope["path"] and method not in SAFE and standing != "in":
            return PlainTextResponse(NEEDED, 403)
        return None

    def _enter(
        self, asked: HTTPConnection, recognition: Recognition, words: Words, owner: str
    ) -> Response:
        """Take the place that a link with a word offers, and lead to the same page without it. Who
        is new gets a cookie first and comes again: what only looks at links takes no place."""
        query = [(name, text) for name, text in asked.query_params.multi_items() if name != WORD]
        word, page = asked.query_params[WORD], asked.scope["path"].rpartition("/")[2]
        plain = [each for each in query if each[0] != RETURNED]
        try:
            if not owner and (recognition.user_header or len(plain) < len(query)):
                raise WordError(NO_COOKIE)
            if not owner:
                plain += [(WORD, word), (RETURNED, "1")]
            elif owner not in recognition.accounts:
                words.enter(owner, word)
            answer = RedirectResponse(f"./{page}?{urlencode(plain)}".rstrip("?"), 303)
        except WordError as problem:
            answer = HTMLResponse(NOT_LET_IN.format(escape(str(problem))), 403)
        except StoreError:  # the list of words is held by another, or the disk is full
            answer = HTMLResponse(NOT_LET_IN.format(BUSY), 503)
        answer.headers["Cache-Control"], answer.headers["Referrer-Policy"] = (
            "no-store",
            "no-referrer",
        )
        if not owner:
            answer.headers.append("Set-Cookie", self._cookie(asked, recognition))
        return answer

    def _answering(self, asked: HTTPConnection, recognition: Recognition, send: Send) -> Send:
        """`send`, with what the answers to this visitor have in their headers."""

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Cache-Control", "private")  # the answer is to who asks
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Set-Cookie", self._cookie(asked, recognition))
            await send(message)

        return sent

    def _too_long(self, asked: HTTPConnection) -> str:
        """Why a body is refused; "" where it is not."""
        length, most = asked.headers.get("content-length", ""), self.limits.upload_megabytes
        if not length.isascii() or not length.isdigit() or int(length) <= most * MEGA + FORM_BYTES:
            return ""
        return f"This is {int(length) // MEGA} MB; the limit is {most} MB."

    def _cookie(self, asked: HTTPConnection, recognition: Recognition) -> str:
        sent, name = "SameSite=Lax", cookie_name(asked)
        if is_https(asked):
            sent = IN_FRAMES if self.framed else f"{sent}; Secure"
        return (
            f"{name}={recognition.cookie(asked.cookies, name)}; Path=/; HttpOnly; "
            f"Max-Age={recognition.days * DAY}; {sent}"
        )


def _named(scope: Scope, owner: str) -> Scope:
    """The same request in the name of `owner`, whatever it says of that itself."""
    headers = [(name, value) for name, value in scope["headers"] if name != SPACE.encode()]
    return {**scope, "headers": [*headers, (SPACE.encode(), owner.encode())]}


def _note(recognition: Recognition, owner: str, scope: Scope) -> None:
    """From where a visitor asks; a line of the log has it as a hash."""
    client = address(scope)
    if owner:
        recognition.addresses.note(owner, client)
    salted = recognition.addresses.salted(client)
    scope.get(SAID, {}).update(visitor=owner, address=salted)


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
