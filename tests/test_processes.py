"""Pages in several processes: to which of them the shipped nginx gives what a visitor asks, how
their parent watches over them, and a real server of two, of which one is stopped or killed."""

import asyncio
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace

import pytest
from letting_in import word_of
from proxies import CONFIGURATION, PORTS, needs_nginx, proxied
from serving import serving
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from stores import TINY
from waiting import ran_apart, wait_until
from websockets.sync.client import connect

from explorer.bench.serving import free_port
from explorer.bench.visitors import Visitor
from explorer.hosting import page_parent
from explorer.hosting.page_parent import Processes, resident
from explorer.hosting.page_process import Parent
from explorer.hosting.settings import Limits, Settings, SettingsError, gathered
from explorer.hosting.space import spaces
from explorer.hosting.visitors import COOKIE, OF_HOST, TAKEN, Recognition
from explorer.runs.costs import MEGA
from explorer.runs.store import Store
from explorer.spec import amended, compact
from explorer.ui import registry

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
ROOT = Path(__file__).parents[1]
TOLD = "proxy_next_upstream off;"
TELLING = CONFIGURATION.replace(TOLD, f"{TOLD} add_header Port $upstream_addr always;")
"""As shipped, and says of each answer from where it comes."""
KNOWN = Recognition("s" * 16)

# The proxy


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """nginx before four servers that answer anything."""

    async def anything(request):
        return PlainTextResponse("here")

    async def stream(ws):
        await ws.accept()
        await ws.receive()

    methods = ["GET", "POST", "PUT"]
    routes = [
        WebSocketRoute("/{path:path}", stream),
        Route("/{path:path}", anything, methods=methods),
    ]
    with ExitStack() as held:
        ports = [held.enter_context(serving(Starlette(routes=routes))) for _ in PORTS]
        folder = tmp_path_factory.mktemp("nginx")
        yield held.enter_context(proxied(ports, folder, TELLING))


