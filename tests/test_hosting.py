"""How a server is reached: its settings, who may ask, what a browser may do with an answer."""

import base64
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
from contextlib import closing
from http.client import HTTPConnection
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import get_args
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from commands import on_streams
from serving import serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection as Asked
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from streamlit import App
from streamlit.web.server.starlette.starlette_routes import _ensure_xsrf_cookie
from waiting import ran_apart
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from explorer.bench.serving import free_port
from explorer.cli.serve import command, open_more_files, serve
from explorer.hosting import page, page_health, settings
from explorer.hosting.doors import INLINE, Doors, comes_from, policy
from explorer.hosting.page import LARGEST, MESSAGES
from explorer.hosting.settings import Limits, Settings, SettingsError, gathered
from explorer.hosting.visitors import is_https
from explorer.runs.store import Store
from explorer.spec import CouplingSpec
from explorer.ui import opening, registry
from explorer.ui.pages import SHELL

# Settings

FILE = 'port = 9000\nhosts = ["a.example", "b.example"]\nbase_path = "/tools/x/"\n'


def test_options_come_before_the_environment_before_the_file(tmp_path):
    (file := tmp_path / "settings.toml").write_text(FILE, "utf-8")
    environment = {"EXPLORER_HOSTS": "c.example, [::1]", "EXPLORER_PORT": "9001", "PATH": "x"}
    chosen = gathered({"port": 9002, "address": None}, environment, file)
    assert chosen == Settings(port=9002, hosts=("c.example", "[::1]"), base_path="tools/x")
    environment["EXPLORER_SETTINGS"] = str(file)
    assert gathered({}, environment).base_path == "tools/x"


@pytest.mark.parametrize(
    "chosen",
    [
        Settings(),
        Settings(port=1, hosts=("*", "*.example.org"), origins=("https://A.example:8443",)),
        Settings(framed_by=("http://x.example",), base_path="a/b-c", home="/srv/data"),
        Settings(
            public=True,
            limits=Limits(steps=7, waiting=2),
            user_header="x-user",
            trusted_proxy=("10.1.0.0/16", "::1"),
        ),
    ],
)
def test_app_py_reads_what_serve_has_gathered(chosen):
    assert settings.of_environment(chosen.environment()) == chosen


