"""A page from its address on, as a bare tab: what its document draws before any session."""

from urllib.parse import urlencode

from driving import POLL, SECONDS

from explorer.ui.pages import FIRST

DRAWN = "() => document.getElementById('first')?.dataset.drawn !== undefined"
GONE = "() => !document.getElementById('first')"
HEALTH = "**/_stcore/health"


def arrive(page, server, name, **params):
    path = "" if name == FIRST else name
    page.goto(f"{server.address}/{path}?{urlencode(params)}".rstrip("?"), wait_until="commit")


def silence(page):
    """Streamlit's client does not hear that there is a server, so that no session begins."""
    page.route(HEALTH, lambda _: None)


def wait(page, condition):
    page.wait_for_function(condition, timeout=1000 * SECONDS, polling=POLL)
