"""What a WebSocket may bring, counted frame by frame before uvicorn makes messages of them: whole
messages, fragments of one, pings and pongs. More is not read until its time has come, and nobody
else's socket waits for it. A browser sends a message of 4 MB as 30 frames."""

import time
from asyncio import TimerHandle
from typing import Any

from uvicorn._types import ASGIReceiveEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ProtocolError
from websockets.frames import Frame

BURST_SECONDS = 2.0
"""Of frames that come at once before others wait."""
PAUSE_SECONDS = 0.25
"""Others wait so much longer, and then come together."""
FRAGMENTS = 1000
"""Frames of a message that has not ended, of which each waits in memory."""


class Gate:
    """Stands before one socket: takes so many frames `per_second` from it, of messages of at most
    `largest` bytes; one that is longer ends the socket."""

    def __init__(self, socket: WebSocketsSansIOProtocol, per_second: float, largest: int):
        self.socket, self.per_second = socket, per_second
        self.paid = 0.0  # the time at which the frames so far are paid for
        self.fragments = 0
        self.rest = bytearray()  # what has come and is not yet parsed
        self.later: TimerHandle | None = None
        self._parse, socket.data_received = socket.data_received, self.data_received
        self._receive, socket.receive = socket.receive, self.receive
        self._took, socket.conn.recv_frame = socket.conn.recv_frame, self.recv_frame
        socket.conn.max_message_size = largest

    def data_received(self, data: bytes | bytearray) -> None:
        """Bytes have come."""
        if self.later:
            self.rest += data
            return self.socket.transport.pause_reading()
        self._parse(bytes(data))
        early = self.paid - time.monotonic()
        if (self.rest or early > 0) and not self.socket.transport.is_closing():
            self.socket.transport.pause_reading()
            self.later = self.socket.loop.call_later(PAUSE_SECONDS + max(0.0, early), self.go_on)

    def recv_frame(self, frame: Frame) -> None:
        """One frame has been parsed; the parser finds nothing more where the next has to wait."""
        self._took(frame)
        self.fragments = 0 if self.socket.conn.current_size is None else self.fragments + 1
        if self.fragments > FRAGMENTS:
            raise ProtocolError("too many fragments")  # ends the socket
        now = time.monotonic()
        self.paid = max(self.paid, now - BURST_SECONDS) + 1 / self.per_second
        if self.paid > now:
            reader = self.socket.conn.reader
            self.rest, reader.buffer = reader.buffer, bytearray()

    def go_on(self) -> None:
        """The time of the next frame has come."""
        self.later = None
        if self.socket.transport.is_closing():
            return
        data, self.rest = self.rest, bytearray()
        if not self.socket.read_paused:
            self.socket.transport.resume_reading()
        self.data_received(data)

    async def receive(self) -> ASGIReceiveEvent:
        """What the app gets; uvicorn reads on when it has taken all."""
        message = await self._receive()
        if self.later:
            self.socket.transport.pause_reading()
        return message


def gate(per_second: float, largest: int) -> None:
    """From now on every new socket has one. Not in uvicorn's documented interface:
    tests/test_gate.py watches over it."""
    begin = WebSocketsSansIOProtocol.__init__

    def begin_behind(self: WebSocketsSansIOProtocol, *args: Any, **options: Any) -> None:
        begin(self, *args, **options)
        Gate(self, per_second, largest)

    WebSocketsSansIOProtocol.__init__ = begin_behind
