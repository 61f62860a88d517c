"""Two visitors of one public server, as it is started: what Streamlit gives to whoever knows a
name is given here to its visitor alone, on every route there is."""

import asyncio
import json
import tomllib
import uuid
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from unittest.mock import MagicMock
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes
from streamlit_pages import ROOT, opened
from websockets.exceptions import ConnectionClosed

from explorer.bench.serving import server
from explorer.bench.visitors import Visitor, new_cookie, new_word
from explorer.hosting import page
from explorer.hosting.fair import Shares
from explorer.hosting.page import LARGEST, MOST, NAMES, OF_PAGES, Uploads, _of_pages, values
from explorer.hosting.visitors import Recognition, kept_secret
from explorer.pages.design.controls import MOST_OF_A_MESSAGE
from explorer.pages.talk import served
from explorer.runs.costs import MEGA
from explorer.runs.store import Store
from explorer.ui import registry
from explorer.ui.pages import PAGES

SEEN = 90  # seconds: the first file of a busy server is long in coming


@dataclass
class Tab(Visitor):
    """A page whose session and files are kept."""

    session: str = ""
    files: dict[str, str] = field(default_factory=dict)
    """By label, addresses of files, and names of those that are made when they are asked for."""

    def _hears(self, data):
        said = ForwardMsg.FromString(data)
        kind = said.WhichOneof("type")
        if kind == "new_session":
            self.session = said.new_session.initialize.session_id
        button = said.delta.new_element.download_button
        if button.label:
            self.files[button.label] = button.url or button.deferred_file_id
        return super()._hears(data)

    async def say(self, **message):
        await self.socket.send(BackMsg(**message).SerializeToString())

    async def until(self, kind):
        """The messages before the next of a kind, and that one."""
        said = []
        while True:
            said.append(ForwardMsg.FromString(await asyncio.wait_for(self.socket.recv(), SEEN)))
            if said[-1].WhichOneof("type") == kind:
                return said

    async def made(self, name):
        """The answer to a press of the button of a file that is made then."""
        asked = {"request_id": "1", "session_id": self.session, "deferred_file": {"file_id": name}}
        await self.say(backend_operation_request=asked)
        return (await self.until("backend_operation_response"))[-1].backend_operation_response


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def address(home):
    with server(home, settings={"public": True}) as (address, _):
        yield address


@pytest.fixture(scope="module")
def cookies(address, home):
    """Of two visitors, and of nobody."""
    word = new_word(home)
    return new_cookie(address, word), new_cookie(address, word), ""


def finished(work):
    """In a thread of its own: a browser of another test may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def ask(address, path, cookie="", method="GET", body=None, **headers):
    """Status and content."""
    headers |= {"Origin": address} | ({"Cookie": cookie} if cookie else {})
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=10)) as connection:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_a_page_s_file_is_its_visitor_s(address, cookies):
    """One that waits, and one that is made when its button is pressed; a stranger has those of
    strangers, and the same content of another visitor another address."""

    async def visit():
        owner, other, nobody = [await Tab.open(address, "train", cookie) for cookie in cookies]
        waits = owner.files["Specification (JSON)"]
        assert [ask(address, waits, cookie)[0] for cookie in cookies] == [200, 404, 404]
        assert json.loads(ask(address, waits, cookies[0])[1])
        assert waits != other.files["Specification (JSON)"]
        strangers = nobody.files["Specification (JSON)"]
        assert [ask(address, strangers, cookie)[0] for cookie in cookies] == [404, 404, 200]

        name = owner.files["PDF, CSV"]
        for foreign in (other, nobody):
            assert (await foreign.made(name)).error_msg == "Failed to generate file for download"
        made = (await owner.made(name)).deferred_file.url
        assert [ask(address, made, cookie)[0] for cookie in cookies] == [200, 404, 404]
        forged = f"{cookies[0][:-3]}xxx"
        assert ask(address, made, forged)[0] == 404
        for each in (owner, other, nobody):
            await each.close()

    finished(visit())


STREAMLIT = {
    "/_stcore/health": "",
    "/_stcore/metrics": "",
    "/_stcore/host-config": "",
    "/media/{file_id:path}": "{file}",
    "/_stcore/upload_file/{session_id}/{file_id}": "/_stcore/upload_file/{session}/{name}",
    "/component/{path:path}": "/component/{session}/{name}",
    "/_stcore/bidi-components/{path:path}": "/_stcore/bidi-components/explorer_design/{name}",
    "/_stcore/stream": "",
    "/auth/login": "/auth/login?provider={session}",
    "/auth/logout": "",
    "/oauth2callback": "/oauth2callback?state={session}",
    "/_stcore/agent/interact": "",
    "/_stcore/agent/openapi.json": "",
    "/_stcore/agent/mcp": "",
}
"""Its routes, as our own stand in test_visitors.py, and what is asked of them; "" for the path."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")


