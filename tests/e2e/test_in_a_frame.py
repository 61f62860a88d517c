"""The explorer in a frame of a page of another origin: where `framed_by` names it, else not."""

from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from driving import Server
from playwright.sync_api import expect

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
        expect(frame.get_by_text("Only you see what is here")).to_be_visible()
        frame.get_by_role("button", name="Import").click()
        file = {"name": "no.zip", "mimeType": "application/zip", "buffer": b"no zip"}
        frame.locator("input[type=file]").first.set_input_files(file)
        expect(frame.get_by_role("alert").filter(has_text="no.zip")).to_be_visible()
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
