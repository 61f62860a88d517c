"""The explorer in a frame of a page of another origin: where `framed_by` names it, else not."""

import json
import re
import ssl
import zipfile
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlencode

import pytest
import trustme
from driving import NETWORK, Server, choose_server, downloaded, enter_word
from playwright.sync_api import expect

from explorer.hosting.space import owners
from explorer.runs.store import Store

# The status of an upload to no session: 403 where the token is missing.
PUT = """async ({ token }) => {
    const [, known] = /_streamlit_xsrf=([^;]+)/.exec(document.cookie);
    const headers = token ? { "X-Xsrftoken": known } : {};
    const asked = { method: "PUT", headers, body: new FormData() };
    return (await fetch("_stcore/upload_file/no-session/no-file", asked)).status;
}"""


class Host(BaseHTTPRequestHandler):
    """A page that holds another in a frame."""

    def __init__(self, framed, *args):
        self.framed = framed
        super().__init__(*args)

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        frame = f'<iframe src="{self.framed}/runs" width="900" height="700"></iframe>'
        self.wfile.write(f"<!doctype html><title>A lecture</title>{frame}".encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def hosts():
    """Two origins whose pages frame what they are told to, from then on."""
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) for _ in range(2)]
    for each in servers:
        Thread(target=each.serve_forever, daemon=True).start()
    yield servers
    for each in servers:
        each.shutdown()
        each.server_close()


def origin(host):
    return f"http://localhost:{host.server_port}"


def _import_no_run(frame):
    """Upload a file to the Runs page, which says what is wrong with it."""
    frame.get_by_role("button", name="Import").click()
    file = {"name": "no.zip", "mimeType": "application/zip", "buffer": b"no zip"}
    frame.locator("input[type=file]").first.set_input_files(file)
    expect(frame.get_by_role("alert").filter(has_text="no.zip")).to_be_visible()


def test_a_page_that_is_named_has_all_of_it_in_a_frame(context, hosts, tmp_path, monkeypatch):
    """Settings and cookie, the socket, and uploads under their token; another page has nothing."""
    named, other = hosts
    monkeypatch.setenv("EXPLORER_FRAMED_BY", origin(named))
    server = Server(tmp_path, public=True)
    server.start()
    page = context.new_page()
    try:
        for host in hosts:
            host.RequestHandlerClass = partial(Host, server.address)
        page.goto(origin(named))
        frame = page.frame_locator("iframe")
        enter_word(frame, server.word())
        expect(frame.get_by_text("Only you see what is here")).to_be_visible()
        _import_no_run(frame)
        inner = page.frames[1]
        assert [inner.evaluate(PUT, {"token": token}) for token in (False, True)] == [403, 400]

        refusals = []
        page.on("console", lambda message: refusals.append(message.text))
        page.goto(origin(other))
        page.wait_for_timeout(1000)
        assert any("frame-ancestors" in text for text in refusals), refusals
        assert page.frames[1].url.startswith("chrome-error:")
    finally:
        page.close()
        server.stop()


@pytest.fixture
def certificate(tmp_path, monkeypatch):
    """A file with certificate and key of "localhost", which this process and its servers trust."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    path = tmp_path / "localhost.pem"
    authority.issue_cert("localhost", "127.0.0.1").private_key_and_cert_chain_pem.write_to_path(
        path
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    for name in ("CERT", "KEY"):
        monkeypatch.setenv(f"STREAMLIT_SERVER_SSL_{name}_FILE", str(path))
    return path


def test_behind_https_a_visitor_of_another_site_trains_uploads_and_takes_home(
    context, hosts, certificate, tmp_path, monkeypatch
):
    """Both cookies are there, in the part of this site alone, and files come down."""
    for host in hosts:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(certificate)
        host.socket = tls.wrap_socket(host.socket, server_side=True, do_handshake_on_connect=False)
    lecture, other = (
        f"https://{name}:{host.server_port}"
        for name, host in zip(("127.0.0.1", "localhost"), hosts, strict=True)
    )
    monkeypatch.setenv("EXPLORER_FRAMED_BY", f"{lecture},{other}")
    server = Server(tmp_path, public=True)
    server.address = server.address.replace("http:", "https:")
    server.start()
    page = context.new_page()
    try:
        for host in hosts:
            host.RequestHandlerClass = partial(Host, server.address)
        page.goto(lecture)
        frame = page.frame_locator("iframe")
        enter_word(frame, server.word())
        expect(frame.get_by_text("Only you see what is here")).to_be_visible()
        spec = urlencode({"spec": json.dumps(NETWORK | {"steps": 60, "batch": 8})})
        page.frames[1].goto(f"{server.address}/train?{spec}")
        choose_server(frame)
        frame.get_by_role("button", name=re.compile("^Train at")).click()
        expect(frame.locator("[data-text=status]")).to_contain_text("finished")
        expect(frame.get_by_test_id("stBidiComponentError")).to_have_count(0)
        frame.get_by_role("button", name="Share").click()
        file = downloaded(page.frames[1], frame.get_by_role("button", name="PDF, CSV").first)
        names = zipfile.ZipFile(file.path()).namelist()
        assert file.suggested_filename == "train-figures.zip"
        assert any(name.endswith("-error.csv") for name in names)

        page.goto(lecture)  # as somebody comes again
        expect(frame.get_by_text("The only run has finished")).to_be_visible()
        _import_no_run(frame)
        (owner,) = owners(server.store)
        page.goto(other)
        expect(frame.get_by_role("textbox", name="Have a word?")).to_be_visible()
        expect(frame.get_by_text("The only run")).to_have_count(0)
        assert Store(tmp_path / "visitors" / owner).list(), "a space of the one site alone"
    finally:
        page.close()
        server.kill()  # else TLS waits 30 s for the browser to say goodbye