def test_no_route_of_streamlit_s_tells_of_another_visitor(address, cookies, home):
    routes = [route for route in create_streamlit_routes(MagicMock()) if hasattr(route, "methods")]
    assert {route.path for route in routes} | {"/_stcore/stream"} == set(STREAMLIT)
    before = set((home / "visitors").glob("*/"))

    async def visit():
        owner = await Tab.open(address, "train", cookies[0])
        named = {"session": owner.session, "file": owner.files["Specification (JSON)"]}
        named["name"] = owner.files["PDF, CSV"]
        content = ask(address, named["file"], cookies[0])[1].decode()
        secrets = (owner.session, named["name"], cookies[0], str(home), content)
        for path, asked in STREAMLIT.items():
            for method in METHODS if path != "/_stcore/stream" else ():
                body = json.dumps({"session_id": owner.session}) if method == "POST" else None
                to = (asked or path).format(**named)
                status, told = ask(address, to, cookies[1], method, body)
                assert status < 500, (method, to)
                assert not [each for each in secrets if each in told.decode("latin-1")], to
        assert (await owner.made(named["name"])).deferred_file.url, "and nothing of it is gone"
        await owner.close()

    finished(visit())
    assert set((home / "visitors").glob("*/")) == before


def test_nobody_uploads_into_another_s_session(address, cookies):
    async def visit():
        owner = await Tab.open(address, "runs", cookies[0])
        to = f"/_stcore/upload_file/{{}}/{uuid.uuid4()}".format
        for method in ("PUT", "DELETE"):
            for cookie, status in zip(cookies[1:], (404, 403), strict=True):  # nobody has no word
                assert ask(address, to(owner.session), cookie, method)[0] == status
            for session in (owner.session, uuid.uuid4()):
                assert ask(address, to(session), cookies[0], method)[0] == 403, "needs the token"
        await owner.close()

    finished(visit())


def test_a_session_that_has_lost_its_socket_is_found_by_its_visitor_alone(address, cookies):
    async def visit():
        owner = await Tab.open(address, "train", cookies[0])
        for cookie in cookies[1:]:
            other = await Tab.open(address, "train", cookie, again=owner.session)
            assert other.session not in ("", owner.session), "while it is open"
            await other.close()
        await owner.close()
        for cookie in cookies[1:]:
            other = await Tab.open(address, "train", cookie, again=owner.session)
            assert other.session not in ("", owner.session)
            await other.close()
        again = await Tab.open(address, "train", cookies[0], again=owner.session)
        assert again.session == owner.session
        await again.close()

    finished(visit())


def test_whose_a_request_is_stands_in_no_header_of_it(address, cookies, home):
    """The header by which Streamlit is told has the server's word alone."""
    known = Recognition(kept_secret(Store(home)))
    space = known.owner({}, dict([cookies[0].split("=", 1)]))
    assert (home / "visitors" / space).is_dir()

    async def visit():
        owner = await Tab.open(address, "train", cookies[0])
        for name in ("X-Explorer-Space", "x-explorer-space", "X_Explorer_Space"):
            told = ask(address, owner.files["Specification (JSON)"], cookies[1], **{name: space})
            assert told[0] == 404
        await owner.close()

    finished(visit())


