"""Visitors of a public server on its real routes: each has a space, and nothing of another's."""

import http.cookiejar
import json
import re
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode

import numpy as np
import pytest
from letting_in import let_in
from messages import opened
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute
from streamlit.testing.v1 import AppTest
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from explorer.hosting import page_health
from explorer.hosting.doors import Doors, Visitors
from explorer.hosting.gate import gate
from explorer.hosting.page import LARGEST
from explorer.hosting.settings import Limits
from explorer.hosting.space import Space, welcome
from explorer.hosting.turns import Turns
from explorer.hosting.visitors import COOKIE, DAY, OF_HOST, OWNER, Recognition, kept_secret
from explorer.pages.talk import decks
from explorer.pages.talk.room import NO_ROOM, NOT_ALLOWED, follow, speak
from explorer.pages.talk.scenes import dump_talk
from explorer.pages.talk.served import stage, stop, train
from explorer.runs import jobs, sweep_rows
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.spec import CouplingSpec
from explorer.ui import opening, registry
from explorer.ui.awaited import work
from explorer.ui.live import live
from explorer.ui.streamlit_private import user_of

ROOT = Path(__file__).parents[1]
SPEC = CouplingSpec(steps=20)
LIMITS, MESSAGES = Limits(upload_megabytes=2), 50
ROUTES = [
    WebSocketRoute("/api/runs/{run}/live", live),
    WebSocketRoute("/api/work", work),
    Route("/stage", stage),
    WebSocketRoute("/stage/room", speak),
    WebSocketRoute("/stage/follow", follow),
    Route("/stage/train", train, methods=["POST"]),
    Route("/stage/stop", stop, methods=["POST"]),
    *page_health.routes(),
    *opening.routes(),
]
MIDDLEWARE = [Middleware(Doors), Middleware(Visitors, registry.recognition, limits=LIMITS)]


@pytest.fixture
def commons(tmp_path, monkeypatch):
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    monkeypatch.setenv("EXPLORER_PUBLIC", "1")
    monkeypatch.setenv("EXPLORER_TRUSTED_PROXY", "*")
    return Store(tmp_path)


@pytest.fixture
def server(commons, monkeypatch):
    monkeypatch.setattr(WebSocketsSansIOProtocol, "__init__", WebSocketsSansIOProtocol.__init__)
    gate(MESSAGES, LARGEST)
    with serving(Starlette(routes=ROUTES, middleware=MIDDLEWARE)) as address:
        yield address


class Visitor:
    """A browser with a jar of its own, of a visitor with a word."""

    def __init__(self, address, cookie=None):
        self.address, self.jar = address, http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.jar)
        )
        self.cookie = cookie
        if cookie is None:
            self.ask("/train")
            self.cookie = {one.name: one.value for one in self.jar}[COOKIE]
            let_in(registry.commons(), self.owner)

    @property
    def owner(self):
        return registry.recognition().owner({}, {COOKIE: self.cookie})

    @property
    def space(self):
        return welcome(registry.commons(), self.owner, Limits())

    @property
    def headers(self):
        return {"Cookie": f"{COOKIE}={self.cookie}"} if self.cookie else {}

    def ask(self, path, method="GET", **headers):
        """Status, headers and text of an answer."""
        headers |= {"Origin": f"http://{self.address}"} | self.headers
        request = urllib.request.Request(
            f"http://{self.address}{path}", None, headers, method=method
        )
        try:
            with self.opener.open(request, timeout=10) as answer:
                return answer.status, answer.headers, answer.read().decode()
        except HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def socket(self, path):
        url, origin = f"ws://{self.address}{path}", f"http://{self.address}"
        return closing(connect(url, origin=origin, additional_headers=self.headers, proxy=None))

    def watch(self, path):
        """The first two messages of a run's live pictures."""
        with self.socket(path) as ws:
            return [opened(ws.recv(timeout=20)).header["kind"] for _ in range(2)]

    def hear(self, *names):
        """What work is at, or the code with which that is refused."""
        query = urlencode([("of", name) for name in names])
        with self.socket(f"/api/work?{query}") as ws:
            try:
                return ws.recv(timeout=20)
            except ConnectionClosed as closed:
                return closed.rcvd.code


def pictures(run):
    return f"/api/runs/{run}/live"


