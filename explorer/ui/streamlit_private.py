"""All that the app takes of Streamlit beyond its documented interface, under names of our own: the
one module that does. tests/test_streamlit_private.py watches over it, with others named there."""

from __future__ import annotations

import asyncio
import hashlib
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    nullcontext,
    suppress,
)
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import click
import streamlit as st
import uvicorn
from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from explorer.ui.lately import Lately
from explorer.ui.message import Message

VERSION = "1.67"


def problem(version: str, missing: object = "") -> str:
    """What is wrong with a version of Streamlit, and what it lacks; "" with VERSION."""
    if not missing and version.split(".")[:2] == VERSION.split("."):
        return ""
    also = f" ({missing})" if missing else ""
    return (
        f"Streamlit {version} is installed, but the pages use parts of Streamlit {VERSION} that "
        f"other versions may not have{also}: pip install -r requirements.txt"
    )


try:
    from streamlit import config, runtime
    from streamlit.components.v2.component_manager import BidiComponentManager
    from streamlit.proto.BackMsg_pb2 import BackMsg as BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg as ForwardMsg
    from streamlit.proto.Slider_pb2 import Slider as Slider
    from streamlit.proto.WidgetStates_pb2 import WidgetState as WidgetState
    from streamlit.runtime import app_session
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
    from streamlit.runtime.media_file_manager import MediaFileManager
    from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
    from streamlit.runtime.memory_media_file_storage import MemoryFile, MemoryMediaFileStorage
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
    from streamlit.runtime.scriptrunner import RerunException as RerunException
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunnerEvent
    from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
    from streamlit.web import bootstrap
    from streamlit.web.cli import configurator_options
    from streamlit.web.server.starlette.starlette_routes import BASE_ROUTE_MEDIA
    from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
    from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks
except ImportError as error:
    raise ImportError(problem(st.__version__, error)) from None
if wrong := problem(st.__version__):
    raise ImportError(wrong)

if TYPE_CHECKING:
    from streamlit import App
    from streamlit.runtime import Runtime

NO_SESSION = get_script_run_ctx.__module__
"""The logger that warns where a script has no session."""
ANSWER = "backend_operation_response"

# The script that runs on this thread


def running_session() -> str | None:
    """The session whose script runs here; None where none does."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else None


def by_history() -> bool:
    """Whether Back or Forward led here; the address alone does not tell."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def drawn_elsewhere() -> bool:
    """Whether parts of the page are drawn anew alone, and what this thread is at is in none."""
    context = get_script_run_ctx(suppress_warning=True)
    drawn = context and context.fragment_ids_this_run
    return bool(drawn) and ThreadState.get().fragment_id not in drawn


