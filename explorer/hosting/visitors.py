"""Who asks, on a server that is open to the public: whose space a request and a page are about.

A visitor is known by a cookie that this server has signed, by the name under which somebody has
logged in, or by the header of a proxy, where a setting names it: then by nothing else. The space
is named by a hash, so that its name is no cookie. Who has a space, and may train in it, has a place
of a word (words.py), by the field on a page or a link with `?word=`, or an account: a login or the
proxy's name.
"""

import hashlib
import secrets
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from html import escape
from urllib.parse import urlencode

from itsdangerous import BadSignature, TimestampSigner
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.hosting.addresses import Addresses, address
from explorer.hosting.doors import IN_FRAMES, SAFE, is_https
from explorer.hosting.logs import SAID
from explorer.hosting.settings import Limits
from explorer.hosting.words import BLOCKED, NEEDED, Standing, WordError, Words
from explorer.runs.costs import MEGA
from explorer.runs.files import write_durably
from explorer.runs.home import Home

COOKIE = "explorer_visitor"
OF_HOST = f"__Host-{COOKIE}"
"""What it is called behind https: from there alone browsers take a cookie of this name, of which no
other host of the same domain can plant one."""
OWNER: ContextVar[str | None] = ContextVar("owner", default=None)
"""Whose request is being answered, "" for a stranger's; None where none is."""
SPACE = "x-explorer-space"
"""The header that tells Streamlit so, too; it gives a session back to nobody else
(`trustedUserHeaders` in .streamlit/config.toml)."""
DAY = 24 * 60 * 60
FORM_BYTES = 100_000
"""What a form adds to a file."""
WORD, RETURNED = "word", "returned"
"""In an address: the word that is brought, and that the browser was given a cookie before."""
UPLOADS = "/_stcore/upload_file/"
NO_COOKIE = (
    "A word needs a cookie, by which this server knows your browser again: allow cookies here."
)
NOT_LET_IN = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>Attention explorer: word</title>'
    "<h1>This word does not let you in</h1><p>{}</p>"
    '<p>Everybody can look, drag, replay and train in the browser: <a href="./">go on without a '
    "word</a>.</p></html>"
)


@dataclass(frozen=True)
class Recognition:
    """How visitors are known: by a cookie, for so many `days` from their last page. `login` reads
    the name of who has logged in from the cookies. Who may train is said by `words`; `accounts` are
    those who came by a login or a proxy's name since the server has started."""

    secret: str
    user_header: str = ""
    login: Callable[[Mapping[str, str]], str | None] = lambda cookies: None
    days: int = Limits().idle_days
    words: Words | None = None
    accounts: set[str] = field(default_factory=set)
    addresses: Addresses = field(default_factory=Addresses)

    def standing(self, owner: str) -> Standing:
        """Whether a visitor has a space and the queue ("in"), or looks on."""
        found = self.words.standing(owner) if self.words and owner else "out"
        return "in" if found == "out" and owner in self.accounts else found

    def owner(
        self, headers: Mapping[str, str], cookies: Mapping[str, str], name: str = COOKIE
    ) -> str | None:
        """The name of the visitor's space, 32 hexadecimal digits; None for a stranger.

        The names of `headers` are in lower case; `name` is that of the visitor's cookie.
        """
        known = self._known(headers, cookies, name)
        return known and _space(*known)

    def _known(
        self, headers: Mapping[str, str], cookies: Mapping[str, str], name: str
    ) -> tuple[str, str] | None:
        """By what the visitor is known, and under which name."""
        if self.user_header:
            user = headers.get(self.user_header)
            return ("proxy", user) if user else None
        if user := self.login(cookies):
            return "login", user
        visitor = self._visitor(cookies, name)
        return ("cookie", visitor) if visitor else None

    def asks(self, asked: HTTPConnection) -> str:
        """The space of who sends this, "" for a stranger; of two names of a proxy's one is not the
        proxy's."""
        if len(asked.headers.getlist(self.user_header)) > 1:
            return ""
        known = self._known(asked.headers, asked.cookies, cookie_name(asked))
        owner = _space(*known) if known else ""
        if known and known[0] != "cookie":
            self.accounts.add(owner)
        return owner

    def cookie(self, cookies: Mapping[str, str], name: str = COOKIE) -> str:
        """The value to set, signed now: that of the visitor, or of a new one."""
        return self._signer().sign(self._visitor(cookies, name) or secrets.token_hex(16)).decode()

    def _visitor(self, cookies: Mapping[str, str], name: str) -> str | None:
        try:
            signed = cookies.get(name, "")
            return self._signer().unsign(signed, max_age=self.days * DAY).decode()
        except (BadSignature, ValueError):
            return None

    def _signer(self) -> TimestampSigner:
        return TimestampSigner(self.secret, salt=COOKIE, digest_method=hashlib.sha256)


def cookie_name(asked: HTTPConnection) -> str:
    """Under which the browser that asks keeps its visitor's cookie."""
    return OF_HOST if is_https(asked) else COOKIE


def _space(kind: str, name: str) -> str:
    return hashlib.sha256(f"{kind}\0{name}".encode()).hexdigest()[:32]


def kept_secret(commons: Home) -> str:
    """The secret of all servers on a store, made at the first start and kept in a file for their
    user alone."""
    with commons.writing("visitors") as folder:
        path = folder / "secret"
        if not path.exists():
            write_durably(path, secrets.token_hex(32).encode(), 0o600)
        return path.read_text("utf-8")


def _named(scope: Scope, owner: str) -> Scope:
    """The same request in the name of `owner`, whatever it says of that itself."""
    said = [(name, value) for name, value in scope["headers"] if name != SPACE.encode()]
    return {**scope, "headers": [*said, (SPACE.encode(), owner.encode())]}


def _note(recognition: Recognition, owner: str, scope: Scope) -> None:
    """From where a visitor asks; a line of the log has it as a hash."""
    found = address(scope)
    if owner:
        recognition.addresses.note(owner, found)
    salted = recognition.addresses.salted(found)
    scope.get(SAID, {}).update(visitor=owner, address=salted)


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
        said, most = asked.headers.get("content-length", ""), self.limits.upload_megabytes
        if not said.isascii() or not said.isdigit() or int(said) <= most * MEGA + FORM_BYTES:
            return ""
        return f"This is {int(said) // MEGA} MB; the limit is {most} MB."

    def _cookie(self, asked: HTTPConnection, recognition: Recognition) -> str:
        sent, name = "SameSite=Lax", cookie_name(asked)
        if is_https(asked):
            sent = IN_FRAMES if self.framed else f"{sent}; Secure"
        return (
            f"{name}={recognition.cookie(asked.cookies, name)}; Path=/; HttpOnly; "
            f"Max-Age={recognition.days * DAY}; {sent}"
        )