def refused(visitor, path):
    with pytest.raises(ConnectionClosed) as closed:
        visitor.watch(path)
    return closed.value.rcvd.code


def test_these_are_the_routes_of_the_app():
    """So that a new one is walked with the others."""
    text = (ROOT / "app.py").read_text("utf-8")
    groups = [*page_health.routes(), *opening.routes()]
    own = [route.path for route in ROUTES[: -len(groups)]]
    assert re.findall(r'Route\(BASE \+ "([^"]+)"', text) == own
    assert re.findall(r"\*(\w+)\.routes\(BASE\)", text) == ["opening"]
    assert len(re.findall(r"Route\(|routes\(", text)) == len(own) + 1, "one of another form"


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.path)
def test_no_route_tells_of_another_s_run(server, route):
    """By its path and by the names that links have for runs; to another visitor and to who has
    forged the owner's cookie. It waits as before."""
    owner = Visitor(server)
    run = owner.space.create(SPEC, name="the owner's own")
    before, path = owner.space.get(run), re.sub(r"\{\w+\}", run, route.path)
    query = urlencode({"run": run, "runs": run, "name": "mine"})
    forged = f"{owner.cookie.rpartition('.')[0]}.forged"
    for asking in (Visitor(server), Visitor(server, forged)):
        if route.endpoint is work:
            assert asking.hear(run) == ("none" if asking.owner else 4503)
            assert asking.hear() == ("{}" if asking.owner else 4503)
        elif route.endpoint in (speak, follow):
            with asking.socket(f"{path}?talk=mine&code={run}&key={run}") as ws:
                said = json.loads(ws.recv(timeout=20))
            problem = NOT_ALLOWED if route.endpoint is speak else NO_ROOM
            assert said == {"kind": "problem", "problem": problem}
        elif isinstance(route, WebSocketRoute):
            assert refused(asking, path) == (4404 if asking.owner else 4503)
        for method in getattr(route, "methods", ()):
            _, headers, text = asking.ask(f"{path}?{query}", method)
            for secret in (before.name, owner.owner, owner.cookie, str(registry.commons().home)):
                assert secret not in f"{headers}{text}"
    assert owner.space.get(run) == before


def test_another_s_run_is_not_there_on_any_route(server):
    owner, other = Visitor(server), Visitor(server)
    run = owner.space.create(SPEC, name="on stage")
    assert owner.watch(pictures(run)) == ["drawing", "history"]
    assert refused(other, pictures(run)) == 4404
    for path in (f"/stage/train?run={run}", f"/stage/stop?run={run}"):
        status, _, text = other.ask(path, "POST")
        assert status == 422 and "no" in json.loads(text)["problem"]
        assert str(registry.commons().home) not in text
    assert owner.space.get(run).status == "queued"
    assert other.space.list() == []
    assert owner.ask(f"/stage/stop?run={run}", "POST")[0] == 200
    assert owner.space.get(run).status == "stopped"


def test_what_a_talk_begins_belongs_to_who_has_pressed(server):
    owner, other = Visitor(server), Visitor(server)
    _, _, text = owner.ask("/stage/train?run=asset-train", "POST")
    run = json.loads(text)["run"]
    assert owner.space.get(run) and not other.space.get(run) and not registry.commons().get(run)
    assert [one.owner for one in Turns(registry.commons()).waiting()] == [owner.owner]


def test_presses_at_once_queue_no_more_than_may_wait(server):
    owner = Visitor(server)
    with ThreadPoolExecutor(12) as presses:
        asked = presses.map(
            lambda _: owner.ask("/stage/train?run=asset-train", "POST")[0],
            range(LIMITS.waiting + 10),
        )
        answers = list(asked)
    begun = len(owner.space.list())
    assert begun == LIMITS.waiting == answers.count(200)
    assert answers.count(422) == 10


def test_shipped_runs_are_everybody_s(server):
    assert Visitor(server).watch(pictures("asset-train")) == ["drawing", "history"]