BAD = {
    "an unknown key": ("prot = 1", "there is no setting 'prot'; known: address, port, "),
    "a port beyond all": ("port = 70000", "port: Input should be less than or equal to 65535"),
    "a host with a path": ('hosts = ["a/b"]', "hosts.0: 'a/b' is not the name of a host"),
    "no host": ("hosts = []", "hosts: Tuple should have at least 1 item"),
    "an origin without a scheme": ('origins = ["a.example"]', "origins.0: 'a.example' is not an"),
    "an origin with more": ('framed_by = ["https://a; script-src *"]', "is not an origin"),
    "a path that climbs": ('base_path = "../x"', "base_path: '../x' is not a path"),
    "an unknown limit": ("limits = {step = 3}", "limits.step: Extra inputs are not permitted"),
    "no number": ('limits = "steps=many"', "limits.steps: Input should be a valid integer"),
    "a header with more": ('user_header = "a: b"', "is not the name of a header"),
    "no TOML": ("port: 1", "cannot be read: "),
    "TOML without end": (f"a = {'[' * 10_000}", "cannot be read: "),
    "a number without end": (f"port = {'9' * 5000}", "cannot be read: "),
    "no address": ('address = ""', "address: String should have at least 1 character"),
    "a part of a name": ('hosts = ["*example.org"]', "hosts.0: '*example.org' is not the name"),
    "a path of Streamlit's": ('base_path = "_stcore/x"', "begins as a path of Streamlit's own"),
    "a secret to guess": ('secret = "x"', "secret: 1 characters can be guessed: give 16 or more"),
    "an origin with a question": ('origins = ["https://a?b"]', "'https://a?b' is not an origin"),
    "no network": ('trusted_proxy = "proxy"', "'proxy' is no address or network, such as 10"),
    "no port": ('origins = ["https://a:99999"]', "origins.0: Port out of range 0-65535"),
    "beyond the system": (f"limits = {{seconds = {10**30}}}", "less than or equal to 1000000000"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_used_is_refused_with_its_place(tmp_path, case):
    text, words = BAD[case]
    (file := tmp_path / "my.toml").write_text(text, "utf-8")
    with pytest.raises(SettingsError) as refused:
        gathered({}, {}, file)
    assert words in str(refused.value) and str(file) in str(refused.value)


def test_without_a_proxy_no_server_is_public(tmp_path, monkeypatch):
    """However it is told; the error names the file for nginx and the option."""
    (file := tmp_path / "my.toml").write_text("public = true", "utf-8")
    for read in (
        lambda: gathered({"public": True}, {}),
        lambda: gathered({}, {}, file),
        lambda: settings.of_environment({"EXPLORER_PUBLIC": "1"}),
    ):
        with pytest.raises(SettingsError, match=r"nginx\.conf .* --trusted-proxy 127\.0\.0\.1"):
            read()
    assert gathered({"trusted_proxy": "10.0.0.1"}, {}, file).public
    code, out, err = on_streams(["serve", "--public"], monkeypatch)
    assert (code, out) == (2, "") and err.startswith("error: public: visitors come through a proxy")


def test_serve_refuses_such_a_file_in_a_line(tmp_path, monkeypatch):
    (file := tmp_path / "my.toml").write_text("prot = 1", "utf-8")
    code, out, err = on_streams(["serve", "--settings", str(file)], monkeypatch)
    assert (code, out) == (2, "")
    assert err.startswith(f"error: {file}: there is no setting 'prot'; known: address, ")


def test_a_port_in_use_is_said_and_no_other_is_taken(tmp_path):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-m", "explorer", "serve", "--port", port],
            env={**os.environ, "EXPLORER_HOME": str(tmp_path)},
            cwd=Path(__file__).parents[1],
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1 and f"Port {port} is not available" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("address", ["a b", "a..b", "999.1.1.1", "192.0.2.1", "fe80::1", "[::]"])
def test_an_address_that_is_not_this_machine_s_is_said(address, monkeypatch):
    monkeypatch.setattr(os, "execve", lambda *_: pytest.fail("it was begun"))
    code, out, err = on_streams(["serve", "--address", address], monkeypatch)
    assert (code, out) == (2, "") and err.startswith(f"error: {address}:8501 cannot be listened on")


def test_as_many_files_are_open_as_the_system_allows():
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(256, before[1]), before[1]))
        open_more_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_a_file_that_is_not_there_and_a_bad_variable_are_said(tmp_path):
    with pytest.raises(SettingsError, match=r"nothing\.toml"):
        gathered({}, {}, tmp_path / "nothing.toml")
    with pytest.raises(SettingsError, match="the environment: port"):
        gathered({}, {"EXPLORER_PORT": "many"})


def test_every_setting_is_an_option_of_its_type():
    """With its text; a list or a number of limits is read as the environment's is."""
    fields = Settings.model_fields
    options = signature(serve, eval_str=True).parameters
    assert [*options] == ["settings", *fields, "as_json"]
    for name, field in fields.items():
        kind = field.annotation if field.annotation in (int, float, bool) else str
        given, option = get_args(options[name].annotation)
        assert given == kind | None and option.help.startswith(field.description)
    chosen = gathered({"hosts": "a.example, [::1]", "limits": "steps=3"}, {})
    assert chosen == Settings(hosts=("a.example", "[::1]"), limits=Limits(steps=3))


def test_every_setting_stands_in_the_document_and_reaches_the_server():
    document = (Path(__file__).parents[1] / "docs" / "hosting.md").read_text("utf-8")
    for name, field in Settings.model_fields.items():
        what = field.description[0].lower() + field.description[1:].removesuffix(".")
        said = f"| {name.replace('_', '-')} | EXPLORER_{name.upper()} | {what}"
        assert said in document.replace("`", "")
    for name, field in Limits.model_fields.items():
        assert f"| `{name}` | {field.default:,} | {field.description} |" in document
    words = command(Settings(public=True, limits=Limits(upload_megabytes=3)))
    assert "--server.maxUploadSize=3" in words
    words = command(Settings(hosts=("[::1]", "a.example"), origins=("https://b.example",)))
    assert {"--server.allowedHosts=::1", "--server.allowedHosts=a.example"} <= set(words)
    assert "--server.corsAllowedOrigins=https://b.example" in words


# Doors


@pytest.mark.parametrize(
    ("chosen", "names", "gated"),
    [
        (Settings(), "TrustedHostMiddleware Doors", []),
        (Settings(log="json"), "Requests TrustedHostMiddleware Doors", []),
        (
            Settings(public=True, log="json"),
            "Requests TrustedHostMiddleware Doors Visitors Guard",
            [(MESSAGES, LARGEST)],
        ),
    ],
)
def test_what_stands_before_every_route_stands_in_its_order(monkeypatch, chosen, names, gated):
    begun, gates = [], []
    monkeypatch.setattr(page.logs, "begin", lambda: begun.append(1))
    monkeypatch.setattr(page, "gate", lambda *args: gates.append(args))
    monkeypatch.setattr(registry, "settings", lambda: chosen)
    app = App(SHELL)
    page.install(app)
    assert [each.cls.__name__ for each in app._user_middleware] == names.split()
    assert [each.path for each in app._user_routes] == ["/healthz", "/metrics"]
    assert gates == gated and bool(begun) == (chosen.log == "json")


