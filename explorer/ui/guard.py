"""What Streamlit gives to whoever knows a name, here given to its visitor alone: files of pages,
places of uploads, of whose bytes a visitor's pages hold so many. What its socket would do for a
developer it does for nobody."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Hashable, Iterable, MutableSequence
from contextlib import nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakValueDictionary

from google.protobuf.message import DecodeError
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_routes import BASE_ROUTE_MEDIA

from explorer.hosting.visitors import OWNER
from explorer.runs.costs import MEGA
from explorer.runs.limits import Limits
from explorer.ui import pace, registry

if TYPE_CHECKING:
    from streamlit import App
    from streamlit.runtime import Runtime

UPLOAD = re.compile(r"/_stcore/upload_file/([^/]*)/([^/]*)$")
STREAM = "/_stcore/stream"
LOOK_SECONDS = 1.0
HELD = 5
"""Uploads of the largest size that all pages of a visitor hold together."""
ENTRY = 1000
"""Bytes that one takes beside its own."""
AT_ONCE = 4
"""Uploads of a visitor that are read at once; more wait."""
KNOWN = 1000
"""Visitors whose uploads are remembered at the least."""
LARGEST = 4_000_000
"""Bytes of what a page says at once: a session keeps them, ten minutes longer than its page."""
MOST = 6000
"""Values of what a page says at once, each of which takes memory of its own: 2,000 widgets, with
name and value, or what else is listed. No page has a sixth of it (tests/test_guard.py)."""
NAMES = 100
"""Files for which a page asks places at once."""
LINGERS = 15.0
"""Seconds for which a browser may still ask for a file of a page as it was before its last run."""
OF_PAGES = {
    "rerun_script",
    "stop_script",
    "file_urls_request",
    "app_heartbeat",
    "backend_operation_request",
}
"""Messages that a reader's page sends. Others ask for the state of a repository, which takes a
process while everybody waits, or empty what all have cached."""


class OwnFiles(MemoryMediaFileStorage):
    """Files of pages, each of one visitor: by a hash of the whole of it and of whose it is, so that
    nobody has one address with somebody else."""

    def __init__(self, endpoint: str):
        super().__init__(endpoint)
        self._owners: dict[str, str] = {}

    def load_and_get_id(
        self,
        path_or_data: str | bytes,
        mimetype: str,
        kind: MediaFileKind,
        filename: str | None = None,
    ) -> str:
        """Keep a file for who asks; its name."""
        owner = registry.owner()
        data = self._read_file(path_or_data) if isinstance(path_or_data, str) else path_or_data
        named = hashlib.blake2b(data, digest_size=16, key=owner.encode())
        named.update(f"\0{len(data)}\0{mimetype}\0{filename}".encode())
        name = named.hexdigest()
        self._owners[name] = owner
        self._files_by_id.setdefault(name, MemoryFile(data, mimetype, kind, filename))
        return name

    def get_file(self, filename: str) -> MemoryFile:
        """A file of who asks; raises MediaFileStorageError for another's as for one that is not
        there."""
        if self._owners.get(filename.partition(".")[0]) != registry.owner():
            raise MediaFileStorageError("there is no such file")
        return super().get_file(filename)

    def delete_file(self, file_id: str) -> None:
        """Forget it."""
        self._owners.pop(file_id, None)
        super().delete_file(file_id)


class Lately:
    """What was given up less than LINGERS ago, by a clock in seconds."""

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._since: dict[Hashable, float] = {}

    def of(self, given_up: Iterable[Hashable]) -> set[Hashable]:
        """Those of all that are `given_up` now to which this has happened lately."""
        now = self._clock()
        self._since = {each: self._since.get(each, now) for each in given_up}
        return {each for each, since in self._since.items() if now - since < LINGERS}


class OwnFileManager(MediaFileManager):
    """Streamlit's, where only its visitor has a file made that is made when it is asked for, few at
    once; and where a button of before the last run still brings its file: else a press while a
    page runs, or another visitor's run between press and file, ends in a 404."""

    def __init__(self, storage: OwnFiles, clock: Callable[[], float] = monotonic):
        super().__init__(storage)
        self._pressed, self._made = Lately(clock), Lately(clock)

    def add_deferred(self, data_callable: Callable[[], Any], *args: Any, **options: Any) -> str:
        """Keep how a file is made; the name to ask for it."""
        owner = registry.owner()

        def made() -> Any:
            if registry.owner() != owner:
                raise MediaFileStorageError("there is no such file")
            shares = registry.shares()
            with shares.file(owner) if shares else nullcontext():
                return data_callable()

        return super().add_deferred(made, *args, **options)

    def remove_orphaned_files(self) -> None:
        """Streamlit calls this at the end of every script and fragment, on its thread: now is known
        what it has computed."""
        if get_script_run_ctx(suppress_warning=True):
            pace.charge()
        super().remove_orphaned_files()

    def _get_inactive_file_ids(self) -> set[str]:
        """Streamlit forgets these: no page shows them, nor was one made lately."""
        known = self._file_metadata
        idle = super()._get_inactive_file_ids()
        files = [known[name] for name in idle if known[name].kind == MediaFileKind.DOWNLOADABLE]
        lately = self._made.of(files)
        return {name for name in idle if known[name] not in lately}

    def _remove_orphaned_deferred_callables(self) -> None:
        places = self._files_by_session_and_coord.values()
        shown = {name for files in places for name in files.values()}
        left = self._deferred_callables.keys() - shown
        lately = self._pressed.of(left)
        for name in left - lately:
            self._drop_deferred_id(name)


