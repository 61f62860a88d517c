"""The live WebSocket on a real server and a real store: order of messages, acks, refusals."""

import json
import time
from contextlib import closing
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np
import pytest
from messages import opened
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from explorer.hosting.doors import Doors
from explorer.pages.talk.served import stop, train
from explorer.runs import archive
from explorer.runs.frames import pack
from explorer.runs.store import Store
from explorer.spec import CouplingSpec
from explorer.ui import live as route
from explorer.ui import registry

DOORS = [Middleware(Doors)]
SPEC = CouplingSpec(steps=20)
QUIET = 0.4


@pytest.fixture(autouse=True)
def own_state(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    drawing = ({"label": "two tokens", "tau": 2}, {"tokens": np.array([0.25, 0.75], np.float32)})
    monkeypatch.setattr(route.RunStream, "_drawing", lambda self: drawing)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def server():
    app = Starlette(routes=[WebSocketRoute("/api/runs/{run}/live", route.live)], middleware=DOORS)
    with serving(app) as address:
        yield address


def viewer(address, run, origin=None):
    url = f"ws://{address}/api/runs/{run}/live"
    return closing(connect(url, origin=origin or f"http://{address}", proxy=None))


def message(ws):
    return opened(ws.recv(timeout=10))


def frame(ws):
    """The next frame, acknowledged."""
    got = message(ws)
    ws.send("ack")
    return got


def picture(step, value=0.0, **header):
    """A packed picture in the shapes of SPEC; its learned singular values are all `value`."""
    errors = {"nmse": 0.5, "mse": 0.05, "mae": 0.1}
    arrays = {
        "rho_hat": np.zeros((48, 48)),
        "sigma_hat": np.full(SPEC.m_h, value),
        "angles": np.zeros(SPEC.m_h),
        "attention": np.eye(SPEC.tau),
        "tokens": np.zeros(SPEC.tau),
    }
    return pack({"step": step, **errors, **header}, arrays)


def started(store, steps=10):
    """A running run with `steps` rows of history and one snapshot, at the last of them."""
    lease = store.start(SPEC, "cpu")
    rows = [(step, 1.0 / step) for step in range(1, steps + 1)]
    kept = [(steps, 0.5, 0.05, 0.1, picture(steps, 0.5))]
    store.save(lease.row.run, rows, kept, step=steps)
    return lease


def until(ws, wanted):
    """Frames, acknowledged, up to the first that is wanted."""
    for _ in range(50):
        got = frame(ws)
        if wanted(got.header):
            return got
    raise AssertionError("no such frame came")


def test_drawing_history_frame_come_in_this_order(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        drawing, history, first = message(ws), message(ws), message(ws)
    assert drawing[0] == {"kind": "drawing", "run": lease.row.run, "label": "two tokens", "tau": 2}
    np.testing.assert_array_equal(history[1]["loss_step"], np.arange(1, 11))
    np.testing.assert_allclose(history[1]["loss"], 1 / np.arange(1, 11), rtol=1e-6)
    assert (history[1]["eval_step"].tolist(), history[1]["eval_nmse"].tolist()) == ([10], [0.5])
    assert first[0]["kind"] == "frame"
    assert (first[0]["status"], first[0]["step"], first[0]["steps"]) == ("running", 10, SPEC.steps)
    np.testing.assert_array_equal(first.pictures["sigma_hat"], 0.5)


def kept(ws):
    """The next kept picture; frames on the way are acknowledged."""
    for _ in range(50):
        got = message(ws)
        if got.header["kind"] == "kept":
            return got
        ws.send("ack")
    raise AssertionError("no kept picture came")


def test_kept_pictures_come_when_asked_for(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), frame(ws)
        for text in ("at 10", "at 7", "at nothing", "at -1", "at 99999999999999", "at 10"):
            ws.send(text)
        first, missing, again = kept(ws), kept(ws), kept(ws)
    assert (first.header["step"], first.measured["nmse"]) == (10, 0.5)
    np.testing.assert_array_equal(first.pictures["sigma_hat"], 0.5)
    assert (missing.header["step"], missing.measured, missing.pictures) == (7, {}, {})
    assert again.header["step"] == 10, "what is no wish is passed over"


def test_the_live_picture_brings_the_rows_since_the_last(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), frame(ws)
        run = lease.row.run
        store.save(run, [(11, 0.25), (13, 0.125)], step=10)
        store.publish(run, picture(12, 0.75, rate=100.0, eta=2.0, loss=0.2))
        got = until(ws, lambda h: h["step"] == 12)
    said = {name: got.measured[name] for name in ("rate", "eta", "loss")}
    assert said == {"rate": 100.0, "eta": 2.0, "loss": 0.2}
    np.testing.assert_array_equal(got.pictures["sigma_hat"], 0.75)
    assert got.arrays["loss_step"].tolist() == [11], "none ahead of the picture, nor one twice"


def test_a_row_ahead_of_one_picture_comes_with_the_next(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), frame(ws)
        run = lease.row.run
        store.publish(run, picture(12))
        store.save(run, [(11, 0.25), (13, 0.125)], step=10)
        until(ws, lambda h: h["step"] == 12)
        store.publish(run, picture(13))
        got = until(ws, lambda h: h["step"] == 13)
    assert 13 in got.arrays["loss_step"]


def test_the_live_picture_comes_as_the_worker_packed_it(server, store):
    rows = {"loss_step": [11, 12], "loss": [0.5, 0.25], "eval_step": [12], "eval_nmse": [0.125]}
    packed = pack({"step": 12, "kind": "frame", "later": "unknown here"}, rows)
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), frame(ws)
        store.publish(lease.row.run, packed)
        data = ws.recv(timeout=10)
    assert data.endswith(packed) and opened(data).header["step"] == 12


def test_a_picture_is_sent_once(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws)
        assert frame(ws).pictures
        store.save(lease.row.run, status="paused", step=10)
        got = until(ws, lambda h: h["status"] == "paused")
    assert (got.header["step"], got.pictures) == (10, {})
    with viewer(server, lease.row.run) as ws:
        message(ws), message(ws)
        assert frame(ws).pictures, "who comes later has seen none"


def test_no_second_frame_before_the_ack(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), message(ws)
        store.publish(lease.row.run, picture(11))
        store.publish(lease.row.run, picture(12))
        with pytest.raises(TimeoutError):
            ws.recv(timeout=QUIET)
        ws.send("ack")
        assert message(ws)[0]["step"] == 12, "the newest, not the one that waited"


def test_an_unchanged_run_sends_nothing(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), frame(ws)
        with pytest.raises(TimeoutError):
            ws.recv(timeout=QUIET)


def test_a_change_of_status_is_a_frame_with_its_message(server, store):
    with started(store) as lease, viewer(server, lease.row.run) as ws:
        message(ws), message(ws), frame(ws)
        store.publish(lease.row.run, picture(10, rate=100.0, eta=1.0))
        store.save(lease.row.run, status="diverged", message="lower lr", ended=time.time())
        header = until(ws, lambda h: h["status"] != "running").header
    assert (header["status"], header["message"]) == ("diverged", "lower lr")


def test_a_resting_run_shows_the_picture_of_its_own_step(server, store):
    """A live picture of steps that went with the interruption is not shown."""
    with started(store) as lease:
        store.publish(lease.row.run, picture(15, 9.0))
        store.save(lease.row.run, status="paused", step=10)
    with viewer(server, lease.row.run) as ws:
        message(ws), message(ws)
        got = frame(ws)
    assert got.header["step"] == 10
    np.testing.assert_array_equal(got.pictures["sigma_hat"], 0.5)


def test_a_live_picture_that_nobody_watched_does_not_hide_newer_rows(server, store):
    with started(store) as lease:
        store.publish(lease.row.run, picture(3, 9.0))
        with viewer(server, lease.row.run) as ws:
            message(ws), message(ws)
            got = frame(ws)
    assert got.header["step"] == 10
    np.testing.assert_array_equal(got.pictures["sigma_hat"], 0.5)


def test_a_queued_run_tells_its_position(server, store):
    store.create(SPEC)
    with viewer(server, store.create(SPEC)) as ws:
        message(ws), message(ws)
        got = frame(ws)
    header = got.header
    assert (header["status"], header["position"], header["step"]) == ("queued", 2, 0)
    assert got.pictures == {}


def test_a_viewer_marks_the_run_as_watched(server, store):
    with started(store) as lease:
        assert store.get(lease.row.run).watched == 0
        with viewer(server, lease.row.run) as ws:
            message(ws), message(ws), message(ws)
            assert store.get(lease.row.run).watched > 0


@pytest.fixture
def shipped(store, monkeypatch, tmp_path):
    """The archive of a finished run as assets/example.zip."""
    with started(store, steps=20) as lease:
        store.save(lease.row.run, status="finished", step=20, ended=time.time())
    monkeypatch.setattr(route, "resource", lambda name: tmp_path)
    path = tmp_path / "example.zip"
    path.write_bytes(archive.dump(store.read(lease.row.run), None, None))
    return path


def test_a_shipped_run_says_the_same_without_the_store(server, shipped):
    with viewer(server, "asset-example") as ws:
        drawing, history, last = message(ws), message(ws), frame(ws)
        with pytest.raises(TimeoutError):
            ws.recv(timeout=QUIET)
    assert drawing[0]["run"] == last[0]["run"] == "asset-example"
    np.testing.assert_array_equal(history[1]["loss_step"], np.arange(1, 21))
    assert (last[0]["status"], last[0]["step"]) == ("finished", 20)
    np.testing.assert_array_equal(last.pictures["sigma_hat"], 0.5)


def test_a_damaged_shipped_run_is_said(server, shipped):
    shipped.write_bytes(shipped.read_bytes()[:-50])
    with viewer(server, "asset-example") as ws:
        with pytest.raises(ConnectionClosed) as closed:
            ws.recv(timeout=10)
        assert closed.value.rcvd.code == route.UNREADABLE


def test_a_foreign_page_is_refused(server, store):
    with started(store) as lease:
        with (
            pytest.raises(InvalidStatus) as refused,
            viewer(server, lease.row.run, origin="http://evil.example"),
        ):
            pass
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize("origin", ["http://127.0.0.1", "http://localhost.evil.example", "null"])
def test_another_port_or_name_is_another_origin(server, store, origin):
    with pytest.raises(InvalidStatus), viewer(server, "0123456789ab-1", origin=origin):
        pass


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("0123456789ab-1", route.UNKNOWN),
        ("asset-nothing-of-this-name", route.UNKNOWN),
        ("0123456789ab", route.NOT_A_RUN),
        ("0123456789ab-0", route.NOT_A_RUN),
        ("asset-..", route.NOT_A_RUN),
        ("0123456789ab-1%0A", route.NOT_A_RUN),
    ],
)
def test_what_is_no_run_is_closed_with_a_reason(server, store, run, code):
    with viewer(server, run) as ws:
        with pytest.raises(ConnectionClosed) as closed:
            ws.recv(timeout=10)
        assert closed.value.rcvd.code == code
        assert closed.value.rcvd.reason