def message() -> Message | None:
    """What this script, or this callback, answers; None outside of both."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        return None
    state = context.session_state._state
    values, known = state._new_widget_state, state._new_widget_state.widget_metadata
    return Message(
        {widget: values[widget] for widget in values if widget in known},
        {widget: state._old_state[widget] for widget in known if widget in state._old_state},
        frozenset(w for w, meta in known.items() if str(meta.value_type).endswith("trigger_value")),
        {each: (meta.callback, tuple(meta.callback_args or ())) for each, meta in known.items()},
    )


def headers_of(session: str) -> Mapping[str, str] | None:
    """What the socket of an open page was opened with; None where none is open."""
    client = runtime.get_instance().get_client(session) if runtime.exists() else None
    context = getattr(client, "client_context", None)
    return dict(context.headers) if context else None


_UNSEEN: set[str | None] = set()
"""The sessions of `open_page`."""


class _Reader:
    """Who opens a page and sees nothing of it, with the headers of a socket."""

    def __init__(self, headers: Mapping[str, str]):
        self.client_context = SimpleNamespace(headers=headers.items(), cookies={}, remote_ip=None)
        self.over = asyncio.Event()

    def write_forward_msg(self, msg: ForwardMsg) -> None:
        """Streamlit calls this where it runs its tasks."""
        if msg.WhichOneof("type") == "script_finished":
            self.over.set()


async def open_page(
    path: str, params: Mapping[str, str], headers: Mapping[str, str], seconds: float
) -> None:
    """Run the script of a page once, in a session that ends with it or after so many seconds."""
    if not runtime.exists():
        return
    server, reader = runtime.get_instance(), _Reader(headers)
    session = server.connect_session(cast(Any, reader), {})
    _UNSEEN.add(session)
    asked = BackMsg()
    asked.rerun_script.query_string = urlencode(params)
    asked.rerun_script.page_name = path
    try:
        server.handle_backmsg(session, asked)
        with suppress(TimeoutError):
            await asyncio.wait_for(reader.over.wait(), seconds)
    finally:
        server.close_session(session)
        _UNSEEN.discard(session)


def is_seen() -> bool:
    """Whether a browser shows the page of the script that runs here."""
    return running_session() not in _UNSEEN


def forget_sessions() -> int:
    """Forget those that have gone for longer than `server.disconnectedSessionTTL`; how many they
    were. Call it where Streamlit runs its tasks: nothing is locked."""
    if not runtime.exists():
        return 0
    return len(runtime.get_instance()._session_mgr._session_storage._cache.expire())  # type: ignore


class AnsweringQueue(ForwardMsgQueue):
    """Streamlit's, where the answer to a press of a button that makes a file is not dropped by a
    script that begins before it is sent: the button would wait for ever."""

    def clear(self, *args: Any, **options: Any) -> None:
        """A script begins, and most of what the one before has said is no longer true."""
        answers = [msg for msg in self._queue if msg.WhichOneof("type") == ANSWER]
        super().clear(*args, **options)
        self._queue = [msg for msg in self._queue if msg.WhichOneof("type") != ANSWER] + answers


def keep_pages_whole() -> None:
    """Sessions that begin from now on have such a queue, and a part of a page that asks to be drawn
    as the reader turns to another has come too late: for it Streamlit would empty the new page."""
    app_session.ForwardMsgQueue = AnsweringQueue  # type: ignore
    request, turns = app_session.AppSession.request_rerun, WeakKeyDictionary()

    def heard(session: app_session.AppSession, asked: Any) -> None:
        here, page = session.page_script_hash, asked and asked.page_script_hash
        if asked and asked.fragment_id:
            before, turned_to, since = turns.get(session, (None, "", 0.0))
            turning = here == before and monotonic() - since < 5.0  # s; that page may turn back
            if page != (turned_to if turning else here):
                return
        elif asked:
            turns[session] = here, page or here, monotonic()  # "": the browser knows none yet
        request(session, asked)

    app_session.AppSession.request_rerun = heard  # type: ignore


def hear_scripts_to_their_end() -> None:
    """What a script says last is on its way as it ends. Streamlit passes over that where a part of
    its page is asked for in this moment (its issue 9921): what had gone, as a dialog, stayed."""
    app, ended = cast(Any, app_session.AppSession), WeakKeyDictionary()
    create, handle = app._create_scriptrunner, app._handle_scriptrunner_event_on_event_loop

    def created(self: Any, *args: Any) -> None:
        if before := self._scriptrunner:  # it takes no request any more
            over = ended.setdefault(self, [])
            over.append(before)
            self._event_loop.call_soon(over.remove, before)  # behind all that it has said
        create(self, *args)

    def handled(self: Any, sender: Any, event: Any, *args: Any, **more: Any) -> None:
        if sender not in ended.get(self, ()) or event == ScriptRunnerEvent.SHUTDOWN:
            return handle(self, sender, event, *args, **more)
        now, self._scriptrunner = self._scriptrunner, sender
        try:
            handle(self, sender, event, *args, **more)
        finally:
            self._scriptrunner = now

    app._create_scriptrunner, app._handle_scriptrunner_event_on_event_loop = created, handled


def look_for_no_components() -> None:
    """Streamlit reads what describes each installed package, in case it brings a component, at each
    start and for each page that is drawn without a browser: a tenth of a second of work. None of
    these is on a page."""
    BidiComponentManager.discover_and_register_components = lambda self, **_: None


def uploads() -> MemoryUploadedFileManager:
    """What pages were given."""
    return cast(MemoryUploadedFileManager, runtime.get_instance().uploaded_file_mgr)


def user_of(cookies: Mapping[str, str]) -> str | None:
    """Issuer and subject of who has logged in by `st.login`, as its signed cookie says to every
    route; None for nobody."""
    if USER_COOKIE_NAME not in cookies:
        return None
    with suppress(ValueError, AttributeError):
        user = json.loads(_get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME) or b"")
        name = user.get("sub") or user.get("email")
        if user.get("is_logged_in") and name:
            return f"{user.get('iss', '')}\n{name}"
    return None


class OwnFiles(MemoryMediaFileStorage):
    """Files of pages, each of one visitor: by a hash of the whole of it and of whose it is, so that
    nobody has one address with somebody else. `owner` says who asks."""

    def __init__(self, endpoint: str, owner: Callable[[], str]):
        super().__init__(endpoint)
        self.owner = owner
        self._owners: dict[str, str] = {}

    def load_and_get_id(
        self,
        path_or_data: str | bytes,
        mimetype: str,
        kind: MediaFileKind,
        filename: str | None = None,
    ) -> str:
        """Keep a file for who asks; its name."""
        owner = self.owner()
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
        if self._owners.get(filename.partition(".")[0]) != self.owner():
            raise MediaFileStorageError("there is no such file")
        return super().get_file(filename)

    def delete_file(self, file_id: str) -> None:
        """Forget it."""
        self._owners.pop(file_id, None)
        super().delete_file(file_id)


class OwnFileManager(MediaFileManager):
    """Streamlit's, where only its visitor has a file made that is made when it is asked for, few at
    once; and where a button of before the last run still brings its file: else a press while a
    page runs, or another visitor's run between press and file, ends in a 404.

    A file is made within `making` of its owner; `ended` is called where a script ends."""

    def __init__(
        self,
        storage: OwnFiles,
        making: Callable[[str], AbstractContextManager[None]] = nullcontext,
        ended: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = monotonic,
    ):
        super().__init__(storage)
        self.owner, self.making, self.ended = storage.owner, making, ended
        self._pressed, self._made = Lately(clock), Lately(clock)

    def add_deferred(self, data_callable: Callable[[], Any], *args: Any, **options: Any) -> str:
        """Keep how a file is made; the name to ask for it."""
        owner = self.owner()

        def made() -> Any:
            if self.owner() != owner:
                raise MediaFileStorageError("there is no such file")
            with self.making(owner):
                return data_callable()

        return super().add_deferred(made, *args, **options)

    def remove_orphaned_files(self) -> None:
        """Streamlit calls this at the end of every script and fragment, on its thread: now is known
        what it has computed."""
        if running_session():
            self.ended()
        super().remove_orphaned_files()

    def _get_inactive_file_ids(self) -> set[str]:
        """Streamlit forgets these: no page shows them, nor was one made lately."""
        known = self._file_metadata
        idle = super()._get_inactive_file_ids()
        files = [known[name] for name in idle if known[name].kind == MediaFileKind.DOWNLOADABLE]
        lately = self._made.recent(files)
        return {name for name in idle if known[name] not in lately}

    def _remove_orphaned_deferred_callables(self) -> None:
        places = self._files_by_session_and_coord.values()
        shown = {name for files in places for name in files.values()}
        left = self._deferred_callables.keys() - shown
        lately = self._pressed.recent(left)
        for name in left - lately:
            self._drop_deferred_id(name)


def keep_files(app: App, manager: Callable[[str], MediaFileManager]) -> None:
    """From its start on the app keeps files by the manager of their endpoint."""
    create = app._create_runtime

    def created() -> Runtime:
        made = create()
        made._media_file_mgr = manager(f"/{BASE_ROUTE_MEDIA}")
        return made

    app._create_runtime = created


def run_on(sockets: list[socket.socket], script: str, options: dict[str, Any]) -> None:
    """`streamlit run` of a script that holds an App named app, on sockets that listen already;
    `options` are Streamlit's, which its environment has beside them."""
    config._main_script_path = script
    read = click.command()(configurator_options(lambda **options: options))
    of_environment = read.main([], standalone_mode=False)  # by STREAMLIT_…, for its command alone
    bootstrap.load_config_options(of_environment | options)
    bootstrap._prepare_asgi_app_run_context(script, [], options)
    run = uvicorn.Config(f"{Path(script).stem}:app", **_get_uvicorn_config_kwargs())
    uvicorn.Server(run).run(sockets)


def state_of(app: App) -> Any:
    """What its middleware finds as the state of the app in the scope of a request, once it has been
    started."""
    return app._starlette_app and app._starlette_app.state


def put_before(
    app: App,
    middleware: Iterable[Middleware],
    routes: Iterable[BaseRoute],
    around: Callable[[App], AbstractAsyncContextManager[None]],
) -> None:
    """Before its start: let every request pass the middleware, from the outside in; the app has
    more routes, and its own lifespan is within `around`."""
    app._user_middleware += middleware
    app._user_routes += routes
    own = app._user_lifespan

    @asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[dict[str, Any] | None]:
        async with around(app), own(app) if own else nullcontext() as state:
            yield state

    app._user_lifespan = lifespan
