"""What a newcomer and a lecturer come for takes few presses, and no scrolling.

Each of the ten tasks took so many presses when the pages were first tried by somebody who did not
know them; now it takes half of them at most, where half of one is one, and one for a menu.
"""

import json
import math
import zipfile

import numpy as np
from driving import NETWORK, Tab, at_rest, downloaded, still, until
from playwright.sync_api import Locator, expect

ORDINARY, STAGE = {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}
TRIED = {1: 2, 2: 1, 3: 2, 4: 6, 5: 2, 7: 8, 8: 2, 9: 1}
"""Presses that a task took then; 6 was three drags; 10, to swipe, is of test_hands.py."""
MENU = {8: 1, 9: 1}
"""Presses that open the menu in which what a task needs is, among what is seldom asked for."""
LONG = NETWORK | {"steps": 20000, "batch": 8}
"""A run that is still at work when it is to be paused."""

BESIDE = ".st-key-add-beside button"

DROP = """([name, text]) => {
    const files = new DataTransfer();
    files.items.add(new File([text], name));
    for (const kind of ["dragover", "drop"])
        document.querySelector("[data-testid=stMain]").dispatchEvent(
            new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
}"""
IN_PLACE = """(what) => new Promise((done) => {
    let before = "", quiet = 0;
    const look = () => {
        const { x, y, width, height } = what.getBoundingClientRect();
        const now = [x, y, width, height, innerWidth].join();
        quiet = now === before ? quiet + 1 : 0;
        before = now;
        if (quiet === 8) done();
        else requestAnimationFrame(look);
    };
    look();
})"""
"""An element has been where it is for some frames: beside a live picture all else may be drawn."""
SCRIPTS = "performance.getEntriesByType('resource').map((each) => each.name).join()"
TOP = "document.querySelector('[data-testid=stMain]').scrollTop"


class Hand:
    """Counts what is pressed. It never scrolls: what is not in the window cannot be reached."""

    def __init__(self, tab: Tab, window=ORDINARY):
        self.tab, self.page, self.window = tab, tab.page, window
        self.clicks = self.drags = self.keys = 0
        self.page.set_viewport_size(window)
        still(self.page)

    def press(self, what: Locator, x=0.5, y=0.5):
        """Click at a part of an element's width and height."""
        what = what.first
        what.wait_for()
        what.evaluate(IN_PLACE)
        until(lambda: (at := what.bounding_box()) and 0 <= at["y"] <= self.window["height"])
        box = what.bounding_box()
        self._click(box["x"] + x * box["width"], box["y"] + y * box["height"])

    def press_at(self, panel, x, y):
        """Click at a place of a canvas."""
        self._click(*self._spot(panel, x, y))

    def drag(self, panel, start, end):
        mouse = self.page.mouse
        mouse.move(*self._within(*self._spot(panel, *start)))
        mouse.down()
        mouse.move(*self._within(*self._spot(panel, *end)), steps=8)
        mouse.up()
        self.drags += 1

    def key(self, name):
        self.page.keyboard.press(name)
        self.keys += 1

    def turn(self, page):
        """To another page, by its name above."""
        self.press(self.page.get_by_test_id("stTopNavLink").filter(has_text=page))

    def sees(self, what: Locator):
        """The element is in the window as a whole; beside it a run may be at work."""
        what.first.wait_for()
        what.first.evaluate(IN_PLACE)
        until(lambda: self._holds(what.first))

    def _holds(self, what):
        """Whether the window has all of it: a page that turns or scrolls takes a while."""
        box = what.bounding_box()
        return box and all(
            box[at] >= 0 and box[at] + box[wide] <= self.window[wide]
            for at, wide in (("x", "width"), ("y", "height"))
        )

    def panel(self, name):
        return self.page.locator(f"canvas[data-panel={name}]")

    def _click(self, x, y):
        self.page.mouse.click(*self._within(x, y))
        self.clicks += 1

    def _spot(self, panel, x, y):
        box = self.panel(panel).bounding_box()
        return box["x"] + x, box["y"] + y

    def _within(self, x, y):
        assert 0 <= x <= self.window["width"] and 0 <= y <= self.window["height"], (x, y)
        return x, y

    def done(self, task):
        """The task is done: with at most half of the presses that it took, once a menu is open."""
        pressed = self.clicks + self.drags + self.keys
        assert pressed <= math.ceil(TRIED[task] / 2) + MENU.get(task, 0), (task, vars(self))


