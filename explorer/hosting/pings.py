"""Pings, which the server answers itself before any middleware hears of them: of one socket so many
a second, since what answers them waits in memory for who does not read. Browsers send none."""

from __future__ import annotations

import time
from weakref import WeakKeyDictionary

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from explorer.hosting.visitors import BURST_SECONDS

TOO_MANY = 1008


def few_pings(per_second: float) -> None:
    """From now on a socket that brings more ends. Not in uvicorn's documented interface:
    tests/test_visitors.py watches over it."""
    answer = WebSocketsSansIOProtocol.handle_ping
    paid = WeakKeyDictionary[WebSocketsSansIOProtocol, float]()  # the time up to which each has

    def handle_ping(self: WebSocketsSansIOProtocol) -> None:
        now = time.monotonic()
        paid[self] = max(paid.get(self, 0.0), now - BURST_SECONDS) + 1 / per_second
        if self.close_sent:
            return
        if paid[self] <= now:
            return answer(self)
        self.conn.fail(TOO_MANY, "too many pings")
        self.handle_parser_exception()  # says so and closes

    WebSocketsSansIOProtocol.handle_ping = handle_ping
