"""Whose page may compute now, on a server that is open to the public.

What a page computes takes the processor from the others' pages of its process, which are threads.
So each visitor has so many processor seconds a minute, saved up for one, for all pages together.
Who has used them up waits, and nobody else. Visitors without a word have them by address, all from
one together, as a new cookie costs nothing.

All with one word, however many places it has, compute two pages at a time: a quick one and a slow
one, by what the last pages of their visitors took. Those of one address without a word do so, too.
Each of the two is a line: one page computes at a time, and who came first is next. One that
computes for longer than its `seconds` goes on beside the next, so that a wait is bounded: by these
seconds for each page before it.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

MINUTE = 60.0
LOOK_SECONDS = 0.2
FILES = 2
"""Files of one visitor that are made at once."""
QUICK = 0.25
"""Processor seconds that a quick page takes, and seconds until it holds up no other."""
LONGEST = 10.0
"""Seconds until a slow page holds up no other."""
KNOWN = 1000
"""Visitors whose use is remembered at the least."""


class TooMany(RuntimeError):
    """A visitor has more made than is made at once."""


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
    def slot(self, page: Page) -> Iterator[None]:
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
        """Whether its slot comes within LOOK_SECONDS."""
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


@dataclass
class _Account:
    left: float
    at: float
    page: float = 2 * QUICK
    """Processor seconds that its next page is taken for: those of the last, or half of what the
    last was taken for; the first is a slow one."""
    files: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(FILES))


class Shares:
    """What is left to each visitor of `seconds` a minute; those with one `payer` share them. Pages
    of visitors with one `line` take turns. Any thread may ask."""

    def __init__(
        self,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        payer: Callable[[str], str] = str,
        line: Callable[[str], str] = str,
    ):
        self.seconds, self.clock, self.payer, self.line = seconds, clock, payer, line
        self.lines = Lines(clock)
        self._accounts: dict[str, _Account] = {}
        self._lock = threading.Lock()

    def wait(self, owner: str) -> float:
        """Seconds until a page of this visitor may compute; 0 where it may now."""
        return max(0.0, -self._account(owner).left * MINUTE / self.seconds)

    def charge(self, owner: str, seconds: float) -> None:
        """Count processor seconds; the last page may have taken more than was left."""
        account = self._account(owner)
        with self._lock:
            account.left -= seconds
            account.page = max(seconds, account.page / 2)

    @contextmanager
    def page(self, owner: str, waits: Callable[[float], None]) -> Iterator[Page]:
        """A page of this visitor computes, once it may; until then `waits` is told in how many
        seconds that is, several times a second, 0 where others in its line are computed. It may
        raise."""
        while left := self.wait(owner):
            waits(left)
            time.sleep(min(left, LOOK_SECONDS))
        is_quick = self._account(owner).page <= QUICK
        line = f"{'quick' if is_quick else 'slow'} of {self.line(owner)}"
        page = Page(line, QUICK if is_quick else LONGEST, lambda: waits(0.0))
        with self.lines.slot(page):
            yield page

    @contextmanager
    def file(self, owner: str) -> Iterator[None]:
        """A file of this visitor is made, which may take a process of its own: all its time counts.
        Raises TooMany instead of waiting."""
        account = self._account(owner)
        if not account.files.acquire(blocking=False):
            raise TooMany(f"{FILES} files are being made already")
        began = self.clock()
        try:
            yield
        finally:
            account.files.release()
            self.charge(owner, self.clock() - began)

    def _account(self, owner: str) -> _Account:
        """As it is now."""
        payer = self.payer(owner)
        with self._lock:
            now = self.clock()
            account = self._accounts.setdefault(payer, _Account(self.seconds, now))
            more = (now - account.at) * self.seconds / MINUTE
            account.left, account.at = min(self.seconds, account.left + more), now
            if len(self._accounts) > 2 * KNOWN:
                self._forget(now)
            return account

    def _forget(self, now: float) -> None:
        """Of who has had no page for so long that all is left again there is nothing to know."""
        for owner, account in list(self._accounts.items()):
            left = account.left + (now - account.at) * self.seconds / MINUTE
            if left >= self.seconds and now - account.at > MINUTE:
                del self._accounts[owner]
