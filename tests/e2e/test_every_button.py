"""Every button of every page is pressed once: nothing breaks, each does something, files open."""

import io
import json
import re
import zipfile
from contextlib import suppress

import pytest
from driving import NETWORK, SECONDS, Server, at_rest, readers, until
from playwright.sync_api import Error as PageError
from playwright.sync_api import TimeoutError as PageTimeout
from pressing import FIND, NODE, WATCH, WATCHED, check_file, happened

from explorer.ui.pages import FIRST, PAGES

LAST = re.compile(
    r"Delete|Remove|Forget|Begin with|Move to|Stop|Close|Done|Collapse", re.IGNORECASE
)
"""What takes other buttons away is pressed after them."""
MOST = 160
"""Buttons of a page; more are a search that does not end."""
TALK = {
    "version": 1,
    "title": "Two scenes",
    "scenes": [
        {"title": "First", "address": 'design?spec={"rank":2}', "steps": [{"words": "One."}] * 2},
        {"title": "Second", "address": "train", "steps": [{"words": "Two."}], "notes": "slowly"},
    ],
}
BRIEF = NETWORK | {"steps": 20, "warmup": 5}


@pytest.fixture(scope="module")
def own_server(context, tmp_path_factory):
    """One whose store may be emptied, and which can fetch nothing."""
    server = Server(tmp_path_factory.mktemp("pressed"))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PIP_NO_INDEX", "1")
        server.start()
    yield server
    server.stop()


class Presser:
    """A reader who presses all there is, on pages that `fresh` opens."""

    def __init__(self, reader, server, fresh, ready):
        self.reader, self.server, self.fresh, self.ready = reader, server, fresh, ready
        self.known: dict[str, str | None] = {}  # what opens it, where it is not there at first
        self.pressed: set[str] = set()
        self.files: set[str] = set()  # what is to bring a file
        self.faults: list[str] = []
        self.page = None

    def all(self):
        """Press everything once; what went wrong, one by one."""
        self.open()
        while (key := self.next()) is not None:
            assert len(self.pressed) < MOST, sorted(self.pressed)
            self.pressed.add(key)
            try:
                there = self.bring(key)
            except PageError as error:
                self.faults.append(f"{key}: what opens it cannot be pressed, {str(error)[:300]}")
                there = False
            if there:
                self.press(key)
        return self.faults

    def open(self):
        if self.page is not None:
            self.page.close()
            self.reader.pages.remove(self.page)
        self.page = self.fresh(self.reader)
        self.page.set_default_timeout(15_000)
        self.look(None)

    def look(self, opener):
        """The keys of what can be pressed now; what is new came with the `opener`."""
        found = self.page.evaluate(FIND)
        for each in found:
            self.known.setdefault(each["key"], opener)
        self.files |= {each["key"] for each in found if each["file"]}
        return [each["key"] for each in found]

    def next(self):
        left = [key for key in self.known if key not in self.pressed]
        return min(left, key=lambda key: bool(LAST.search(key)), default=None)

    def bring(self, key):
        """Have it on the page: as it is, behind what opens it, or on a page opened anew."""
        for attempt in ("as it is", "anew"):
            if attempt == "anew":
                self.open()
            if key in self.look(None):
                return True
            chain = [key]
            while (opener := self.known.get(chain[-1])) and opener not in chain:
                chain.append(opener)
            for opener in reversed(chain[1:]):
                if opener not in self.look(None):
                    break
                self.click(opener)
                self.rest()
            if key in self.look(None):
                return True
        return False  # it came with a state that is gone, such as a run at work

    def click(self, key):
        node = self.page.evaluate_handle(NODE, key).as_element()
        try:
            node.click(timeout=4000)
        except PageTimeout:  # something lies over it, as a popover does: away with that
            self.page.keyboard.press("Escape")
            node.click(timeout=8000)

    def press(self, key):
        files, tabs = [], []
        hear_file, hear_tab = lambda file: files.append(file), lambda tab: tabs.append(tab)
        self.page.on("download", hear_file)
        self.page.context.on("page", hear_tab)
        log = (self.server.home / "server.log").stat().st_size
        before = self.page.url
        try:
            self.page.evaluate(WATCH)
            self.click(key)
            seen = self.outcome(files, tabs, wants_file=key in self.files)
        except PageError as error:
            self.faults.append(f"{key}: cannot be pressed, {str(error)[:300]}")
            self.open()
            return
        finally:
            self.page.context.remove_listener("page", hear_tab)
            self.page.remove_listener("download", hear_file)
        self.judge(key, seen, files, tabs, log)
        self.server.end_work()
        turned = self.page.url.partition("?")[0] != before.partition("?")[0]
        if turned or LAST.search(key):
            self.open()
        else:
            self.look(key)

    def outcome(self, files, tabs, wants_file):
        """What has happened once the page rests: waits for the first sign, or for the file."""

        def seen():
            self.page.wait_for_timeout(20)
            now = self.page.evaluate(WATCHED)
            return files if wants_file else now if happened(now, files, tabs) else None

        with suppress(AssertionError):  # `judge` says of what nothing has come
            until(seen, SECONDS if wants_file else 5)
        self.rest()
        return self.page.evaluate(WATCHED)

    def rest(self):
        self.ready(self.page)

    def judge(self, key, seen, files, tabs, log):
        if not happened(seen, files, tabs):
            self.faults.append(f"{key}: nothing happened")
        if key in self.files and not files:
            self.faults.append(f"{key}: no file came")
        for file in files:
            try:
                check_file(file.suggested_filename, file.path().read_bytes())
            except Exception as error:  # of any kind: it is said with its button
                self.faults.append(f"{key}: {file.suggested_filename}: {error!r}"[:400])
        for tab in tabs:
            tab.close()
        for box in self.page.get_by_test_id("stException").all_inner_texts():
            self.faults.append(f"{key}: {box[:300]}")
        if self.reader.complaints:
            self.faults.append(f"{key}: {self.reader.complaints}"[:400])
            self.reader.complaints.clear()
        written = (self.server.home / "server.log").read_bytes()[log:].decode(errors="replace")
        if "Traceback" in written:
            self.faults.append(f"{key}: {written[-800:]}")