class Client:
    """Asks a server as a browser would, by http.client, which follows and adds nothing."""

    def __init__(self, address):
        self.address = address

    def ask(self, path, method="GET", **headers):
        """Status, headers and text of an answer."""
        with closing(HTTPConnection(self.address, timeout=10)) as connection:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def socket(self, origin):
        """The page's socket, opened by a page of this origin."""
        return connect(f"ws://{self.address}/_stcore/stream", origin=origin or None, proxy=None)


@pytest.fixture
def client(tmp_path, monkeypatch):
    """An app of some routes behind the doors."""
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))

    async def stream(ws):
        await ws.accept()
        await ws.send_text("here")
        await ws.receive()

    async def plain(_):
        return PlainTextResponse("done")

    async def token(request):
        answer = PlainTextResponse("ok", headers={"Set-Cookie": "another=1; SameSite=Lax"})
        _ensure_xsrf_cookie(request, answer)
        return answer

    routes = [
        WebSocketRoute("/_stcore/stream", stream),
        Route("/_stcore/health", token),
        Route("/change", plain, methods=["GET", "POST", "PUT", "DELETE"]),
        *page_health.routes(),
        *opening.routes("/x"),
    ]
    doors = Middleware(Doors, origins=("https://proxy.example",), framed_by=("https://f.example",))
    with serving(Starlette(routes=routes, middleware=[doors])) as address:
        yield Client(address)


