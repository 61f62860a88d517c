"""The WebSocket that feeds the live picture of a run: `/api/runs/{run}/live`.

The server sends binary messages in the format of `explorer.runs.frames`: one "scene", one
"history", then a "frame" whenever something changed. The client answers each frame with the text
"ack" once it is drawn, and gets no other before: a slow or hidden browser builds no queue. The text
"at STEP" asks for the picture kept at that step, which comes as a "kept" message.
"""

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.runs.database import StoreError
from explorer.runs.frames import FrameError, pack, unpack
from explorer.runs.record import Record, RunRow
from explorer.runs.transitions import RunError
from explorer.runs.zips import ArchiveError
from explorer.spec import AnySpec
from explorer.ui import registry
from explorer.ui.words import public

ASSETS = Path(__file__).resolve().parents[2] / "assets"
ASSET_ID = re.compile(r"asset-([a-z0-9][a-z0-9-]{0,39})")
RUN_ID = re.compile(r"[0-9a-f]{12}-[1-9][0-9]{0,8}")
WISH = re.compile(r"at ([1-9][0-9]{0,8})")
WISHES = 200  # kept pictures a viewer may wait for

RUNNING_PAUSE = 0.05
RESTING_PAUSE = 0.5
WATCH_SECONDS = 1.0

NOT_A_RUN, UNKNOWN, UNREADABLE, NO_STORE = 4400, 4404, 4422, 4503
REASON_BYTES = 123
LIVE_FIELDS = ("rate", "eta", "loss", "nmse")


class Refused(Exception):
    """The run cannot be shown: a WebSocket close code and the reason."""

    def __init__(self, code: int, reason: str):
        super().__init__(reason)
        self.code = code


class Feed:
    """One run as one viewer gets it. Every method may block: call it in a thread.

    `read` gives the run with its curves, or None when it is gone. A shipped run has no `store`: it
    never changes.
    """

    def __init__(self, run: str, read: Callable[[], Record | None], store=None):
        self.run, self.read, self.store = run, read, store
        self.record = self._record()
        self.step = 0  # history up to here was sent
        self.sent: tuple | None = None
        self.watched = 0.0

    def _record(self) -> Record:
        record = self.read()
        if record is None:
            raise Refused(UNKNOWN, f"there is no run {self.run} in this store")
        return record

    @property
    def pause(self) -> float:
        """Seconds until something new is to be expected."""
        return RUNNING_PAUSE if self.record.row.status == "running" else RESTING_PAUSE

    def scene(self) -> bytes:
        """The truth that the run is compared with."""
        try:
            header, arrays = _scene(self.record.spec, self.store and self.store.grid)
        except ValueError as error:  # another version's specification
            raise Refused(UNREADABLE, f"its specification cannot be read: {error}") from error
        return pack({**header, "kind": "scene", "run": self.run}, arrays)

    def history(self) -> bytes:
        """The curves so far."""
        self.step = self.record.row.step
        return pack({"kind": "history"}, curves(self.record, 0, self.step, "step"))

    def kept(self, step: int) -> bytes:
        """The picture kept at a step; without arrays where there is none."""
        try:
            header, arrays = self.record.snapshot(step)
        except (KeyError, RunError):
            header, arrays = {}, {}
        return pack({"kind": "kept", "step": step, "nmse": header.get("nmse")}, arrays)

    def frame(self) -> bytes | None:
        """The newest picture with the run's status, or None when nothing has changed."""
        row, position = self._look()
        seq, header, arrays = self._picture(row)
        key = (registry.turn(row), row.step, row.message, position, seq, header.get("step"))
        if key == self.sent:
            return None
        self.sent = key
        step = max(header.get("step", 0), row.step) if row.status == "running" else row.step
        if self.store is not None:
            self.record = self._record()
        since, self.step = min(self.step, step), step
        arrays = {**arrays, **curves(self.record, since, step, "loss_step", arrays)}
        return pack({"run": self.run, **frame_header(row, step, position, header)}, arrays)

    def _look(self) -> tuple[RunRow, int | None]:
        if self.store is None:
            return self.record.row, None
        row = self.store.get(self.run)
        if row is None:
            raise Refused(UNKNOWN, f"run {self.run} has been deleted")
        if row.status == "running" and time.monotonic() - self.watched > WATCH_SECONDS:
            self.store.watch(self.run)
            self.watched = time.monotonic()
        return row, self.store.queue_position(self.run) if row.status == "queued" else None

    def _picture(self, row: RunRow) -> tuple[int, dict[str, Any], dict[str, np.ndarray]]:
        """Number, header and arrays of the picture to show.

        The live one while the run is at work (unless nobody watched for long: then it is older
        than the checkpoint), and later where it is of the very step at which the run rests; else
        the last one kept.
        """
        live = self.store.live(self.run) if self.store is not None else None
        if live:
            header, arrays = unpack(live[1])
            ahead = header.get("step", 0) - row.step
            if ahead == 0 or (ahead > 0 and row.status == "running"):
                return live[0], header, arrays
        kept = self.store.latest_snapshot(self.run) if self.store is not None else None
        if kept:
            return 0, *unpack(kept)
        return 0, *(self.record.latest() or ({}, {}))