def test_nothing_in_a_store_reaches_another(commons):
    one, other = [welcome(commons, digit * 32, Limits()) for digit in "12"]
    run = one.create(SPEC)
    sha = one.put_grid(np.eye(8) + 1)
    job = jobs.ask(one, "sweep", "x", "{}")
    sweep_rows.insert(one, "sweep", [{"spec_id": "model", "nmse": 0.5}])
    calls = [
        lambda: other.rename(run, "mine"),
        lambda: other.delete(run),
        lambda: other.request(run, "stop"),
        lambda: other.take(run, "cpu"),
        lambda: other.read(run),
        lambda: other.grid(sha),
    ]
    for call in calls:
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(RunError):
        other.read(f"../../{'1' * 32}/runs/{run}")
    assert other.get(run) is None and jobs.get(other, job) is None
    for space in (other, commons):
        assert sweep_rows.read(space, "sweep") == {} and sweep_rows.all_sweeps(space) == []
    jobs.stop(other, job), jobs.forget(other, job)
    assert (one.get(run).status, jobs.get(one, job).status) == ("queued", "queued")
    assert commons.get(run) is None and commons.waiting() == []


def test_the_deck_of_a_visitor_s_talk_is_drawn_in_their_space(commons):
    """By a process that knows no visitors: scenes of models and of runs ask for a store."""
    own, talk = welcome(commons, "1" * 32, Limits()), decks.load(decks.OURS)
    scenes = [one for one in talk.scenes if re.match("real|memory", one.address or "")]
    assert len(scenes) == 2
    decks._make(dump_talk(talk.model_copy(update={"scenes": scenes})), "x.html", own, own)
    assert decks._failed.pop(own.home / "talks" / "x.html", []) == []
    assert (own.home / "talks" / "x.html").stat().st_size > 100_000


def test_a_talk_is_its_visitor_s(commons):
    def as_visitor(owner, call, *args):
        told = OWNER.set(owner * 32)
        try:
            return call(*args)
        finally:
            OWNER.reset(told)

    let_in(commons, "1" * 32, "2" * 32)
    shipped = as_visitor("1", decks.load)
    mine = shipped.model_copy(update={"scenes": shipped.scenes[:1]})
    as_visitor("1", decks.keep, mine)
    assert as_visitor("1", decks.load) == mine and as_visitor("2", decks.load) == shipped
    as_visitor("2", decks.keep, shipped)
    assert as_visitor("1", decks.load) == mine and not (commons.home / "talk.json").exists()


@pytest.mark.parametrize("name", ["", "../x", "1" * 31, "G" * 32, f"{'1' * 32}/.."])
def test_no_space_has_another_kind_of_name(commons, name):
    with pytest.raises(ValueError, match="names no visitor"):
        Space(commons, name)


def test_metrics_are_of_all_visitors_together(server):
    one, other = Visitor(server), Visitor(server)
    with one.space.start(SPEC, "cpu") as lease:
        one.space.save(lease.row.run, step=20, status="finished")
    run = other.space.create(SPEC)
    other.space.sync()
    assert one.ask("/metrics")[0] == 404
    text = page_health.exposition({})[1]
    told = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert told['explorer_runs{status="finished"}'] == told['explorer_runs{status="queued"}'] == "1"
    assert (told["explorer_steps"], told["explorer_visitors"]) == ("20", "2")
    assert int(told["explorer_visitors_bytes"]) > 2 * 4096
    assert run not in text and one.owner not in text


# The cookie


def forged(cookie):
    visitor, time_, signature = cookie.rsplit(".", 2)
    yield ""
    yield visitor
    yield f"{visitor}.{signature}"
    yield f"{'0' * 32}.{time_}.{signature}"
    yield f"{visitor}.{time_}.{signature[:-2]}xx"
    yield f"{visitor}x.{time_}.{signature}"
    yield f"{visitor}.{time_}A.{signature}"
    yield Recognition("another secret").cookie({})
    yield "\xff.\xff"


def test_a_forged_cookie_is_nobody_s(server):
    owner = Visitor(server)
    run = owner.space.create(SPEC)
    for cookie in forged(owner.cookie):
        stranger = Visitor(server, cookie.encode("latin-1").decode("latin-1"))
        assert stranger.owner is None
        assert refused(stranger, pictures(run)) == 4503
        status, _, text = stranger.ask("/stage/train?run=asset-train", "POST")
        assert status == 422 and "needs a cookie" in text
    folders = [path.name for path in (registry.commons().home / "visitors").glob("*/")]
    assert folders == [owner.owner], "and has no space"


HTTPS = {"X-Forwarded-Proto": "https"}


