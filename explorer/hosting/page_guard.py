"""What Streamlit gives to whoever knows a name, here given to its visitor alone: files of pages,
places of uploads, of whose bytes a visitor's pages hold so many. What its socket would do for a
developer it does for nobody."""

from __future__ import annotations

import asyncio
import re
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from explorer.hosting import page_pace
from explorer.hosting.limits import Limits
from explorer.hosting.visitors import OWNER
from explorer.hosting.wire import values
from explorer.runs.costs import MEGA
from explorer.ui import registry
from explorer.ui.streamlit_private import BackMsg, OwnFileManager, OwnFiles, keep_files, uploads

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


def own_files(app: App) -> None:
    """From its start on the app keeps files of pages each for its visitor, and counts what making
    them and drawing the page has taken; Streamlit has no other place to say it."""
    keep_files(
        app,
        lambda endpoint: OwnFileManager(
            OwnFiles(endpoint, registry.owner), _making, page_pace.charge
        ),
    )


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
        kept = []
        for place in (newest, *reversed(places)):
            size = _held(*place)
            room -= size
            if size and room >= 0:
                kept.insert(0, place)
            elif size:
                uploads().remove_file(*place)
        self.held[owner] = kept
        if len(self.held) > KNOWN:  # of pages that were closed nothing is left
            held = self.held.items()
            self.held = {who: kept for who, kept in held if any(_held(*at) for at in kept)}


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
    says itself that it waits (page_pace.py)."""
    shares = registry.shares()

    async def one() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            try:
                said = _said(message)
            except DecodeError:  # of which Streamlit would write down a traceback
                return {"type": "websocket.disconnect", "code": 1002}
            if said is None:
                return {"type": "websocket.disconnect", "code": 1009}
            if _is_of_a_page(said):
                while shares and _in_part(said) and (left := shares.wait(owner)):
                    await asyncio.sleep(min(left, LOOK_SECONDS))
                return message

    return one


def _said(message: Message) -> BackMsg | None:
    """What a page sends; None for what is too large, before it takes memory. Raises DecodeError for
    what is no message of a page."""
    data = message.get("bytes") or b""
    if len(data) > LARGEST or values(data, BackMsg.DESCRIPTOR, MOST) > MOST:
        return None
    return BackMsg.FromString(data)


def _is_of_a_page(said: BackMsg) -> bool:
    names = said.file_urls_request.file_names
    return said.WhichOneof("type") in OF_PAGES and len(names) <= NAMES


def _in_part(said: BackMsg) -> bool:
    """Whether something of a page is computed without the page."""
    kind = said.WhichOneof("type")
    return kind == "backend_operation_request" or bool(said.rerun_script.fragment_id)
