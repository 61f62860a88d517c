"""The WebSocket that feeds the live picture of a run: `/api/runs/{run}/live`.

The server sends binary messages in the format of `explorer.runs.frames`: one "drawing", one
"history", then a "frame" whenever something changed: what the run's row says and the rows of its
curves since the last, and behind them the newest picture as the worker packed it, where it is
another one. The client answers each frame with the text "ack" once it is drawn, and gets no other
before: a slow or hidden browser builds no queue. The text "at STEP" asks for the picture kept at
that step, which comes as a "kept" message.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer.folder import resource
from explorer.runs import archive
from explorer.runs.database import StoreError
from explorer.runs.frames import FrameError, header_of, pack
from explorer.runs.record import Record, RunRow
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.runs.zips import ArchiveError
from explorer.ui import registry
from explorer.ui.topics import Drawing, view_of
from explorer.ui.words import public

ASSET_ID = re.compile(r"asset-([a-z0-9][a-z0-9-]{0,39})")
RUN_ID = re.compile(r"[0-9a-f]{12}-[1-9][0-9]{0,8}")
STEP_REQUEST = re.compile(r"at ([1-9][0-9]{0,8})")
MAX_REQUESTS = 200  # kept pictures a client may wait for

RUNNING_PAUSE = 0.05
RESTING_PAUSE = 0.5
WATCH_SECONDS = 1.0

NOT_A_RUN, UNKNOWN, UNREADABLE, NO_STORE = 4400, 4404, 4422, 4503
REASON_BYTES = 123


class StreamError(Exception):
    """The run cannot be shown: a WebSocket close code and the reason."""

    def __init__(self, code: int, reason: str):
        super().__init__(reason)
        self.code = code


class RunStream:
    """One run as one client gets it. Every method may block: call it in a thread.

    A shipped run has no `store`: it never changes.
    """

    def __init__(self, run: str, record: Record, store: Store | None = None):
        self.run, self.record, self.store = run, record, store
        self.row = record.row
        self.step = 0  # rows up to here were sent
        self.sent: tuple | None = None  # what the last frame said: the run's row, its picture
        self.watched = 0.0

    @property
    def pause(self) -> float:
        """Seconds until something new is to be expected."""
        return RUNNING_PAUSE if self.row.status == "running" else RESTING_PAUSE

    def drawing(self) -> bytes:
        """The truth that the run is compared with."""
        try:
            header, arrays = self._drawing()
        except ValueError as error:  # another version's specification
            raise StreamError(UNREADABLE, f"its specification cannot be read: {error}") from error
        return pack({**header, "kind": "drawing", "run": self.run}, arrays)

    def _drawing(self) -> Drawing:
        spec = self.record.spec
        return view_of(spec).drawing(spec, self.store and self.store.grid)

    def history(self) -> bytes:
        """The curves so far."""
        self.step = self.row.step
        return pack({"kind": "history"}, curves(self.record, 0, self.step))

    def picture_at(self, step: int) -> bytes:
        """The picture kept at a step, as it was packed; no picture where there is none."""
        try:
            picture = self.record.frame(step)
        except KeyError:
            picture = b""
        return pack({"kind": "kept", "step": step}, {}, picture)

    def frame(self) -> bytes | None:
        """What is new: the run's row, the rows of its curves, and its picture where that is another
        one, as the worker packed it. None when nothing is."""
        self.row, position, wait = self._row_and_position()
        row, (picture_id, step, picture) = self.row, self._picture()
        state = (registry.live_state(row), row.step, row.message, position, wait)
        if self.sent == (state, picture_id):
            return None
        is_new = self.sent is None or self.sent[1] != picture_id
        self.sent = (state, picture_id)
        since, self.step = min(self.step, step), step
        record = self.store.record(row, since) if self.store else self.record
        header = {
            "run": self.run,
            "kind": "frame",
            "step": step,
            "steps": row.steps,
            "status": row.status,
            "turn": registry.live_state(row),
            "message": public(row.message or registry.held_up(row)),
            "position": position,
            "wait": wait,
        }
        return pack(header, curves(record, since, step), picture if is_new else b"")

    def _row_and_position(self) -> tuple[RunRow, int | None, int | None]:
        """The row; where it waits its place in the queue, and about how many seconds."""
        if self.store is None:
            return self.row, None, None
        row = self.store.get(self.run)
        if row is None:
            raise StreamError(UNKNOWN, f"run {self.run} has been deleted")
        if row.status == "running" and time.monotonic() - self.watched > WATCH_SECONDS:
            self.store.watch(self.run)
            self.watched = time.monotonic()
        if row.status != "queued":
            return row, None, None
        position, wait = self.store.queue_place(self.run) or (None, None)
        return row, position, None if wait is None else round(wait)

    def _picture(self) -> tuple[tuple[int, int], int, bytes]:
        """What tells the picture to show from any other, the step that the run is at, and the
        packed picture.

        The live one while the run is at work (unless nobody watched for long: then it is older
        than the checkpoint), and later where it is of the very step at which the run rests; else
        the last one kept.
        """
        row = self.row
        live = self.store.live(self.run) if self.store else None
        if live:
            seq, picture = live
            ahead = header_of(picture).get("step", 0) - row.step
            if ahead == 0 or (ahead > 0 and row.status == "running"):
                return (seq, row.step + ahead), row.step + ahead, picture
        snapshot = (
            self.store.latest_snapshot(self.run) if self.store else self.record.latest_frame()
        )
        step, picture = snapshot or (0, b"")
        return (0, step), row.step, picture


def curves(record: Record, since: int, until: int) -> dict[str, np.ndarray]:
    """Training loss and evaluations at the steps in (since, until], and what else is measured."""
    new = (record.steps > since) & (record.steps <= until)
    evaluated = (record.snapshot_steps > since) & (record.snapshot_steps <= until)
    steps = record.snapshot_steps[evaluated]
    return {
        "loss_step": record.steps[new],
        "loss": record.losses[new],
        "eval_step": steps,
        "eval_nmse": record.nmse[evaluated],
        **{f"metric_{name}": values for name, values in record.measured(steps).items()},
    }


def asset_file(run: str) -> Path | None:
    """The archive of a shipped run, "asset-NAME", which may be missing; None for other runs."""
    shipped = ASSET_ID.fullmatch(run)
    return shipped and resource("assets") / f"{shipped[1]}.zip"


def open_stream(run: str) -> RunStream:
    """The stream of a run of the store, or of one shipped as assets/NAME.zip under "asset-NAME".

    Raises StreamError when there is none.
    """
    if file := asset_file(run):
        return RunStream(run, _shipped(file))
    if not RUN_ID.fullmatch(run):
        raise StreamError(NOT_A_RUN, "this is not the id of a run")
    store = registry.store()
    try:
        return RunStream(run, store.read(run), store)
    except RunError:
        raise StreamError(UNKNOWN, f"there is no run {run} in this store") from None


def _shipped(path: Path) -> Record:
    if not path.is_file():
        raise StreamError(UNKNOWN, f"there is no run asset-{path.stem} in this store")
    try:
        return _archived(path)
    except ArchiveError as error:
        raise StreamError(UNREADABLE, f"{path.name} cannot be read: {error}") from error


_archived = lru_cache(maxsize=128)(archive.read)
"""More than are shipped, as the pages of visitors ask for each of them again and again."""


class Client:
    """What one client has said: that it drew the last frame, and which kept pictures it wants."""

    def __init__(self) -> None:
        self.acked = asyncio.Event()
        self.requested_steps: asyncio.Queue[int] = asyncio.Queue(MAX_REQUESTS)

    def receive(self, text: str) -> None:
        """Note a message; one that means nothing, or one request too many, is dropped."""
        if text == "ack":
            self.acked.set()
        elif (request := STEP_REQUEST.fullmatch(text)) and not self.requested_steps.full():
            self.requested_steps.put_nowait(int(request[1]))


async def live(ws: WebSocket) -> None:
    """Show one client a run until it leaves, the run goes, or the server ends."""
    client = Client()
    await serve(ws, lambda: _stream(ws, client), client.receive)


async def serve(
    ws: WebSocket,
    send: Callable[[], Awaitable[None]],
    receive: Callable[[str], None] = lambda text: None,
) -> None:
    """`send` to one client, and `receive` what it says, until it leaves, there is nothing more to
    be sent, or the server ends."""
    await ws.accept()
    tasks = [asyncio.create_task(each) for each in (_listen(ws, receive), _send(ws, send))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if tasks[1].done() and not tasks[1].cancelled():
        tasks[1].result()


async def _listen(ws: WebSocket, receive: Callable[[str], None]) -> None:
    """Without a reader a server would never notice that a silent run's client has left."""
    try:
        while True:
            receive(await ws.receive_text())
    except (WebSocketDisconnect, KeyError):  # KeyError: a binary message, which nobody sends
        return


