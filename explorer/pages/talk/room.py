"""A room that takes part: phones follow a talk on the stage, and what they predict lies over each
other there.

The speaker's deck opens a room by the WebSocket `/stage/room`, and gets its code, and a key by
which a deck that was loaded again finds the same room. A phone gets the deck, without notes, by
`/stage?room=CODE`, and hears by `/stage/follow?code=CODE` where the speaker is. It may say a curve:
bounded, without a name, and in memory alone, until the speaker comes to another scene.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import math
import re
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import segno
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from explorer.hosting.doors import policy
from explorer.hosting.settings import LOCAL
from explorer.hosting.visitors import is_https
from explorer.pages.talk import decks
from explorer.runs.database import StoreError
from explorer.spec import SpecError
from explorer.ui import registry
from explorer.ui.live import serve
from explorer.ui.words import public

PHONES = 300
"""That follow one talk, where visitors have no limits of their own."""
ROOMS = 20
"""At once, on one server; the one whose speaker is away longest makes place."""
AWAY_SECONDS = 900.0
"""Until a room is closed that no speaker comes back to."""
PAUSE_SECONDS = 0.2
"""Between two curves of a phone that are heard, and two things that a client is told."""
LONGEST = 4000
"""Characters that are read of what is said."""
CODE = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Of these signs a code is made; none is taken for another."""
SIGNS = 6
NOTES = re.compile(f"{decks.NOTES}.*?</script>", re.DOTALL)

NO_ROOM = "No talk is followed by this code now: ask the speaker for the code that holds."
FULL = "No more phones can follow this talk."
NOT_ALLOWED = "This server lets no phones follow a talk; whoever runs it may allow so many phones."
NO_ADDRESS = (
    "Phones cannot reach this server. Start it with `python -m explorer serve --address 0.0.0.0 "
    "--hosts localhost,NAME`, where NAME is the name or address of this machine in the network."
)
NO_DECK = "The talk is not ready: open the stage again."


class At(BaseModel):
    """Where the speaker is, counted from 0."""

    model_config = ConfigDict(extra="forbid", strict=True)
    scene: int = Field(ge=0, lt=1000)
    step: int = Field(ge=0, lt=1000)


Width = Annotated[int, Field(ge=1, le=4096)]
Error = Annotated[float, Field(ge=1e-30, le=1e6, allow_inf_nan=False)]


class Curve(BaseModel):
    """What a phone predicts in a scene of the `line`th target: pairs of a width and an error."""

    model_config = ConfigDict(extra="forbid")
    scene: int = Field(ge=0, lt=1000)
    line: int = Field(ge=0, lt=100)
    pairs: list[tuple[Width, Error]] = Field(min_length=1, max_length=64)


class Client:
    """One socket: the newest of each kind of what it is to hear, so that who reads slowly builds no
    queue."""

    def __init__(self) -> None:
        self.due: dict[str, Callable[[], str]] = {}
        self.new = asyncio.Event()
        self.spoke = -math.inf

    def tell(self, kind: str, text: Callable[[], str]) -> None:
        """Say it as soon as the client takes it, as it is then."""
        self.due[kind] = text
        self.new.set()

    def say(self, kind: str, **fields: Any) -> None:
        """Likewise what does not change."""
        text = _text(kind=kind, **fields)
        self.tell(kind, lambda: text)

    async def send_to(self, ws: WebSocket) -> None:
        """Until the client leaves."""
        while True:
            await self.new.wait()
            self.new.clear()
            due, self.due = self.due, {}
            for text in due.values():
                await ws.send_text(text())
            await asyncio.sleep(PAUSE_SECONDS)


@dataclass
class Room:
    """One talk that is followed."""

    code: str
    key: str
    owner: str
    deck: Deck
    most: int
    at: At = field(default_factory=lambda: At(scene=0, step=0))
    speakers: set[Client] = field(default_factory=set)
    phones: dict[Client, int] = field(default_factory=dict)
    curves: dict[int, str] = field(default_factory=dict)
    """What each phone has drawn in this scene, as JSON."""
    joined: int = 0
    left: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        return not self.speakers and time.monotonic() - self.left > AWAY_SECONDS

    def say_here(self) -> None:
        """The speaker hears how many phones there are."""
        for speaker in self.speakers:
            speaker.tell("here", lambda: _text(kind="here", phones=len(self.phones)))

    def say_curves(self) -> None:
        """The speaker hears all that was drawn."""
        for speaker in self.speakers:
            speaker.tell("curves", self._curves)

    def _curves(self) -> str:
        drawn = ",".join(self.curves.values())
        return f'{{"kind":"curves","scene":{self.at.scene},"curves":[{drawn}]}}'

    def move(self, at: At) -> None:
        """The speaker has gone on: what was drawn in another scene is forgotten."""
        if at.scene != self.at.scene:
            self.curves.clear()
        self.at = at
        for phone in self.phones:
            phone.say("at", **at.model_dump())

    def draw(self, phone: Client, text: str) -> None:
        """A phone has drawn; its curve takes the place of the one before."""
        now = time.monotonic()
        if now - phone.spoke < PAUSE_SECONDS:
            return
        phone.spoke = now
        curve = _read(Curve, text)
        if curve and curve.scene == self.at.scene:
            self.curves[self.phones[phone]] = curve.model_dump_json(exclude={"scene"})
            while len(self.curves) > self.most:  # of phones that came, drew and went
                del self.curves[next(iter(self.curves))]
            self.say_curves()


