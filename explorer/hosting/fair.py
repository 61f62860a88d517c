"""Whose page may compute now, on a server that is open to the public.

What a page computes takes the processor from the others' pages of its process, which are threads.
So each visitor has so many processor seconds a minute, saved up for one, for all pages together.
Who has used them up waits, and nobody else. Visitors without a word have them by address, all from
one together, as a new cookie costs nothing.

All with one word, however many places it has, compute two pages at a time (lines.py): a quick one
and a slow one, by what the last pages of their visitors took. Those of one address without a word
do so, too.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from explorer.hosting.lines import LOOK_SECONDS, Lines, Page

MINUTE = 60.0
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
        with self.lines.turn(page):
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
