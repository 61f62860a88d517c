"""What the shipped nginx does for a server that is open to the public: floods of requests, too many
sockets, slow readers and slow senders end there, and whoever asks beside them is answered. Frames
of a socket are counted behind it (hosting/gate.py)."""

import itertools
import re
import socket
import struct
import threading
import time
from collections import Counter
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from proxies import CONFIGURATION, answered, needs_nginx, proxied
from serving import serving
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from waiting import wait_until
from websockets.exceptions import InvalidStatus
from websockets.server import ServerProtocol
from websockets.sync.client import connect

from explorer.hosting.gate import BURST_SECONDS, gate
from explorer.hosting.page import LARGEST, stack
from explorer.hosting.settings import Settings
from explorer.hosting.visitors import COOKIE, Recognition

pytestmark = needs_nginx
ROOT = Path(__file__).parents[1]
LARGE = 30_000_000
SOCKETS = int(re.search(r"limit_conn sockets (\d+)", CONFIGURATION)[1])
PLACES = [
    "/_stcore/stream",
    *re.findall(r'WebSocketRoute\(BASE \+ "(.+?)"', (ROOT / "app.py").read_text("utf-8")),
]
"""Of all sockets that a page may open."""
BURST = int(re.search(r"burst=(\d+)", CONFIGURATION)[1])
UPLOAD = "/explorer/_stcore/upload_file/a/b"
SETTINGS = Settings(
    public=True, trusted_proxy=("127.0.0.1",), secret="s" * 16, base_path="explorer"
)


class Server:
    """The routes that nginx tells apart, behind the explorer's own doors; counts what arrives."""

    def __init__(self):
        self.asked, self.sent, self.uploads = 0, threading.Event(), 0
        routes = [
            Route("/explorer/healthz", self.health),
            Route("/explorer/metrics", self.health),
            Route("/explorer/large", self.large),
            Route(UPLOAD, self.upload, methods=["PUT"]),
            *(WebSocketRoute(f"/explorer{place}", self.stream) for place in PLACES),
        ]
        self.app = Starlette(routes=routes, middleware=stack(SETTINGS)[:2])

    async def health(self, request):
        self.asked += 1
        return PlainTextResponse("well")

    async def large(self, request):
        async def parts():
            yield bytes(LARGE)
            yield b"."  # is asked for when the server has got rid of what was before
            self.sent.set()

        return StreamingResponse(parts())

    async def upload(self, request):
        self.uploads += 1
        return PlainTextResponse(str(len(await request.body())))

    async def stream(self, ws):
        await ws.accept()
        while (await ws.receive())["type"] == "websocket.receive":
            pass


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def address(server, tmp_path):
    with serving(server.app) as behind, proxied(behind, tmp_path) as address:
        yield address


def opened(address, cookie, place=PLACES[0]):
    headers = {"Cookie": f"{COOKIE}={cookie}"} if cookie else {}
    url, origin = f"ws://{address}/explorer{place}", f"http://{address}"
    return connect(url, origin=origin, additional_headers=headers, proxy=None)


def raw(address, text):
    """A connection on which so much has been sent."""
    host, port = address.split(":")
    plain = socket.create_connection((host, int(port)), timeout=30)
    plain.sendall(text.encode())
    return plain


def test_a_flood_of_requests_is_refused_before_the_server(server, tmp_path):
    """As shipped but for the burst, which is that of a whole room: twenty at once will do."""
    few = CONFIGURATION.replace(f"burst={BURST}", "burst=20")
    with serving(server.app) as behind, proxied(behind, tmp_path, few) as address:
        asks = f"GET /explorer/healthz HTTP/1.1\r\nHost: {address}\r\n"
        last = f"{asks}Connection: close\r\n\r\n"
        with closing(raw(address, f"{asks}\r\n" * 500 + last)) as plain:
            text = b"".join(iter(lambda: plain.recv(65536), b""))
        answers = Counter(re.findall(rb"HTTP/1.1 (\d+)", text))
        assert answers[b"429"] > 0 and 20 < answers[b"200"] == server.asked
        wait_until(lambda: answered(address, "/explorer/healthz")[0] == 200)


def test_a_visitor_has_so_many_sockets_and_keeps_nobody_else_from_theirs(address):
    one, other = (Recognition("s" * 16).cookie({}) for _ in range(2))
    with ExitStack() as held:
        places = itertools.islice(itertools.cycle(PLACES), SOCKETS)
        first, *_ = [held.enter_context(closing(opened(address, one, each))) for each in places]
        for place in PLACES:
            with pytest.raises(InvalidStatus) as refused:
                opened(address, one, place)
            assert refused.value.response.status_code == 429
        for cookie in (other, ""):
            held.enter_context(closing(opened(address, cookie)))
        first.close()
        wait_until(lambda: _opens(address, one))


def _opens(address, cookie):
    with suppress(InvalidStatus), closing(opened(address, cookie)):
        return True


def test_who_reads_slowly_holds_no_memory_of_the_server(server, address):
    """It has handed all of a large answer on, of which nobody has read a byte."""
    with closing(raw(address, f"GET /explorer/large HTTP/1.1\r\nHost: {address}\r\n\r\n")):
        assert server.sent.wait(60)
        assert answered(address, "/explorer/healthz")[0] == 200


def test_an_upload_reaches_the_server_when_all_of_it_has_come(server, address):
    head = f"PUT {UPLOAD} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\n"
    with closing(raw(address, f"{head}Content-Length: 200000\r\n\r\n")) as plain:
        plain.sendall(bytes(100_000))
        assert answered(address, "/explorer/healthz")[0] == 200 and not server.uploads
        plain.sendall(bytes(100_000))
        assert plain.recv(4096).endswith(b"200000") and server.uploads == 1


def test_what_the_operator_asks_is_not_passed_on(server, address):
    assert answered(address, "/explorer/metrics")[0] == 404
    assert answered(address, "/explorer/healthz", Host="other.example")[0] == 400
    assert server.asked == 0


def test_of_a_flood_of_frames_so_many_a_second_are_taken(address, monkeypatch):
    """nginx passes them on as they come; the server stops reading, and nginx with it."""
    monkeypatch.setattr(WebSocketsSansIOProtocol, "__init__", WebSocketsSansIOProtocol.__init__)
    gate(50, LARGEST)
    count, receive = [0], ServerProtocol.recv_frame

    def recv_frame(self, frame):
        count[0] += 1
        receive(self, frame)

    monkeypatch.setattr(ServerProtocol, "recv_frame", recv_frame)
    with closing(opened(address, "")) as ws:
        began = time.monotonic()
        empty = struct.pack("!BBI", 0x8A, 0x80, 0)  # a pong that nobody asked for
        sending = threading.Thread(target=_send, args=(ws.socket, 200_000 * empty), daemon=True)
        sending.start()
        wait_until(lambda: count[0] >= 50 * BURST_SECONDS)
        assert all(answered(address, "/explorer/healthz")[0] == 200 for _ in range(20))
        assert count[0] <= 50 * (BURST_SECONDS + time.monotonic() - began) + 1


def _send(plain, data):
    with suppress(OSError):
        plain.sendall(data)
