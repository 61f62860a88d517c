"""What was given up a moment ago, and may still be asked for."""

from collections.abc import Callable, Hashable, Iterable

LINGERS = 15.0
"""Seconds for which a browser may still ask for a file of a page as it was before its last run."""


class Lately:
    """What was given up less than LINGERS ago, by a clock in seconds."""

    def __init__(self, clock: Callable[[], float]):
        self._clock = clock
        self._since: dict[Hashable, float] = {}

    def recent(self, given_up: Iterable[Hashable]) -> set[Hashable]:
        """Those of all that are `given_up` now to which this has happened lately."""
        now = self._clock()
        self._since = {each: self._since.get(each, now) for each in given_up}
        return {each for each, since in self._since.items() if now - since < LINGERS}
