"""A real server, and a reader in front of its pages: what the end-to-end tests drive."""

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from urllib.error import URLError
from urllib.parse import parse_qs, urlencode, urlsplit
from urllib.request import urlopen

from letting_in import word_of
from playwright.sync_api import BrowserContext, Download, Frame, FrameLocator, Locator, Page, expect
from playwright.sync_api import TimeoutError as PageTimeout

from explorer.bench.serving import free_port
from explorer.hosting.settings import PORTS
from explorer.runs import jobs
from explorer.runs.database import transaction
from explorer.runs.store import Store
from explorer.targets import parse
from explorer.ui import here, mathematics, page_file
from explorer.ui.opening import VISITED, VISITS
from explorer.ui.pages import FIRST, PAGES

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 90.0
"""The longest wait for anything, on a busy machine; nothing is asserted about how long it took."""

POLL = 50
"""Milliseconds between two looks at a page; one in every frame, as by default, is work for it."""

WINDOW = {"width": 1280, "height": 1000}

AGAIN = {"name": VISITS, "value": VISITED, "domain": "localhost", "path": "/"}
"""The browser has been here: all controls are there."""

GROUNDS = {"dark": "rgb(20, 23, 28)", "light": "rgb(255, 255, 255)"}
"""What lies below a page, by theme."""
GROUND = "app => getComputedStyle(app).backgroundColor"

NETWORK = {"rank": 2, "m_h": 3, "m_ff": 32, "n": 16, "d_v": 16, "warmup": 50}
"""A network small enough for a test, and large enough to learn its coupling."""

KNOWN_ERRORS = re.compile(
    # At a deep link Streamlit's client looks for its server under the page's path first.
    r"404 \(Not Found\) \(http://localhost:\d+/[\w/]+/_stcore/(health|host-config)\)"
    # Streamlit's download button asks for a file that the next rerun has already replaced.
    r"|404 \(Not Found\) \(http://localhost:\d+/media/\w+\.json\)"
    r"|Download Button source error - 404"
)

expect.set_options(timeout=1000 * SECONDS)


