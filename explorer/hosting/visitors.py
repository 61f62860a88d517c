"""Who asks, on a server that is open to the public: whose space a request and a page are about.

A visitor is known by a cookie that this server has signed, by the name under which somebody has
logged in, or by the header of a proxy, where a setting names it: then by nothing else. The space
is named by a hash, so that its name is no cookie.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from itsdangerous import BadSignature, Signer
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "explorer_visitor"
OWNER: ContextVar[str | None] = ContextVar("owner", default=None)
"""Whose request is being answered."""
DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Recognition:
    """How visitors are known. `login` reads the name of who has logged in from the cookies."""

    secret: str
    user_header: str = ""
    login: Callable[[Mapping[str, str]], str | None] = lambda cookies: None

    def owner(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> str | None:
        """The name of the visitor's space, 32 hexadecimal digits; None for a stranger.

        The names of `headers` are in lower case.
        """
        if self.user_header:
            name = headers.get(self.user_header)
            return _space("proxy", name) if name else None
        if user := self.login(cookies):
            return _space("login", user)
        visitor = self._visitor(cookies)
        return _space("cookie", visitor) if visitor else None

    def cookie(self, cookies: Mapping[str, str]) -> str:
        """The value to set: that of the visitor, or of a new one."""
        return self._signer().sign(self._visitor(cookies) or secrets.token_hex(16)).decode()

    def _visitor(self, cookies: Mapping[str, str]) -> str | None:
        try:
            return self._signer().unsign(cookies.get(COOKIE, "")).decode()
        except (BadSignature, ValueError):
            return None

    def _signer(self) -> Signer:
        return Signer(self.secret, salt=COOKIE, digest_method=hashlib.sha256)


def _space(kind: str, name: str) -> str:
    return hashlib.sha256(f"{kind}\0{name}".encode()).hexdigest()[:32]


def kept_secret(folder: Path) -> str:
    """The secret of a server, made at its first start and kept in a file for its user alone."""
    path = folder / "secret"
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        path.touch(0o600, exist_ok=False)
        path.write_text(secrets.token_hex(32), "utf-8")
    return path.read_text("utf-8")


class Visitors:
    """Middleware: says in OWNER who asks, and gives each document's reader a cookie.

    Behind https it is sent there alone; in frames of other sites (`framed`) only then, and for each
    of these sites it is another one.
    """

    def __init__(self, app: ASGIApp, recognise: Callable[[], Recognition], days: int, framed: bool):
        self.app, self.recognise, self.days, self.framed = app, recognise, days, framed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer in the name of who asks."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        asked, recognition = HTTPConnection(scope), self.recognise()
        told = OWNER.set(recognition.owner(asked.headers, asked.cookies))

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Set-Cookie", self._cookie(asked, recognition))
            await send(message)

        try:
            await self.app(scope, receive, sent)
        finally:
            OWNER.reset(told)

    def _cookie(self, asked: HTTPConnection, recognition: Recognition) -> str:
        schemes = asked.headers.get("x-forwarded-proto"), asked.url.scheme
        is_https = any(scheme in ("https", "wss") for scheme in schemes)
        frames = "; SameSite=None; Partitioned" if self.framed and is_https else "; SameSite=Lax"
        return (
            f"{COOKIE}={recognition.cookie(asked.cookies)}; Path=/; HttpOnly; "
            f"Max-Age={self.days * DAY}{frames}{'; Secure' if is_https else ''}"
        )
