"""What the app takes of the insides of the pinned Streamlit: its version, sessions that have gone,
and how long files of pages are served under `/media/` (who has them is in test_guard.py).

Callbacks are in test_late_messages.py and test_cut_short.py, logins in test_visitors.py.
"""

import inspect
import subprocess
import sys
import time
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from streamlit.runtime import app_session, memory_session_storage, websocket_session_manager
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileKind, MediaFileStorageError
from streamlit.web.server.starlette.starlette_routes import create_media_routes

from explorer.hosting import page
from explorer.hosting.doors import Visitors
from explorer.hosting.settings import Limits
from explorer.hosting.visitors import COOKIE, OWNER, Recognition
from explorer.ui import registry, streamlit_private
from explorer.ui.lately import LINGERS
from explorer.ui.streamlit_private import (
    AnsweringQueue,
    OwnFileManager,
    OwnFiles,
    problem,
)

ZIP = ("application/zip", MediaFileKind.DOWNLOADABLE, "run.zip")
KNOWN = Recognition("secret")
COOKIES = KNOWN.cookie({}), KNOWN.cookie({})
OWNERS = [KNOWN.owner({}, {COOKIE: cookie}) for cookie in COOKIES]


@pytest.fixture(autouse=True)
def public(monkeypatch):
    monkeypatch.setenv("EXPLORER_PUBLIC", "1")
    monkeypatch.setenv("EXPLORER_TRUSTED_PROXY", "*")


@pytest.fixture
def storage():
    return OwnFiles("/media", registry.owner)


@pytest.fixture
def ask(storage):
    """Status and content of a path."""
    middleware = [Middleware(Visitors, lambda: KNOWN, limits=Limits())]
    app = Starlette(routes=create_media_routes(storage, None), middleware=middleware)
    with serving(app) as address:

        def asked(path, cookie=COOKIES[0]):
            with closing(HTTPConnection(address, timeout=10)) as connection:
                connection.request("GET", path, headers={"Cookie": f"{COOKIE}={cookie}"})
                answer = connection.getresponse()
                assert answer.headers["Cache-Control"] == "private"
                return answer.status, answer.read()

        yield asked


def as_owner(owner, call, *args):
    told = OWNER.set(owner)
    try:
        return call(*args)
    finally:
        OWNER.reset(told)


def kept(storage, data, owner=OWNERS[0], name="run.zip"):
    return as_owner(owner, storage.load_and_get_id, data, *ZIP[:2], name)


@pytest.mark.parametrize("fragments", [None, ["a"]])
def test_a_script_that_begins_drops_no_answer_to_a_press(fragments):
    """Streamlit's own does, where the whole page runs: once it does not, ours can go."""
    begun, answer, delta = (streamlit_private.ForwardMsg() for _ in range(3))
    begun.new_session.name = "page"
    answer.backend_operation_response.request_id = "7"
    delta.delta.fragment_id = "a"
    left = {}
    for queue in (ForwardMsgQueue(), AnsweringQueue()):
        for message in (begun, answer, delta):
            queue.enqueue(message)
        queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=fragments)
        left[type(queue)] = queue.flush()
    assert left[AnsweringQueue] == [begun, answer]
    assert (left[ForwardMsgQueue] == [begun, answer]) == (fragments is not None)


def test_parts_are_heard_of_the_page_that_is_here_or_was_asked_for_last(monkeypatch):
    heard = []
    monkeypatch.setattr(AppSession, "request_rerun", lambda _, asked: heard.append(asked))
    monkeypatch.setattr(app_session, "ForwardMsgQueue", ForwardMsgQueue)
    streamlit_private.keep_pages_whole()

    class Session:
        page_script_hash = ""

    def is_heard(page, part=""):
        before = len(heard)
        asked = SimpleNamespace(page_script_hash=page, fragment_id=part)
        AppSession.request_rerun(session, asked)
        return len(heard) > before

    session = Session()
    assert is_heard("")  # the first page of an address
    session.page_script_hash = "design"  # its script has begun
    assert is_heard("")  # a browser that has not heard so yet
    assert is_heard("design", "a part") and is_heard("design")
    assert is_heard("train")  # the reader turns the page
    assert not is_heard("design", "a part")
    session.page_script_hash = "train"
    assert not is_heard("design", "a part") and is_heard("train", "a part")
    session.page_script_hash = "rates"  # the script itself has turned it
    assert is_heard("rates", "a part") and not is_heard("train", "a part")
    assert is_heard("train") and is_heard("rates") and is_heard("rates", "a part")  # there and back
    AppSession.request_rerun(session, None)
    assert heard[-1] is None
    assert is_heard("order") and not is_heard("rates", "a part")
    monkeypatch.setattr(streamlit_private, "monotonic", lambda: time.monotonic() + 6)
    assert is_heard("rates", "a part")  # that page's script has led back here


