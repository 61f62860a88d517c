"""Whose work is next where several stores share the devices of one machine (hosting/turns.py): what
pool and workers ask of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from explorer.runs.store import Store


class Scheduler(Protocol):
    """Serves one store after another, each for a turn."""

    @property
    def megabytes(self) -> int:
        """MB of memory that a training process may take."""
        ...

    @property
    def seconds(self) -> float:
        """The most processor seconds that a run or a sweep may be estimated at."""
        ...

    def worker(self) -> Sequence[str]:
        """The module of a worker that serves these stores, and its arguments."""
        ...

    def waiting(self) -> Sequence[object]:
        """All that waits."""
        ...

    def take(self) -> Store | None:
        """The store that is served next."""
        ...

    def turn(self, store: Any, /) -> AbstractContextManager[Callable[[], bool]]:
        """A turn of it that begins now: whether what is at work has to give way. What it took is
        counted at the end."""
        ...

    def recover(self) -> None:
        """Revive what a dead server has left."""
        ...

    def recheck(self, why: str) -> None:
        """A worker has died, and its run says why."""
        ...

    def remove_idle(self) -> object:
        """Remove the stores that nobody needs."""
        ...
