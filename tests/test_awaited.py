"""What a page waits for: the WebSocket that says what runs and jobs are at, and who listens."""

import json
from contextlib import closing
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import WebSocketRoute
from streamlit_pages import ROOT, app, ran
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from explorer.hosting.doors import Doors
from explorer.pages.runs import page as runs_page
from explorer.pages.runs.work import TITLE
from explorer.pretrained.catalogue import MODELS
from explorer.runs import jobs
from explorer.runs.store import Store
from explorer.spec import CouplingSpec
from explorer.ui import registry
from explorer.ui.awaited import state_of, work
from explorer.ui.controls import PAPER

SPEC = CouplingSpec(steps=20)
QUIET = 2.5  # seconds: longer than the pause of a store at rest


@pytest.fixture
def store(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    return Store(tmp_path)


@pytest.fixture
def server(store):
    app = Starlette(routes=[WebSocketRoute("/api/work", work)], middleware=[Middleware(Doors)])
    with serving(app) as address:
        yield address


def listener(address, *names, origin=None):
    url = f"ws://{address}/api/work?{urlencode([('of', name) for name in names])}"
    return closing(connect(url, origin=origin or f"http://{address}", proxy=None))


def test_what_a_job_is_at_is_said_at_once_and_at_every_change(server, store):
    name = jobs.ask(store, "cut", "one", "{}")
    with listener(server, name) as ws:
        assert ws.recv(timeout=10).startswith("queued")
        job, lock = jobs.claim(store)
        assert ws.recv(timeout=10).startswith("running")
        jobs.report_progress(store, job.job, 1, 2)
        assert ws.recv(timeout=10).startswith("running")
        store.publish(job.job, b"a frame of its models")
        assert ws.recv(timeout=10).startswith("running")
        jobs.end(store, job.job, "finished", result=1)
        lock.release()
        assert ws.recv(timeout=10).startswith("finished")
        with pytest.raises(TimeoutError):
            ws.recv(timeout=QUIET)
    with listener(server, name) as ws:
        assert ws.recv(timeout=10).startswith("finished"), "who comes back hears the present state"


@pytest.mark.parametrize("what", ["a job", "a run", "all runs"])
def test_a_dead_owner_is_heard_of(what, server, store):
    if what == "a job":
        name = jobs.ask(store, "cut", "one", "{}")
        _, lock = jobs.claim(store)
    else:
        lease = store.start(SPEC, "cpu")
        name, lock = lease.row.run, lease
    with listener(server, *[name] * (what != "all runs")) as ws:
        assert "running" in ws.recv(timeout=10)
        lock.release()
        assert "interrupted" in ws.recv(timeout=10)


def test_all_runs_are_followed_where_none_is_named(server, store):
    with listener(server) as ws:
        said = [ws.recv(timeout=10)]
        run = store.create(SPEC)
        said.append(ws.recv(timeout=10))
        lease = store.claim("cpu")
        said.append(ws.recv(timeout=10))
        store.save(run, [(1, 0.5)], step=1)
        said.append(ws.recv(timeout=10))
        store.save(run, status="finished")
        lease.release()
        said.append(ws.recv(timeout=10))
        assert len(set(said)) == 5


def test_what_goes_is_heard_of_and_what_never_was_is_none(server, store):
    name = jobs.ask(store, "cut", "one", "{}")
    with listener(server, name, "../../x") as ws:
        assert ws.recv(timeout=10).endswith("none")
        jobs.stop(store, name)
        assert ws.recv(timeout=10).startswith("stopped")
        jobs.forget(store, name)
        assert ws.recv(timeout=10) == "none none"


def test_another_origin_is_refused(server):
    with (
        pytest.raises(InvalidStatus) as refused,
        listener(server, origin="http://evil.example") as ws,
    ):
        ws.recv(timeout=10)
    assert refused.value.response.status_code == 403


def test_a_store_that_cannot_be_used_is_said(server, store):
    (store.path).write_bytes(b"not a database, and longer than a header " * 40)
    with listener(server, "cut-one") as ws, pytest.raises(ConnectionClosed) as closed:
        ws.recv(timeout=10)
    assert closed.value.rcvd.code == 4503


# Who listens


def listening(at):
    """What each listener of a page was told, by the names that it follows."""
    told = [node.proto.json for node in at.get("bidi_component") if '"drawn"' in node.proto.json]
    return {
        tuple(name for _, name in parse_qsl(urlsplit(each["push"]).query)): each
        for each in map(json.loads, told)
    }


def test_a_page_listens_while_its_work_is_under_way(store):
    at = ran(app("real"))
    assert not listening(at)
    at.session_state["real models"] = True
    ran(at)
    assert not listening(at), "none is fetched"
    at.button(key="fetch minilm").click()
    ran(at)
    ((names, told),) = listening(at).items()
    assert f"fetch-{MODELS['minilm'].folder}" in names
    assert told["drawn"] == state_of(store, names)[0], "nothing is asked for again"
    _, lock = jobs.claim(store)
    assert told["drawn"] != state_of(store, names)[0]
    lock.release()


def test_the_list_of_runs_is_listened_for_at_rest(store):
    store.create(SPEC, status="paused")
    ((names, told),) = listening(ran(app("runs"))).items()
    assert names == () and told["rest"] == 2000
    assert told["drawn"] == state_of(store, ())[0]


@pytest.mark.parametrize(
    ("told", "heard"), [({"asks": 3}, 3), ({}, 0), ([3], 0), (3, 0), (None, 0)]
)
def test_a_page_says_which_wish_it_has_heard_of_whatever_a_browser_says(store, told, heard):
    store.create(SPEC, status="paused")
    at = app("runs")
    at.session_state["awaited runs"] = {"state": told}
    ((_, told),) = listening(ran(at)).items()
    assert told["heard"] == heard


def test_races_at_work_are_listened_for_in_their_list(store):
    page = app("runs")
    page.session_state[f"unfolded {TITLE}"] = True
    job = jobs.ask(store, "race", "one", "{}")
    assert {(job,)} <= listening(ran(page)).keys()
    jobs.stop(store, job)
    assert (job,) not in listening(ran(page))


@pytest.mark.parametrize("page", ["attention", "memory"])
def test_what_a_run_that_ends_proves_is_listened_for_where_it_is_unfolded(page, store):
    run, at = store.create(SPEC), app(page)
    at.session_state[f"unfolded {PAPER}"] = False
    assert not listening(ran(at))
    at.session_state[f"unfolded {PAPER}"] = True
    assert listening(ran(at))[()]["drawn"] == state_of(store, ())[0]
    store.request(run, "stop")
    assert not listening(ran(at)), "nothing is at work that could become another proof"


def test_a_run_that_ends_while_the_page_is_drawn_draws_it_anew(store, monkeypatch):
    run = store.create(SPEC)
    drawn = []

    def badge(rows):
        drawn.append([row.status for row in rows])
        store.save(run, status="finished")  # after the page has read it
        return ""

    monkeypatch.setattr(runs_page, "badge", badge)
    ran(app("runs"))
    assert drawn == [["queued"], ["finished"]]


def test_a_space_that_comes_while_the_socket_is_open_is_looked_into(server, store, monkeypatch):
    with listener(server, "cut-one") as ws:
        assert ws.recv(timeout=10) == "none"
        space = Store(store.home / "space")
        monkeypatch.setattr(registry, "store", lambda: space)
        monkeypatch.setattr(registry, "standing", lambda: "out")
        jobs.ask(space, "cut", "one", "{}")
        assert ws.recv(timeout=10).startswith("queued")


def test_no_part_of_a_page_is_drawn_by_the_clock():
    """A fragment that runs regularly would be drawn whether anything has changed or not."""
    sources = (ROOT / "explorer").rglob("*.py")
    assert not [path for path in sources if "run_every" in path.read_text("utf-8")]
