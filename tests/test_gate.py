"""What one WebSocket brings is counted frame by frame: a flood of any kind waits where it comes
from, and whoever asks beside it is answered."""

import os
import socket
import struct
import threading
import time
from contextlib import closing, contextmanager, suppress
from urllib.request import urlopen

import pytest
from serving import serving
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from waiting import wait_until
from websockets.server import ServerProtocol
from websockets.sync.client import connect

from explorer.hosting.gate import BURST_SECONDS, FRAGMENTS, PAUSE_SECONDS, gate

RATE, LARGEST, FLOOD = 50, 100_000, 100_000
TEXT, BINARY, PING, PONG, END = 1, 2, 9, 10, 0x80


def frame(head, data=b""):
    """As a browser sends it, with a mask that changes nothing."""
    return bytes([head, 0x80 | len(data)]) + bytes(4) + data


FLOODS = {
    "empty fragments": frame(BINARY) + FLOOD * frame(0),
    "pongs that nobody asked for": FLOOD * frame(PONG | END),
    "pings": FLOOD * frame(PING | END, b"?"),
    "messages": FLOOD * frame(BINARY | END),
}


async def echo(socket):
    await socket.accept()
    while (said := await socket.receive())["type"] == "websocket.receive":
        await socket.send_bytes(said["bytes"])


async def health(request):
    return PlainTextResponse("well")


APP = Starlette(routes=[WebSocketRoute("/echo", echo), Route("/health", health)])


@pytest.fixture
def gated(monkeypatch):
    monkeypatch.setattr(WebSocketsSansIOProtocol, "__init__", WebSocketsSansIOProtocol.__init__)
    return gate


@pytest.fixture
def counted(monkeypatch):
    """How many frames the server has parsed, as the only entry of a list."""
    count, receive = [0], ServerProtocol.recv_frame

    def recv_frame(self, frame):
        count[0] += 1
        receive(self, frame)

    monkeypatch.setattr(ServerProtocol, "recv_frame", recv_frame)
    return count


def opened(address):
    host, port = address.split(":")
    raw = socket.create_connection((host, int(port)), timeout=20)
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13"
    asks = f"GET /echo HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade"
    raw.sendall(f"{asks}\r\n{key}\r\n\r\n".encode())
    assert b" 101 " in raw.recv(4096)
    return raw


@contextmanager
def flooding(address, data):
    """All of it is sent from beside, as fast as it is taken."""
    with closing(opened(address)) as raw:

        def send():
            with suppress(OSError):
                raw.sendall(data)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        yield raw
        raw.shutdown(socket.SHUT_RDWR)
        thread.join(20)


def is_well(address):
    with urlopen(f"http://{address}/health", timeout=20) as answer:
        return answer.read() == b"well"


@pytest.mark.parametrize("data", FLOODS.values(), ids=FLOODS)
def test_of_a_flood_so_many_frames_a_second_are_taken(gated, counted, data):
    gated(RATE, LARGEST)
    with serving(APP) as address:
        began = time.monotonic()
        with flooding(address, data):
            wait_until(lambda: counted[0] >= RATE * BURST_SECONDS)
            assert all(is_well(address) for _ in range(20))
            taken, seconds = counted[0], time.monotonic() - began
        assert taken <= RATE * (BURST_SECONDS + seconds) + 1


def test_without_the_gate_all_of_it_is_taken(counted):
    """So that the count above can fail."""
    with serving(APP) as address, flooding(address, FLOODS["empty fragments"]):
        wait_until(lambda: counted[0] > FLOOD)


def test_frames_come_whole_and_in_order_however_they_were_cut(gated):
    """Headers and payloads are torn apart by the network and by the waiting."""
    gated(RATE, LARGEST)
    parts = [os.urandom(n % 126) for n in range(3 * RATE)]
    heads = [BINARY] + [0] * (len(parts) - 2) + [END]
    data = b"".join(map(frame, heads, parts)) + frame(BINARY | END, b"+")
    answer, whole = bytearray(), b"".join(parts)
    with serving(APP) as address, closing(opened(address)) as raw:
        for at in range(0, len(data), 7):
            raw.sendall(data[at : at + 7])
        expected = b"\x82\x7e" + struct.pack("!H", len(whole)) + whole + b"\x82\x01+"
        while len(answer) < len(expected):
            answer += raw.recv(65536)
    assert answer == expected


def test_a_message_has_so_many_fragments(gated):
    gated(1e9, LARGEST)
    with serving(APP) as address:
        for more, stays in ((FRAGMENTS - 1, True), (FRAGMENTS, False)):
            with closing(opened(address)) as raw:
                raw.sendall(frame(BINARY) + more * frame(0))
                raw.sendall(frame(END))
                answer = raw.recv(4096)
                assert answer[:2] == (b"\x82\x00" if stays else b"\x88\x14"), answer


def test_too_long_a_message_ends_its_socket_before_it_has_come(gated):
    gated(RATE, LARGEST)
    head = bytes([BINARY | END, 0xFF]) + struct.pack("!Q", LARGEST + 1) + bytes(4)
    with serving(APP) as address, closing(opened(address)) as raw:
        raw.sendall(head)
        answer = raw.recv(4096)
        assert answer[0] == 0x88 and struct.unpack("!H", answer[2:4]) == (1009,)


def test_who_has_waited_is_answered_and_may_go(gated):
    """Three times the burst at once: each message comes back in its place."""
    gated(RATE, LARGEST)
    sent = [str(n).encode() for n in range(int(1.5 * RATE * BURST_SECONDS))]
    with serving(APP) as address, connect(f"ws://{address}/echo", proxy=None) as ws:
        for each in sent:
            ws.send(each)
        assert [ws.recv(timeout=20) for _ in sent] == sent
        assert ws.ping().wait(20) and PAUSE_SECONDS < BURST_SECONDS