def test_a_deleted_run_closes_its_viewers(server, store):
    run = store.create(SPEC)
    with viewer(server, run) as ws:
        message(ws), message(ws), frame(ws)
        store.delete(run)
        with pytest.raises(ConnectionClosed) as closed:
            ws.recv(timeout=10)
        assert closed.value.rcvd.code == route.UNKNOWN


def test_a_store_that_cannot_be_used_is_said(server, tmp_path):
    (tmp_path / "store.sqlite3").write_bytes(b"not a database, and longer than a header " * 40)
    with viewer(server, "0123456789ab-1") as ws:
        with pytest.raises(ConnectionClosed) as closed:
            ws.recv(timeout=10)
        assert closed.value.rcvd.code == route.NO_STORE
        assert "store.sqlite3" in closed.value.rcvd.reason


def test_the_server_ends_with_a_silent_viewer(store):
    """`serving` fails when the server hangs; the viewer neither answers nor leaves."""
    app = Starlette(routes=[WebSocketRoute("/api/runs/{run}/live", route.live)])
    with started(store) as lease, serving(app) as address:
        ws = connect(f"ws://{address}/api/runs/{lease.row.run}/live", origin=f"http://{address}")
        assert message(ws)[0]["kind"] == "drawing"
    ws.close()


def asked(address, act, run, origin=None):
    headers = {"Origin": origin or f"http://{address}"}
    url = f"http://{address}/stage/{act}?{urlencode({'run': run})}"
    try:
        with urlopen(Request(url, b"", headers)) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, None


def test_a_talk_has_a_run_trained_anew_and_ended_by_its_own_page_alone(store):
    kept = store.create(SPEC, status="paused")
    routes = [Route(f"/stage/{act.__name__}", act, methods=["POST"]) for act in (train, stop)]
    with serving(Starlette(routes=routes, middleware=DOORS)) as address:
        assert asked(address, "train", kept, origin="http://evil.example")[0] == 403
        for unknown in ("", "../x", "asset-none", "0123456789ab-9"):
            assert asked(address, "train", unknown)[0] == 422
        assert len(store.list()) == 1
        status, said = asked(address, "train", kept)
        begun = store.get(said["run"])
        assert (status, begun.spec, begun.status) == (200, SPEC, "queued")
        assert begun.run != kept
        assert asked(address, "stop", kept)[0] == 422 and store.get(kept).status == "paused"
        assert asked(address, "stop", begun.run) == (200, {"run": begun.run})
        assert store.get(begun.run).status == "stopped"
        assert asked(address, "stop", begun.run)[0] == 422
