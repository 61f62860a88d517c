"""Visitors of a public server who press, type, upload and take home, as a page does."""

from __future__ import annotations

import asyncio
import copy
import http.cookiejar
import urllib.request
from dataclasses import dataclass, field
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from explorer.bench.visitors import WAIT, Lost, Visitor, _connected
from explorer.hosting.visitors import WORD

XSRF = "_streamlit_xsrf"


class Browser:
    """A jar of cookies, which lasts longer than a server."""

    def __init__(self):
        self.jar, self.word = http.cookiejar.CookieJar(), ""
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.jar)
        )

    @property
    def cookies(self):
        return {one.name: one.value for one in self.jar}

    @property
    def header(self):
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def ask(self, url, data=None, method="GET", **headers):
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            with self.opener.open(request, timeout=30) as answer:
                return answer.read()
        except HTTPError as error:
            raise Lost(f"{url}: {error.code} {error.read()[:200]!r}") from error
        except OSError as error:
            raise Lost(f"{url}: {error}") from error


@dataclass
class Customer(Visitor):
    """A page of a browser, whose widgets are found by key or label."""

    browser: Browser = field(default_factory=Browser)
    session: str = ""
    query: str = ""
    widgets: dict[str, Any] = field(default_factory=dict)
    """By key, or by label where there is no key."""
    last: ForwardMsg = field(default_factory=ForwardMsg)

    @classmethod
    async def enter(cls, browser: Browser, address: str, page: str, query: str = "") -> Customer:
        """A page, once its script has run to the end."""
        opened = f"{address}/{page}?{urlencode({WORD: browser.word})}"
        await asyncio.to_thread(browser.ask, opened)  # the cookie comes with it
        await asyncio.to_thread(browser.ask, f"{address}/_stcore/health")
        url = address.replace("http", "ws", 1) + "/_stcore/stream"
        headers = {"Cookie": browser.header}
        try:
            socket = await _connected(
                url, address, subprotocols=[Subprotocol("streamlit")], additional_headers=headers
            )
        except Exception as error:
            raise Lost(str(error)) from error
        here = cls(socket, address, page, browser=browser, query=query)
        await here.run(query)
        return here

    def _hears(self, data):
        self.last.ParseFromString(data)
        kind = self.last.WhichOneof("type")
        if kind == "new_session":
            self.session = self.last.new_session.initialize.session_id or self.session
        elif kind == "delta" and self.last.delta.WhichOneof("type") == "new_element":
            element = self.last.delta.new_element
            name = element.WhichOneof("type")
            widget = getattr(element, name) if name else None
            if identity := getattr(widget, "id", ""):
                key = identity.split("-", 2)[2]
                key = key if key != "None" else getattr(widget, "label", "")
                self.widgets[key] = copy.deepcopy(widget)
        return super()._hears(data)

    def widget(self, beginning):
        """Whose key or label begins so."""
        found = [key for key in self.widgets if key.startswith(beginning)]
        if not found:
            raise KeyError(f"{beginning!r} is not among {sorted(self.widgets)}")
        return self.widgets[found[0]]

    def _state(self, key):
        return WidgetState(id=self.widget(key).id)

    async def press(self, key):
        pressed = self._state(key)
        pressed.trigger_value = True
        self.states[pressed.id] = pressed
        try:
            await self.run(self.query)
        finally:
            del self.states[pressed.id]

    async def type(self, key, text):
        typed = self._state(key)
        typed.string_value = text
        self.states[typed.id] = typed
        await self.run(self.query)

    async def upload(self, key, name, data):
        asked = BackMsg()
        asked.file_urls_request.request_id = "1"
        asked.file_urls_request.file_names.append(name)
        asked.file_urls_request.session_id = self.session
        said = await self._answer(asked, "file_urls_response")
        place = said.file_urls[0]
        await asyncio.to_thread(self._put, place.upload_url, name, data)
        taken = self._state(key)
        info = taken.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(data), place.file_id
        info.file_urls.CopyFrom(place)
        self.states[taken.id] = taken
        await self.run(self.query)

    def _put(self, path, name, data):
        edge = "edge-of-a-part"
        body = (
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode() + data
        self.browser.ask(
            f"{self.origin}{path}",
            body + f"\r\n--{edge}--\r\n".encode(),
            "PUT",
            **{
                "Content-Type": f"multipart/form-data; boundary={edge}",
                "X-Xsrftoken": self.browser.cookies.get(XSRF, ""),
                "Origin": self.origin,
            },
        )

    async def take(self, file_id):
        """The file behind a button that makes it when it is pressed."""
        asked = BackMsg()
        asked.backend_operation_request.request_id = "2"
        asked.backend_operation_request.session_id = self.session
        asked.backend_operation_request.deferred_file.file_id = file_id
        said = await self._answer(asked, "backend_operation_response")
        if said.error_msg:
            raise Lost(said.error_msg)
        return await asyncio.to_thread(self.browser.ask, f"{self.origin}{said.deferred_file.url}")

    async def _answer(self, asked, kind):
        try:
            async with asyncio.timeout(WAIT):
                await self.socket.send(asked.SerializeToString())
                while True:
                    self._hears(await self.socket.recv())
                    if self.last.WhichOneof("type") == kind:
                        return getattr(self.last, kind)
        except (TimeoutError, ConnectionClosed) as error:
            raise Lost(f"{self.page}: {error!r}") from error