def rests(page):
    """The page of a script is at rest, and stays so for a moment."""
    at_rest(page)
    page.wait_for_timeout(80)
    at_rest(page)


def opener(server, path):
    """A function that opens a page as its buttons want it: Runs and Talk with something in them."""

    def fresh(reader):
        query = {}
        if path == "runs":
            runs = [server.train(BRIEF | {"seed": seed})["run"] for seed in (1, 2)]
            query["runs"] = ",".join(runs)
        if path == "talk":
            (server.home / "talk.json").write_text(json.dumps(TALK), "utf-8")
        tab = reader.open("" if path == FIRST else path, **query)
        rests(tab.page)
        return tab.page

    return fresh


@pytest.mark.slow  # minutes a page, on a busy machine
@pytest.mark.parametrize("path", PAGES)
def test_every_button_of_a_page_does_something_and_breaks_nothing(path, own_server, context, blank):
    with readers(own_server, context, blank) as open_reader:
        presser = Presser(open_reader(), own_server, opener(own_server, path), rests)
        faults = presser.all()
        assert not faults, "\n".join(faults)
        assert len(presser.pressed) >= 8, sorted(presser.pressed)


def zipped(name, data):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), data)  # of no time: all processes name one test
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.zip", zipped("a.csv", "x,y\n1,2\n")[:-30]),
        ("a.zip", zipped("a.csv", "x,y\n1\n")),
        ("a.json", b"{"),
        ("a.svg", b"<html/>"),
        ("a.png", b"\x89PNG"),
        ("a.pdf", b"%PDF-1.4"),
        ("a.html", b"<!doctype html>" + b" " * 1000 + b'<img src="https://example.org/a.png">'),
        ("a.csv", b""),
        ("a.exe", b"MZ"),
    ],
)
def test_a_file_that_does_not_open_is_found(name, data):
    """The negative control of `check_file`."""
    with pytest.raises(Exception):  # noqa: B017 - each kind of file has its own
        check_file(name, data)


def test_a_press_that_does_nothing_is_found():
    """The negative control of `happened`."""
    nothing = {"changes": 0, "ran": False, "draws": 0, "turned": False}
    assert not happened(nothing, [], [])
    assert happened(nothing | {"draws": 1}, [], []) and happened(nothing, ["a.csv"], [])