def port_of(address, path, cookie="", method="GET"):
    """Which server answers."""
    with closing(HTTPConnection(address, timeout=30)) as connection:
        connection.request(method, f"/explorer{path}", headers={"Cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        assert answer.status == 200
        return answer.headers["Port"]


def port_of_socket(address, path, cookie):
    headers = {"Cookie": cookie}
    with connect(f"ws://{address}/explorer{path}", additional_headers=headers, proxy=None) as ws:
        return ws.response.headers["Port"]


PATHS = ("/", "/train?spec=1", "/media/a.zip", "/first/train", "/static/a.js", "/api/other")
SOCKETS = ("/_stcore/stream", "/api/runs/a-1/live", "/api/work?of=a-1")


@needs_nginx
def test_all_that_a_visitor_asks_reaches_one_process_and_visitors_share_them(shared):
    found = set()
    for _ in range(24):
        cookie = KNOWN.cookie({})
        again = KNOWN.cookie({COOKIE: cookie})  # signed anew, a page later
        own = {port_of(shared, path, f"a=1; {COOKIE}={cookie}; b=2") for path in PATHS}
        own |= {port_of_socket(shared, path, f"{OF_HOST}={again}") for path in SOCKETS}
        own |= {port_of(shared, "/_stcore/upload_file/a/b", f"{COOKIE}={again}", "PUT")}
        assert len(own) == 1
        found |= own
    assert len(found) == len(PORTS), "each has some, but for once in three hundred"


@needs_nginx
def test_who_has_no_cookie_is_known_by_the_address(shared):
    assert len({port_of(shared, path, cookie) for path in PATHS for cookie in ("", "a=1")}) == 1


@needs_nginx
def test_a_talk_has_its_speaker_and_phones_in_one_process(shared):
    cookies = [f"{COOKIE}={KNOWN.cookie({})}" for _ in range(12)]
    found = {port_of(shared, "/stage?room=ABC", cookie) for cookie in cookies}
    found |= {port_of(shared, "/stage", cookie) for cookie in cookies}
    found |= {port_of_socket(shared, "/stage/follow?code=ABC", cookie) for cookie in cookies}
    found |= {port_of_socket(shared, "/stage/room", cookie) for cookie in cookies}
    assert len(found) == 1


# The setting


def test_processes_share_the_ports_evenly_and_are_as_many_as_cores(monkeypatch):
    proxy = {"trusted_proxy": "127.0.0.1"}
    with pytest.raises(SettingsError, match="processes: 3 cannot share 4 ports evenly: 1, 2 or 4"):
        gathered({"processes": 3, **proxy}, {})
    with pytest.raises(SettingsError, match="by a proxy; name its address"):
        gathered({"processes": 2}, {})
    for cores, count in ((1, 1), (2, 2), (3, 2), (4, 4), (64, 4), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        assert gathered({"public": True, **proxy}, {}).of_pages == count
        assert gathered(proxy, {}).of_pages == 1, "visitors are not told apart"
        assert gathered({"processes": "2", **proxy}, {}).of_pages == 2


# The parent

CHILD = """
import json, os, sys, time
pipe, *ports = map(int, sys.argv[2:])
def tell(**said):
    os.write(pipe, json.dumps(said).encode() + b"\\n")
act = sys.argv[1]
if act != "never":
    tell(sockets={"sessions": int(os.environ.get("EXPLORER_SESSIONS", 0))})
if act == "wakes":
    tell(woken=True)
if act == "grows":
    held = b"x" * 600_000_000
if act in ("ends", "never"):
    sys.exit(7)
while act != "silent":
    tell(sockets={"sessions": len(ports)})
    time.sleep(.05)
time.sleep(600)
"""


@contextmanager
def watched(act, **settings):
    """Processes that behave so."""
    chosen = Settings(
        processes=2, trusted_proxy=("*",), limits=Limits(page_megabytes=500), **settings
    )
    with ExitStack() as held:
        ports = [held.enter_context(page_parent.listening("127.0.0.1", 0)) for _ in PORTS]
        processes = Processes(ports, chosen, (sys.executable, "-c", CHILD, act))
        try:
            yield processes
        finally:
            processes.close(0.0)


def pids(processes):
    return [each.process.pid for each in processes.all]


@pytest.mark.parametrize(
    ("act", "why"),
    [
        ("ends", r"it has ended \(code 7\)"),
        ("silent", "it is silent"),
        ("grows", r"it needs [5-9]\d\d MB"),
    ],
)
def test_a_process_that_ends_is_silent_or_grows_is_begun_anew(monkeypatch, caplog, act, why):
    monkeypatch.setattr(page_parent, "SILENT_SECONDS", 2.0 if act == "silent" else 60.0)
    monkeypatch.setattr(page_parent, "PAUSE_SECONDS", 0.0)
    with watched(act) as processes:
        wait_until(lambda: processes.are_up)
        before, ports = pids(processes), [each.ports for each in processes.all]
        wait_until(lambda: processes.restart_failed() or not set(before) & set(pids(processes)))
        assert [each.ports for each in processes.all] == ports
        assert all(port.fileno() >= 0 for each in ports for port in each), "who asks waits there"
    said = [record.args for record in caplog.records if record.name == page_parent.LOG.name]
    assert {each["process"] for each in said} == {0, 1}
    assert all(re.fullmatch(why, each["why"]) for each in said)


def test_one_that_answers_is_left_alone(monkeypatch):
    monkeypatch.setattr(page_parent, "SILENT_SECONDS", 5.0)
    with watched("answers") as processes:
        wait_until(lambda: processes.sockets["sessions"] == len(PORTS), 30)
        before = pids(processes)
        for _ in range(20):
            processes.restart_failed()
            time.sleep(0.02)
        assert pids(processes) == before
        assert all(0 < resident(pid) < 100 * MEGA for pid in before)


def test_one_that_never_answers_ends_the_server_with_its_code():
    with watched("never") as processes, pytest.raises(SystemExit, match="7"):
        wait_until(processes.restart_failed)


def test_one_that_cannot_be_begun_ends_no_server_that_was_up(monkeypatch):
    monkeypatch.setattr(page_parent, "PAUSE_SECONDS", 0.01)
    with watched("never") as processes:
        processes.was_up = True
        before = pids(processes)
        wait_until(lambda: processes.restart_failed() or not {*before} & {*pids(processes)})
        begun, refused = processes._begun, []

        def begin(ports):
            if refused:
                return begun(ports)
            refused.append(ports)
            raise OSError("no more processes here")

        monkeypatch.setattr(processes, "_begun", begin)
        before = pids(processes)
        wait_until(lambda: processes.restart_failed() or not {*before} & {*pids(processes)})
        assert refused


def test_each_has_its_share_of_the_sessions():
    with watched("silent", sessions=201) as processes:
        wait_until(lambda: processes.sockets["sessions"] == 2 * 101)


def test_what_keeps_workers_from_training_is_said_on_every_page_and_goes_again(monkeypatch):
    row = SimpleNamespace(status="queued")
    read, write = os.pipe()
    parent = Parent(write)
    monkeypatch.setattr(registry, "parent", lambda: parent)
    monkeypatch.setattr(registry, "pool", lambda: None)
    for said in ("no memory", ""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps({"problem": said}) + "\n"))
        with monkeypatch.context() as here:
            here.setattr(os, "kill", lambda *_: None)
            parent.listen()
        assert registry.held_up(row) == said
    registry.wake()
    assert json.loads(os.read(read, 100)) == {"woken": True}
    os.close(read)
    registry.wake()  # nobody is there


def test_a_process_whose_parent_has_gone_ends():
    script = "from explorer.hosting.page_process import Parent; Parent(1).listen(); print('left')"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdin=pipe, stdout=pipe) as one:
        one.communicate(b'{"problem": ""}\n', 60)
    assert one.returncode == -signal.SIGTERM


def test_what_is_queued_in_one_wakes_the_workers_of_the_parent(monkeypatch):
    woken = threading.Event()
    monkeypatch.setattr(registry, "wake", woken.set)
    with watched("wakes"):
        assert woken.wait(60)


# A server


class Server:
    """Of two processes behind nginx; visitors come with cookies of their own."""

    def __init__(self, folder, held):
        self.store, self.first = Store(folder), free_port(len(PORTS) - 1)
        self.metrics = f"127.0.0.1:{free_port()}"
        words = "serve --public --processes 2 --trusted-proxy 127.0.0.1 --base-path explorer"
        words += f" --port {self.first} --metrics {self.metrics} --limits page_seconds=1000"
        self.parent = subprocess.Popen(
            [sys.executable, "-m", "explorer", *words.split()],
            cwd=ROOT,
            env={**os.environ, "EXPLORER_HOME": str(folder)},
            stdout=subprocess.DEVNULL,
        )
        held.callback(self.end)
        ports = [f"127.0.0.1:{self.first + i}" for i in range(len(PORTS))]
        self.proxy = held.enter_context(proxied(ports, folder, TELLING))
        self.address = f"http://{self.proxy}/explorer"
        wait_until(lambda: len(self.pids) == 2 and self.asked("/healthz", "").status == 200)

    def end(self):
        self.parent.terminate()
        return self.parent.wait(60)

    @property
    def pids(self):
        """Of its processes of pages, by the port modulo two at which they answer."""
        listening = dict(_listening())
        return {
            (listening[inode] - self.first) % 2: pid
            for pid in _children(self.parent.pid)
            for inode in _inodes(pid) & listening.keys()
        }

    def asked(self, path, cookie, seconds=60.0):
        connection = HTTPConnection(self.proxy, timeout=seconds)
        connection.request("GET", f"/explorer{path}", headers={"Cookie": cookie})
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        return answer

    def visitor(self, place, word=""):
        """The cookie of a new visitor of a process."""
        while True:
            given = self.asked("/", "").headers.get_all("Set-Cookie")
            cookie = next(each.partition(";")[0] for each in given if COOKIE in each)
            if (
                int(self.asked("/healthz", cookie).headers["Port"][-5:].strip(":")) - self.first
            ) % 2 == place:
                break
        if word:
            assert self.asked(f"/?word={word}", cookie).status == 303
        return cookie

    def answers(self, cookie):
        """Whether who has a cookie opens a page and moves something there."""

        async def visit():
            visitor = await Visitor.open(self.address, cookie=cookie)
            await visitor.move_a_slider(random.Random(1))
            await visitor.close()
            return True

        return ran_apart(visit())

    def sessions(self):
        with urllib.request.urlopen(f"http://{self.metrics}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return [int(line.split()[-1]) for line in lines if 'sockets{of="sessions"}' in line]


def _children(pid):
    """Of any thread."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(each) for path in found for each in path.read_text().split()]


def _inodes(pid):
    with suppress(OSError):
        return {os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir()}
    return set()


def _listening():
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A":
            yield f"socket:[{words[9]}]", int(words[1].partition(":")[2], 16)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with ExitStack() as held:
        yield Server(tmp_path_factory.mktemp("home"), held)


@needs_nginx
def test_visitors_of_the_other_do_not_notice_one_that_is_stopped(server):
    stopped, other = (server.visitor(place) for place in range(2))
    assert server.answers(stopped) and server.answers(other)
    os.kill(server.pids[0], signal.SIGSTOP)
    try:
        with pytest.raises(TimeoutError):
            server.asked("/train", stopped, seconds=2)
        for _ in range(3):
            assert server.answers(other) and server.asked("/train", other).status == 200
    finally:
        os.kill(server.pids[0], signal.SIGCONT)
    assert server.answers(stopped)


@needs_nginx
def test_a_word_has_as_many_places_as_one_process_would_give(server):
    word = word_of(server.store, "small", 3)
    answers = [server.asked(f"/?word={word}", server.visitor(i % 2)) for i in range(5)]
    assert [each.status for each in answers] == [303] * 3 + [403] * 2
    assert all(TAKEN.format(3) in each.text for each in answers[3:])


@needs_nginx
def test_open_pages_of_all_processes_are_counted_once(server):
    async def together():
        cookies = [server.visitor(place) for place in (0, 1, 1)]
        opened = [await Visitor.open(server.address, cookie=each) for each in cookies]
        await asyncio.to_thread(wait_until, lambda: server.sessions() == [3])
        for each in opened:
            await each.close()

    wait_until(lambda: server.sessions() in ([], [0]))
    ran_apart(together())
    status = server.asked("/metrics", server.visitor(1))
    assert status.status == 404


@needs_nginx
def test_one_that_is_killed_loses_nothing_that_is_kept_and_stops_no_training(server):
    """Its visitor comes again, and finds the run; workers are the parent's."""
    word = word_of(server.store)
    killed, other = (server.visitor(place, word) for place in range(2))

    async def train(cookie):
        spec = compact(amended(TINY, steps=3000))
        visitor = await Visitor.open(
            server.address, "train", f"{cookie}; explorer-trains=here", spec=spec
        )
        await visitor.press("Train at")
        return visitor

    async def all_of_it():
        mine, theirs = await train(killed), await Visitor.open(server.address, cookie=other)
        (space,) = (each for each in spaces(server.store) if each.list())
        await asyncio.to_thread(wait_until, lambda: space.list()[0].step > 0)
        workers = set(_children(server.parent.pid)) - {*server.pids.values()}
        assert workers
        pid = server.pids[0]
        os.kill(pid, signal.SIGKILL)
        await theirs.move_a_slider(random.Random(1))
        # who asks meanwhile waits at the port until the process is there again
        page = await asyncio.to_thread(server.asked, "/runs", killed, 90)
        assert page.status == 200 and server.pids[0] != pid
        again = await Visitor.open(server.address, "runs", killed)
        await asyncio.to_thread(wait_until, lambda: space.list()[0].status == "finished")
        assert workers <= set(_children(server.parent.pid)), "nobody has begun it again"
        for each in (again, theirs):
            await each.close()
        await mine.socket.close()

    ran_apart(all_of_it())


@needs_nginx
def test_at_its_end_no_process_is_left(server):
    left = _children(server.parent.pid)
    assert len(left) > 2 and server.end() == 0
    wait_until(lambda: not any(_inodes(pid) for pid in left))