def own_files(app: App) -> None:
    """From its start on the app keeps files so; Streamlit has no other place to say it."""
    create = app._create_runtime

    def created() -> Runtime:
        made = create()
        made._media_file_mgr = OwnFileManager(OwnFiles(f"/{BASE_ROUTE_MEDIA}"))
        return made

    app._create_runtime = created


class Uploads:
    """What the pages of each visitor were given, which is in memory until they are closed: of so
    many bytes the newest, as a page has read the others long ago."""

    def __init__(self, most: float):
        self.most = most
        self.held: dict[str, list[tuple[str, str]]] = {}
        self.at_work = WeakValueDictionary[str, asyncio.Semaphore]()

    def turn(self, owner: str) -> asyncio.Semaphore:
        """For a file to be read: few of one visitor are at once."""
        return self.at_work.setdefault(owner, asyncio.Semaphore(AT_ONCE))

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
                _files().remove_file(*place)
        self.held[owner] = kept
        if len(self.held) > KNOWN:  # of pages that were closed nothing is left
            held = self.held.items()
            self.held = {who: kept for who, kept in held if any(_held(*at) for at in kept)}


def _held(session: str, file: str) -> int:
    """Bytes that an upload takes; 0 where it has gone."""
    return sum(len(each.data) + ENTRY for each in _files().get_files(session, [file]))


def _files() -> MemoryUploadedFileManager:
    return cast(MemoryUploadedFileManager, runtime.get_instance().uploaded_file_mgr)


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
        async with self.uploads.turn(owner):
            await self.app(scope, receive, send)
            self.uploads.add(owner, *upload.groups())


def _of_pages(receive: Receive, owner: str) -> Receive:
    """What pages send. A fragment or a file waits while nothing is left to its visitor; a page
    says itself that it waits (pace.py)."""
    shares = registry.shares()

    async def one() -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            if len(message.get("bytes") or b"") > LARGEST:
                return {"type": "websocket.disconnect", "code": 1009}
            said = _said(message)
            if said is None:
                return {"type": "websocket.disconnect", "code": 1002}
            if values(said, MOST) > MOST:
                return {"type": "websocket.disconnect", "code": 1009}
            if _is_of_a_page(said):
                while shares and _in_part(said) and (left := shares.wait(owner)):
                    await asyncio.sleep(min(left, LOOK_SECONDS))
                return message

    return one


def _said(message: Message) -> BackMsg | None:
    """What a page sends; None for what is no message of one, of which Streamlit would write down a
    traceback."""
    said = BackMsg()
    try:
        said.ParseFromString(message.get("bytes") or b"")
    except DecodeError:
        return None
    return said


def values(said: Any, most: int) -> int:
    """How many values a message has, those of its parts included; counted until there are more than
    `most`."""
    count, parts = 0, [said]
    while parts and count <= most:
        for field, value in parts.pop().ListFields():
            listed = value if isinstance(value, MutableSequence) else (value,)
            count += len(listed)
            if field.message_type and count <= most:
                parts += listed
    return count


def _is_of_a_page(said: BackMsg) -> bool:
    names = said.file_urls_request.file_names
    return said.WhichOneof("type") in OF_PAGES and len(names) <= NAMES


def _in_part(said: BackMsg) -> bool:
    """Whether something of a page is computed without the page."""
    kind = said.WhichOneof("type")
    return kind == "backend_operation_request" or bool(said.rerun_script.fragment_id)