def until(condition, seconds=SECONDS):
    """The first true value of `condition`; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} s: {condition}"
        time.sleep(POLL / 1000)
    return value


def downloaded(page: Page | Frame, button: Locator) -> Download:
    """The file that a press of `button` brings, in a tab or in a frame of one. A run of the page,
    as the press starts one, lets Streamlit forget the buttons of before and in time their files:
    the page rests before it and when this returns, and where a file was forgotten too soon, the
    button is pressed again."""
    try:
        file = _pressed(page, button, SECONDS / 4)
    except PageTimeout:
        file = _pressed(page, button, SECONDS)
    file.path()
    at_rest(page)
    return file


def _pressed(page: Page | Frame, button: Locator, seconds: float) -> Download:
    at_rest(page)
    tab = page.page if isinstance(page, Frame) else page
    with tab.expect_download(timeout=1000 * seconds) as waiting:
        button.click()
    return waiting.value


def at_rest(page: Page | Frame) -> None:
    """Wait until no script of the page runs, nor is one asked for.

    At every look that finds something else, `expect` writes down all that the element holds, for
    its message: of a whole page that is a third of a second's work. This and `wait_for` do not.
    """
    page.wait_for_function(RESTS, timeout=1000 * SECONDS, polling=POLL)


RESTS = """() => !window.scriptAsked && document.querySelector("[data-testid=stApp]")
    ?.dataset.testScriptState === 'notRunning'"""

JOINED = "() => history.explorerWrote !== undefined && !document.getElementById('first')"

COUNTS = """(() => {
    const isOver = (bytes) => {
        let at = 0;
        const number = () => {
            let value = 0, shift = 0;
            do value |= (bytes[at] & 127) << shift; while (shift += 7, bytes[at++] & 128);
            return value;
        };
        while (at < bytes.length) {
            const field = number();
            if (field === 6 << 3) return number() !== 2; // cut short: another run follows
            if ((field & 7) !== 2) return false;
            const length = number();
            at += length;
        }
    };
    window.scriptsOver = 0;
    window.scriptAsked = false;
    const answered = () => (window.scriptAsked = false);
    window.WebSocket = class extends WebSocket {
        constructor(...given) {
            super(...given);
            this.addEventListener("message", ({ data }) => {
                if (!(data instanceof ArrayBuffer) || !isOver(new Uint8Array(data))) return;
                window.scriptsOver += 1;
                answered();
            });
            this.addEventListener("close", answered); // a new session runs it by itself
        }
        send(data) {
            window.scriptAsked ||= data instanceof Uint8Array && data[0] === ((11 << 3) | 2);
            super.send(data);
        }
    };
})()"""
"""Counts the runs of the page's script that are over, by what the server says: the field
script_finished of a ForwardMsg; and whether one is asked for, by rerun_script of a BackMsg. What
the page says of a short run a busy browser need not show, and of one to come nothing."""

STILL = """() => new Promise((done) => {
    const drawn = () => Object.entries(window)
        .filter(([name]) => name.startsWith("__explorer"))
        .reduce((sum, [, probe]) => sum + (probe?.draws ?? 0), 0);
    const moves = () => document.getAnimations().some((each) =>
        each.playState === "running" && each.effect.getComputedTiming().endTime < Infinity);
    let before = -1, quiet = 0;
    const look = () => {
        const main = document.querySelector("[data-testid=stMain]");
        const now = [drawn(), innerWidth, main?.scrollTop, main?.innerHTML.length].join();
        quiet = now === before && !moves() ? quiet + 1 : 0;
        before = now;
        if (quiet === 8) done();
        else requestAnimationFrame(look);
    };
    look();
})"""


RESTLESS = """(restless) => {
    const later = window.setTimeoutOfBefore ??= window.setTimeout;
    window.setTimeout = (act, wait, ...more) =>
        restless && wait === 450 ? 0 : later(act, wait, ...more);
}"""
"""Whether no finger rests for the 450 ms that core/drag.js calls a rest, however long a busy
machine takes from one message of a test to the next."""


def still(page: Page) -> None:
    """Wait until for some frames no picture is drawn, nothing scrolls, glides or fades, and the
    page stays as it is: what waited for a frame has had it."""
    page.evaluate(STILL)


def stands_at(what: Locator) -> dict[str, float]:
    """Its box, in view: what is scrolled to is still moved by what comes above it."""
    what.scroll_into_view_if_needed()
    still(what.page)
    box = what.bounding_box()
    assert box is not None
    return box


def choose_server(frame: Page | FrameLocator) -> None:
    """Where a visitor trains, who otherwise does so in this browser."""
    frame.get_by_role("button", name="⋯").click()
    frame.get_by_test_id("stButtonGroup").get_by_text(here.SERVER).click()
    frame.get_by_role("button", name="⋯").click()


def enter_word(frame: Page | FrameLocator, word: str) -> None:
    """On the Runs page of a public server, as somebody types it."""
    field = frame.get_by_role("textbox", name="Have a word?")
    field.fill(word)
    field.press("Enter")


def unfold_mathematics(context: BrowserContext) -> None:
    """As for who has opened it once; who is new here begins with `context.clear_cookies`."""
    context.add_cookies([{"url": "http://localhost", **mathematics.COOKIE}])


class Server:
    """`streamlit run app.py` on a free port, with a store of its own; `explorer serve`
    below a path, as behind a proxy, or for the public."""

    def __init__(self, home: Path, base: str = "", public: bool = False):
        self.home, self.store, self.public = home, Store(home), public
        self.port = free_port(PORTS - 1 if public else 0)
        self.base = base
        self.address = f"http://localhost:{self.port}/{base}".rstrip("/")
        self.process = None

    def start(self) -> None:
        port = str(self.port)
        words = ["streamlit", "run", "app.py", "--server.port", port, "--server.headless", "true"]
        if self.base:
            words = ["explorer", "serve", "--port", port, "--base-path", self.base]
        elif self.public:
            words = ["explorer", "serve", "--port", port, "--public"]
            words += ["--trusted-proxy", "127.0.0.1"]
        with (self.home / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, "EXPLORER_HOME": str(self.home)},
            )
        until(self._healthy)

    def word(self) -> str:
        """A new class word of a server for the public."""
        return word_of(self.store, secrets.token_hex(4))

    def _healthy(self) -> bool:
        assert self.process.poll() is None, (self.home / "server.log").read_text()
        try:
            return urlopen(f"{self.address}/_stcore/health", timeout=1).read() == b"ok"
        except (URLError, OSError):
            return False

    def stop(self) -> None:
        """Ctrl-C, as a person ends it."""
        if self.alive:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self) -> None:
        """As the out-of-memory killer ends it."""
        self.process.kill()
        self.process.wait()

    def end_work(self) -> None:
        """Stop what was left at work or waiting: the next test's run would wait for it."""
        with transaction(self.store.path) as db:
            asked = db.execute("SELECT run FROM work WHERE status IN ('queued', 'running')")
            names = [row["run"] for row in asked.fetchall()]
        for name in names:
            jobs.stop(self.store, name)

    def workers(self) -> list[int]:
        """The process ids of its training processes."""
        return [pid for pid, parent in workers() if parent == self.process.pid]

    def train(self, spec: dict) -> dict:
        """Id and metrics of a run that this process trains beside the server, on the same store."""
        from explorer.runs.execute import execute  # imports torch

        with self.store.start(parse(spec), "cpu") as lease:
            row = execute(self.store, lease.row)
        assert row.status == "finished", row.message
        return {"run": row.run, **row.metrics}

    def explorer(self, *words: str) -> dict:
        done = subprocess.run(
            [sys.executable, "-m", "explorer", *words],
            cwd=ROOT,
            capture_output=True,
            text=True,
            env={**os.environ, "EXPLORER_HOME": str(self.home)},
            timeout=2 * SECONDS,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def workers() -> list[tuple[int, int]]:
    """Process and parent ids of the training processes on this machine, by Linux' /proc."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if b"explorer.runs.worker" in (folder / "cmdline").read_bytes():
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                found.append((int(folder.name), int(fields[1])))
    return found


class Reader:
    """A reader's browser: its tabs, and everything in them that a reader should never see.

    `blank` holds tabs that an earlier reader has left: opening a new one costs a second more.
    """

    def __init__(self, server: Server, context: BrowserContext, blank: list, scheme: str = "light"):
        self.server, self.context, self.blank, self.scheme = server, context, blank, scheme
        self.pages: list[Page] = []
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def open(self, path="", spec=None, run=None, window=WINDOW, **query) -> "Tab":
        """Another tab, on a page of the explorer."""
        tab = self.empty(window)
        tab.go(path, spec, run, **query)
        return tab

    def empty(self, window=WINDOW) -> "Tab":
        """Another tab, on nothing."""
        tab = self.adopt(self.blank.pop() if self.blank else self.context.new_page())
        tab.page.bring_to_front()
        tab.page.set_viewport_size(window)
        return tab

    def adopt(self, page: Page) -> "Tab":
        """A tab of this reader, from its beginning or as a click has opened it."""
        page.emulate_media(color_scheme=self.scheme, reduced_motion="reduce")
        for event, hear in self._hears.items():
            page.on(event, hear)
        self.pages.append(page)
        return Tab(page, self.server)

    @cached_property
    def _hears(self) -> dict:
        return {
            "request": lambda request: self.requests.append(request.url),
            "websocket": lambda socket: self.requests.append(socket.url),
            "console": self._console,
            "pageerror": lambda error: self.complaints.append(str(error)),
        }

    def _console(self, message) -> None:
        text = f"{message.text} ({message.location.get('url')})"
        if message.type == "error" and not KNOWN_ERRORS.search(text):
            self.complaints.append(text)

    def forgive(self, reason: str) -> None:
        """Complaints that the test has brought about."""
        self.complaints = [text for text in self.complaints if reason not in text]

    def check(self) -> None:
        """No tab ends on an exception, none has complained, and nothing left this machine."""
        for page in self.pages:
            exceptions = page.get_by_test_id("stException")
            assert not exceptions.count(), exceptions.all_inner_texts()
        assert not self.complaints, self.complaints
        hosts = {urlsplit(url).hostname for url in self.requests if not url.startswith("blob:")}
        assert hosts == {"localhost"}, hosts

    def abandon(self) -> None:
        """Close the tabs, whatever is in them; this reader may open others."""
        for page in self.pages:
            page.close()
        self.pages, self.complaints = [], []

    def leave(self, well: bool) -> None:
        """Close the tabs; where all went well the first is left blank for the next reader."""
        first, *others = self.pages or [None]
        for page in others:
            page.close()
        if first and well:
            self._clear(first)
            self.blank.append(first)
        elif first:
            first.close()

    def _clear(self, page: Page) -> None:
        """Take a tab back to how it began: heard by nobody, without a history, at rest."""
        for event, hear in self._hears.items():
            page.remove_listener(event, hear)
        page.goto("about:blank")
        page.set_viewport_size(WINDOW)
        page.mouse.move(0, 0)
        session = self.context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()


@contextmanager
def readers(server: Server, context: BrowserContext, blank: list):
    """A function that opens readers, by default of this server; all are checked at the end."""
    opened: list[Reader] = []

    def open_(server=server, **options) -> Reader:
        opened.append(Reader(server, context, blank, **options))
        return opened[-1]

    yield open_
    well = False
    try:
        for reader in opened:
            reader.check()
        well = True
    finally:
        for reader in opened:
            reader.leave(well)
        for each in {reader.server for reader in opened if reader.server.alive}:
            each.end_work()
        context.clear_cookies(name=here.COOKIE["name"])


@contextmanager
def file_opened(context: BrowserContext, folder: Path, name: str, params: dict[str, str]):
    """A page as a file, without a network, in a tab of its own that has nothing to complain of."""
    file = folder / f"{name}.html"
    file.write_bytes(page_file.html(page_file.drawn(name, params)))
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    context.set_offline(True)
    try:
        page.goto(file.as_uri())
        yield page
    finally:
        context.set_offline(False)
    assert not complaints, complaints
    page.close()


OURS = ":not([data-testid=stBaseButton-header])"  # Streamlit has a Stop where a script is long
MENUS = {
    "⋯": ("One step", "Same start", "New seed", "Pin", "Unpin"),
    "Share": ("Copy link", "Link copied", "Picture", "PDF, CSV"),
}
"""What is in a menu of the page, by the name of the button that opens it."""


class Tab:
    """One page of the explorer in the browser."""

    def __init__(self, page: Page, server: Server):
        self.page, self.server = page, server

    def go(self, path="", spec=None, run=None, **query) -> None:
        """Open a page by its link, and wait until it is there. A dict becomes JSON."""
        query |= {"spec": spec, "run": run}
        texts = {
            name: json.dumps(value) if isinstance(value, dict) else value
            for name, value in query.items()
            if value
        }
        self.page.goto(f"{self.server.address}/{path}?{urlencode(texts)}")
        self.settle()

    def turn(self, spec, run=None) -> None:
        """The same page under another link, as Back brings it: without a new start. What it shows
        then is to be waited for."""
        text = json.dumps(spec) if isinstance(spec, dict) else spec
        query = {"spec": text} | ({"run": run} if run else {})
        self.page.evaluate(
            """(search) => {
                history.pushState(history.state, "", search);
                dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
            }""",
            f"?{urlencode(query)}",
        )

    def again(self, spec, run=None) -> None:
        """The page once more under a link, in the session as it is: a quarter of a start's work.
        Nothing else of the address stays, no menu is open, and the hand is away. It is in front:
        behind another tab a page draws once a second."""
        self.page.bring_to_front()
        self.page.keyboard.press("Escape")
        self.page.mouse.move(0, 0)
        self.page.set_viewport_size(WINDOW)
        with self.a_run():
            self.turn(spec, run)
        self.settle()
        still(self.page)  # the pictures have taken what the script has given them

    @contextmanager
    def a_run(self):
        """Around what lets the page's script run: waits until that run is over. One that is still
        at work would be taken for it."""
        at_rest(self.page)
        before = self.page.evaluate("scriptsOver")
        yield
        over = "before => scriptsOver > before"
        self.page.wait_for_function(over, arg=before, timeout=1000 * SECONDS, polling=POLL)
        at_rest(self.page)

    def settle(self) -> None:
        """Wait until the page of the address, and not the one before, asks its question and has a
        verdict, or says why it cannot, its script rests, a turn of it is one step, and the picture
        of its document has given way to its own: what hears of either may come last."""
        path = urlsplit(self.url).path.strip("/").removeprefix(self.server.base)
        page = PAGES[path.strip("/") or FIRST]
        self.page.get_by_role("heading", name=page.question).wait_for()
        card = self.page.locator(".st-key-tour")  # in the place of the verdict
        self.verdict.or_(self.warning).or_(card).first.wait_for()
        at_rest(self.page)
        self.page.wait_for_function(JOINED, timeout=1000 * SECONDS, polling=POLL)

    def draw(self, component: str) -> None:
        """Wait until a component has drawn its pictures and all that came with them stands still:
        until then what is below it moves."""
        self.places(component, "true")
        still(self.page)

    # What the reader sees

    @property
    def verdict(self) -> Locator:
        return self.page.get_by_test_id("stAlertContentInfo")

    @property
    def warning(self) -> Locator:
        return self.page.get_by_test_id("stAlertContentWarning")

    @property
    def status(self) -> Locator:
        return self.page.locator("[data-text=status]")

    @property
    def attention(self) -> Locator:
        return self.page.locator("canvas[data-panel=attention]")

    def unfold(self, *labels: str) -> None:
        """Open folds, one within the other, that are closed. One that the page draws anew under the
        press does not hear it, and is pressed again."""
        for label in labels:
            summary = self.page.locator("summary", has_text=label)
            fold = self.page.locator("details", has=summary).last
            opened = self.page.locator("details[open]", has=summary).last
            fold.wait_for()
            while fold.get_attribute("open") is None:
                at_rest(self.page)
                fold.locator("summary").first.click()
                with suppress(PageTimeout):
                    opened.wait_for(timeout=1000 * SECONDS / 9)

    def button(self, name: str) -> Locator:
        """A button of ours by its name; the menu that it is in is opened first."""
        named = re.compile(f"^{name}( at .*)?( Shortcut .)?$")
        found = self.page.get_by_role("button", name=named).and_(self.page.locator(OURS))
        for menu, names in MENUS.items():
            opener = self.page.get_by_role("button", name=menu, expanded=False)
            if name in names and not found.is_visible() and opener.is_visible():
                opener.click()
        return found

    def slider(self, name: str) -> Locator:
        return self.page.get_by_role("slider", name=name)

    # What the address holds

    @property
    def url(self) -> str:
        """The address now; playwright's own may lag behind it."""
        return self.page.evaluate("location.href")

    def parameter(self, name: str) -> str | None:
        return parse_qs(urlsplit(self.url).query).get(name, [None])[0]

    @property
    def run(self) -> str | None:
        return self.parameter("run")

    @property
    def spec(self) -> dict:
        """The specification in the address, its σ_k one by one; a page opened without one leaves
        it so."""
        values = json.loads(self.parameter("spec") or "{}")
        return values | ({"sigma": [*parse(values).sigma]} if "sigma" in values else {})

    @property
    def entries(self) -> int:
        """How many entries the history of this tab has."""
        return self.page.evaluate("history.length")

    # The live picture

    def frame(self) -> dict:
        """The header of the newest frame that was drawn, and how many were."""
        return self.page.evaluate("({frames: 0, ...__explorerLive.header, ...__explorerLive})")

    def wait_frame(self, condition: str) -> dict:
        """Wait for a frame of which a condition in JavaScript holds: `h` is its header."""
        script = f"() => {{ const h = window.__explorerLive?.header; return h && ({condition}) }}"
        self.page.wait_for_function(script, timeout=1000 * SECONDS, polling=POLL)
        return self.frame()

    def places(self, component: str, condition: str) -> dict:
        """Where the parts of a component are, once a condition of them in JavaScript holds: `r`."""
        self.page.wait_for_function(
            f"() => {{ const c = window.__explorer{component}; if (!c?.draws) return false;"
            f" const r = c.places(); return {condition} }}",
            timeout=1000 * SECONDS,
            polling=POLL,
        )
        return self.page.evaluate(f"window.__explorer{component}.places()")

    def wait_status(self, status: str) -> dict:
        """Wait for a status in the picture and in the facts that Python writes under it."""
        frame = self.wait_frame(f"h.status === '{status}'")
        self.page.get_by_text(f"status: {status}").wait_for()
        return frame

    def start(self, button="Train") -> str:
        """Press a button that starts a run; returns the new run, once its picture is here."""
        before = self.run
        self.button(button).click()
        run = until(lambda: self.run if self.run != before else None)
        self.wait_frame(f"h.run === '{run}'")
        return run
