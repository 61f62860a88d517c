"""What the server says of itself as lines of JSON on stderr (the setting `log`).

A line has time, level, who says it and what; a request has its path without what is asked there, an
error its type and where it came up without its message: what somebody trains, types or uploads
stands in no line. Of a visitor it has the name of the space, which is no cookie, and the hash of an
address, another one each day (visitors.py).
"""

import json
import logging
import re
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOG = logging.getLogger("explorer.requests")
QUIET = re.compile(r"/(static|healthz|metrics|_stcore/(health|host-config))(/|$)")
"""Paths that nobody wants a line of each."""
CONTENT = re.compile(r"\{.*", re.DOTALL)
SAID = "explorer said"
"""In the scope of a request: what its line has beside path and status."""
LONGEST = 200  # characters of a text or a path
FRAMES = 6  # of where an error came up, the last ones


def begin() -> None:
    """From now on every record of this process is one line, whoever writes it down."""
    logging.setLogRecordFactory(_record)
    logging.captureWarnings(True)
    logging.getLogger().addHandler(logging.StreamHandler())
    logging.getLogger("explorer").setLevel(logging.INFO)
    fallen = logging.getLogger("explorer.errors").error
    sys.excepthook = lambda *error: fallen("uncaught", exc_info=error)
    threading.excepthook = lambda args: fallen("uncaught in a thread", exc_info=args.exc_value)


def _record(*fields: Any, **more: Any) -> logging.LogRecord:
    """A record whose text is the line: a formatter has nothing to add but what is before it."""
    record = logging.LogRecord(*fields, **more)
    record.msg = line(record)
    record.args = record.exc_info = record.stack_info = None
    return record


def line(record: logging.LogRecord) -> str:
    """The line. What is said is the pattern of a text, without what would be put into it; of a
    mapping that our own loggers are given, each entry is a field."""
    name, args, error = record.name, record.args, record.exc_info
    fields = args if isinstance(args, Mapping) and name[:9] == "explorer." else {}
    words = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": name,
        "said": CONTENT.sub("{…", str(record.msg))[:LONGEST],
        **fields,
    }
    if error and error[0]:
        frames = traceback.extract_tb(error[2])[-FRAMES:]
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        words |= {"error": error[0].__name__, "at": places}
    return json.dumps(words, ensure_ascii=False, default=str)


class Requests:
    """Middleware: a line of each request and of each socket, once it is over."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, then say how it went."""
        if scope["type"] not in ("http", "websocket") or QUIET.search(scope["path"]):
            return await self.app(scope, receive, send)
        began, status = time.perf_counter(), 0
        details = dict[str, Any]()

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "websocket.accept":
                status = 101
            elif message["type"] == "websocket.close" and not status:
                status = 403  # what a browser is told of a socket that was not accepted
            status = message.get("status", status)
            await send(message)

        try:
            await self.app({**scope, SAID: details}, receive, sent)
        except BaseException:
            status = status or 500
            raise
        finally:
            details["ms"] = round(1000 * (time.perf_counter() - began))
            what = {"method": scope.get("method", "GET"), "path": scope["path"][:LONGEST]}
            LOG.info(scope["type"], {**what, "status": status, **details})