FOREIGN = [
    "http://[",
    "http://]",
    "http://localhost:3000",
    "http://127.0.0.1",
    "null",
    "",
    "https://f.example",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_opens_no_socket_and_changes_nothing(client, origin):
    with pytest.raises(InvalidStatus) as refused, client.socket(origin):
        pass
    assert refused.value.response.status_code == 403
    headers = {"Origin": origin} if origin else {}
    for method in ("POST", "PUT", "DELETE"):
        assert client.ask("/change", method, **headers)[0] == 403
    assert client.ask("/change", **headers)[2] == "done"


@pytest.mark.parametrize("scheme", ["x", "ftp", "file", "ws", ""])
def test_a_page_that_came_by_no_web_scheme_does_not(client, scheme):
    """Nor one that came without TLS, where a proxy says that its pages come by it."""
    assert client.ask("/change", "POST", Origin=f"{scheme}://{client.address}")[0] == 403
    behind = {"X-Forwarded-Proto": "https"}
    for own, status in (("http", 403), ("https", 200)):
        origin = f"{own}://{client.address}"
        assert client.ask("/change", "POST", Origin=origin, **behind)[0] == status


@pytest.mark.parametrize("origin", ["http://{}", "HTTP://{}", "https://proxy.example"])
def test_its_own_pages_do(client, origin):
    origin = origin.format(client.address)
    with client.socket(origin) as ws:
        assert ws.recv(timeout=10) == "here"
    assert client.ask("/change", "POST", Origin=origin)[2] == "done"


@pytest.mark.parametrize(
    ("client", "proxies", "comes"),
    [
        ("10.1.2.3", ("10.1.0.0/16",), True),
        ("10.2.2.3", ("10.1.0.0/16",), False),
        ("::ffff:10.1.2.3", ("10.1.2.3",), True),
        ("127.0.0.1", ("10.1.2.3",), True),
        ("::1", ("10.1.2.3",), True),
        ("2001:db8::1", ("10.1.2.3", "2001:db8::/32"), True),
        ("192.0.2.1", ("*",), True),
        ("nobody", ("10.1.2.3",), False),
        (None, ("10.1.2.3",), True),
    ],
)
def test_who_asks_past_the_proxy_is_not_answered(client, proxies, comes):
    scope = {"type": "http", "method": "GET", "path": "/", "headers": []}
    scope["client"] = (client, 1) if client else None
    assert comes_from(scope, proxies) == comes
    sent = []

    async def send(message):
        sent.append(message)

    app = PlainTextResponse("done")
    ran_apart(Doors(app, proxies=proxies)(scope, None, send))
    assert sent[0]["status"] == (200 if comes else 403)
    ran_apart(Doors(app)(scope, None, send))
    assert sent[2]["status"] == 200, "where no proxy is named, everybody is answered"


def test_in_a_frame_of_another_site_an_upload_has_its_token_behind_https(client):
    """By the cookie of the pinned Streamlit; no other cookie, and none over http, is changed."""
    for proto, token in (("https", "SameSite=None; Secure; Partitioned"), ("http", "SameSite=Lax")):
        _, headers, _ = client.ask("/_stcore/health", **{"X-Forwarded-Proto": proto})
        other, mine = headers.get_all("Set-Cookie")
        assert other == "another=1; SameSite=Lax"
        assert re.fullmatch(rf"_streamlit_xsrf=2\|[^;]+; Path=/; {token}", mine)


def test_a_host_that_is_none_is_no_error():
    """Where any host is let in."""
    scope = {"type": "http", "scheme": "http", "path": "/", "headers": [(b"host", b"[")]}
    assert not is_https(Asked(scope)) and is_https(Asked({**scope, "scheme": "https"}))


def script_sources(said):
    return said.partition("script-src ")[2].partition(";")[0].split()


def test_every_answer_keeps_scripts_and_frames_to_those_named(client):
    _, plain, _ = client.ask("/change")
    assert plain["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'self' https://f.example" in plain["content-security-policy"]
    _, headers, page = client.ask("/x/train")
    said = headers["content-security-policy"]
    assert said.endswith("; frame-ancestors 'self' https://f.example")
    assert said.count("frame-ancestors") == 1
    assert "'unsafe-inline'" not in script_sources(said)
    own = INLINE.findall(page)
    assert own
    for script in own:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in script_sources(said)
    assert client.ask("/x/design?spec=1")[1]["location"] == "./?spec=1"


def test_what_came_by_https_is_asked_for_by_https_alone_and_no_device_is_used(client):
    _, plain, _ = client.ask("/change")
    _, safe, _ = client.ask("/change", **{"x-forwarded-proto": "https"})
    assert "strict-transport-security" not in plain
    assert safe["strict-transport-security"] == "max-age=31536000"
    for headers in (plain, safe):
        assert "camera=()" in headers["permissions-policy"]


def test_only_a_document_s_own_scripts_are_let_in():
    parts = ('type="text/plain">x', 'src="a.js">', ">one()")
    document = "".join(f"<script {part}</script>" for part in parts)
    digest = base64.b64encode(hashlib.sha256(b"one()").digest()).decode()
    assert re.findall(r"sha256-[^']+", policy(document)) == [f"sha256-{digest}"]


# Health


def test_a_server_says_whether_it_can_work_and_how_much_it_does(client, tmp_path):
    store = Store(tmp_path)
    for _ in range(3):
        store.create(CouplingSpec(steps=20))
    assert json.loads(client.ask("/healthz")[2]) == {"status": "ok", "runs": {"queued": 3}}
    text = client.ask("/metrics")[2]
    assert 'explorer_runs{status="queued"} 3\n' in text and "explorer_steps 0\n" in text
    assert int(re.search(r"explorer_store_bytes (\d+)", text)[1]) > 4096
    with client.socket(f"http://{client.address}") as ws:
        ws.recv(timeout=10)
        assert 'explorer_sockets{of="sessions"} 1\n' in client.ask("/metrics")[2]


def test_metrics_have_an_address_of_their_own(client, monkeypatch):
    own = f"127.0.0.1:{free_port()}"
    monkeypatch.setattr(registry, "settings", lambda: settings.Settings(metrics=own))
    state = SimpleNamespace(sockets={"sessions": 7})
    with page_health.metrics_apart(own, state):
        assert client.ask("/metrics")[0] == 404
        with urlopen(f"http://{own}/metrics") as answer:
            assert b'explorer_sockets{of="sessions"} 7\n' in answer.read()
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://{own}/healthz")
        with (
            pytest.raises(settings.SettingsError, match="cannot be listened on"),
            page_health.metrics_apart(own, state),
        ):
            pass
    with pytest.raises(URLError):
        urlopen(f"http://{own}/metrics")
    with pytest.raises(settings.SettingsError, match="no address with a port"):
        settings.of_environment({"EXPLORER_METRICS": "9464"})


def test_a_store_that_cannot_be_read_is_said(client, tmp_path):
    (tmp_path / "store.sqlite3").write_bytes(b"not a database, and longer than a header " * 40)
    status, _, said = client.ask("/healthz")
    assert status == 503 and str(tmp_path) not in said
    assert client.ask("/metrics")[0] == 503
