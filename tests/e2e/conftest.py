"""One server and one browser for all end-to-end tests; every test has a reader of its own."""

import shutil

import pytest
from driving import SECONDS, WINDOW, Server, readers
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
QUIET = ["disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync"]


@pytest.fixture(scope="package")
def context(tmp_path_factory):
    """The browser, with one cache for all readers: on its disk compiled scripts are kept too."""
    if CHROMIUM is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    with sync_playwright() as api:
        context = api.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=CHROMIUM,
            args=["--no-sandbox", *(f"--{name}" for name in QUIET)],
            viewport=WINDOW,
        )
        context.set_default_timeout(1000 * SECONDS)
        yield context
        context.close()


@pytest.fixture(scope="package")
def server(context, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("home"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="package")
def blank():
    """Tabs that readers have left for the next."""
    return []


@pytest.fixture
def open_reader(context, server, blank):
    with readers(server, context, blank) as open_:
        yield open_


@pytest.fixture
def reader(open_reader):
    return open_reader()
