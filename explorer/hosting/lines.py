"""Pages in line: of all in one line one computes at a time, and who came first is next.

A page that computes for longer than its `seconds` goes on beside the next, so that a wait is
bounded: by these seconds for each page before it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LOOK_SECONDS = 0.2


@dataclass(eq=False)
class Page:
    """In a line; `began` is when it could compute, None while it waits."""

    line: str
    seconds: float
    waits: Callable[[], None]
    began: float | None = None


class Lines:
    """All lines by their names; there are those in which somebody is. Any thread may ask."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self.clock = clock
        self._pages: dict[str, list[Page]] = {}
        self._moved = threading.Condition()

    @contextmanager
    def turn(self, page: Page) -> Iterator[None]:
        """The page computes, once it may."""
        self._enter(page)
        try:
            yield
        finally:
            self._leave(page)

    @contextmanager
    def aside(self, page: Page) -> Iterator[None]:
        """It waits for something else meanwhile, and comes last in line again afterwards."""
        self._leave(page)
        yield
        self._enter(page)

    def _enter(self, page: Page) -> None:
        """`waits` is called several times a second until then; it may raise."""
        with self._moved:
            self._pages.setdefault(page.line, []).append(page)
        try:
            while not self._comes(page):
                page.waits()
        except BaseException:
            self._leave(page)
            raise

    def _comes(self, page: Page) -> bool:
        """Whether its turn comes within LOOK_SECONDS."""
        with self._moved:
            comes = self._moved.wait_for(lambda: self._may(page), LOOK_SECONDS)
            page.began = self.clock() if comes else None
            return comes

    def _may(self, page: Page) -> bool:
        line, now = self._pages[page.line], self.clock()
        before = line[: line.index(page)]
        return all(each.began is not None and now - each.began > each.seconds for each in before)

    def _leave(self, page: Page) -> None:
        with self._moved:
            line = self._pages.get(page.line, [])
            if page in line:
                line.remove(page)
            if not line:
                self._pages.pop(page.line, None)
            self._moved.notify_all()