class Deck:
    """What every phone gets: without notes, packed once."""

    def __init__(self, file: Path):
        html = NOTES.sub("", file.read_text("utf-8"))
        self.plain = html.encode()
        self.packed = gzip.compress(self.plain, 6)
        self.headers = {
            "Cache-Control": "private, no-cache",
            "Content-Security-Policy": policy(html),
            "ETag": f'"{file.stem}"',
            "Vary": "Accept-Encoding",
        }

    def answer(self, request: Request) -> Response:
        """The deck, or that the phone has it already."""
        if request.headers.get("if-none-match") == self.headers["ETag"]:
            return Response(status_code=304, headers=self.headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers = self.headers | {"Content-Encoding": "gzip"}
            return Response(self.packed, media_type="text/html", headers=headers)
        return Response(self.plain, media_type="text/html", headers=self.headers)


_deck = lru_cache(maxsize=decks.DECKS)(Deck)
_rooms: dict[str, Room] = {}


def room_of(code: str) -> Room | None:
    """The room of a code; those that are over are closed."""
    for over in [each for each in _rooms.values() if each.is_over]:
        _close(over)
    return _rooms.get(code.upper())


def _close(room: Room) -> None:
    _rooms.pop(room.code, None)
    for phone in room.phones:
        phone.say("over")


def _phones_allowed() -> int:
    """How many phones the talk of who asks may have: none of who has no word, nor of a visitor's
    where the limits do not say so."""
    if not registry.is_public():
        return PHONES
    return registry.settings().limits.phones if registry.standing() == "in" else 0


async def speak(ws: WebSocket) -> None:
    """The speaker's deck: opens a room, or finds its own again, and says where it is."""
    client = Client()
    room = next((each for each in _rooms.values() if _is_key(ws, each)), None)
    address = _address(ws)
    if room is None:
        room, problem = await _opened(ws.query_params.get("talk", decks.MINE), address)
        if room is None:
            client.say("problem", problem=problem)
            return await serve(ws, lambda: client.send_to(ws))
    link = f"{address}?room={room.code}"
    code = segno.make(link, error="m", micro=False).svg_data_uri(omitsize=True, light="white")
    client.say("room", code=room.code, key=room.key, address=link, image=code)
    room.speakers.add(client)
    room.say_here()
    room.say_curves()
    try:
        await serve(ws, lambda: client.send_to(ws), lambda text: _heard_of_speaker(room, text))
    finally:
        room.speakers.discard(client)
        room.left = time.monotonic()


def _is_key(ws: WebSocket, room: Room) -> bool:
    return secrets.compare_digest(ws.query_params.get("key", "").encode(), room.key.encode())


async def _opened(talk: str, address: str) -> tuple[Room | None, str]:
    """A new room, or why there is none."""
    most = _phones_allowed()
    if not most:
        return None, NOT_ALLOWED
    if not address:
        return None, NO_ADDRESS
    try:
        file = await asyncio.to_thread(decks.deck, talk)
        deck = file and await asyncio.to_thread(_deck, file)
    except (LookupError, SpecError, StoreError) as error:
        return None, public(error)
    if not deck:
        return None, NO_DECK
    owner = registry.owner()
    for other in [each for each in _rooms.values() if owner and each.owner == owner]:
        _close(other)  # a visitor has one
    away = sorted((each for each in _rooms.values() if not each.speakers), key=lambda one: one.left)
    if len(_rooms) >= ROOMS and not away:
        return None, FULL
    if len(_rooms) >= ROOMS:
        _close(away[0])
    code = "".join(secrets.choice(CODE) for _ in range(SIGNS))
    room = _rooms[code] = Room(code, secrets.token_urlsafe(16), owner, deck, most)
    return room, ""


def _heard_of_speaker(room: Room, text: str) -> None:
    if text == "end":
        _close(room)
    elif at := _read(At, text):
        room.move(at)


async def follow(ws: WebSocket) -> None:
    """A phone: hears where the speaker is, and may draw."""
    client, room = Client(), room_of(ws.query_params.get("code", ""))
    if room is None or len(room.phones) >= room.most:
        problem = FULL if room else NO_ROOM
        client.say("problem", problem=problem)
        return await serve(ws, lambda: client.send_to(ws))
    room.joined += 1
    room.phones[client] = room.joined
    client.say("at", **room.at.model_dump())
    room.say_here()
    try:
        await serve(ws, lambda: client.send_to(ws), lambda text: room.draw(client, text))
    finally:
        del room.phones[client]
        room.say_here()


def _read(kind: type[BaseModel], text: str) -> Any:
    """What is said, where it is such a thing; else None."""
    try:
        return kind.model_validate_json(text) if len(text) <= LONGEST else None
    except ValidationError:
        return None


def _text(**fields: Any) -> str:
    return json.dumps(fields, separators=(",", ":"))


def _address(asked: HTTPConnection) -> str:
    """Where phones find the stage: by the name by which the speaker has opened it, or where that is
    of this machine alone by another one of the server's; "" where there is none."""
    host = asked.headers.get("host", "")
    name, port = re.fullmatch(r"(.*?)(:\d+)?", host, re.DOTALL).groups("")  # type: ignore[union-attr]
    if name in LOCAL:
        name = _outer_name()
    scheme = "https" if is_https(asked) else "http"
    path = asked.url.path.removesuffix("/room")
    return name and f"{scheme}://{name}{port}{path}"


def _outer_name() -> str:
    others = [each for each in registry.settings().hosts if each not in LOCAL]
    named = [each for each in others if not each.startswith("*")]
    return named[0] if named else _own_address() if "*" in others else ""


def _own_address() -> str:
    """Of this machine, as a network beyond it would see it; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as outward:
        try:
            outward.connect(("192.0.2.1", 9))
            return outward.getsockname()[0]
        except OSError:
            return ""
