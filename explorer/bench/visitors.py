"""Visitors without a browser: they speak to the server as a page does, over real sockets, in
Streamlit's own messages, and follow a run as its picture does. They draw nothing, so that what is
measured is the server."""

import asyncio
import json
import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlencode
from urllib.request import Request, urlopen
from zlib import crc32

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Origin, Subprotocol

from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, visitors, welcome
from explorer.hosting.visitors import COOKIE, DAY, WORD, Recognition, Words, kept_secret
from explorer.runs.store import Store
from explorer.spec import AnySpec
from explorer.ui.streamlit_private import BackMsg, ForwardMsg, Slider, WidgetState

WAIT = 120.0  # seconds for a page; who waits longer has lost it
DRAGGED = {"explorer_design": ("at", ("u", "v"))}
"""What a drag on a component reports: the field, and its coordinates in [0, 1]."""


class Lost(RuntimeError):
    """The server did not answer a visitor, or refused them."""


@dataclass
class Visitor:
    """A session: its socket, what may be moved on its page, and where all that stands."""

    socket: ClientConnection
    origin: str
    page: str
    script: str = ""
    sliders: dict[str, Slider] = field(default_factory=dict)
    components: dict[str, str] = field(default_factory=dict)
    """Ids by name."""
    buttons: dict[str, str] = field(default_factory=dict)
    """Ids by label."""
    states: dict[str, WidgetState] = field(default_factory=dict)
    reports: int = 0

    @classmethod
    async def open(
        cls, address: str, page: str = "", cookie: str = "", again: str = "", **params: str
    ) -> Self:
        """A page, once its script has run to the end, of who has this `cookie`; `again` the session
        that has lost its socket. Raises Lost."""
        url = address.replace("http", "ws", 1) + "/_stcore/stream"
        protocols = [Subprotocol(word) for word in ("streamlit", *(["-", again] if again else []))]
        headers = {"Cookie": cookie} if cookie else {}
        try:
            socket = await _connected(
                url, address, subprotocols=protocols, additional_headers=headers
            )
        except Exception as error:
            raise Lost(str(error)) from error
        visitor = cls(socket, address, page)
        await visitor.run(urlencode(params))
        return visitor

    async def run(self, query: str = "") -> float:
        """Run the page's script with all that was moved; seconds until it has ended."""
        asked = BackMsg()
        asked.rerun_script.query_string = query
        asked.rerun_script.page_name = self.page
        asked.rerun_script.page_script_hash = self.script
        asked.rerun_script.widget_states.widgets.extend(self.states.values())
        began = time.perf_counter()
        try:
            async with asyncio.timeout(WAIT):
                await self.socket.send(asked.SerializeToString())
                while not self._hears(await self.socket.recv()):
                    pass
        except (TimeoutError, ConnectionClosed) as error:
            raise Lost(f"{self.page or 'design'}: {error!r}") from error
        return time.perf_counter() - began

    def _hears(self, data: str | bytes) -> bool:
        """Take note of a message; whether it says that the script has ended. Raises Lost where the
        page shows an exception."""
        message = ForwardMsg()
        message.ParseFromString(data if isinstance(data, bytes) else data.encode())
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.sliders.clear()  # those of the page as it is drawn now come
            self.buttons.clear()
        elif kind == "navigation":
            self.script = message.navigation.page_script_hash
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "exception":
                raise Lost(f"{self.page or 'design'}: {element.exception.message}")
            if element.WhichOneof("type") == "slider":
                self._meets(element.slider)
            elif element.WhichOneof("type") == "button":
                self.buttons[element.button.label] = element.button.id
            elif element.WhichOneof("type") == "bidi_component":
                name = element.bidi_component.component_name
                self.components[name] = element.bidi_component.id
        return kind == "script_finished"

    def _meets(self, slider: Slider) -> None:
        """A slider that can be moved, if it has one handle; the page may have moved it itself."""
        if not slider.disabled and len(slider.default) == 1:
            self.sliders[slider.id] = slider
        if slider.set_value:
            self.states[slider.id] = _at(slider, [*slider.value, *slider.raw_value][0])

    async def move_a_slider(self, chance: random.Random) -> float:
        """One slider, if there is one, by one step; seconds until the page has answered."""
        if self.sliders:
            moved = chance.choice(sorted(self.sliders))
            self.states[moved] = _moved(self.sliders[moved], self.states.get(moved))
        return await self.run()

    async def drag(self, chance: random.Random) -> float:
        """Let go of what was dragged, or move a slider where the page's drags stay in the browser;
        seconds until the page has answered."""
        draggable = [name for name in self.components if name in DRAGGED]
        if not draggable:
            return await self.move_a_slider(chance)
        what, coordinates = DRAGGED[draggable[0]]
        self.reports += 1
        change = {what: {name: chance.random() for name in coordinates}}
        report = {"visit": "bench", "changes": [[self.reports, change]]}
        state = WidgetState(id=self.components[draggable[0]])
        state.json_value = json.dumps({"report": report})
        self.states[state.id] = state
        return await self.run()

    async def press(self, label: str) -> float:
        """The button whose label begins so; seconds until the page has answered. Raises Lost
        without one."""
        pressed = next((id for name, id in self.buttons.items() if name.startswith(label)), None)
        if pressed is None:
            raise Lost(f"{self.page or 'design'}: no button {label}, but {', '.join(self.buttons)}")
        self.states[pressed] = WidgetState(id=pressed, trigger_value=True)
        try:
            return await self.run()
        finally:
            del self.states[pressed]

    async def close(self) -> None:
        await self.socket.close()


