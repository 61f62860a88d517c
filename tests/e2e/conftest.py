"""One server and one browser for all end-to-end tests; every test has a reader of its own."""

import shutil

import pytest
from driving import AGAIN, COUNTS, SECONDS, WINDOW, Server, Tab, readers, unfold_mathematics
from playwright.sync_api import sync_playwright

from explorer.ui import here

# The first draws no window around its pages, at two thirds of the cost.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
QUIET = [
    *("disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync"),
    "font-render-hinting=none",  # letters as wide as in a window of a desk
]
TRUSTS = "ignore-certificate-errors"
"""Those of tests; Playwright's own option does not go for what a link with `download` asks."""


@pytest.fixture(scope="package")
def context(tmp_path_factory):
    """The browser, with one cache for all readers: on its disk compiled scripts are kept too."""
    if CHROMIUM is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the PATH")
    with sync_playwright() as api:
        context = api.chromium.launch_persistent_context(
            tmp_path_factory.mktemp("browser"),
            executable_path=CHROMIUM,
            args=["--no-sandbox", *(f"--{name}" for name in (*QUIET, TRUSTS))],
            viewport=WINDOW,
        )
        context.set_default_timeout(1000 * SECONDS)
        context.add_init_script(COUNTS)
        unfold_mathematics(context)
        context.add_cookies([AGAIN])
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


@pytest.fixture
def reader_here(open_reader, context, server):
    """Who has chosen to train in the browser, which holds no run of another test."""
    context.add_cookies([{"url": "http://localhost", **here.COOKIE}])
    page = context.new_page()
    runs = {"origin": server.address, "storageTypes": "indexeddb"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", runs)
    page.close()
    return open_reader()


@pytest.fixture(scope="module")
def kept(server, context, blank):
    """A reader whose one tab the tests of a module turn from link to link (`Tab.again`): those that
    need no start, nor a session, of their own."""
    with readers(server, context, blank) as open_:
        yield open_()


@pytest.fixture
def turned(request, kept):
    """A function that shows a page of the kept reader under a link. After a test that has failed
    the next one begins anew."""

    def show(path, spec):
        if not kept.pages:
            return kept.open(path, spec)
        tab = Tab(kept.pages[0], kept.server)
        tab.again(spec)
        return tab

    yield show
    well = request.node.stash[PASSED]
    try:
        kept.check()
    except AssertionError:
        well = False
        raise
    finally:
        if not well:
            kept.abandon()


PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.stash[PASSED] = report.passed
    return report