@pytest.mark.parametrize("host", ["", ":80", "[", "other.example"])
def test_what_is_asked_of_no_host_or_another_is_refused(address, host):
    for path in ("/train", "/healthz", "/_stcore/stream"):
        assert ask(address, path, "", Host=host)[0] == 400


def test_a_socket_brings_what_pages_send_alone(address, cookies):
    """The state of the repository, which takes a process, is asked for in vain; a message that is
    none closes the socket."""

    async def visit():
        tab = await Tab.open(address, "train", cookies[0])
        for message in ({"load_git_info": True}, {"clear_cache": True}, {"set_run_on_save": True}):
            await tab.say(**message)
        await tab.say(app_heartbeat=True)
        said = await tab.until("heartbeat_ack")
        assert {each.WhichOneof("type") for each in said} <= {
            "session_status_changed",
            "heartbeat_ack",
        }
        await tab.socket.send(b"\xff\xff")
        await asyncio.wait_for(tab.socket.wait_closed(), SEEN)

    finished(visit())
    known = {each.name for each in BackMsg.DESCRIPTOR.oneofs_by_name["type"].fields}
    for_developers = {"clear_cache", "set_run_on_save", "load_git_info"}
    for_tests = {"debug_disconnect_websocket", "debug_shutdown_runtime"}
    assert known == OF_PAGES | for_developers | for_tests


async def handed_on(*messages):
    """What reaches Streamlit of what a socket brings."""
    coming = iter({"type": "websocket.receive", **message} for message in messages)

    async def receive():
        return next(coming, {"type": "websocket.disconnect", "code": 1000})

    one, passed = _of_pages(receive, ""), []
    while not passed or passed[-1]["type"] == "websocket.receive":
        passed.append(await one())
    return passed


def test_what_is_no_message_ends_the_socket_before_it_is_written_down(monkeypatch):
    """Streamlit would write its traceback into the log; a text it would, too."""
    monkeypatch.setattr(registry, "shares", lambda: None)
    good = BackMsg(app_heartbeat=True).SerializeToString()
    for bad in (b"\xff\xff", b"\x0a" * 1000):
        passed = finished(handed_on({"bytes": good}, {"bytes": bad}, {"bytes": good}))
        assert [one.get("bytes") for one in passed] == [good, None] and passed[1]["code"] == 1002
    assert len(finished(handed_on({"text": "hello"}, {"bytes": b""}))) == 1


def test_places_for_a_million_files_are_asked_for_in_vain(monkeypatch):
    """Each takes a name, which everybody waits for."""
    monkeypatch.setattr(registry, "shares", lambda: None)
    for count, reach in ((3, 1), (NAMES, 1), (NAMES + 1, 0), (10**6, 0)):
        asked = BackMsg(file_urls_request={"file_names": [""] * count}).SerializeToString()
        assert len(finished(handed_on({"bytes": asked}))) == reach + 1


def test_a_visitor_s_pages_hold_so_many_bytes_of_uploads_and_nobody_else_s_go(monkeypatch):
    files = MemoryUploadedFileManager("/upload")
    monkeypatch.setattr(page, "uploads", lambda: files)
    uploads = Uploads(5 * MEGA)

    def given(owner, session, name, size):
        files.add_file(session, UploadedFileRec(name, "x.zip", "zip", bytes(size)))
        uploads.add(owner, session, name)

    given("other", "theirs", "0", 1_000_000)
    for number in range(40):
        given("one", f"tab {number % 3}", f"{number}", 1_900_000)
        given("one", "tab 0", "again", 500_000)
    held = {(session, name) for session, them in files.file_storage.items() for name in them}
    assert held == {("theirs", "0"), ("tab 2", "38"), ("tab 0", "39"), ("tab 0", "again")}
    files.remove_session_files("tab 0")  # its page is closed
    given("one", "tab 1", "40", 1_900_000)
    assert [*files.file_storage["tab 2"]] == ["38"] and len(uploads.held["one"]) == 2