def cookie_of(answer, name=COOKIE):
    return SimpleCookie(line_of(answer[1].get_all("Set-Cookie"), name))[name]


def line_of(given, name=COOKIE):
    """Of all cookies that are given the line of this one."""
    (line,) = (line for line in given if line.startswith(f"{name}="))
    return line


def owner_of(cookie, name=COOKIE):
    return registry.recognition().owner({}, {name: cookie.value}, name)


def test_the_cookie_is_for_the_browser_alone_and_lasts(server):
    owner = Visitor(server)
    again = cookie_of(owner.ask("/train"))
    assert owner_of(again) == owner.owner
    assert again["httponly"] and again["samesite"] == "Lax" and not again["secure"]
    assert int(again["max-age"]) == 30 * 86400
    assert owner.owner not in owner.cookie, "who learns the name of a space cannot enter it"
    assert "Set-Cookie" not in owner.ask("/healthz")[1]


def test_behind_https_no_other_host_of_the_domain_plants_a_cookie(server):
    """A sibling can set any name for all of the domain, but none that begins with __Host-."""
    attacker = Visitor(server)
    with closing(HTTPConnection(server, timeout=10)) as connection:
        asked = HTTPS | {"Cookie": f"{COOKIE}={attacker.cookie}"}
        connection.request("GET", "/train", headers=asked)
        own = cookie_of((200, connection.getresponse().headers), OF_HOST)
    assert OF_HOST.startswith("__Host-")
    assert own["secure"] and own["path"] == "/" and own["httponly"] and not own["domain"]
    assert owner_of(own, OF_HOST) not in (None, attacker.owner)
    assert registry.recognition().owner({}, {COOKIE: attacker.cookie}, OF_HOST) is None


def test_a_cookie_is_known_so_many_days_from_its_visitor_s_last_page(monkeypatch):
    known, now = Recognition("secret", days=3), time.time()
    cookie = known.cookie({})
    owner = known.owner({}, {COOKIE: cookie})
    monkeypatch.setattr(time, "time", lambda: now + 2.9 * DAY)
    again = known.cookie({COOKIE: cookie})
    assert known.owner({}, {COOKIE: cookie}) == known.owner({}, {COOKIE: again}) == owner
    monkeypatch.setattr(time, "time", lambda: now + 3.1 * DAY)
    assert known.owner({}, {COOKIE: cookie}) is None, "as by whoever has kept a copy"
    assert known.owner({}, {COOKIE: again}) == owner


def test_in_a_frame_of_another_site_it_is_sent_behind_https_alone(commons):
    middleware = [Middleware(Visitors, registry.recognition, limits=LIMITS, framed=True)]
    with serving(Starlette(routes=ROUTES, middleware=middleware)) as address:
        owner = Visitor(address)
        assert cookie_of(owner.ask("/train"))["samesite"] == "Lax"
        given = owner.ask("/train", **HTTPS)[1].get_all("Set-Cookie")
        framed = line_of(given, OF_HOST)
        assert "; SameSite=None; Secure; Partitioned" in framed


def test_the_secret_is_made_once_for_its_user_alone(tmp_path):
    store = Store(tmp_path)
    first = kept_secret(store)
    assert kept_secret(store) == first and len(first) == 64
    assert (tmp_path / "visitors" / "secret").stat().st_mode & 0o077 == 0


# Names that others vouch for


def test_a_proxy_s_header_is_believed_only_where_it_is_set():
    by_header, by_cookie = Recognition("s", "x-user"), Recognition("s")
    cookies = {COOKIE: by_cookie.cookie({})}
    ada, bob = (by_header.owner({"x-user": name}, cookies) for name in ("ada", "bob"))
    assert ada and bob and ada != bob
    assert by_header.owner({}, cookies) is None, "a cookie does not stand in for it"
    assert by_cookie.owner({"x-user": "ada"}, cookies) not in (None, ada)


def logged_in(secret, **user):
    text = json.dumps({"origin": "http://localhost", "is_logged_in": True, **user})
    return {"_streamlit_user": create_signed_value(secret, "_streamlit_user", text).decode()}