def rank_is(hand, rank):
    """Take the rank's slider to a value of its list, by a press on its track."""
    values = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, None)
    slider = hand.page.locator(".st-key-field-rank").get_by_role("group")
    hand.press(slider, values.index(rank) / (len(values) - 1))
    until(lambda: hand.tab.spec.get("rank") == rank)


def test_the_tasks_of_a_design(reader):
    tab = reader.open()
    hand = Hand(tab)
    rank_is(hand, 3)
    expect(tab.verdict).to_contain_text("Centred rank 3")
    hand.sees(hand.panel("maps"))
    hand.done(1)

    hand = Hand(tab)
    hand.press(tab.page.get_by_role("radio", name="formula"))
    field = tab.page.locator(".st-key-field-formula input")
    expect(field).to_be_focused()
    tab.page.keyboard.type("exp(-abs(u-v)*4)\n")
    until(lambda: tab.spec.get("formula") == "exp(-abs(u-v)*4)")
    hand.done(2)

    grid = np.random.default_rng(0).normal(size=(40, 40))
    text = "\n".join(",".join(f"{x:.4f}" for x in row) for row in grid)
    tab.page.evaluate(DROP, ["mine.csv", text])
    until(lambda: tab.spec.get("grid"))
    expect(tab.page.get_by_text("mine.csv")).to_be_visible()
    tab.page.evaluate(DROP, ["mine.txt", text])
    expect(tab.warning).to_contain_text("mine.txt")
    tab.page.evaluate(
        DROP, ["wide.csv", "1," * 9_990_000]
    )  # what the socket brings is a third more
    expect(tab.page.get_by_text("wide.csv: the .csv file has").first).to_be_visible(timeout=30_000)
    tab.page.evaluate(DROP, ["large.csv", "1," * 10_000_001])
    expect(tab.page.get_by_text("large.csv: more than the 20 MB").first).to_be_visible()

    hand = Hand(tab)
    hand.press(tab.button("Share"))
    hand.press(tab.button("Copy link"))
    expect(tab.page.locator(".st-key-copy-link [role=status]")).to_contain_text(
        "link", ignore_case=True
    )
    hand.done(9)


def test_two_widths_are_trained_and_compared(reader):
    tab = reader.open("", LONG)
    hand = Hand(tab)
    hand.press(tab.button("Train"))
    tab.wait_frame("h.status === 'running'")
    hand.press(tab.button("Pause"))
    first = tab.wait_frame("h.status === 'paused'")["header"]["run"]
    hand.press(tab.page.locator(BESIDE))
    until(lambda: tab.parameter("pin") == first and tab.run != first)
    tab.wait_frame(f"h.run !== '{first}'")
    expect(tab.page.locator(".st-key-ghosts button").first).to_be_visible()
    hand.done(4)
    tab.button("Stop").click()
    tab.wait_frame("['stopped', 'finished'].includes(h.status)")


WIDTHS = (*range(1, 9), 10, 12, 14, 16)
"""Of the shipped Figure 1."""