def test_what_a_page_says_at_once_is_small(address, cookies):
    """A session keeps all of it, for ten minutes when its page has gone."""

    async def visit():
        tab = await Tab.open(address, "train", cookies[0])
        for size, stays in ((LARGEST - 1000, True), (LARGEST, False)):
            said = BackMsg()
            said.rerun_script.widget_states.widgets.add(id="x", string_value="x" * size)
            with suppress(ConnectionClosed):  # it may end before all of the message is sent
                await tab.socket.send(said.SerializeToString())
            if stays:
                await tab.until("script_finished")
        await asyncio.wait_for(tab.socket.wait_closed(), SEEN)

    finished(visit())
    assert len(b64encode(bytes(MOST_OF_A_MESSAGE))) < LARGEST - 100_000


def counted(said, most=MOST):
    return values(said.SerializeToString(), said.DESCRIPTOR, most)


def rerun(widgets, **of_one):
    said = BackMsg()
    for number in range(widgets):
        said.rerun_script.widget_states.widgets.add(id=str(number), **of_one)
    return said


@pytest.mark.parametrize(
    "said",
    [
        rerun(400_000),
        rerun(MOST),
        rerun(1, string_array_value={"data": [""] * MOST}),
        BackMsg(rerun_script={"cached_message_hashes": [""] * MOST}),
    ],
    ids=["a message's bytes of widgets", "widgets", "texts of one", "names of what is kept"],
)
def test_a_message_of_too_many_values_is_refused_whole_and_ends_its_socket(monkeypatch, said):
    """The first would take 25 MB and more, for ten minutes longer than its page is open."""
    monkeypatch.setattr(registry, "shares", lambda: None)
    assert said.ByteSize() < LARGEST and counted(said, 10**7) > MOST
    passed = finished(handed_on({"bytes": said.SerializeToString()}, {"bytes": b""}))
    assert [(one.get("bytes"), one["code"]) for one in passed] == [(None, 1009)]


def test_as_many_as_may_be_are_handed_on(monkeypatch):
    monkeypatch.setattr(registry, "shares", lambda: None)
    said = rerun((MOST - 6) // 3, int_value=1)  # a widget is three: itself, its name, its value
    assert counted(said) <= MOST
    assert len(finished(handed_on({"bytes": said.SerializeToString()}))) == 2


@pytest.mark.parametrize("page", PAGES)
def test_no_page_says_a_sixth_of_that(page):
    """With all its controls unfolded and touched."""
    assert counted(opened(page)._tree.get_widget_states()) < MOST / 6


def test_the_stage_takes_from_its_visitor_s_seconds(monkeypatch):
    """It is made by hand, so to speak, for each who asks."""
    shares = Shares(1.0)
    monkeypatch.setattr(registry, "shares", lambda: shares)
    monkeypatch.setattr(registry, "owner", lambda: "1" * 32)
    monkeypatch.setattr(served, "_answer", lambda name, _: served._page(200, name, ""))
    assert served._in_turn("x", False).status_code == 200
    shares.charge("1" * 32, 2.0)
    waits = served._in_turn("x", False)
    assert (
        waits.status_code == 429 and b"opens by itself" in waits.body and b"refresh" in waits.body
    )
    monkeypatch.setattr(registry, "owner", lambda: "2" * 32)
    assert served._in_turn("x", False).status_code == 200


def test_the_agent_api_is_off_whatever_streamlit_begins_with():
    """It would let a program drive pages beside the sockets that are guarded here."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert settings["server"]["enableAgentApi"] is False