def test_who_has_logged_in_has_one_space_in_every_browser():
    recognition = Recognition("s", login=user_of)
    ada = logged_in(get_cookie_secret(), iss="https://id.example", sub="1", email="a@b.example")
    other = logged_in(get_cookie_secret(), iss="https://id.example", sub="2")
    cookie = {COOKIE: recognition.cookie({})}
    spaces = [recognition.owner({}, of) for of in (ada, ada | cookie, other, cookie)]
    assert spaces[0] == spaces[1] and len(set(spaces)) == 3
    for bad in (logged_in("another", sub="1"), logged_in(get_cookie_secret(), is_logged_in=False)):
        assert user_of(bad) is None and recognition.owner({}, bad) is None
    assert user_of({"_streamlit_user": "garbage"}) is None
    assert user_of(logged_in(get_cookie_secret())) is None, "without a name"


# Too much at once


def test_a_body_of_ten_gigabytes_is_refused_before_it_is_sent(server):
    with closing(HTTPConnection(server, timeout=10)) as connection:
        connection.putrequest("PUT", "/_stcore/upload_file/session/file")
        connection.putheader("Origin", f"http://{server}")
        connection.putheader("Content-Length", str(10 * 10**9))
        connection.endheaders()
        answer = connection.getresponse()
        assert answer.status == 413 and answer.read() == b"This is 10000 MB; the limit is 2 MB."
    assert Visitor(server).ask("/healthz")[0] == 200


def test_ten_thousand_messages_wait_and_nobody_else_does(server):
    owner, other = Visitor(server), Visitor(server)
    run = owner.space.create(SPEC)
    url, origin = f"ws://{server}{pictures(run)}", f"http://{server}"
    with closing(connect(url, origin=origin, additional_headers=owner.headers, proxy=None)) as ws:
        for _ in range(3):
            ws.recv(timeout=20)
        began = time.monotonic()
        for _ in range(300):
            ws.send("at 7")
        got = 0
        while got < 150:  # kept pictures: none is there, which is said
            got += opened(ws.recv(timeout=20)).header["kind"] == "kept"
        took = time.monotonic() - began
        assert took > (150 - 2 * MESSAGES) / MESSAGES - 0.2, f"{got} answers after {took:.1f} s"
        assert other.watch(pictures("asset-train")) == ["drawing", "history"]


def test_who_does_not_read_is_not_sent_more_than_one_frame(server):
    owner = Visitor(server)
    run = owner.space.create(SPEC)
    url, origin = f"ws://{server}{pictures(run)}", f"http://{server}"
    with closing(connect(url, origin=origin, additional_headers=owner.headers, proxy=None)) as ws:
        for _ in range(3):
            ws.recv(timeout=20)
        for name in "abc":
            owner.space.rename(run, name)
            owner.space.request(run, "pause" if name != "b" else "resume")
        with pytest.raises(TimeoutError):
            ws.recv(timeout=1.5)
        ws.send("ack")
        assert opened(ws.recv(timeout=20)).header["status"] == "paused"


def runs_page():
    from explorer.ui import page_visit

    page_visit.keeping()


@pytest.mark.parametrize(("secrets", "labels"), [({}, []), ({"auth": {"x": 1}}, ["Log in"])])
def test_where_logins_are_set_up_a_button_leads_to_them(commons, monkeypatch, secrets, labels):
    monkeypatch.setattr(registry, "_owner_of_session", lambda: "1" * 32)
    let_in(commons, "1" * 32)
    app = AppTest.from_function(runs_page)
    app.secrets.update(secrets)
    app.run(timeout=30)
    assert not app.exception and "Only you see what is here" in app.caption[0].value
    assert [button.label for button in app.button] == labels


def test_a_script_that_goes_on_is_of_who_closed_its_page(monkeypatch):
    owners = iter(["1" * 32, None])
    monkeypatch.setattr(registry, "running_session", lambda: "a session")
    monkeypatch.setattr(registry, "owner_of", lambda _: next(owners))
    assert [registry._owner_of_session() for _ in range(2)] == ["1" * 32] * 2


def test_what_was_queued_is_told_to_the_queue_though_its_page_was_closed(commons, monkeypatch):
    own = welcome(commons, "1" * 32, Limits())
    own.create(SPEC)
    monkeypatch.setattr(registry, "is_public", lambda: True)
    monkeypatch.setattr(registry, "owner", lambda: "")
    registry.wake()
    assert not Turns(commons).waiting(), "of a stranger nothing waits"
    registry.wake(own)
    assert [each.owner for each in Turns(commons).waiting()] == ["1" * 32]
