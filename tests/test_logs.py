"""Lines of JSON: one for each event, whoever says it, and no word of what is trained."""

import json
import logging
import subprocess
import sys
from http.client import HTTPConnection

import pytest
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from websockets.sync.client import connect

from explorer.hosting import logs
from explorer.hosting.doors import Doors

SECRET = '{"formula":"my(secret*u)"}'
SCRIPT = f"""
import logging, threading, warnings
from explorer.hosting import logs
logs.begin()
logging.getLogger("streamlit.x").warning("of %s", {SECRET!r})
logging.getLogger("other").error('was {SECRET} there')
logging.getLogger("explorer.x").info("done", {{"run": "abc-1", "seconds": 3}})
logging.getLogger("explorer.x").info("%(run)s has ended", {{"run": "abc-1"}})
warnings.warn({SECRET!r})
def fall():
    raise ValueError({SECRET!r})
thread = threading.Thread(target=fall)
thread.start()
thread.join()
fall()
"""


def test_every_word_of_a_process_is_a_line_without_contents():
    words = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert "secret" not in done.stderr and len(lines) == 7, done.stderr
    of, was, run, ended, warned, thread, last = lines
    assert of["said"] == "of %s" and was["said"] == "was {…" and warned["logger"] == "py.warnings"
    assert (run["run"], run["seconds"], run["level"]) == ("abc-1", 3, "info")
    assert ended["said"] == "%(run)s has ended" and ended["run"] == "abc-1"
    assert thread["error"] == last["error"] == "ValueError" and "fall" in last["at"][-1]


@pytest.fixture
def heard(monkeypatch):
    said = []
    monkeypatch.setattr(logs.LOG, "info", lambda what, fields: said.append((what, fields)))
    return said


async def _plain(_):
    return PlainTextResponse("here")


async def _broken(_):
    raise KeyError("x")


async def _socket(ws):
    await ws.accept()
    await ws.receive()


ROUTES = [
    Route("/plain", _plain, methods=["GET", "POST"]),
    Route("/broken", _broken),
    Route("/healthz", _plain),
    WebSocketRoute("/socket", _socket),
]


def test_requests_and_sockets_have_a_line_without_what_is_asked(heard):
    doors = [Middleware(logs.Requests), Middleware(Doors)]
    with serving(Starlette(routes=ROUTES, middleware=doors)) as address:
        for method, path in (
            ("GET", "/plain?spec=secret"),
            ("POST", "/plain"),
            ("GET", "/nowhere"),
            ("GET", "/broken"),
            ("GET", "/healthz"),
        ):
            connection = HTTPConnection(address, timeout=10)
            connection.request(method, path)
            connection.getresponse().read()
            connection.close()
        with connect(f"ws://{address}/socket", origin=f"http://{address}", proxy=None) as ws:
            ws.send("x")
    found = [(what, each["path"], each["status"]) for what, each in heard]
    assert found == [
        ("http", "/plain", 200),
        ("http", "/plain", 403),
        ("http", "/nowhere", 404),
        ("http", "/broken", 500),
        ("websocket", "/socket", 101),
    ]
    assert all(each["ms"] >= 0 and "secret" not in str(each) for _, each in heard)


def test_a_pattern_is_said_where_its_values_are_not():
    error = (ValueError, ValueError("u*v"), None)
    of = ("a", logging.ERROR, "a.py", 1, "x %d", ({"formula": 1},), error)
    said = json.loads(logs.line(logging.LogRecord(*of)))
    assert said["said"] == "x %d" and "formula" not in said
    assert said["error"] == "ValueError" and said["at"] == []
