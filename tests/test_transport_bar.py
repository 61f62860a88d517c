"""The buttons of a run are those of its status, whatever happens between two looks at it."""

import random
from collections import deque
from contextlib import suppress

import pytest

from explorer.runs.frames import unpack
from explorer.runs.store import Store
from explorer.runs.transitions import RunError
from explorer.spec import CouplingSpec
from explorer.ui import live as route
from explorer.ui.transport import BUTTONS

SPEC = CouplingSpec(steps=400)
HEAR = """
const told = [];
const feed = Object.assign(Object.create(c.RunStream.prototype), {
  page, push: "here", runId: "r", run: c.emptyRun(), probed: {}, t: null,
  followPins() {}, invalidate() {}, setStateValue(name, report) { told.push(report); },
});
feed.knownSelection = feed.selection;
feed.selections = Object.assign(c.selectionsOf(feed), exchange);
if (follow) feed.follow({ push: "here", run: "r", ...follow });
if (frame) feed.receive({ header: frame, arrays: {} });
const { visit, rev, unanswered } = feed.selections;
return { page: feed.page, exchange: { visit, rev, unanswered }, told };
"""


class Bar:
    """A reader's page, the socket that feeds it, and a worker: each acts when it is told to."""

    def __init__(self, javascript, folder):
        self.javascript, self.store = javascript, Store(folder)
        self.run = self.store.create(SPEC, "paused")
        self.stream = route.RunStream(self.run, self.store.read(self.run), self.store)
        self.page = {"drawn": None, "now": None, "told": None}
        self.exchange, self.answers = {}, {"visit": "", "rev": 0}
        self.lease, self.step, self.reruns = None, 0, 0
        self.to_browser, self.to_python = deque(), None
        self.draw()

    @property
    def row(self):
        return self.store.get(self.run)

    def draw(self):
        """Python draws the buttons of what the store says; the browser hears of it later."""
        self.drawn = self.row
        selection = {"step": None, "t": None, "answers": self.answers}
        self.to_browser.append({"follow": {"turn": self.drawn.drawn_state, "selection": selection}})

    def press(self, command):
        """A button that is enabled: the page may not know yet that it is too late for it."""
        _, _, statuses, _ = BUTTONS[command]
        if self.drawn.status in statuses:
            with suppress(RunError):
                self.store.request(self.run, command)
            self.draw()

    def look(self):
        """The server looks at the run, and sends a frame where anything is new."""
        if (frame := self.stream.frame()) is not None:
            self.to_browser.append({"frame": unpack(frame)[0]})

    def deliver(self):
        """The browser gets the next thing that was sent to it."""
        if self.to_browser:
            sent = {"follow": None, "frame": None, **self.to_browser.popleft()}
            now = {"page": self.page, "exchange": self.exchange}
            answer = self.javascript("live", HEAR, **now, **sent)
            self.page, self.exchange = answer["page"], answer["exchange"]
            self.to_python = (answer["told"] or [self.to_python])[-1]

    def rerun(self):
        if told := self.to_python:
            self.to_python, self.reruns = None, self.reruns + 1
            self.answers = {"visit": told["visit"], "rev": told["changes"][-1][0]}
            self.draw()

    def lose(self):
        """What the browser has told never comes; it is told again at the next drawing."""
        if self.to_python:
            self.to_python = None
            self.draw()

    def claim(self):
        self.lease = self.lease or self.store.claim("cpu")

    def work(self, end=None):
        """A step; the run then rests as it was told to, or ends as `end` says."""
        if self.lease is None:
            return
        command, pause_at = self.store.control(self.run).command, self.lease.row.pause_at
        if end != "failed":
            self.step += 1
        status = {"pause": "paused", "stop": "stopped"}.get(command)
        status = end or ("paused" if pause_at and self.step >= pause_at else status)
        message = {"message": "it broke"} if end == "failed" else {}
        if status:
            self.store.save(self.run, status=status, step=self.step, **message)
            self.leave()

    def leave(self):
        """Without a word in the store: what `kill -9` does."""
        if self.lease:
            self.lease.release()
        self.lease = None

    def settle(self):
        """Nobody does anything any more; what was said is heard."""
        before = self.reruns
        for _ in range(6):
            self.look()
            while self.to_browser:
                self.deliver()
            self.rerun()
        assert self.reruns - before <= 3, "the page goes on asking for itself"

    def assert_true(self):
        assert self.drawn.status == self.row.status
        assert (self.drawn.step, self.drawn.message) == (self.row.step, self.row.message)


@pytest.fixture
def bar(javascript, tmp_path):
    made = Bar(javascript, tmp_path)
    made.settle()
    yield made
    made.leave()


def test_one_step_that_is_over_between_two_looks(bar):
    for step in range(1, 5):
        bar.press("step")
        bar.claim()
        bar.work()
        bar.settle()
        bar.assert_true()
        assert (bar.row.status, bar.row.step) == ("paused", step)


def test_one_step_whose_end_is_seen_before_its_beginning_is_drawn(bar):
    bar.press("step")
    drawn = bar.to_browser.popleft()
    bar.claim()
    bar.work()
    bar.look()
    bar.to_browser.append(drawn)
    bar.settle()
    bar.assert_true()


def test_a_run_that_fails_again_in_the_same_words(bar):
    for _ in range(3):
        bar.press("resume")
        bar.claim()
        bar.work("failed")
        bar.settle()
        bar.assert_true()
        assert bar.drawn.status == "failed"


ACTS = {
    **{command: lambda bar, c=command: bar.press(c) for command in BUTTONS},
    "look": Bar.look,
    "deliver": Bar.deliver,
    "rerun": Bar.rerun,
    "lose": Bar.lose,
    "claim": Bar.claim,
    "work": Bar.work,
    "kill": Bar.leave,
    **{end: lambda bar, e=end: bar.work(e) for end in ("failed", "diverged", "finished")},
}
WEIGHTS = [3, 5, 5, 2, 5, 8, 3, 1, 6, 6, 1, 1, 0.2, 0.2]


def wander(javascript, folder, seed, acts):
    """Anything in any order; whatever it was, the buttons are right once it is over."""
    dice, bar = random.Random(seed), Bar(javascript, folder)
    for name in dice.choices(list(ACTS), WEIGHTS, k=acts):
        ACTS[name](bar)
        if dice.random() < 0.1:
            bar.settle()
            bar.assert_true()
    bar.settle()
    bar.assert_true()
    bar.leave()


@pytest.mark.parametrize("seed", range(12))
def test_any_transitions_in_any_order(javascript, tmp_path, seed):
    wander(javascript, tmp_path, seed, 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 400))
def test_very_many_transitions(javascript, tmp_path, seed):
    wander(javascript, tmp_path, seed, 150)
