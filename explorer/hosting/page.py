"""The one door of the app: what stands before every route by the settings of the server, and what
Streamlit gives to whoever knows a name, here given to its visitor alone: files of pages, places of
uploads, of whose bytes a visitor's pages hold so many. What its socket would do for a developer it
does for nobody."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.hosting import logs, page_health
from explorer.hosting.doors import Doors, Visitors
from explorer.hosting.gate import gate
from explorer.hosting.settings import Limits, Settings
from explorer.hosting.visitors import OWNER
from explorer.runs.costs import MEGA
from explorer.ui import page_visit, registry
from explorer.ui.streamlit_private import (
    BackMsg,
    OwnFileManager,
    OwnFiles,
    forget_sessions,
    keep_files,
    put_before,
    state_of,
    uploads,
)

if TYPE_CHECKING:
    from streamlit import App

UPLOAD = re.compile(r"/_stcore/upload_file/([^/]*)/([^/]*)$")
STREAM = "/_stcore/stream"
LOOK_SECONDS = 1.0
HELD = 5
"""Uploads of the largest size that all pages of a visitor hold together."""
ENTRY = 1000
"""Bytes that one takes beside its own."""
KNOWN = 1000
"""Visitors whose uploads are remembered at the least."""
MESSAGES = 60
"""Frames a second of one socket: messages, fragments of one, pings and pongs; more wait."""
LARGEST = 4_000_000
"""Bytes of what a page says at once: a session keeps them, ten minutes longer than its page."""
MOST = 6000
"""Values of what a page says at once, each of which takes memory of its own: 2,000 widgets, with
name and value, or what else is listed. No page has a sixth of it (tests/test_guard.py)."""
NAMES = 100
"""Files for which a page asks places at once."""
OF_PAGES = {
    "rerun_script",
    "stop_script",
    "file_urls_request",
    "app_heartbeat",
    "backend_operation_request",
}
"""Messages that a reader's page sends. Others ask for the state of a repository, which takes a
process while everybody waits, or empty what all have cached."""
FORGET_SECONDS = 30.0
M_ARENA_MAX, HEAPS = -8, 2
"""Of glibc, which else has a heap for each of many threads: each rerun is one, and what it frees
stays in pieces there (420 MB instead of 375 after five minutes of visitors)."""
WIDTHS = {0: 0, 1: 8, 2: 0, 5: 4}
"""Bytes by kind; of 0 the value is a number, of 2 there are so many as it says."""
PACKED = {FieldDescriptor.TYPE_DOUBLE: 8, FieldDescriptor.TYPE_FLOAT: 4}
"""Bytes of numbers that are listed without a kind for each; others have one at least."""
TEXTS = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)
LONGEST = 10
"""Bytes of a number."""


def install(app: App) -> None:
    """All that makes a server of an app, by its settings; call it before the start: what requests
    pass, files of pages each for its visitor, /healthz and /metrics."""
    settings = registry.settings()
    if settings.log == "json":
        logs.begin()
    if settings.public:
        gate(MESSAGES, LARGEST)
    routes = page_health.routes(f"/{settings.base_path}".rstrip("/"))
    put_before(app, stack(settings), routes, attended)
    # Streamlit has no other place to say what making files and drawing a page has taken
    files = partial(OwnFiles, owner=registry.owner)
    keep_files(app, lambda endpoint: OwnFileManager(files(endpoint), _making, page_visit.charge))


@asynccontextmanager
async def attended(app: App) -> AsyncIterator[None]:
    """While it serves: sessions that have gone are forgotten, and whoever runs the server can ask
    how it is."""
    settings, parent, state = registry.settings(), registry.parent(), state_of(app)
    lasting = [forget_regularly(), *([parent.beat(state)] if parent else [])]
    beside = [asyncio.create_task(each) for each in lasting]
    try:
        with page_health.metrics_apart("" if parent else settings.metrics, state):
            yield
    finally:
        for task in beside:
            task.cancel()


def stack(settings: Settings) -> list[Middleware]:
    """What a request passes, from the outside in."""
    hosts = list(settings.hosts)
    shown = {"origins": settings.origins, "framed_by": settings.framed_by}
    open_to = {"sessions": settings.sessions, "proxies": settings.trusted_proxy}
    doors = [
        *([Middleware(logs.Requests)] if settings.log == "json" else []),
        Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False),
        Middleware(Doors, **shown, **open_to),
    ]
    if settings.public:
        limits, framed = settings.limits, bool(settings.framed_by)
        doors += [Middleware(Visitors, registry.recognition, limits=limits, framed=framed)]
        doors += [Middleware(Guard, limits=limits)]
    return doors


def _making(owner: str) -> AbstractContextManager[None]:
    """Within which a file of a visitor is made: few at once."""
    shares = registry.shares()
    return shares.file(owner) if shares else nullcontext()


class Uploads:
    """What the pages of each visitor were given, which is in memory until they are closed: of so
    many bytes the newest, as a page has read the others long ago."""

    def __init__(self, most: float):
        self.most = most
        self.held: dict[str, list[tuple[str, str]]] = {}

    def add(self, owner: str, session: str, file: str) -> None:
        """Count a file that has come; the oldest go."""
        newest, room = (session, file), self.most
        places = [each for each in self.held.pop(owner, []) if each != newest]
        files = []
        for place in (newest, *reversed(places)):
            size = _held(*place)
            room -= size
            if size and room >= 0:
                files.insert(0, place)
            elif size:
                uploads().remove_file(*place)
        self.held[owner] = files
        if len(self.held) > KNOWN:  # of pages that were closed nothing is left
            held = self.held.items()
            self.held = {who: theirs for who, theirs in held if any(_held(*at) for at in theirs)}


def _held(session: str, file: str) -> int:
    """Bytes that an upload takes; 0 where it has gone."""
    return sum(len(each.data) + ENTRY for each in uploads().get_files(session, [file]))


class Guard:
    """Middleware behind `Visitors`: uploads come from the visitor whose session it is, and a socket
    brings what pages send."""

    def __init__(self, app: ASGIApp, limits: Limits):
        self.app = app
        self.uploads = Uploads(HELD * MEGA * limits.upload_megabytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through what is the visitor's own."""
        owner = OWNER.get() or ""
        if scope["type"] == "websocket" and scope["path"].endswith(STREAM):
            return await self.app(scope, _of_pages(receive, owner), send)
        upload = scope["type"] == "http" and UPLOAD.search(scope["path"])
        if not upload:
            return await self.app(scope, receive, send)
        if registry.owner_of(upload[1]) not in (None, owner):
            return await PlainTextResponse("Not Found", 404)(scope, receive, send)
        await self.app(scope, receive, send)
        self.uploads.add(owner, *upload.groups())