def _moved(slider: Slider, before: WidgetState | None) -> WidgetState:
    """A slider one step on, or one back at its end."""
    place = slider.default[0]
    if before:
        options, numbers = before.string_array_value.data, before.double_array_value.data
        place = list(slider.options).index(options[0]) if options else numbers[0]
    step = slider.step or 1.0
    place = place + step if place + step <= slider.max else place - step
    return _at(slider, slider.options[int(place)] if slider.options else place)


def _at(slider: Slider, place: float | str) -> WidgetState:
    """As a browser says it: an option by its text, else a number."""
    state = WidgetState(id=slider.id)
    if isinstance(place, str):
        state.string_array_value.data.append(place)
    else:
        state.double_array_value.data.append(place)
    return state


async def moves(
    visitor: Visitor, seconds: float, pause: float, observe: Callable[[], None] = lambda: None
) -> list[float]:
    """The answers to sliders that are moved for a while, with a pause and a look after each."""
    chance, waits, end = random.Random(1), [], time.monotonic() + seconds
    while time.monotonic() < end:
        waits.append(await visitor.move_a_slider(chance))
        observe()
        await asyncio.sleep(pause)
    return waits


@dataclass(frozen=True)
class Public:
    """A public server (`serving.public_server`), shared out as the shipped nginx does: who has no
    cookie comes to the first of its `addresses`, who has one always to the same."""

    addresses: Sequence[str]

    def address_of(self, cookie: str) -> str:
        """The address at which who has this cookie is."""
        return self.addresses[crc32(cookie.encode()) % len(self.addresses)]

    def cookie(self, word: str = "") -> str:
        """A new visitor's, who has opened a page, and a link with a `word`."""
        return new_cookie(self.addresses[0], word)

    async def open(self, cookie: str, page: str = "", **params: str) -> Visitor:
        """A page of who has this cookie. Raises Lost."""
        return await Visitor.open(self.address_of(cookie), page, cookie, **params)

    async def new(self, word: str = "", page: str = "", **params: str) -> Visitor:
        """A page of somebody new. Raises Lost."""
        return await self.open(await asyncio.to_thread(self.cookie, word), page, **params)


def new_cookie(address: str, word: str = "") -> str:
    """By which a public server knows a visitor who has opened a page, and a link with a `word`."""
    with urlopen(address) as answer:
        given = answer.headers.get_all("Set-Cookie")
        cookie = next(cookie.partition(";")[0] for cookie in given if COOKIE in cookie)
    if word:
        urlopen(Request(f"{address}/?{WORD}={word}", headers={"Cookie": cookie})).close()
    return cookie


def space_of(folder: Path, cookie: str) -> Space:
    """The space of who has a cookie of the server on a store, as a page opens it."""
    store = Store(folder)
    name, _, value = cookie.partition("=")
    owner = Recognition(kept_secret(store)).owner({}, {name: value})
    return welcome(store, owner or "", Limits())


def queued(folder: Path, space: Space, spec: AnySpec) -> str:
    """The run of who presses *Train*, as a page queues it; raises StoreError beyond a limit."""
    run = space.create(spec)
    space.sync()
    return run


def new_word(folder: Path, name: str = "bench") -> str:
    """By which many visitors of the server on a store have pages and runs of their own."""
    return Words(visitors(Store(folder))).add(name, 1000, time.time() + DAY)


async def watch(address: str, run: str, cookie: str = "") -> None:
    """Follow a run of who has this cookie until cancelled, as a browser does that draws each
    picture at once."""
    url = f"{address.replace('http', 'ws', 1)}/api/runs/{run}/live"
    headers = {"Cookie": cookie} if cookie else {}
    with suppress(ConnectionClosed):
        async with await _connected(url, address, additional_headers=headers) as socket:
            async for _ in socket:
                await socket.send("ack")


async def _connected(url: str, address: str, **more: Any) -> ClientConnection:
    """As a page that the server has served opens it."""
    named = {"origin": Origin(address), "max_size": None, "proxy": None}
    return await connect(url, open_timeout=WAIT, **named, **more)