def press_point(hand, m_h):
    """Press the point of the first panel's r = 6, the second of its curves."""
    points = hand.tab.places("Rates", "!r.predicting && r.points.length")["points"]
    own = points[len(points) // 6 : len(points) // 3]
    at = sorted({x for x, _ in own})[WIDTHS.index(m_h)]
    still(hand.page)
    hand.press_at("figure", *next(point for point in own if point[0] == at))
    hand.tab.places("Rates", f"r.chosen.m_h === {m_h} && r.chosen.series === 'r = 6'")


def test_the_tasks_of_finished_runs(reader):
    tab = reader.open("rates")
    hand = Hand(tab)
    press_point(hand, 6)
    why = tab.page.locator("[data-text=why]")
    expect(why).to_contain_text("σ")
    hand.sees(why)
    hand.done(5)

    few = ("rates", "memory", "real")
    for page in (*few, "", "train", "attention", "order"):
        tab.go(page)
        tab.page.locator("canvas").first.wait_for()
        hand = Hand(tab)
        hand.press(tab.button("Share"))
        hand.sees(tab.button("PDF, CSV"))
        file = downloaded(tab.page, tab.button("PDF, CSV"))
        names = zipfile.ZipFile(file.path()).namelist()
        assert {name.rpartition(".")[2] for name in names} == {"pdf", "csv"}, page
        assert len(names) >= (2 if page in few else 8), names
        assert "SyntaxHighlighter" not in tab.page.evaluate(SCRIPTS), "no menu waits for 1.5 MB"
        hand.clicks += 1
        hand.done(8)

    before = tab.places("Order", "r.floors && r.tokens")["floors"]["time_invariant"]
    hand = Hand(tab)
    hand.press(tab.button("find the hardest for an RNN"))
    tab.places("Order", f"r.settled && r.floors.time_invariant > {before}")
    hand.done(7)


def test_share_opens_where_nothing_is_pictured(reader):
    tab = reader.open("runs")
    for page in ("runs", "talk"):
        tab.go(page)
        hand = Hand(tab)
        hand.press(tab.button("Share"))
        hand.sees(tab.button("Copy link"))


def test_a_hand_on_each_attention_task(reader):
    """Task 6, which took three drags: two presses turn to the other tasks."""
    tab = reader.open("attention")
    hand = Hand(tab)
    drawn, board = "r.predicted && r.agrees !== null", None
    for task, target in {
        "nearest point": "nearest",
        "centre of gravity": "cog",
        "q-sparse averaging (qSA)": "qsa",
    }.items():
        if target != "nearest":
            shown = json.dumps(json.dumps(board, separators=(",", ":")))
            hand.press(tab.page.get_by_role("radio", name=task))
            until(lambda target=target: tab.spec.get("target") == target)
            other = f"JSON.stringify(__explorerAttention.places().board) !== {shown}"
            calm = f"() => {{ try {{ return {other} }} catch {{ return false }} }}"
            tab.page.wait_for_function(calm)  # between two tasks nothing has its place
            at_rest(tab.page)
            still(tab.page)
        before = tab.places("Attention", drawn)
        hand.drag("plane", before["spots"][1], [150, 160])
        board = tab.places("Attention", f"{drawn} && r.rev > {before['rev']}")["board"]
    assert (hand.clicks, hand.drags, hand.keys) == (2, 3, 0)


def test_a_lecturers_seven_scenes_need_twelve_presses_and_no_scrolling(reader):
    tab = reader.open("", LONG | {"rank": None})
    hand = Hand(tab, STAGE)
    for panel in ("spectrum", "maps"):
        hand.sees(hand.panel(panel))
    rank_is(hand, 6)  # the coupling and its cliff
    spot = tab.places("Design", "r.dots?.length === 6")["dots"]
    hand.drag("spectrum", spot[1], [spot[1][0], spot[1][1] + 10])
    until(lambda: tab.spec.get("sigma"))
    hand.press(tab.button("Theorem 4.1 ↓"))
    hand.sees(hand.panel("terms"))
    hand.key("t")  # training, below the cliff and on it
    tab.wait_frame("h.status === 'running'")
    hand.press(tab.page.locator(BESIDE))
    until(lambda: tab.parameter("pin"))
    for panel in ("error", "coupling"):
        hand.sees(hand.panel(panel))
    hand.turn("Rates")  # of this coupling nothing is trained
    hand.press(tab.page.get_by_role("radio", name="Example: Figure 1"))
    tab.places("Rates", "r.points.length > 100")
    hand.press(tab.button("Predict first"))
    box = tab.places("Rates", "r.predicting")["boxes"][0]
    hand.drag("figure", [box["x"] + 5, box["y"] + 20], [box["x"] + box["w"] - 5, box["y"] + 120])
    hand.press(tab.button("Reveal"))
    for m_h in (5, 6):
        press_point(hand, m_h)
    for panel in ("figure", "spectrum"):
        hand.sees(hand.panel(panel))
    hand.turn("Attention")
    before = tab.places("Attention", "r.predicted && r.agrees !== null")
    hand.drag("plane", before["spots"][1], [150, 160])
    for panel in ("plane", "graph", "matrix"):
        hand.sees(hand.panel(panel))
    hand.turn("Order")  # the coupling is there in another order, then a filter
    tab.places("Order", "r.settled && r.names.order === 'reverse'")
    hand.press(tab.button("random positive"))
    tab.places("Order", "r.settled && r.names.filter === 'positive'")
    for panel in ("tokens", "errors", "filter"):
        hand.sees(hand.panel(panel))
    assert hand.clicks <= 12, hand.clicks
    assert tab.page.evaluate(TOP) == 0