def _of_pages(receive: Receive, owner: str) -> Receive:
    """What pages send. A fragment or a file waits while nothing is left to its visitor; a page
    says itself that it waits (ui/page_visit.py)."""
    shares = registry.shares()

    async def one() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            try:
                back_msg = _parsed(message)
            except DecodeError:  # of which Streamlit would write down a traceback
                return {"type": "websocket.disconnect", "code": 1002}
            if back_msg is None:
                return {"type": "websocket.disconnect", "code": 1009}
            kind, names = back_msg.WhichOneof("type"), back_msg.file_urls_request.file_names
            in_part = kind == "backend_operation_request" or back_msg.rerun_script.fragment_id
            if kind in OF_PAGES and len(names) <= NAMES:
                while shares and in_part and (left := shares.wait(owner)):
                    await asyncio.sleep(min(left, LOOK_SECONDS))
                return message

    return one


def _parsed(message: Message) -> BackMsg | None:
    """What a page sends; None for what is too large, before it takes memory. Raises DecodeError for
    what is no message of a page."""
    data = message.get("bytes") or b""
    if len(data) > LARGEST or values(data, BackMsg.DESCRIPTOR, MOST) > MOST:
        return None
    return BackMsg.FromString(data)


def values(data: bytes, kind: Descriptor, most: int) -> int:
    """Values of a message, those of its parts included, counted until there are more than `most`.
    Raises DecodeError for what is none."""
    count, parts = 0, [(memoryview(data), kind)]
    while parts and count <= most:
        part, kind = parts.pop()
        at = 0
        while at < len(part) and count <= most:
            tag, at = _number(part, at)
            if (width := WIDTHS.get(tag & 7)) is None:
                raise DecodeError(f"a field of kind {tag & 7}")
            size, at = (width, at) if width else _number(part, at)
            count += 1
            if tag & 7 == 2:
                field = kind.fields_by_number.get(tag >> 3)
                if field and field.message_type:
                    parts.append((part[at : at + size], field.message_type))
                elif field and field.type not in TEXTS:
                    count += size // PACKED.get(field.type, 1)
            at += size if tag & 7 else 0
    return count


def _number(part: memoryview, at: int) -> tuple[int, int]:
    """A number, seven bits a byte, and where it ends."""
    number = 0
    for place, byte in enumerate(part[at : at + LONGEST]):
        number |= (byte & 127) << 7 * place
        if byte < 128:
            return number, at + place + 1
    raise DecodeError("a number without an end")


async def forget_regularly() -> None:
    """Until cancelled, forget those that have been gone for longer than
    `server.disconnectedSessionTTL`, with their memory and open files."""
    _ask_glibc(lambda library: library.mallopt(M_ARENA_MAX, HEAPS))
    while True:
        await asyncio.sleep(FORGET_SECONDS)
        if forget_sessions():
            give_memory_back()


def give_memory_back() -> None:
    """What sessions have left in cycles, to the operating system: some 20 ms."""
    gc.collect()
    _ask_glibc(lambda library: library.malloc_trim(0))


def _ask_glibc(call: Callable[[ctypes.CDLL], object]) -> None:
    """What another C library does not have."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            call(ctypes.CDLL(None))