RACED = """
import asyncio, sys
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.script_data import ScriptData
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from explorer.ui.streamlit_private import hear_scripts_to_their_end

async def raced(script):
    uploads = MemoryUploadedFileManager("/u")
    Runtime(RuntimeConfig(script, MemoryMediaFileStorage("/m"), uploads))
    session = AppSession(ScriptData(script, False), uploads, ScriptCache(), None, {})
    session.request_rerun(None)
    session._scriptrunner._script_thread.join()  # the loop hears nothing meanwhile
    (part,) = session._fragment_storage._fragments
    session.request_rerun(ClientState(fragment_id=part))
    while session._scriptrunner:
        await asyncio.sleep(0.01)
    messages = session._browser_queue._queue
    print([m.script_finished for m in messages if m.WhichOneof("type") == "script_finished"])

if "heard" in sys.argv:
    hear_scripts_to_their_end()
asyncio.run(raced(sys.argv[1]))
"""


@pytest.mark.parametrize(("mended", "ends"), [("heard", "[0, 3]"), ("not", "[3]")])
def test_a_script_is_heard_to_its_end_where_a_part_is_asked_for_as_it_ends(mended, ends, tmp_path):
    """0 is the end of the whole script, at which a browser takes away what it has not drawn.
    Streamlit does not say it: once it does, the mend can go."""
    script = "import streamlit as st\nst.fragment(lambda: st.write(1))()\nst.write(2)\n"
    (tmp_path / "page.py").write_text(script)
    words = [sys.executable, "-c", RACED, tmp_path / "page.py", mended]
    done = subprocess.run(
        words, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == ends, done.stderr


def test_a_file_has_an_address_of_its_own_for_each_visitor(storage, ask):
    """Also above 1 MB, where Streamlit looks at a fifth of it; nothing lists them, and nothing
    shorter is one."""
    large = bytes(2_000_000)
    other = large[:500_000] + b"x" + large[500_001:]
    files = [kept(storage, data) for data in (b"a", b"b", large, other)]
    files += [kept(storage, b"a", OWNERS[1]), kept(storage, b"a", ""), kept(storage, b"a", name="")]
    assert len(set(files)) == 7 and kept(storage, b"a") == files[0]
    assert ask(f"/media/{files[0]}.zip") == (200, b"a")
    assert ask(f"/media/{files[3]}.zip") == (200, other)
    for path in ("/", "/run.zip", f"/{files[0][:-1]}", f"/{files[0][:-1]}0x", "/%2e%2e/", "/*"):
        assert ask(f"/media{path}")[0] == 404


def test_it_is_its_visitor_s(storage, ask):
    mine, strangers = kept(storage, b"mine"), kept(storage, b"strangers'", "")
    for cookie in (COOKIES[1], f"{COOKIES[0]}x", ""):
        assert ask(f"/media/{mine}.zip", cookie)[0] == 404
    assert ask(f"/media/{strangers}.zip", "") == (200, b"strangers'")
    assert ask(f"/media/{strangers}.zip")[0] == 404


def of_a_press(storage, files):
    """The name of a file that a button would make, and the address of what a press has made."""
    asked = as_owner(OWNERS[0], files.add_deferred, lambda: b"made", ZIP[0], "1", ZIP[2])
    return asked, as_owner(OWNERS[0], files.execute_deferred, asked)


def test_it_is_gone_when_no_page_shows_it_any_longer(storage, ask):
    """What a press has made goes a while later, at the second end of a script or session then."""
    now = [0.0]
    files = OwnFileManager(storage, clock=lambda: now[0])
    asked, address = of_a_press(storage, files)
    assert ask(f"/media/{asked}")[0] == 404, "made for who presses alone"
    with pytest.raises(MediaFileStorageError, match="no such file"):
        as_owner(OWNERS[1], files.execute_deferred, asked)
    assert ask(address) == (200, b"made")
    files.clear_session_refs()
    for now[0] in (0.0, LINGERS, LINGERS):
        files.remove_orphaned_files()
    assert ask(address)[0] == 404 and not storage._owners
    with pytest.raises(MediaFileStorageError, match="not found"):
        as_owner(OWNERS[0], files.execute_deferred, asked)


def test_a_press_just_before_runs_of_pages_brings_its_file(storage, ask):
    """The browser asks by the name of the button as it was, then for what was made: however many
    runs, of the page itself or of others, end between."""
    now = [0.0]
    files = OwnFileManager(storage, clock=lambda: now[0])
    asked, _ = of_a_press(storage, files)
    files.clear_session_refs()
    for now[0] in (0.0, 1.0, LINGERS - 1):
        files.remove_orphaned_files()
        address = as_owner(OWNERS[0], files.execute_deferred, asked)
    for now[0] in (LINGERS, 2 * LINGERS - 2):  # it was made anew at LINGERS - 1
        files.remove_orphaned_files()
        assert ask(address) == (200, b"made")


def test_without_the_while_it_is_lost(storage, ask):
    """The control: Streamlit's own forgets the button at the first end, the file at the second."""
    files = MediaFileManager(storage)
    asked, address = of_a_press(storage, files)
    files.clear_session_refs()
    for _ in range(2):
        files.remove_orphaned_files()
    assert ask(address)[0] == 404
    with pytest.raises(MediaFileStorageError, match="not found"):
        files.execute_deferred(asked)


@pytest.mark.parametrize("version", ["1.67.0", "1.67.3"])
def test_the_version_it_is_written_for_is_taken(version):
    assert problem(version) == ""


@pytest.mark.parametrize("version", ["1.66.9", "1.68.0", "1.6", "2.67.0", "1.670"])
def test_another_is_named_with_what_to_do(version):
    words = problem(version)
    assert f"Streamlit {version} is installed" in words and "of Streamlit 1.67 that" in words
    assert words.endswith("pip install -r requirements.txt")


def test_a_part_that_has_moved_is_named():
    """In a process of its own, where Streamlit has no such name there."""
    code = (
        "from streamlit.runtime import scriptrunner\n"
        "del scriptrunner.RerunException\n"
        "import explorer.ui.streamlit_private\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    (*_, said) = done.stderr.strip().splitlines()
    assert said.startswith(f"ImportError: Streamlit {st.__version__} is installed")
    assert "'RerunException' from 'streamlit.runtime.scriptrunner'" in said


def test_requirements_pin_that_version():
    pinned = (Path(__file__).parents[1] / "requirements.txt").read_text("utf-8")
    assert f"\nstreamlit=={streamlit_private.VERSION}.*\n" in pinned


def test_sessions_that_have_gone_are_forgotten_though_nobody_comes(monkeypatch):
    storage = memory_session_storage.MemorySessionStorage(ttl_seconds=0.05)
    manager = SimpleNamespace(_session_storage=storage)
    monkeypatch.setattr(streamlit_private.runtime, "exists", lambda: True)
    instance = SimpleNamespace(_session_mgr=manager)
    monkeypatch.setattr(streamlit_private.runtime, "get_instance", lambda: instance)
    storage.save(SimpleNamespace(session=SimpleNamespace(id="a")))
    assert page.forget_sessions() == 0 and storage.get("a")
    time.sleep(0.1)
    assert page.forget_sessions() == 1 and storage._cache.currsize == 0
    page.give_memory_back()
    source = inspect.getsource(websocket_session_manager.WebsocketSessionManager)
    assert "self._session_storage = " in source


def test_no_installed_package_is_read_in_case_it_brings_a_component():
    """Neither by the app nor for a page drawn without a browser."""
    code = (
        "import app, importlib.metadata as m\n"
        "from explorer.ui import page_file\n"
        "m.distributions = lambda: print('read')\n"
        "app.app._create_runtime()\n"
        "page_file.drawn('memory', {})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
