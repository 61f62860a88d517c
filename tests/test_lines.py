"""Pages in line, each in a thread of its own; time is a clock of the tests' own."""

import threading

import pytest
from waiting import wait_until

from explorer.hosting.fair import Lines, Page


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Left(BaseException):
    """As Streamlit ends a script whose page has moved on."""


def leaves():
    raise Left


class Crowd:
    """Pages that compute until they are told to go."""

    def __init__(self):
        self.clock = Clock()
        self.lines = Lines(self.clock)
        self.inside, self.going, self.threads = [], {}, {}

    def come(self, name, line="one"):
        """A page comes, and stands in line or computes when this returns."""
        self.going[name] = threading.Event()
        page = Page(line, 10.0, lambda: None)
        before = len(self.lines._pages.get(line, ()))

        def computes():
            with self.lines.slot(page):
                self.inside.append(name)
                assert self.going[name].wait(20)
            self.inside.remove(name)

        thread = self.threads[name] = threading.Thread(target=computes)
        thread.start()
        wait_until(lambda: len(self.lines._pages.get(line, ())) > before)
        return page

    def go(self, name):
        self.going[name].set()
        self.threads[name].join()


@pytest.fixture
def crowd():
    crowd = Crowd()
    yield crowd
    for name in crowd.going:
        crowd.go(name)
    assert not crowd.lines._pages, "nothing is known of who has gone"


def test_one_of_a_line_computes_and_who_came_first_is_next(crowd):
    for name in "abc":
        crowd.come(name)
    wait_until(lambda: crowd.inside == ["a"])
    crowd.come("d", "other")
    wait_until(lambda: crowd.inside == ["a", "d"])
    crowd.go("a")
    wait_until(lambda: crowd.inside == ["d", "b"])
    crowd.go("b")
    wait_until(lambda: crowd.inside == ["d", "c"])


def test_who_computes_for_long_holds_nobody_up_any_more(crowd):
    for name in "abc":
        crowd.come(name)
    wait_until(lambda: crowd.inside == ["a"])
    crowd.clock.now = 10.5
    wait_until(lambda: crowd.inside == ["a", "b"])
    crowd.clock.now = 20.0  # b's seconds are not over
    crowd.come("d", "other")
    wait_until(lambda: crowd.inside == ["a", "b", "d"])
    crowd.clock.now = 21.0
    wait_until(lambda: crowd.inside == ["a", "b", "d", "c"])


def test_who_waits_for_something_else_lets_others_go_on_and_comes_last_again(crowd):
    mine = Page("one", 10.0, lambda: None)
    with crowd.lines.slot(mine):
        crowd.come("a")
        crowd.come("b")
        assert crowd.inside == []
        with crowd.lines.aside(mine):
            wait_until(lambda: crowd.inside == ["a"])
            threading.Timer(0.1, crowd.going["a"].set).start()
            threading.Timer(0.1, crowd.going["b"].set).start()
        assert crowd.inside == [], "a and b came before"
        crowd.come("c")
        assert crowd.inside == []
    wait_until(lambda: crowd.inside == ["c"])


def test_a_page_that_is_left_while_it_waits_holds_nobody_up(crowd):
    crowd.come("a")
    with pytest.raises(Left), crowd.lines.slot(Page("one", 10.0, leaves)):
        pytest.fail("a computes")
    crowd.come("b")
    crowd.go("a")
    wait_until(lambda: crowd.inside == ["b"])


def test_a_page_that_is_left_when_it_comes_back_is_in_no_line(crowd):
    mine = Page("one", 10.0, leaves)
    with pytest.raises(Left), crowd.lines.slot(mine), crowd.lines.aside(mine):
        crowd.come("a")