async def _send(ws: WebSocket, send: Callable[[], Awaitable[None]]) -> None:
    try:
        await send()
    except StreamError as error:
        await _close(ws, error.code, public(error))
    except StoreError as error:
        await _close(ws, NO_STORE, public(error))
    except WebSocketDisconnect:
        return


async def _stream(ws: WebSocket, client: Client) -> None:
    stream = await asyncio.to_thread(open_stream, ws.path_params["run"])
    for part in (stream.drawing, stream.history):
        await ws.send_bytes(await asyncio.to_thread(part))
    answers = asyncio.create_task(_answer(ws, stream, client))
    try:
        while True:
            frame = await asyncio.to_thread(stream.frame)
            if frame is not None:
                client.acked.clear()
                await ws.send_bytes(frame)
                await client.acked.wait()
            await asyncio.sleep(stream.pause)
    finally:
        answers.cancel()


async def _answer(ws: WebSocket, stream: RunStream, client: Client) -> None:
    """Send the kept pictures that are asked for, in their order."""
    with suppress(WebSocketDisconnect, StreamError, StoreError, FrameError):  # the stream says why
        while True:
            step = await client.requested_steps.get()
            await ws.send_bytes(await asyncio.to_thread(stream.picture_at, step))


async def _close(ws: WebSocket, code: int, reason: str) -> None:
    short = reason.encode()[:REASON_BYTES].decode(errors="ignore")
    await ws.close(code, short)