def frame_header(row: RunRow, step: int, position: int | None, header: dict) -> dict[str, Any]:
    """The header of a frame: the run's row, with what the worker measured."""
    measured = {name: header.get(name) for name in LIVE_FIELDS}
    if row.status != "running":
        measured |= {"rate": None, "eta": None}
    return {
        "kind": "frame",
        "step": step,
        "steps": row.steps,
        "status": row.status,
        "turn": registry.turn(row),
        "message": public(row.message or registry.held_up(row)),
        "position": position,
        **measured,
    }


def curves(
    record: Record, since: int, until: int, name: str, known: dict | None = None
) -> dict[str, np.ndarray]:
    """Training loss and evaluations at the steps in (since, until], and what else is measured.

    They come beside the rows `known` of a live picture, which are not in the store yet.
    """
    new = (record.steps > since) & (record.steps <= until)
    seen = (record.snapshot_steps > since) & (record.snapshot_steps <= until)
    steps = record.snapshot_steps[seen]
    rows = {
        name: record.steps[new],
        "loss": record.losses[new],
        "eval_step": steps,
        "eval_nmse": record.nmse[seen],
        **{f"metric_{key}": values for key, values in record.measured(steps).items()},
    }
    return {key: np.concatenate([rows[key], (known or {}).get(key, [])]) for key in rows}


def _scene(
    spec: AnySpec, load_grid: Callable | None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    match spec.family:
        case "attention":
            from explorer.views.attention import feed_scene

            return feed_scene(spec)
        case "order":
            from explorer.views.order import feed_scene

            return feed_scene(spec)
    from explorer.views.train import scene  # scipy, which the first page must not wait for

    return scene(spec, load_grid)


def open_feed(run: str) -> Feed:
    """The feed of a run of the store, or of one shipped as assets/NAME.zip under "asset-NAME".

    Raises Refused when there is none.
    """
    if shipped := ASSET_ID.fullmatch(run):
        return Feed(run, lambda: _shipped(ASSETS / f"{shipped[1]}.zip"))
    if not RUN_ID.fullmatch(run):
        raise Refused(NOT_A_RUN, "this is not the id of a run")
    store = registry.store()
    return Feed(run, lambda: _stored(store, run), store)


def _stored(store, run: str) -> Record | None:
    try:
        return store.read(run)
    except RunError:
        return None


def _shipped(path: Path) -> Record | None:
    try:
        return _archived(path) if path.is_file() else None
    except ArchiveError as error:
        raise Refused(UNREADABLE, f"{path.name} cannot be read: {error}") from error


@lru_cache(maxsize=32)
def _archived(path: Path) -> Record:
    from explorer.runs import archive

    return archive.read(path)


def same_origin(ws: WebSocket) -> bool:
    """Whether the page that asks was served by this host: CORS does not cover WebSockets."""
    origin, host = ws.headers.get("origin", ""), ws.headers.get("host", "")
    return bool(host) and urlsplit(origin).netloc.lower() == host.lower()


class Viewer:
    """What one viewer has said: that it drew the last frame, and which kept pictures it wants."""

    def __init__(self) -> None:
        self.acked = asyncio.Event()
        self.wishes: asyncio.Queue[int] = asyncio.Queue(WISHES)

    def hear(self, text: str) -> None:
        """Note a message; one that means nothing, or one wish too many, is dropped."""
        if text == "ack":
            self.acked.set()
        elif (wish := WISH.fullmatch(text)) and not self.wishes.full():
            self.wishes.put_nowait(int(wish[1]))


async def live(ws: WebSocket) -> None:
    """Serve one viewer until it leaves, the run goes, or the server ends."""
    if not same_origin(ws):
        await ws.close()  # before accept: 403
        return
    await ws.accept()
    viewer = Viewer()
    tasks = [asyncio.create_task(_listen(ws, viewer)), asyncio.create_task(_send(ws, viewer))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if tasks[1].done() and not tasks[1].cancelled():
        tasks[1].result()


async def _listen(ws: WebSocket, viewer: Viewer) -> None:
    """Without a reader a server would never notice that a silent run's viewer has left."""
    try:
        while True:
            viewer.hear(await ws.receive_text())
    except (WebSocketDisconnect, KeyError):  # KeyError: a binary message, which nobody sends
        return


async def _send(ws: WebSocket, viewer: Viewer) -> None:
    try:
        await _stream(ws, viewer)
    except Refused as error:
        await _close(ws, error.code, public(error))
    except StoreError as error:
        await _close(ws, NO_STORE, public(error))
    except WebSocketDisconnect:
        return


async def _stream(ws: WebSocket, viewer: Viewer) -> None:
    feed = await asyncio.to_thread(open_feed, ws.path_params["run"])
    for part in (feed.scene, feed.history):
        await ws.send_bytes(await asyncio.to_thread(part))
    answers = asyncio.create_task(_answer(ws, feed, viewer))
    try:
        while True:
            frame = await asyncio.to_thread(feed.frame)
            if frame is not None:
                viewer.acked.clear()
                await ws.send_bytes(frame)
                await viewer.acked.wait()
            await asyncio.sleep(feed.pause)
    finally:
        answers.cancel()


async def _answer(ws: WebSocket, feed: Feed, viewer: Viewer) -> None:
    """Send the kept pictures that are asked for, in their order."""
    with suppress(WebSocketDisconnect, Refused, StoreError, FrameError):  # the stream says why
        while True:
            step = await viewer.wishes.get()
            await ws.send_bytes(await asyncio.to_thread(feed.kept, step))


async def _close(ws: WebSocket, code: int, reason: str) -> None:
    short = reason.encode()[:REASON_BYTES].decode(errors="ignore")
    await ws.close(code, short)
